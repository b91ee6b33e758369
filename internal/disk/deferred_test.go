// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/store"
)

// markBatch is a small batch.
func markBatch(i int) *store.Batch {
	var b store.Batch
	b.Add(store.Mark, fmt.Appendf(nil, "mark %d %0100d", i, i))
	return &b
}

// syncsOf counts syncs of the journal's files.
func syncsOf(in *faultfs.FS) *atomic.Int64 {
	n := new(atomic.Int64)
	in.OnOp(func(op faultfs.Op) error {
		if op.Kind == faultfs.OpSync && op.Name == segmentName(1) {
			n.Add(1)
		}
		return nil
	})
	return n
}

// deferredBatch is a markBatch that is synced later.
func deferredBatch(i int) *store.Batch {
	b := markBatch(i)
	b.Defer()
	return b
}

// TestDeferredSyncs: deferred batches are synced with what comes next.
func TestDeferredSyncs(t *testing.T) {
	in := faultfs.New()
	s := mustOpen(t, in, &Options{SegmentMin: 64 << 10})
	put := func(b *store.Batch) {
		t.Helper()
		if _, err := s.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	put(markBatch(0))
	syncs := syncsOf(in)
	for i, tc := range []struct {
		name string
		do   func()
		want int64
	}{
		{"three batches", func() { put(deferredBatch(1)); put(deferredBatch(2)); put(deferredBatch(3)) }, 0},
		{"one that is not deferred", func() { put(markBatch(4)) }, 1},
		{"a batch, synced by hand", func() {
			put(deferredBatch(5))
			if err := s.Sync(); err != nil {
				t.Fatal(err)
			}
		}, 1},
		{"once is enough", func() {
			if err := s.Sync(); err != nil {
				t.Fatal(err)
			}
		}, 0},
		{"an intent", func() {
			b := deferredBatch(6)
			b.Add(store.Intent, []byte("a file"))
			put(b)
		}, 1},
		{"an image", func() {
			put(deferredBatch(7))
			if err := s.WriteImage(imageOf(1, s.End())); err != nil {
				t.Fatal(err)
			}
		}, 1},
		{"a close", func() { put(deferredBatch(8)); mustClose(t, s) }, 1},
	} {
		syncs.Store(0)
		if tc.do(); syncs.Load() != tc.want {
			t.Errorf("%d, %s: %d syncs, want %d", i, tc.name, syncs.Load(), tc.want)
		}
	}
	in.OnOp(nil)
	if err := s.Sync(); !errors.Is(err, store.ErrClosed) {
		t.Errorf("after close: got %v, want ErrClosed", err)
	}
}

// TestDeferredFailureShows: the sync that comes later fails, and the store is
// read-only.
func TestDeferredFailureShows(t *testing.T) {
	in := faultfs.New()
	s := mustOpen(t, in, &Options{SegmentMin: 64 << 10})
	if _, err := s.Append(t.Context(), deferredBatch(0)); err != nil {
		t.Fatal(err)
	}
	in.OnOp(func(op faultfs.Op) error {
		if op.Kind == faultfs.OpSync {
			return faultfs.ErrFault
		}
		return nil
	})
	failed := s.Sync()
	in.OnOp(nil)
	_, err := s.Append(t.Context(), markBatch(1))
	for name, err := range map[string]error{"first sync": failed, "store": s.Err(), "append": err, "sync": s.Sync()} {
		if !errors.Is(err, store.ErrReadOnly) || !errors.Is(err, faultfs.ErrFault) {
			t.Errorf("%s: got %v, want the cause and ErrReadOnly", name, err)
		}
	}
	mustClose(t, s)
}

// TestDeferredCrash cuts the power before every operation: what was synced is
// there, the rest is a beginning of what was written, and nothing is called
// corrupt. A killed process loses nothing.
func TestDeferredCrash(t *testing.T) {
	t.Run("one segment", func(t *testing.T) { deferredCrash(t, 64<<10, 30) })
	t.Run("a segment for each batch", func(t *testing.T) { deferredCrash(t, 100, 8) })
}

func deferredCrash(t *testing.T, segment int64, batches int) {
	in := faultfs.New()
	options := func(seed byte) *Options {
		opts := small(seed)
		opts.SegmentMin, opts.SegmentMax = segment, segment
		return opts
	}
	written, synced := 0, 0
	check := func(in *faultfs.FS, where string, least int) {
		t.Helper()
		s, found, err := Open(in, options(9))
		if err != nil || found.Corrupt != nil {
			t.Fatalf("%s: %v, %v", where, err, found.Corrupt)
		}
		got := mustReplay(t, s, store.Pos{})
		if len(got) < least || len(got) > written {
			t.Fatalf("%s: %d batches, want %d to %d", where, len(got), least, written)
		}
		var want []entry
		for i := range got {
			want = append(want, entry{store.Mark, uint64(i + 1), fmt.Sprintf("mark %d %0100d", i, i)})
		}
		if diff := cmp.Diff(want, append([]entry(nil), got...)); diff != "" {
			t.Fatalf("%s: records (-want +got):\n%s", where, diff)
		}
		if _, err := s.Append(t.Context(), markBatch(len(got))); err != nil {
			t.Fatal(err)
		}
		// Killed now, it must read again, and after a close too.
		again, found, err := Open(in.Clone(), options(8))
		if err != nil || found.Corrupt != nil || len(mustReplay(t, again, store.Pos{})) != len(got)+1 {
			t.Fatalf("%s: opened again: %v, %+v", where, err, found)
		}
		mustClose(t, s)
	}
	for round := range 3 {
		s := mustOpen(t, in, options(byte(round)))
		in.OnOp(func(op faultfs.Op) error {
			if op.Kind.Changes() {
				for seed := range uint64(4) {
					check(in.Crash(uint64(op.N)*4+seed), fmt.Sprintf("round %d, before operation %d, %s of %s, seed %d", round, op.N, op.Kind, op.Name, seed), synced)
				}
			}
			return nil
		})
		for i := range batches {
			written++
			if _, err := s.Append(t.Context(), deferredBatch(written-1)); err != nil {
				t.Fatal(err)
			}
			if i%8 == 6 {
				if err := s.Sync(); err != nil {
					t.Fatal(err)
				}
				synced = written
			}
		}
		in.OnOp(nil)
		check(in.Clone(), "killed", written)
		mustClose(t, s)
		synced = written
	}
}

// TestSegmentsGrow: segments double from the least size to the largest.
func TestSegmentsGrow(t *testing.T) {
	s := mustOpen(t, faultfs.New(), nil)
	defer s.Close()
	for number, want := range map[uint64]int64{1: 1 << 20, 2: 2 << 20, 3: 4 << 20, 6: 32 << 20, 7: 64 << 20, 8: 64 << 20, 1 << 63: 64 << 20} {
		if got := s.log.writer.capacity(number); got != want {
			t.Errorf("segment %d may have %d bytes, want %d", number, got, want)
		}
	}
}
