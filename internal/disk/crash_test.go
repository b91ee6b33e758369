// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// history is what a workload was told, to be compared with what a store has.
type history struct {
	told    int    // batches whose Append returned nil
	begun   int    // batches whose Append was called
	image   uint64 // newest image whose WriteImage returned nil
	trouble error  // the first error
}

// run opens a store, appends batches, writes images and closes the store; it
// goes on after errors as a careless caller would. Batches begin at number from.
func (h *history) run(t *testing.T, in *faultfs.FS, seed byte, from, count int, closes bool) {
	t.Helper()
	note := func(err error) bool {
		if err != nil && h.trouble == nil {
			h.trouble = err
		}
		return err == nil
	}
	s, _, err := Open(in, small(seed))
	if !note(err) {
		return
	}
	failed := false
	for i := from; i < from+count; i++ {
		b, _ := batchOf(i)
		h.begun = i + 1
		end, err := s.Append(t.Context(), b)
		switch {
		case note(err) && failed:
			t.Fatalf("batch %d was acknowledged after an append failed", i)
		case err == nil:
			h.told = i + 1
		default:
			failed = true
			if !errors.Is(err, store.ErrReadOnly) || !errors.Is(s.Err(), store.ErrReadOnly) {
				t.Fatalf("append failed with %v, and the store's error is %v; want ErrReadOnly", err, s.Err())
			}
		}
		if i%5 == 4 && err == nil && note(s.WriteImage(imageOf(uint64(i), end))) {
			h.image = uint64(i)
		}
		s.SetHead(store.Head{Seq: uint64(i), Commit: merkle.Sum([]byte{byte(i)})})
	}
	if closes {
		note(s.Close())
	}
}

func imageOf(seq uint64, at store.Pos) store.Image {
	return store.Image{Seq: seq, Commit: merkle.Sum([]byte{byte(seq)}), At: at, Sections: []store.Section{
		{Name: "nodes", Data: fmt.Appendf(nil, "nodes of %d", seq)},
		{Name: "index", Data: fmt.Appendf(nil, "index of %d", seq), Derived: true},
	}}
}

// check opens what a crash left: everything told is there, nothing else than
// what was begun, nothing is called corrupt, and the store works.
func (h *history) check(t *testing.T, in *faultfs.FS, where string) {
	t.Helper()
	s, found, err := Open(in, small(200))
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	defer s.Close()
	if found.Corrupt != nil || found.HeadDamaged {
		t.Fatalf("%s: false alarm: %v, head damaged %v", where, found.Corrupt, found.HeadDamaged)
	}
	got := mustReplay(t, s, store.Pos{})
	count := 0
	if len(got) > 0 {
		count = int(got[len(got)-1].Batch)
	}
	if count < h.told || count > h.begun {
		t.Fatalf("%s: %d batches, want at least the %d acknowledged and at most the %d begun", where, count, h.told, h.begun)
	}
	var want []entry
	for i := range count {
		_, records := batchOf(i)
		want = append(want, records...)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%s: records (-want +got):\n%s", where, cmp.Diff(want, got))
	}
	img, err := s.LoadImage()
	if h.image > 0 && (err != nil || img.Seq < h.image) || err != nil && !errors.Is(err, store.ErrNoImage) {
		t.Fatalf("%s: image %v, %v; want %d or newer", where, img, err, h.image)
	}
	more, records := batchOf(count)
	if _, err := s.Append(t.Context(), more); err != nil {
		t.Fatalf("%s: append: %v", where, err)
	}
	if got := mustReplay(t, s, store.Pos{}); !slices.Equal(got, append(want, records...)) {
		t.Fatalf("%s: the appended batch is not there", where)
	}
}

// TestCrash cuts the power before every operation that changes something.
func TestCrash(t *testing.T) {
	in := faultfs.New()
	var h history
	cuts := 0
	in.OnOp(func(op faultfs.Op) error {
		if op.Kind.Changes() {
			cuts++
			for seed := range uint64(4) {
				h.check(t, in.Crash(uint64(op.N)*4+seed), fmt.Sprintf("before operation %d, %s of %s, seed %d", op.N, op.Kind, op.Name, seed))
			}
		}
		return nil
	})
	h.run(t, in, 1, 0, 22, true)
	h.run(t, in, 2, 22, 10, true)
	in.OnOp(nil)
	if h.trouble != nil || h.told != 32 {
		t.Fatalf("%d batches told, %v", h.told, h.trouble)
	}
	if cuts < 150 {
		t.Errorf("only %d cuts", cuts)
	}
	h.check(t, in, "at the end")
}

// TestFault makes every operation fail, one per run: what was acknowledged is
// there, and no failure goes by in silence. The disk then loses power, or not.
func TestFault(t *testing.T) {
	for _, fault := range []error{faultfs.ErrFault, faultfs.ErrNoSpace, fmt.Errorf("half: %w", faultfs.ErrShortWrite)} {
		t.Run(fault.Error(), func(t *testing.T) {
			whole := faultfs.New()
			new(history).run(t, whole, 1, 0, 11, true)
			ops := whole.Ops()
			if ops < 80 {
				t.Errorf("only %d operations", ops)
			}
			for n := range ops {
				in := faultfs.New()
				var h history
				var failed faultfs.Op
				in.OnOp(func(op faultfs.Op) error {
					if op.N == n {
						failed = op
						return fault
					}
					return nil
				})
				h.run(t, in, 1, 0, 11, true)
				if h.trouble == nil && failed.Kind.Changes() {
					t.Fatalf("operation %d, %s of %s, failed and nobody was told", n, failed.Kind, failed.Name)
				}
				in.OnOp(nil)
				where := fmt.Sprintf("after operation %d, %s of %s, failed", n, failed.Kind, failed.Name)
				h.check(t, in.Crash(uint64(n)), where+" and power was lost")
				h.check(t, in, where)
			}
		})
	}
}

// TestCrashAfterFailedWrite: a process that met a failing write ends, the next
// one goes on from what it can read, which need not be on the disk, and then
// the power fails, before every operation.
func TestCrashAfterFailedWrite(t *testing.T) {
	for n := range 70 {
		in := faultfs.New()
		var h history
		in.OnOp(func(op faultfs.Op) error {
			if op.N == n && op.Kind.Changes() {
				return faultfs.ErrFault
			}
			return nil
		})
		h.run(t, in, 1, 0, 8, n%2 == 0)
		if h.trouble == nil {
			continue
		}
		in.OnOp(nil)
		s, _, err := Open(in.Clone(), small(3))
		if err != nil {
			t.Fatal(err)
		}
		have := mustReplay(t, s, store.Pos{})
		count := 0
		if len(have) > 0 {
			count = int(have[len(have)-1].Batch)
		}
		second := history{told: h.told, begun: h.begun, image: h.image}
		in.OnOp(func(op faultfs.Op) error {
			if op.Kind.Changes() {
				second.check(t, in.Crash(uint64(n*1000+op.N)), fmt.Sprintf("first failure at %d, then power lost before %d, %s of %s", n, op.N, op.Kind, op.Name))
			}
			return nil
		})
		second.run(t, in, 2, count, 4, true)
		in.OnOp(nil)
		if second.trouble != nil {
			t.Fatal(second.trouble)
		}
	}
}

func TestFullDisk(t *testing.T) {
	for free := int64(0); free < 9000; free += 701 {
		in := faultfs.New()
		in.SetFree(free)
		var h history
		h.run(t, in, 1, 0, 30, true)
		if !errors.Is(h.trouble, faultfs.ErrNoSpace) {
			t.Errorf("%d bytes free: got %v, want ErrNoSpace", free, h.trouble)
		}
		in.SetFree(-1)
		h.check(t, in.Crash(uint64(free)), fmt.Sprintf("%d bytes were free", free))
		h.check(t, in, fmt.Sprintf("%d bytes were free, no crash", free))
	}
}

func TestReadOnlyAfterAnError(t *testing.T) {
	in := faultfs.New()
	s := mustOpen(t, in, small(0))
	want, _ := fillStore(t, s, 0, 3)
	in.OnOp(func(op faultfs.Op) error {
		if op.Kind == faultfs.OpSync {
			return faultfs.ErrFault
		}
		return nil
	})
	b, _ := batchOf(3)
	if _, err := s.Append(t.Context(), b); !errors.Is(err, faultfs.ErrFault) || !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("got %v, want the cause and ErrReadOnly", err)
	}
	in.OnOp(nil)
	b, _ = batchOf(4)
	_, err := s.Append(t.Context(), b)
	for name, err := range map[string]error{"append": err, "image": s.WriteImage(imageOf(1, store.Pos{})), "store": s.Err()} {
		if !errors.Is(err, faultfs.ErrFault) || !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("%s: got %v, want the cause and ErrReadOnly", name, err)
		}
	}
	if diff := cmp.Diff(want, mustReplay(t, s, store.Pos{})); diff != "" {
		t.Errorf("reading after the error (-want +got):\n%s", diff)
	}
	mustClose(t, s)
	s = mustOpen(t, in, small(1))
	defer s.Close()
	if s.Err() != nil {
		t.Errorf("reopened: %v", s.Err())
	}
}
