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

// Slow is a place that others run, whose writes can be held halfway.
type Slow interface {
	// PutSlowly is Put that reports whether the place keeps the version before. halfway, if there is one, is
	// called when the first half of the bytes is on its way.
	PutSlowly(ctx context.Context, name, tag string, data []byte, halfway func()) (kept bool, err error)
}

// Probed is what else a probe found.
type Probed struct {
	// Keeps reports whether removed or replaced objects stay there as older versions.
	Keeps bool
}

// Probe finds out whether a place that others run keeps its conditions: it creates an object
// twice, writes under an outdated tag and under the tag of an object that does not exist, and has
// several writers race. It removes its objects. It is for buckets; it accepts other places
// without a test. Errors: ErrLies, ErrRight and others of the place.
func Probe(ctx context.Context, p Place) (done Probed, err error) {
	if _, ok := p.(Slow); !ok {
		return done, nil
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
			return done, fmt.Errorf("probe: %w", err)
		}
	}
	return Probed{Keeps: q.keeps}, nil
}

// probe is one probe.
type probe struct {
	ctx   context.Context
	p     Place
	name  string
	wrote []string
	keeps bool
}

// put writes an object as the last of its name.
func (q *probe) put(name, tag, text string) error {
	if !slices.Contains(q.wrote, name) {
		q.wrote = append(q.wrote, name)
	}
	kept, err := q.p.(Slow).PutSlowly(q.ctx, name, tag, []byte(text), nil)
	q.keeps = q.keeps || kept
	return err
}

// taken is the error of a write whose condition holds.
func taken(err error) error {
	if errors.Is(err, ErrChanged) {
		return fmt.Errorf("%w: it refuses a write whose condition holds", ErrLies)
	}
	return err
}

// refused reports that a write was refused as it had to be; else it tells what happened.
func refused(err error, what string) error {
	switch {
	case errors.Is(err, ErrChanged), errors.Is(err, ErrNone):
		return nil
	case err == nil:
		return fmt.Errorf("%w: %s", ErrLies, what)
	case errors.Is(err, ErrNoAnswer), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return fmt.Errorf("%w: where a write had to be refused it says: %w", ErrLies, err)
}

// has checks what an object has.
func (q *probe) has(name, text string) (tag string, err error) {
	data, tag, err := q.p.Get(q.ctx, name)
	if err == nil && string(data) != text {
		err = fmt.Errorf("%w: it gave other bytes than were written", ErrLies)
	}
	return tag, err
}

// alone tries what one writer can find out.
func (q *probe) alone() error {
	if _, err := q.p.List(q.ctx, probeFolder); err != nil {
		return err
	}
	// The rights come first, so that the lack of one is not taken for a lie.
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
		return fmt.Errorf("%w: what was removed is still there (%w)", ErrLies, err)
	}
	if err := taken(q.put(q.name, "", "one")); err != nil {
		return err
	}
	if err := refused(q.put(q.name, "", "two"), "it created an object that was there"); err != nil {
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
	if err := refused(q.put(q.name+".1", first, "five"), "it wrote an object under a tag where none was"); err != nil {
		return err
	}
	names, err := q.p.List(q.ctx, probeFolder)
	if err == nil && (!slices.Contains(names, q.name) || slices.Contains(names, q.name+".1")) {
		err = fmt.Errorf("%w: its list is not what is there", ErrLies)
	}
	return err
}

// race has several writers write at once: one may win. A store that looks at the condition
// before it has all bytes lets several.
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
			return fmt.Errorf("%w: of writers at the same time it said yes to %d", ErrLies, len(won))
		}
		data, now, err := q.p.Get(q.ctx, name)
		if err != nil {
			return err
		}
		if len(won) == 1 && unknown == nil && !bytes.Equal(data, won[0]) {
			return fmt.Errorf("%w: of writers at the same time the one it refused has won", ErrLies)
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

// run has writers race for one object. It returns what the acknowledged ones wrote, and the
// error of one that got no clear answer.
func (q *probe) run(name, tag string) (won [][]byte, unknown error) {
	var mu sync.Mutex
	var running sync.WaitGroup
	ready := meeting(q.ctx, racers)
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

// meeting returns a wait that ends when as many wait as are expected, or after a moment: a store may take
// one after the other.
func meeting(ctx context.Context, n int32) (wait func()) {
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
