// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// salvageAll reads all that a salvage finds.
func salvageAll(t testing.TB, in vfs.FS) (*Salvage, []placed) {
	t.Helper()
	s, err := OpenSalvage(in)
	if err != nil {
		t.Fatal(err)
	}
	var got []placed
	if err := s.Read(t.Context(), func(r store.Record) error {
		got = append(got, placed{r.Kind, r.Batch, string(r.Data), r.Pos})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return s, got
}

// rebuiltWith is a rebuilding that keeps all, and adds a commit.
func rebuiltWith(lost []merkle.Digest) store.Rebuilt {
	return store.Rebuilt{
		Memex: "/memex", Keep: func(r store.Record) store.Kind { return r.Kind }, Lost: lost, By: 77,
		Add: []store.Record{{Kind: store.Commit, Data: []byte("repaired")}}, Rand: rand.NewChaCha8([32]byte{5}),
	}
}

func TestSalvageWhole(t *testing.T) {
	in, d := packedStore(t)
	before := in.Clone()
	s, got := salvageAll(t, in)
	want := mustPlaced(t, mustOpen(t, before.Clone(), nil), store.Pos{})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-replay +salvage):\n%s", diff)
	}
	if len(s.Damage()) > 0 || s.missing() || s.Final() {
		t.Errorf("damage %v, missing %v", s.Damage(), s.missing())
	}
	for name, final := range map[string]bool{store.HeadFile: false, lastSegment(t, in): true} {
		hurt := in.Clone()
		patch(t, hurt, name, func(f vfs.File) error { return flipAt(f, headerSize+8) })
		if s, _ := salvageAll(t, hurt); len(s.Damage()) != 1 || s.Final() != final {
			t.Errorf("%s is damaged: %v, and that is final: %v", name, s.Damage(), s.Final())
		}
	}
	if !maps.Equal(s.Gone(), d.purged) {
		t.Errorf("gone %v, want %v", s.Gone(), d.purged)
	}
	for _, r := range got {
		digest := merkleOf(r.Data)
		if s.Has(digest) != r.Kind.HasDigest() && !slices.ContainsFunc(got, func(o placed) bool { return o.Data == r.Data && o.Kind.HasDigest() }) {
			t.Errorf("%v %v: has %v", r.Kind, r.Pos, s.Has(digest))
		}
		if data, err := s.Block(digest); s.Has(digest) && (err != nil || string(data) != r.Data) {
			t.Errorf("block %v: %.10q, %v", r.Pos, data, err)
		}
	}
	if _, err := s.Block(merkleOf("nowhere")); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a block that is nowhere: %v", err)
	}
	stop := errors.New("enough")
	if err := s.Read(t.Context(), func(store.Record) error { return stop }); err != stop {
		t.Errorf("got %v, want the function's own error", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	again, err := OpenSalvage(in)
	if err == nil {
		err = again.Read(ctx, func(store.Record) error { return nil })
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that of the context", err)
	}
	sameFiles(t, before, in, "salvage")
}

// allFiles lists the files of a state folder.
func allFiles(t testing.TB, in vfs.FS) []string {
	t.Helper()
	names := []string{store.FormatFile, store.HeadFile}
	for _, folder := range store.HistoryFolders {
		for _, name := range filesBelow(t, in, folder) {
			names = append(names, path.Join(folder, path.Base(name)))
		}
	}
	return names
}

// TestSalvageDamage damages each file in several ways, salvages and rebuilds. What the file
// does not hold is all there, in order; blocks that are lost are said to be; the damaged
// file is in quarantine; and the new history is whole.
func TestSalvageDamage(t *testing.T) {
	start, _ := packedStore(t)
	whole := mustPlaced(t, mustOpen(t, start.Clone(), nil), store.Pos{})
	hurts := map[string]func(f vfs.File, size int64) error{
		"flip the first byte": func(f vfs.File, _ int64) error { return flipAt(f, 0) },
		"flip in the middle":  func(f vfs.File, size int64) error { return flipAt(f, size/2) },
		"flip the last byte":  func(f vfs.File, size int64) error { return flipAt(f, size-1) },
		"cut in half":         func(f vfs.File, size int64) error { return f.Truncate(size / 2) },
		"empty":               func(f vfs.File, _ int64) error { return f.Truncate(0) },
		"remove":              nil,
	}
	for _, name := range allFiles(t, start) {
		for how, hurt := range hurts {
			t.Run(name+" "+how, func(t *testing.T) {
				in := start.Clone()
				if hurt == nil {
					if err := in.Remove(name); err != nil {
						t.Fatal(err)
					}
				} else {
					info, err := in.Stat(name)
					if err != nil {
						t.Fatal(err)
					}
					patch(t, in, name, func(f vfs.File) error { return hurt(f, info.Size()) })
				}
				salvageAndRebuild(t, in, name, hurt == nil, whole)
			})
		}
	}
}

// flipAt flips a bit of a file.
func flipAt(f vfs.File, at int64) error {
	b := make([]byte, 1)
	if _, err := f.ReadAt(b, at); err != nil && err != io.EOF {
		return err
	}
	b[0] ^= 4
	_, err := f.WriteAt(b, at)
	return err
}

func salvageAndRebuild(t *testing.T, in *faultfs.FS, name string, removed bool, whole []placed) {
	t.Helper()
	s, got := salvageAll(t, in)
	if err := s.Images(func(string, *store.Image) {}); err != nil {
		t.Fatal(err)
	}
	hurt := slices.ContainsFunc(s.Damage(), func(c store.Corruption) bool { return c.File == name })
	if !hurt && !removed {
		got2 := slices.Clone(got)
		if diff := cmp.Diff(whole, got2); diff != "" {
			t.Errorf("no damage is named, and records differ (-want +got):\n%s", diff)
		}
	}
	rest := whole
	for _, r := range got { // a part of what was there, in order
		i := slices.Index(rest, r)
		if i < 0 {
			t.Fatalf("%v at %v was not in the history, or not in this place", r.Kind, r.Pos)
		}
		rest = rest[i+1:]
	}
	var lost []merkle.Digest
	for _, r := range whole {
		if d := merkleOf(r.Data); r.Kind.HasDigest() && !s.Has(d) {
			lost = append(lost, d)
		}
	}
	if len(lost) > 0 && !hurt && !s.missing() {
		t.Errorf("%d blocks are lost, and nothing says so", len(lost))
	}
	if err := s.Rebuild(t.Context(), rebuiltWith(lost)); err != nil {
		t.Fatal(err)
	}
	if aside := filesBelow(t, in, store.Quarantine); (hurt && !removed) != (len(aside) > 0) {
		t.Errorf("damaged: %v; in quarantine: %v", hurt, aside)
	}
	isRebuilt(t, in, got, lost)
}

// isRebuilt opens a history that was rebuilt of some records and checks that it is whole.
func isRebuilt(t *testing.T, in vfs.FS, from []placed, lost []merkle.Digest) {
	t.Helper()
	opened, found, err := Open(in, small(9))
	if err != nil || found.Corrupt != nil || opened.Err() != nil {
		t.Fatalf("%+v, %v", found, err)
	}
	mustCheck(t, opened)
	got := mustPlaced(t, opened, store.Pos{})
	want := append(kept(from, ^uint64(0)), placed{store.Commit, 0, "repaired", store.Pos{}})
	got = lasting(got, ^uint64(0))
	if len(got) > 0 {
		want[len(want)-1].Batch, want[len(want)-1].Pos = got[len(got)-1].Batch, got[len(got)-1].Pos
	}
	got = slices.DeleteFunc(got, func(r placed) bool { return r.Kind == store.Intent })
	want = slices.DeleteFunc(want, func(r placed) bool { return r.Kind == store.Intent })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records of the new history (-want +got):\n%s", diff)
	}
	for _, d := range lost {
		if purged, ok := errors.AsType[*store.Purged](func() error { _, err := opened.Block(d); return err }()); !ok || purged.By != 77 {
			t.Errorf("a lost block: %+v", purged)
		}
	}
	if err := appendOne(t, opened); err != nil {
		t.Error(err)
	}
	mustClose(t, opened)
}

// damagedHistory is one with damage in a segment, in a pack and in an image.
func damagedHistory(t *testing.T) *faultfs.FS {
	t.Helper()
	in, _ := packedStore(t)
	for _, name := range []string{packFiles(t, in)[0], lastSegment(t, in), path.Join(store.ImageFolder, namesIn(t, in, store.ImageFolder)[0])} {
		info, err := in.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		patch(t, in, name, func(f vfs.File) error { return errors.Join(flipAt(f, info.Size()/3), f.Sync()) })
	}
	return in
}

// rebuildAgain opens a folder in which a rebuilding was cut short. It has the old history
// then, which can be salvaged again to the same end, or the new one.
func rebuildAgain(t *testing.T, in vfs.FS, want []placed) {
	t.Helper()
	opened, _, err := Open(in, small(3))
	if err != nil {
		t.Fatal(err)
	}
	mustClose(t, opened)
	s, got := salvageAll(t, in)
	if !slices.ContainsFunc(got, func(r placed) bool { return r.Data == "repaired" }) {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("salvaged again (-first +again):\n%s", diff)
		}
		if err := s.Rebuild(t.Context(), rebuiltWith(nil)); err != nil {
			t.Fatal(err)
		}
	}
	isRebuilt(t, in, want, nil)
}

// TestRebuildCrash cuts the power before each operation of a rebuilding.
func TestRebuildCrash(t *testing.T) {
	in := damagedHistory(t)
	s, got := salvageAll(t, in)
	cuts := 0
	in.OnOp(func(op faultfs.Op) error {
		if !op.Kind.Changes() {
			return nil
		}
		cuts++
		for seed := range uint64(2) {
			t.Run(fmt.Sprintf("%d %s of %s seed %d", op.N, op.Kind, op.Name, seed), func(t *testing.T) {
				crashed := in.Crash(uint64(op.N)*2 + seed)
				rebuildAgain(t, crashed, got)
			})
		}
		return nil
	})
	if err := s.Rebuild(t.Context(), rebuiltWith(nil)); err != nil || cuts < 20 {
		t.Fatalf("%d cuts, %v", cuts, err)
	}
	in.OnOp(nil)
	isRebuilt(t, in, got, nil)
}

// TestRebuildFault lets each operation fail. Nothing is lost then: it can be done again.
func TestRebuildFault(t *testing.T) {
	start := damagedHistory(t)
	for n := 0; ; n++ {
		in := start.Clone()
		s, got := salvageAll(t, in)
		end := in.FailOp(n, faultfs.ErrFault)
		err := s.Rebuild(t.Context(), rebuiltWith(nil))
		if !end() {
			if err != nil || n < 30 {
				t.Fatalf("%d operations, %v", n, err)
			}
			return
		}
		if err == nil {
			continue // it was one of those that may fail
		}
		rebuildAgain(t, in, got)
	}
}

// TestPutAside: where images alone are damaged, the store goes on without them.
func TestPutAside(t *testing.T) {
	in, _ := filled(t, true)
	s := mustOpen(t, in, small(1))
	defer s.Close()
	newest := namesIn(t, in, store.ImageFolder)
	slices.Sort(newest)
	name := path.Join(store.ImageFolder, newest[len(newest)-1])
	patch(t, in, name, func(f vfs.File) error { return flipAt(f, 100) })
	before := mustReplay(t, s, store.Pos{})
	for range 2 { // once more does nothing
		from, err := s.Salvage()
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		if err := from.Images(func(name string, _ *store.Image) { seen[name] = true }); err != nil || seen[name] || len(seen) == 0 {
			t.Fatalf("images %v, %v", seen, err)
		}
		if err := s.WriteImage(imageOf(1_000, s.End())); err != nil {
			t.Fatal(err)
		}
		if aside := filesBelow(t, in, store.Quarantine); len(aside) != 1 || path.Base(aside[0]) != path.Base(name) {
			t.Errorf("in quarantine: %v, want %s", aside, name)
		}
	}
	if _, err := in.Stat(name); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the damaged image: %v", err)
	}
	if diff := cmp.Diff(before, mustReplay(t, s, store.Pos{})); diff != "" || s.Err() != nil {
		t.Errorf("%v, records (-want +got):\n%s", s.Err(), diff)
	}
	if err := appendOne(t, s); err != nil {
		t.Error(err)
	}
}

// TestPeek reads of a store that is open, of one that was closed, and of one with damage.
func TestPeek(t *testing.T) {
	in := faultfs.New()
	if _, _, err := Peek(in); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty folder: %v", err)
	}
	s := mustOpen(t, in, small(0))
	peeks := func(want uint64) {
		t.Helper()
		if memex, seq, err := Peek(in); memex != "/memex" || seq != want || err != nil {
			t.Errorf("%q at commit %d, %v; want commit %d", memex, seq, err, want)
		}
	}
	peeks(0)
	_, ends := fillStore(t, s, 0, 9)
	if err := s.WriteImage(imageOf(4, ends[3])); err != nil {
		t.Fatal(err)
	}
	peeks(4)
	s.SetHead(store.Head{Seq: 9, Commit: merkleOf("nine")})
	mustClose(t, s)
	peeks(9)
	if name := store.ImageName(4); path.Base(name) != namesIn(t, in, store.ImageFolder)[0] {
		t.Errorf("the image is %q", name)
	}
	patch(t, in, store.HeadFile, func(f vfs.File) error { return flipAt(f, 40) })
	peeks(4)
	patch(t, in, store.FormatFile, func(f vfs.File) error { return f.Truncate(3) })
	if _, _, err := Peek(in); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("FORMAT cut short: %v", err)
	}
}
