// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"errors"
	"path"
	"slices"
	"testing"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// TestFormatIsMissed: a folder that has any part of a history has lost its FORMAT, whatever
// else is in it; one that has none belongs to somebody else.
func TestFormatIsMissed(t *testing.T) {
	for name, lost := range map[string]bool{
		segmentName(1): true, store.ImageName(3): true, store.PackFolder + "/00000001-000001.pack": true, "pictures/1.jpg": false,
	} {
		in := faultfs.New()
		if err := in.MkdirAll(path.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, in, name, "text")
		writeFile(t, in, "notes.org", "text")
		s, found, err := Open(in, nil)
		if lost {
			if err != nil || found.Corrupt == nil || found.Corrupt.File != store.FormatFile {
				t.Errorf("%s: %v, %v", name, found.Corrupt, err)
			}
			mustClose(t, s)
		} else if !errors.Is(err, ErrForeignFolder) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSegmentWithoutHeader: only the newest segment can be one whose making was cut short,
// and only as long as nothing was written behind its header.
func TestSegmentWithoutHeader(t *testing.T) {
	folder := func(t *testing.T, in *faultfs.FS, name string) {
		if err := in.MkdirAll(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cut := func(size int) func(t *testing.T, in *faultfs.FS, name string) {
		return func(t *testing.T, in *faultfs.FS, name string) { writeFile(t, in, name, string(make([]byte, size))) }
	}
	for _, tc := range []struct {
		name    string
		packed  bool // all that is before the segment
		segment uint64
		make    func(t *testing.T, in *faultfs.FS, name string)
		unmade  bool
	}{
		{"the newest, empty", false, 3, cut(0), true},
		{"the newest, a header of zeros", false, 3, cut(headerSize), true},
		{"the newest, more than a header", false, 3, cut(headerSize + 1), false},
		{"the newest, no file", false, 3, folder, false},
		{"one before", false, 1, cut(0), false},
		{"the one behind the packs", true, 3, cut(0), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := faultfs.New()
			s := mustOpen(t, in, small(0))
			fillStore(t, s, 0, 1)
			if _, err := s.log.beginSegment(); err != nil {
				t.Fatal(err)
			}
			fillStore(t, s, 1, 2)
			if tc.packed {
				if err := s.Rewrite(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
			}
			mustClose(t, s)
			if err := in.Remove(store.HeadFile); err != nil {
				t.Fatal(err)
			}
			_ = in.Remove(segmentName(tc.segment)) // if it is there
			tc.make(t, in, segmentName(tc.segment))
			s, found, err := Open(vfs.Plain(in), small(1))
			if err != nil || (found.Corrupt == nil) != tc.unmade || found.Corrupt != nil && found.Corrupt.Segment != tc.segment {
				t.Errorf("%v, %v", found.Corrupt, err)
			}
			_, err = in.Lstat(segmentName(tc.segment))
			if (err != nil) != tc.unmade {
				t.Errorf("the segment: %v", err)
			}
			mustClose(t, s)
		})
	}
}

// TestPackStaysWithinPackMax: a pack is not written anew for what it cannot be merged with.
func TestPackStaysWithinPackMax(t *testing.T) {
	in, opts := faultfs.New(), small(0)
	opts.PackMax = 24 << 10
	s := mustOpen(t, in, opts)
	defer s.Close()
	var d diary
	large := string(make([]byte, 6<<10))
	d.give(t, s, "a"+large)
	d.packAll(t, s)
	first := s.files.packs.packs[0]
	d.give(t, s, "b"+large, "c"+large, "d"+large)
	d.packAll(t, s)
	if got := s.files.packs.packs[0]; got != first {
		t.Errorf("%s of %d bytes became %s of %d", first.layout.name, first.info.Size, got.layout.name, got.info.Size)
	}
}

// TestRebuildMovesWhatIsNoFile: what has the name of a segment and is no file goes to
// quarantine under a free name, and nothing of the old history stays.
func TestRebuildMovesWhatIsNoFile(t *testing.T) {
	in := faultfs.New()
	s := mustOpen(t, in, small(0))
	for i := range 3 {
		fillStore(t, s, i, i+1)
		if _, err := s.log.beginSegment(); err != nil {
			t.Fatal(err)
		}
	}
	mustClose(t, s)
	err := errors.Join(in.Remove(segmentName(2)), in.MkdirAll(segmentName(2), 0o700))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, in, path.Join(store.Quarantine, path.Base(segmentName(2))), "taken")
	from, err := OpenSalvage(vfs.Plain(in))
	if err == nil {
		err = from.Read(t.Context(), func(store.Record) error { return nil })
	}
	if err == nil {
		err = from.Rebuild(t.Context(), store.Rebuilt{Keep: func(r store.Record) store.Kind { return r.Kind }, Rand: small(9).Rand})
	}
	if err != nil {
		t.Fatal(err)
	}
	base := path.Base(segmentName(2))
	if got := namesIn(t, in, store.Quarantine); !slices.Equal(got, []string{base, base + ".1"}) {
		t.Errorf("quarantine has %q", got)
	}
	if text, err := in.ReadFile(path.Join(store.Quarantine, base)); string(text) != "taken" || err != nil {
		t.Errorf("what was in quarantine reads %q, %v", text, err)
	}
	if got := namesIn(t, in, store.JournalFolder); len(got) != 1 {
		t.Errorf("the journal has %q", got)
	}
	s, found, err := Open(vfs.Plain(in), small(1))
	if err != nil || found.Corrupt != nil {
		t.Fatal(found.Corrupt, err)
	}
	mustClose(t, s)
}

// TestOpenWithAFault: where an access to a file fails, Open says so, or the store that it
// opens works.
func TestOpenWithAFault(t *testing.T) {
	failed := errors.New("failed")
	before := faultfs.New()
	s := mustOpen(t, before, small(0))
	_, ends := fillStore(t, s, 0, 3)
	if err := s.WriteImage(imageOf(3, ends[2])); err != nil {
		t.Fatal(err)
	}
	if err := s.Rewrite(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	fillStore(t, s, 3, 4)
	mustClose(t, s)
	for n := 0; ; n++ {
		in := before.Clone()
		end := in.FailOp(n, failed)
		s, found, err := Open(in, small(1))
		reached := end()
		if err == nil && found.Corrupt == nil {
			b, _ := batchOf(4)
			if _, err := s.Append(t.Context(), b); err != nil {
				t.Errorf("after fault %d: %v", n, err)
			}
			mustClose(t, s)
		} else if !errors.Is(err, failed) {
			t.Errorf("fault %d: %v, %v", n, found.Corrupt, err)
		}
		if !reached {
			return
		}
	}
}

// TestDamagedHeadOfAnEmptyStore: a store without segments begins with the first one.
func TestDamagedHeadOfAnEmptyStore(t *testing.T) {
	in := faultfs.New()
	mustClose(t, mustOpen(t, in, small(0)))
	writeFile(t, in, store.HeadFile, "garbage")
	s, found, err := Open(in, small(0))
	if err != nil || !found.HeadDamaged || found.Corrupt != nil {
		t.Fatalf("%+v, %v", found, err)
	}
	fillStore(t, s, 0, 1)
	if s.End().Segment != 1 {
		t.Errorf("the first batch ends at %v", s.End())
	}
	mustClose(t, s)
}
