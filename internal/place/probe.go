// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Numbers of a probe.
const (
	probeFolder = "probe/"
	racers      = 4
	races       = 12
	raceBytes   = 24 << 10
	raceWait    = 250 * time.Millisecond
	cleanupWait = 30 * time.Second
)

// Slow is a place on a server, whose writes can be paused halfway.
type Slow interface {
	// PutSlowly is Put, and reports whether the place keeps the earlier version. It calls halfway, if not nil,
	// when the first half of the bytes has been sent.
	PutSlowly(ctx context.Context, name, tag string, data []byte, halfway func()) (kept bool, err error)
}

// Probe tests whether a bucket keeps the conditions of writes: it creates an object twice, writes
// under an outdated tag and under the tag of a missing object, and lets several writers race. It
// reports whether removed or replaced objects stay there as older versions, and removes its objects.
// It accepts other places without a test. Errors: ErrLies, ErrRight and others of the place.
func Probe(ctx context.Context, p Place) (keeps bool, err error) {
	if _, ok := p.(Slow); !ok {
		return false, nil
	}
	q := probe{ctx: ctx, p: p, name: probeFolder + rand.Text()}
	defer func() {
		after, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupWait)
		defer cancel()
		for _, name := range q.wrote {
			if gone := p.Remove(after, name); gone != nil && err == nil {
				err = fmt.Errorf("probe: %w", gone)
			}
		}
	}()
	for _, step := range []func() error{q.alone, q.race} {
		if err := step(); err != nil {
			return false, fmt.Errorf("probe: %w", err)
		}
	}
	return q.keeps, nil
}

type probe struct {
	ctx   context.Context
	p     Place
	name  string
	wrote []string
	keeps bool
}

// put writes an object, which Probe removes at the end.
func (q *probe) put(name, tag, text string) error {
	if !slices.Contains(q.wrote, name) {
		q.wrote = append(q.wrote, name)
	}
	kept, err := q.p.(Slow).PutSlowly(q.ctx, name, tag, []byte(text), nil)
	q.keeps = q.keeps || kept
	return err
}

// taken returns the error of a write that has to be accepted.
func taken(err error) error {
	if errors.Is(err, ErrChanged) {
		return fmt.Errorf("%w: it refused a write whose condition holds", ErrLies)
	}
	return err
}

// refused returns nil for the error of a write that has to be refused; what describes another result.
func refused(err error, what string) error {
	switch {
	case errors.Is(err, ErrChanged), errors.Is(err, ErrNone):
		return nil
	case err == nil:
		return fmt.Errorf("%w: %s", ErrLies, what)
	case errors.Is(err, ErrNoAnswer), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return fmt.Errorf("%w: for a write that it had to refuse it reports: %w", ErrLies, err)
}

// has checks the content of an object.
func (q *probe) has(name, text string) (tag string, err error) {
	data, tag, err := q.p.Get(q.ctx, name)
	if err == nil && string(data) != text {
		err = fmt.Errorf("%w: it returned other bytes than were written", ErrLies)
	}
	return tag, err
}

// alone runs the tests that need one writer.
func (q *probe) alone() error {
	if _, err := q.p.List(q.ctx, probeFolder); err != nil {
		return err
	}
	// Test the rights first, so that a missing right does not look like ErrLies.
	if err := taken(q.put(q.name+".0", "", "zero")); err != nil {
		return err
	}
	if _, err := q.has(q.name+".0", "zero"); err != nil {
		return err
	}
	if err := q.p.Remove(q.ctx, q.name+".0"); err != nil {
		return err
	}
	if _, _, err := q.p.Get(q.ctx, q.name+".0"); !errors.Is(err, ErrNone) {
		return fmt.Errorf("%w: a removed object is still there (%w)", ErrLies, err)
	}
	if err := taken(q.put(q.name, "", "one")); err != nil {
		return err
	}
	if err := refused(q.put(q.name, "", "two"), "it created an object that exists"); err != nil {
		return err
	}
	first, err := q.has(q.name, "one")
	if err != nil {
		return err
	}
	if err := taken(q.put(q.name, first, "three")); err != nil {
		return err
	}
	second, err := q.has(q.name, "three")
	if err == nil && first == second {
		err = fmt.Errorf("%w: other bytes have the same tag", ErrLies)
	}
	if err != nil {
		return err
	}
	if err := refused(q.put(q.name, first, "four"), "it replaced an object under an outdated tag"); err != nil {
		return err
	}
	if err := refused(q.put(q.name+".1", first, "five"), "it wrote a missing object under a tag"); err != nil {
		return err
	}
	names, err := q.p.List(q.ctx, probeFolder)
	if err == nil && (!slices.Contains(names, q.name) || slices.Contains(names, q.name+".1")) {
		err = fmt.Errorf("%w: its list is wrong", ErrLies)
	}
	return err
}

// race lets several writers write at once: only one may win. A store that checks the condition
// before it has all bytes accepts several.
func (q *probe) race() error {
	_, tag, err := q.p.Get(q.ctx, q.name)
	if err != nil {
		return err
	}
	for round := range races {
		name, under := q.name, tag
		if round%3 == 0 { // create one instead
			name, under = fmt.Sprintf("%s.r%d", q.name, round), ""
			q.wrote = append(q.wrote, name)
		}
		won, unknown := q.run(name, under)
		if len(won) > 1 {
			return fmt.Errorf("%w: of several writers at once it accepted %d", ErrLies, len(won))
		}
		data, now, err := q.p.Get(q.ctx, name)
		if err != nil {
			return err
		}
		if len(won) == 1 && unknown == nil && !bytes.Equal(data, won[0]) {
			return fmt.Errorf("%w: of several writers at once a refused one has won", ErrLies)
		}
		if unknown != nil && len(won) == 0 {
			return unknown
		}
		if name == q.name {
			tag = now
		}
	}
	return nil
}

// run lets writers race for one object. It returns what the accepted ones wrote, and the error of
// one without a clear answer.
func (q *probe) run(name, tag string) (won [][]byte, unknown error) {
	var mu sync.Mutex
	var running sync.WaitGroup
	ready := barrier(q.ctx, racers)
	for range racers {
		data := bytes.Repeat([]byte(rand.Text()), raceBytes/26)
		running.Go(func() {
			kept, err := q.p.(Slow).PutSlowly(q.ctx, name, tag, data, ready)
			mu.Lock()
			defer mu.Unlock()
			switch q.keeps = q.keeps || kept; {
			case err == nil:
				won = append(won, data)
			case !errors.Is(err, ErrChanged):
				unknown = err
			}
		})
	}
	running.Wait()
	return won, unknown
}

// barrier returns a function that waits until n callers wait, or for raceWait: a store may handle one
// request after the other.
func barrier(ctx context.Context, n int32) (wait func()) {
	left, all := new(atomic.Int32), make(chan struct{})
	left.Store(n)
	return func() {
		if left.Add(-1) == 0 {
			close(all)
		}
		select {
		case <-all:
		case <-time.After(raceWait):
		case <-ctx.Done():
		}
	}
}
