// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// packedStore is a small store, closed, with two packs, purged blocks and an
// image of the live state, and what it holds.
func packedStore(t testing.TB) (*faultfs.FS, diary) {
	t.Helper()
	in := faultfs.New()
	opts := small(0)
	opts.PackMax = 4 << 10
	s := mustOpen(t, in, opts)
	var d diary
	for range 9 {
		d.append(t, s)
	}
	d.rewrite(t, s, 'b', 3)
	for range 4 {
		d.append(t, s)
	}
	d.image(t, s)
	mustPack(t, s)
	if len(s.files.packs.packs) < 2 {
		t.Fatalf("%d packs", len(s.files.packs.packs))
	}
	d.append(t, s)
	mustClose(t, s)
	return in, d
}

// hurtPack opens a store whose packs were damaged. Nothing but what was written
// may be given out; unless all of that is, the damage is reported, and Check
// reports it in any case. The live state and the blocks that are whole stay.
func (d *diary) hurtPack(t *testing.T, in *faultfs.FS, where string, missing func(placed) bool) {
	t.Helper()
	s, found, err := Open(in, small(2))
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	defer s.Close()
	img, err := s.LoadImage()
	if err != nil {
		t.Fatalf("%s: image: %v", where, err)
	}
	live := slices.DeleteFunc(slices.Clone(d.records), func(r placed) bool { return r.Pos.Compare(img.At) < 0 })
	if got, err := placedOf(s, img.At); err != nil || !slices.Equal(got, live) {
		t.Fatalf("%s: the live state: %v (-want +got):\n%s", where, err, cmp.Diff(live, got))
	}
	want := kept(d.records, s.files.packs.last())
	for _, r := range want {
		if r.Kind != store.Block && r.Kind != store.Commit {
			continue
		}
		got, err := s.Block(merkleOf(r.Data))
		if err == nil && string(got) != r.Data {
			t.Fatalf("%s: another block was given out", where)
		}
		if err != nil && (!errors.Is(err, store.ErrCorrupt) || !missing(r)) {
			t.Fatalf("%s: block of batch %d at %v: %v", where, r.Batch, r.Pos, err)
		}
	}
	differs := d.ordered(s, want)
	if differs != nil && !errors.Is(differs, store.ErrCorrupt) {
		t.Fatalf("%s: %v", where, differs)
	}
	reported := s.Recovery().Corrupt
	if (differs != nil || found.Corrupt != nil) &&
		(reported == nil || !errors.Is(s.Err(), store.ErrReadOnly) || !strings.HasPrefix(reported.File, store.PackFolder)) {
		t.Fatalf("%s: recovery %v, error %v", where, reported, s.Err())
	}
	problems := 0
	if _, err := s.Check(t.Context(), func(c store.Corruption) {
		if problems++; !strings.HasPrefix(c.File, store.PackFolder) {
			t.Errorf("%s: check: %v", where, &c)
		}
	}); err != nil || problems == 0 {
		t.Fatalf("%s: check found nothing, %v", where, err)
	}
}

// ordered compares what reads in order with the diary.
func (d *diary) ordered(s *Store, want []placed) error {
	got, err := placedOf(s, store.Pos{})
	if err != nil {
		return err
	}
	if got = lasting(got, s.files.packs.last()); !slices.Equal(got, want) {
		return fmt.Errorf("replay (-want +got):\n%s", cmp.Diff(want, got))
	}
	commits := slices.DeleteFunc(slices.Clone(want), func(r placed) bool { return r.Kind != store.Commit })
	slices.Reverse(commits)
	got = nil
	err = s.Commits(context.Background(), store.Span{From: 1, To: 99, Backward: true}, func(r store.Record) error {
		got = append(got, placed{r.Kind, r.Batch, string(r.Data), r.Pos})
		return nil
	})
	if err == nil && !slices.Equal(got, commits) {
		return fmt.Errorf("commits (-want +got):\n%s", cmp.Diff(commits, got))
	}
	return err
}

// atRecord reports whether a record's frame has a byte of a pack.
func atRecord(t *testing.T, in vfs.FS, name string, at int64) func(placed) bool {
	t.Helper()
	p, err := openPack(in, name)
	if err != nil || p.bad != nil {
		t.Fatal(err, p.bad)
	}
	defer p.close()
	var hit []store.Pos
	start := int64(headerSize)
	_ = p.walk(headerSize, p.footer.TablesAt, 0).each(func(r store.Record) error { // up to the damage, if there is some
		if end := start + packFrameSize(len(r.Data)); start <= at && at < end || at < headerSize {
			hit = append(hit, r.Pos)
		}
		start += packFrameSize(len(r.Data))
		return nil
	})
	return func(r placed) bool { return slices.Contains(hit, r.Pos) }
}

func packFiles(t testing.TB, in vfs.FS) []string {
	t.Helper()
	names, err := listPacks(in)
	if err != nil {
		t.Fatal(err)
	}
	return append(names, manifestFile)
}

// TestEveryPackByteFlipped changes each byte of a pack and of the manifest.
func TestEveryPackByteFlipped(t *testing.T) {
	in, d := packedStore(t)
	for _, name := range []string{packFiles(t, in)[0], manifestFile} {
		content, err := in.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for at := range content {
			if foveatest.Thin(at, 7) {
				continue
			}
			missing := func(placed) bool { return false }
			if name != manifestFile {
				missing = atRecord(t, in, name, int64(at))
			}
			hurt := in.Clone()
			patch(t, hurt, name, func(f vfs.File) error {
				_, err := f.WriteAt([]byte{content[at] ^ 1<<(at%8)}, int64(at))
				return err
			})
			d.hurtPack(t, hurt, fmt.Sprintf("%s, byte %d", name, at), missing)
		}
	}
}

// TestEveryPackTruncation cuts a pack and the manifest at each place, and removes
// them.
func TestEveryPackTruncation(t *testing.T) {
	in, d := packedStore(t)
	for _, name := range []string{packFiles(t, in)[0], manifestFile} {
		info, err := in.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		for size := int64(-1); size < info.Size(); size++ {
			if foveatest.Thin(int(size)+1, 7) {
				continue
			}
			missing := func(placed) bool { return false }
			if name != manifestFile {
				missing = func(placed) bool { return true }
			}
			hurt := in.Clone()
			if size < 0 {
				err = hurt.Remove(name)
			} else {
				patch(t, hurt, name, func(f vfs.File) error { return f.Truncate(size) })
			}
			if err != nil {
				t.Fatal(err)
			}
			d.hurtPack(t, hurt, fmt.Sprintf("%s cut to %d of %d bytes", name, size, info.Size()), missing)
		}
	}
}

// TestPackExchanged puts one pack in the place of another, and an older one in
// the place of a newer.
func TestPackExchanged(t *testing.T) {
	in, d := packedStore(t)
	names, err := listPacks(in)
	if err != nil {
		t.Fatal(err)
	}
	other, err := in.ReadFile(names[1])
	if err != nil {
		t.Fatal(err)
	}
	hurt := in.Clone()
	writeFile(t, hurt, names[0], string(other))
	d.hurtPack(t, hurt, "exchanged", func(placed) bool { return true })
}

// TestBadPackAtOpen: a pack whose ends are damaged, or that is missing, is named
// when the store is opened; nothing is changed and nothing can be written.
func TestBadPackAtOpen(t *testing.T) {
	in, _ := packedStore(t)
	name := packFiles(t, in)[0]
	content, err := in.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{-1, 0, headerSaltAt, len(content) - 1, len(content) - packFooterSize + packEndTablesAt} {
		hurt := in.Clone()
		if at < 0 {
			err = hurt.Remove(name)
		} else {
			patch(t, hurt, name, func(f vfs.File) error {
				_, err := f.WriteAt([]byte{^content[at]}, int64(at))
				return err
			})
		}
		if err != nil {
			t.Fatal(err)
		}
		before := filesBelow(t, hurt, ".")
		s, found, err := Open(hurt, small(1))
		if err != nil || found.Corrupt == nil || found.Corrupt.File != name || !errors.Is(s.Err(), store.ErrReadOnly) {
			t.Fatalf("byte %d: %v, %v; want %s to be named", at, err, found.Corrupt, name)
		}
		if err := s.Pack(t.Context()); !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("byte %d: pack: got %v, want ErrReadOnly", at, err)
		}
		mustClose(t, s)
		if diff := cmp.Diff(before, filesBelow(t, hurt, ".")); diff != "" {
			t.Errorf("byte %d: files (-before +after):\n%s", at, diff)
		}
	}
}

// TestSegmentMissingBehindPacks: the segment behind the packs was durable before
// they were.
func TestSegmentMissingBehindPacks(t *testing.T) {
	in, _ := packedStore(t)
	names := namesIn(t, in, store.JournalFolder)
	if err := in.Remove(store.JournalFolder + "/" + names[0]); err != nil {
		t.Fatal(err)
	}
	for _, without := range []string{"", store.HeadFile} {
		if without != "" {
			if err := in.Remove(without); err != nil {
				t.Fatal(err)
			}
		}
		s, found, err := Open(in, small(1))
		if err != nil || found.Corrupt == nil || s.Err() == nil {
			t.Fatalf("%v, %+v", err, found)
		}
		if got := mustPlaced(t, s, store.Pos{}); len(got) == 0 {
			t.Error("the packs are not read")
		}
		mustClose(t, s)
	}
}

// TestNewerManifest: a manifest and a pack of a newer major format are refused
// and left alone.
func TestNewerManifest(t *testing.T) {
	in, _ := packedStore(t)
	for _, name := range packFiles(t, in) {
		hurt := in.Clone()
		content, err := hurt.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		content[manifestMajorAt] = 7
		resign(name, content)
		writeFile(t, hurt, name, string(content))
		before := hurt.Clone()
		if _, _, err := Open(hurt, small(1)); !errors.Is(err, store.ErrUnknownFormat) || !strings.Contains(err.Error(), "7.") {
			t.Errorf("%s: got %v, want ErrUnknownFormat", name, err)
		}
		if diff := cmp.Diff(filesBelow(t, before, "."), filesBelow(t, hurt, ".")); diff != "" {
			t.Errorf("%s: files (-before +after):\n%s", name, diff)
		}
	}
}

// TestPackOfDamage: history that is damaged is not packed, and stays.
func TestPackOfDamage(t *testing.T) {
	in := faultfs.New()
	s := mustOpen(t, in, small(0))
	fillStore(t, s, 0, 20)
	if err := s.WriteImage(imageOf(20, s.End())); err != nil {
		t.Fatal(err)
	}
	patch(t, in, segmentName(2), func(f vfs.File) error {
		_, err := f.WriteAt([]byte("damage"), 200)
		return err
	})
	before := filesBelow(t, in, ".")
	err := s.Pack(t.Context())
	if bad, ok := errors.AsType[*store.Corruption](err); !ok || bad.Segment != 2 || !errors.Is(s.Err(), store.ErrReadOnly) {
		t.Errorf("got %v, and the store's error is %v; want a Corruption of segment 2", err, s.Err())
	}
	if diff := cmp.Diff(before, filesBelow(t, in, ".")); diff != "" {
		t.Errorf("files (-before +after):\n%s", diff)
	}
	if err := s.Rewrite(t.Context(), nil); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("rewrite: got %v, want ErrReadOnly", err)
	}
	mustClose(t, s)
}

// TestCheckSegments: each damaged byte of a segment is found by reading it.
func TestCheckSegments(t *testing.T) {
	in := faultfs.New()
	s := mustOpen(t, in, small(0))
	fillStore(t, s, 0, 8)
	s.SetHead(store.Head{Seq: 1, Commit: merkleOf("c")})
	mustClose(t, s)
	for _, name := range namesIn(t, in, store.JournalFolder) {
		name = store.JournalFolder + "/" + name
		content, err := in.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for at := range content {
			hurt := in.Clone()
			s := mustOpen(t, hurt, small(1))
			patch(t, hurt, name, func(f vfs.File) error {
				_, err := f.WriteAt([]byte{^content[at]}, int64(at))
				return err
			})
			found := 0
			if _, err := s.Check(t.Context(), func(c store.Corruption) {
				if found++; c.File != name && c.Offset != headerBatchAt {
					t.Errorf("%s, byte %d: %v", name, at, &c)
				}
			}); err != nil && !errors.Is(err, store.ErrUnknownFormat) {
				t.Fatal(err)
			} else if err == nil && found == 0 {
				t.Fatalf("%s, byte %d: not found", name, at)
			}
			mustClose(t, s)
		}
	}
}

// FuzzOpenPack gives Open any bytes as a pack that the manifest names, with its
// checksums made good or not: nothing panics, and what reads in order checks.
func FuzzOpenPack(f *testing.F) {
	in, _ := packedStore(f)
	names, err := listPacks(in)
	if err != nil {
		f.Fatal(err)
	}
	content, err := in.ReadFile(names[0])
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content, false)
	for at := range int64(40) {
		random := rand.New(rand.NewPCG(uint64(at), 5))
		hurt := slices.Clone(content)
		hurt[random.IntN(len(hurt))] ^= 1 << random.IntN(8)
		f.Add(hurt, true)
		hurt = slices.Clone(content)
		hurt[len(hurt)-1-random.IntN(packFooterSize)] ^= 1 << random.IntN(8)
		f.Add(hurt, true)
	}
	f.Fuzz(func(t *testing.T, content []byte, signed bool) {
		in := in.Clone()
		if signed {
			resign(names[0], content)
			nameInManifest(t, in, content)
		}
		if err := vfs.WriteAtomic(in, names[0], content, filePerm); err != nil {
			t.Fatal(err)
		}
		s, _, err := Open(in, small(1))
		if err != nil {
			return
		}
		defer s.Close()
		_, replayErr := placedOf(s, store.Pos{})
		if replayErr != nil && !errors.Is(replayErr, store.ErrCorrupt) {
			t.Fatal(replayErr)
		}
		for _, word := range []string{"a", "b", "x"} {
			_, err := s.Block(merkleOf(word))
			if err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrCorrupt) && !errors.Is(err, store.ErrPurged) {
				t.Fatal(err)
			}
		}
		err = s.Commits(t.Context(), store.Span{From: 1, To: 99, Backward: true}, func(store.Record) error { return nil })
		if err != nil && !errors.Is(err, store.ErrCorrupt) {
			t.Fatal(err)
		}
		problems := 0
		if _, err := s.Check(t.Context(), func(store.Corruption) { problems++ }); err != nil {
			t.Fatal(err)
		}
		if replayErr != nil && problems == 0 {
			t.Fatalf("%v, and check finds nothing", replayErr)
		}
	})
}

// FuzzOpenManifest gives Open any bytes as the manifest, with a good digest or
// not: what it takes for packs must be there.
func FuzzOpenManifest(f *testing.F) {
	in, _ := packedStore(f)
	content, err := in.ReadFile(manifestFile)
	if err != nil {
		f.Fatal(err)
	}
	for at := range content {
		hurt := slices.Clone(content)
		hurt[at] ^= 1 << (at % 8)
		f.Add(hurt, true)
	}
	f.Add(content, false)
	f.Fuzz(func(t *testing.T, content []byte, signed bool) {
		in := in.Clone()
		if signed && len(content) >= manifestHeaderSize+32 {
			resign(manifestFile, content)
		}
		if err := vfs.WriteAtomic(in, manifestFile, content, filePerm); err != nil {
			t.Fatal(err)
		}
		before := filesBelow(t, in, ".")
		s, found, err := Open(in, small(1))
		if err != nil {
			return
		}
		defer s.Close()
		if diff := cmp.Diff(before, filesBelow(t, in, ".")); found.Corrupt != nil && diff != "" {
			t.Fatalf("corrupt, and the files changed (-before +after):\n%s", diff)
		}
		if _, err := placedOf(s, store.Pos{}); err != nil && found.Corrupt == nil && !errors.Is(err, store.ErrCorrupt) {
			t.Fatal(err)
		}
		if _, err := s.Check(t.Context(), func(store.Corruption) {}); err != nil {
			t.Fatal(err)
		}
	})
}
