// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

func merkleOf(data string) merkle.Digest { return merkle.Sum([]byte(data)) }

func namesIn(t *testing.T, in vfs.FS, folder string) []string {
	t.Helper()
	entries, err := in.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestImageRoundTrip(t *testing.T) {
	for _, tc := range []struct {
		name     string
		sections []store.Section
	}{
		{"none", nil},
		{"one empty", []store.Section{{Name: "a", Data: []byte{}}}},
		{"sizes around the alignment", []store.Section{
			{Name: "a", Data: []byte("1234567")}, {Name: "b", Data: []byte("12345678"), Derived: true},
			{Name: "c", Data: []byte("123456789")}, {Name: "d", Data: []byte{}},
		}},
		{"longest name", []store.Section{{Name: strings.Repeat("n", store.MaxSectionName), Data: []byte("x")}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := faultfs.New()
			s := mustOpen(t, in, small(0))
			_, ends := fillStore(t, s, 0, 1)
			want := store.Image{Seq: 12, Commit: merkleOf("c"), At: ends[0], Sections: tc.sections}
			if err := s.WriteImage(want); err != nil {
				t.Fatal(err)
			}
			mustClose(t, s)
			s = mustOpen(t, in, small(1))
			defer s.Close()
			got, err := s.LoadImage()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&want, got); diff != "" {
				t.Errorf("image (-want +got):\n%s", diff)
			}
		})
	}
}

func TestImageRefused(t *testing.T) {
	s := mustOpen(t, faultfs.New(), small(0))
	defer s.Close()
	many := make([]store.Section, store.MaxSections+1)
	for i := range many {
		many[i].Name = fmt.Sprintf("s%d", i)
	}
	for _, tc := range []struct {
		name     string
		sections []store.Section
		want     error
	}{
		{"no name", []store.Section{{}}, store.ErrSection},
		{"long name", []store.Section{{Name: strings.Repeat("n", store.MaxSectionName+1)}}, store.ErrSection},
		{"zero in the name", []store.Section{{Name: "a\x00"}}, store.ErrSection},
		{"name twice", []store.Section{{Name: "a"}, {Name: "b"}, {Name: "a"}}, store.ErrSection},
		{"too many", many, store.ErrTooLarge},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if err := s.WriteImage(store.Image{Sections: tc.sections}); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
			if _, err := s.LoadImage(); !errors.Is(err, store.ErrNoImage) {
				t.Errorf("load: got %v, want ErrNoImage", err)
			}
		})
	}
}

func TestTwoNewestImagesStay(t *testing.T) {
	in := faultfs.New()
	s := mustOpen(t, in, small(0))
	defer s.Close()
	for seq := range uint64(5) {
		if err := s.WriteImage(imageOf(seq, store.Pos{})); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"000000000003.img", "000000000004.img"}, namesIn(t, in, store.ImageFolder)); diff != "" {
		t.Errorf("images (-want +got):\n%s", diff)
	}
	if err := s.WriteImage(imageOf(4, store.Pos{})); err != nil {
		t.Errorf("writing an image again: %v", err)
	}
}

// TestDamagedImages damages a section of the newest image, or of both.
func TestDamagedImages(t *testing.T) {
	for _, tc := range []struct {
		name    string
		damage  map[uint64]string // text of the section to damage, by image
		seq     uint64
		err     error
		dropped []string
		bad     []string
		after   []string // images and quarantine after the next image, 9
		away    []string
	}{
		{"nothing", nil, 8, nil, nil, nil, []string{"000000000008.img", "000000000009.img"}, []string{}},
		{"derived section", map[uint64]string{8: "index of 8"}, 8, nil, []string{"index"}, nil,
			[]string{"000000000008.img", "000000000009.img"}, []string{}},
		{"primary section", map[uint64]string{8: "nodes of 8"}, 7, nil, nil, []string{"image/000000000008.img"},
			[]string{"000000000007.img", "000000000009.img"}, []string{"000000000008.img"}},
		{"header", map[uint64]string{8: store.ImageMagic}, 7, nil, nil, []string{"image/000000000008.img"},
			[]string{"000000000007.img", "000000000009.img"}, []string{"000000000008.img"}},
		{"both", map[uint64]string{8: store.ImageEndMagic, 7: "nodes of 7"}, 0, store.ErrNoImage, nil,
			[]string{"image/000000000008.img", "image/000000000007.img"},
			[]string{"000000000009.img"}, []string{"000000000007.img", "000000000008.img"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := faultfs.New()
			s := mustOpen(t, in, small(0))
			for _, seq := range []uint64{7, 8} {
				if err := s.WriteImage(imageOf(seq, store.Pos{})); err != nil {
					t.Fatal(err)
				}
			}
			mustClose(t, s)
			for seq, text := range tc.damage {
				content, err := in.ReadFile(store.ImageName(seq))
				if err != nil {
					t.Fatal(err)
				}
				patch(t, in, store.ImageName(seq), func(f vfs.File) error {
					_, err := f.WriteAt([]byte("~"), int64(strings.Index(string(content), text)))
					return err
				})
			}
			s = mustOpen(t, in, small(1))
			defer s.Close()
			img, err := s.LoadImage()
			if !errors.Is(err, tc.err) || err == nil && img.Seq != tc.seq {
				t.Fatalf("got %+v, %v; want image %d, %v", img, err, tc.seq, tc.err)
			}
			want := store.Recovery{DroppedSections: tc.dropped, DamagedImages: tc.bad}
			if diff := cmp.Diff(want, s.Recovery()); diff != "" {
				t.Errorf("recovery (-want +got):\n%s", diff)
			}
			for _, name := range tc.dropped {
				if _, ok := img.Section(name); ok {
					t.Errorf("the damaged section %s was given out", name)
				}
			}
			if err := s.WriteImage(imageOf(9, store.Pos{})); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.after, namesIn(t, in, store.ImageFolder)); diff != "" {
				t.Errorf("images (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.away, namesIn(t, in, store.Quarantine)); diff != "" {
				t.Errorf("quarantine (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDamagedImageAside: a damaged image goes to quarantine though that is missing, and where it
// cannot be moved, that is said, and the next image is written all the same.
func TestDamagedImageAside(t *testing.T) {
	in := faultfs.New()
	s := mustOpen(t, in, small(0))
	defer s.Close()
	next := func(seq uint64, after ...string) (err error) {
		patch(t, in, store.ImageName(seq-1), func(f vfs.File) error { return flipAt(f, 100) })
		if _, bad := s.LoadImage(); !errors.Is(bad, store.ErrNoImage) {
			t.Fatalf("image %d is good: %v", seq-1, bad)
		}
		err = s.WriteImage(imageOf(seq, store.Pos{}))
		if diff := cmp.Diff(after, namesIn(t, in, store.ImageFolder)); diff != "" {
			t.Errorf("images (-want +got):\n%s", diff)
		}
		return err
	}
	if err := errors.Join(s.WriteImage(imageOf(1, store.Pos{})), in.Remove(store.Quarantine)); err != nil {
		t.Fatal(err)
	}
	if err := next(2, "000000000002.img"); err != nil || len(namesIn(t, in, store.Quarantine)) != 1 {
		t.Errorf("quarantine: %v", err)
	}
	in.OnOp(func(op faultfs.Op) error {
		if op.Kind == faultfs.OpRename && op.Name == store.ImageName(2) {
			return faultfs.ErrFault
		}
		return nil
	})
	if err := next(3, "000000000002.img", "000000000003.img"); !errors.Is(err, faultfs.ErrFault) {
		t.Errorf("an image that cannot be moved: %v", err)
	}
}

// TestOpenScansFromTheImage: damage in history that an image makes needless
// does not keep the store from opening, and is found when it is read. What an
// image has of the newest segment is only trusted after a clean close.
func TestOpenScansFromTheImage(t *testing.T) {
	for _, tc := range []struct {
		name    string
		image   int // batches that the image has, of 20
		segment uint64
		clean   bool
		corrupt bool
	}{
		{"an older segment", 20, 1, true, false},
		{"an older segment, no clean close", 20, 1, false, false},
		{"the newest segment", 20, 0, true, false},
		{"the newest segment, no clean close", 20, 0, false, true},
		{"the newest segment before the image and more behind it", 19, 0, true, false},
		{"the newest segment, of which the image has nothing", 3, 0, true, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := faultfs.New()
			s := mustOpen(t, in, small(0))
			want, ends := fillStore(t, s, 0, 20)
			if tc.segment == 0 {
				tc.segment = ends[19].Segment
			}
			at := ends[tc.image-1]
			if err := s.WriteImage(imageOf(uint64(tc.image), at)); err != nil {
				t.Fatal(err)
			}
			mustClose(t, s)
			if !tc.clean {
				if err := in.Remove(store.HeadFile); err != nil {
					t.Fatal(err)
				}
			}
			patch(t, in, segmentName(tc.segment), func(f vfs.File) error {
				_, err := f.WriteAt([]byte{0xff}, headerSize+5)
				return err
			})
			s, found, err := Open(in, small(1))
			if err != nil || (found.Corrupt != nil) != tc.corrupt {
				t.Fatalf("open: %v, %+v; want corrupt: %t", err, found, tc.corrupt)
			}
			defer s.Close()
			if tc.corrupt {
				return
			}
			behind := slices.DeleteFunc(want, func(r entry) bool { return r.Batch <= uint64(tc.image) })
			if diff := cmp.Diff(behind, mustReplay(t, s, at), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("replay from the image (-want +got):\n%s", diff)
			}
			if _, err := replayed(s, store.Pos{}); !errors.Is(err, store.ErrCorrupt) {
				t.Errorf("replay of everything: got %v, want ErrCorrupt", err)
			}
			if found := s.Recovery(); found.Corrupt == nil || !errors.Is(s.Err(), store.ErrReadOnly) {
				t.Errorf("after the replay: %+v, %v; want the damage and ErrReadOnly", found, s.Err())
			}
		})
	}
}

// TestAppendBehindAnImage: batches go on with the right number where opening
// read none of them.
func TestAppendBehindAnImage(t *testing.T) {
	in := faultfs.New()
	s := mustOpen(t, in, small(0))
	want, ends := fillStore(t, s, 0, 20)
	if err := s.WriteImage(imageOf(20, ends[19])); err != nil {
		t.Fatal(err)
	}
	mustClose(t, s)
	s = mustOpen(t, in, small(1))
	more, _ := fillStore(t, s, 20, 25)
	mustClose(t, s)
	s = mustOpen(t, in, small(2))
	defer s.Close()
	if diff := cmp.Diff(append(want, more...), mustReplay(t, s, store.Pos{})); diff != "" {
		t.Errorf("replay (-want +got):\n%s", diff)
	}
}
