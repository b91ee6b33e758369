// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"errors"
	"fmt"
	"testing"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/store"
)

// upkeep is a workload of batches, images, packs and rewrites that goes on after
// errors, with what it was told.
type upkeep struct {
	diary
	trouble error
	letters []byte // whose purge was begun, the last one perhaps not done
	done    int    // of them
}

func (u *upkeep) run(t *testing.T, in *faultfs.FS, seed byte) {
	t.Helper()
	note := func(err error) bool {
		if err != nil && u.trouble == nil {
			u.trouble = err
		}
		return err == nil
	}
	s, _, err := Open(in, small(seed))
	if !note(err) {
		return
	}
	for range 3 {
		err := s.Pack(t.Context())
		note(err)
		letter := byte('b' + len(u.letters))
		u.letters = append(u.letters, letter)
		if err = s.Rewrite(t.Context(), u.blocksOf(letter, uint64(len(u.letters)))); note(err) {
			u.purge(letter, uint64(len(u.letters)))
			u.done++
		} else {
			break
		}
		if !note(s.WriteImage(imageOf(uint64(len(u.ends)+len(u.letters)), s.End()))) {
			break
		}
		b, _ := batchOf(len(u.ends))
		before := s.End()
		if end, err := s.Append(t.Context(), b); note(err) {
			records, err := placedOf(s, before)
			if !note(err) {
				records = mustPlaced(t, s, before)
			}
			u.records, u.ends = append(u.records, records...), append(u.ends, end)
		}
	}
	note(s.Close())
}

// prepared is a store of cold segments, which the workload goes on from, closed.
func prepared(t *testing.T) (*faultfs.FS, upkeep) {
	in := faultfs.New()
	s := mustOpen(t, in, small(0))
	var u upkeep
	for i := range 24 {
		u.append(t, s)
		if i%5 == 4 {
			u.image(t, s)
		}
		if i == 12 {
			mustPack(t, s)
		}
	}
	mustClose(t, s)
	return in, u
}

// check opens what a crash left: all of the history is there once, and a purge
// was done whole or not at all.
func (u *upkeep) check(t *testing.T, in *faultfs.FS, where string) {
	t.Helper()
	s, found, err := Open(in, small(200))
	if err != nil || found.Corrupt != nil || found.HeadDamaged {
		t.Fatalf("%s: %v, %+v", where, err, found.Corrupt)
	}
	have := u.diary
	got := mustPlaced(t, s, store.Pos{})
	if len(u.ends) > 0 && len(got) > 0 && got[len(got)-1].Batch > uint64(len(u.ends)) {
		// A batch that nobody was told of may be there.
		have.ends = append(have.ends[:len(have.ends):len(have.ends)], s.End())
		have.records = have.records[:len(have.records):len(have.records)]
		for _, r := range got {
			if r.Batch > uint64(len(u.ends)) {
				have.records = append(have.records, r)
			}
		}
	}
	err = have.differs(s)
	if err != nil && u.done < len(u.letters) {
		have.purged = nil // of the purge that was begun, and of those before
		for i, letter := range u.letters {
			have.purge(letter, uint64(i+1))
		}
		for digest, by := range u.purged {
			have.purged[digest] = max(have.purged[digest], by)
		}
		err = have.differs(s)
	}
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	last := s.files.packs.last()
	names, errPacks := listPacks(in)
	numbers, errSegments := listSegments(in)
	if errPacks != nil || errSegments != nil || len(names) != len(s.files.packs.packs) || numbers[0] != last+1 {
		t.Fatalf("%s: packs %v and segments %v, want %d packs up to segment %d", where, names, numbers, len(s.files.packs.packs), last)
	}
	mustCheck(t, s)
	b, _ := batchOf(len(have.ends))
	if _, err := s.Append(t.Context(), b); err != nil {
		t.Fatalf("%s: append: %v", where, err)
	}
	if err := s.Pack(t.Context()); err != nil {
		t.Fatalf("%s: pack: %v", where, err)
	}
	mustClose(t, s)
}

// TestPackCrash cuts the power before every operation that changes something.
func TestPackCrash(t *testing.T) {
	in, u := prepared(t)
	cuts := 0
	in.OnOp(func(op faultfs.Op) error {
		if op.Kind.Changes() {
			cuts++
			for seed := range uint64(3) {
				u.check(t, in.Crash(uint64(op.N)*3+seed), fmt.Sprintf("before operation %d, %s of %s, seed %d", op.N, op.Kind, op.Name, seed))
			}
		}
		return nil
	})
	u.run(t, in, 1)
	in.OnOp(nil)
	if u.trouble != nil || u.done != 3 {
		t.Fatalf("%d rewrites, %v", u.done, u.trouble)
	}
	if cuts < 80 {
		t.Errorf("only %d cuts", cuts)
	}
	u.check(t, in, "at the end")
}

// TestPackFault makes every operation fail, one per run. The disk then loses
// power, or not.
func TestPackFault(t *testing.T) {
	for _, fault := range []error{faultfs.ErrFault, fmt.Errorf("half: %w", faultfs.ErrShortWrite)} {
		t.Run(fault.Error(), func(t *testing.T) {
			start, before := prepared(t)
			whole, u := start.Clone(), before
			u.run(t, whole, 1)
			ops := whole.Ops()
			if ops < 100 || u.trouble != nil {
				t.Errorf("only %d operations, %v", ops, u.trouble)
			}
			for n := range ops {
				in, u := start.Clone(), before
				u.letters = nil
				var failed faultfs.Op
				in.OnOp(func(op faultfs.Op) error {
					if op.N == n {
						failed = op
						return fault
					}
					return nil
				})
				u.run(t, in, 1)
				in.OnOp(nil)
				where := fmt.Sprintf("after operation %d, %s of %s, failed", n, failed.Kind, failed.Name)
				if u.trouble == nil && failed.Kind.Changes() {
					t.Fatalf("%s: nobody was told", where)
				}
				if n%2 == 0 {
					u.check(t, in.Crash(uint64(n)), where+" and power was lost")
				}
				u.check(t, in, where)
			}
		})
	}
}

// TestPackKilled ends the writes of a process at every operation, opens the store again, which
// goes on from what is not on the disk yet, and cuts the power then.
func TestPackKilled(t *testing.T) {
	start, before := prepared(t)
	whole, u := start.Clone(), before
	u.run(t, whole, 1)
	for n := range whole.Ops() {
		in, u := start.Clone(), before
		u.letters = nil
		in.OnOp(func(op faultfs.Op) error {
			if op.N >= n && op.Kind.Changes() && op.Kind != faultfs.OpOpen { // it still reads what it needs to end
				return faultfs.ErrFault
			}
			return nil
		})
		u.run(t, in, 1)
		in.OnOp(nil)
		mustClose(t, mustOpen(t, in, small(2)))
		for seed := range uint64(3) {
			u.check(t, in.Crash(uint64(n)*3+seed), fmt.Sprintf("killed at operation %d, opened again, and power was lost, seed %d", n, seed))
		}
	}
}

// TestPackLeavesNothing: a pack that fails takes its files with it.
func TestPackLeavesNothing(t *testing.T) {
	in, _ := prepared(t)
	s := mustOpen(t, in, small(1))
	defer s.Close()
	in.OnOp(func(op faultfs.Op) error {
		if op.Kind == faultfs.OpWrite && s.files.packs.Generation > 0 {
			return faultfs.ErrFault
		}
		return nil
	})
	before := namesIn(t, in, store.PackFolder)
	err := s.Rewrite(t.Context(), purged(t, s, 'a', 1))
	in.OnOp(nil)
	if !errors.Is(err, faultfs.ErrFault) {
		t.Fatalf("got %v", err)
	}
	if got := namesIn(t, in, store.PackFolder); fmt.Sprint(got) != fmt.Sprint(before) {
		t.Errorf("packs %v, want %v", got, before)
	}
}
