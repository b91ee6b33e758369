// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build unix

package bench

import (
	"cmp"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

const (
	recordSize = 500 // bytes, as of a small edit
	writers    = 64

	// Turns are many and short, with one writer and with all of them: what else
	// the machine does then falls on all engines alike.
	aloneFor    = 100 * time.Millisecond
	togetherFor = 200 * time.Millisecond
)

// BenchmarkDurable commits records of 500 bytes, each acknowledged when it is
// durable, with Fovea's journal and its peers by turns: what a commit of one
// writer takes, and how many 64 writers get done in a second. The floor is the
// write and the sync alone; memory is an ingest of one changed file.
func BenchmarkDurable(b *testing.B) {
	load := newLoad(engines(b, recordSize))
	load.turn(b) // brings files to the size that they keep, and does not count
	for b.Loop() {
		var turns []map[string]float64
		for range foveatest.Size(21, 1) {
			turns = append(turns, load.turn(b))
			load.rotate()
		}
		for _, unit := range slices.Sorted(maps.Keys(turns[0])) {
			b.ReportMetric(middle(turns, func(t map[string]float64) float64 { return t[unit] }), unit)
		}
	}
	load.check(b)
	b.ReportMetric(0, "ns/op") // of all turns together: says nothing
}

// TestEnginesHoldWhatTheyAcknowledge: a store that loses or waits for nothing
// would be no comparison.
func TestEnginesHoldWhatTheyAcknowledge(t *testing.T) {
	load := newLoad(engines(t, recordSize))
	for _, e := range load.engines {
		for range 3 {
			_, err := load.one(e)
			must(t, err)
		}
		if e.shared != nil {
			var left atomic.Int64
			left.Store(4 * writers)
			must(t, load.together(e, func() bool { return left.Add(-1) >= 0 }))
		}
	}
	load.check(t)
}

// load is what the engines are made to hold.
type load struct {
	engines []*engine
	noise   []byte // does not compress
	last    atomic.Uint64
	done    map[*engine]*atomic.Int64
}

func newLoad(engines []*engine) *load {
	l := &load{engines: engines, noise: make([]byte, 64<<10), done: map[*engine]*atomic.Int64{}}
	rand.NewChaCha8([32]byte{}).Read(l.noise)
	for _, e := range engines {
		l.done[e] = new(atomic.Int64)
	}
	return l
}

// commit makes one record durable with e's put or shared.
func (l *load) commit(e *engine, put func(uint64, []byte) error) error {
	n := l.last.Add(1)
	at := n * 8 % uint64(len(l.noise)-recordSize)
	err := put(n, l.noise[at:][:recordSize])
	if err == nil {
		l.done[e].Add(1)
	}
	return err
}

// one commits one record as a single writer and returns what it took.
func (l *load) one(e *engine) (time.Duration, error) {
	if e.ready != nil {
		if err := e.ready(l.last.Load()); err != nil {
			return 0, err
		}
	}
	begun := time.Now()
	err := l.commit(e, e.put)
	return time.Since(begun), err
}

// alone commits one record after another for the time of a turn and returns what
// each took, sorted.
func (l *load) alone(b *testing.B, e *engine) []time.Duration {
	var took []time.Duration
	for begun := time.Now(); time.Since(begun) < aloneFor; {
		d, err := l.one(e)
		must(b, err)
		took = append(took, d)
	}
	slices.Sort(took)
	return took
}

// together lets all writers commit while there is more to do.
func (l *load) together(e *engine, more func() bool) error {
	errs := make([]error, writers)
	var wg sync.WaitGroup
	for w := range errs {
		wg.Go(func() {
			for errs[w] == nil && more() {
				errs[w] = l.commit(e, e.shared)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// rotate lets another engine begin: the one behind a turn inherits its unfinished
// business, such as a compaction.
func (l *load) rotate() { l.engines = append(l.engines[1:len(l.engines):len(l.engines)], l.engines[0]) }

// turn gives each engine its turn and returns the figures by unit. Ratios are of
// one turn, so that a machine that slows down between turns does not show.
func (l *load) turn(b *testing.B) map[string]float64 {
	figures := map[string]float64{}
	for _, e := range l.engines {
		took := l.alone(b, e)
		figures[e.name+"-p50-µs"] = float64(took[len(took)/2].Nanoseconds()) / 1e3
		figures[e.name+"-p99-µs"] = float64(took[len(took)*99/100].Nanoseconds()) / 1e3
		if e.shared == nil {
			continue
		}
		before, begun := l.done[e].Load(), time.Now()
		must(b, l.together(e, func() bool { return time.Since(begun) < togetherFor }))
		figures[e.name+"-commits/s"] = float64(l.done[e].Load()-before) / time.Since(begun).Seconds()
	}
	figures["journal/floor-p50"] = figures["journal-p50-µs"] / figures["floor-p50-µs"]
	figures["journal/pebble-commits"] = figures["journal-commits/s"] / figures["pebble-commits/s"]
	return figures
}

// check proves that the engines hold every record that they acknowledged.
func (l *load) check(tb testing.TB) {
	for _, e := range l.engines {
		if e.held == nil {
			continue
		}
		held, err := e.held()
		must(tb, err)
		if want := int(l.done[e].Load()); held != want {
			tb.Errorf("%s holds %d records and acknowledged %d", e.name, held, want)
		}
	}
}

// middle returns the median of what f says of the values, the upper one of two.
func middle[V any, T cmp.Ordered](values []V, f func(V) T) T {
	out := make([]T, len(values))
	for i, v := range values {
		out[i] = f(v)
	}
	slices.Sort(out)
	return out[len(out)/2]
}
