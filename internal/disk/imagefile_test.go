// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

const anyImage = "image/any"

var someImage = store.Image{Seq: 7, Commit: merkle.SumText("commit"), At: store.Pos{Segment: 3, Offset: 99}, Sections: []store.Section{
	{Name: "nodes", Data: []byte("the nodes")}, {Name: strings.Repeat("n", store.MaxSectionName), Data: []byte("1234567"), Derived: true},
	{Name: "empty", Data: []byte{}}, {Name: "index", Data: []byte("12345678"), Derived: true},
}}

func imageText(t testing.TB, img *store.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := writeImage(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func putImage(t testing.TB, in vfs.FS, text []byte) {
	t.Helper()
	if err := errors.Join(in.MkdirAll("image", 0o700), vfs.WriteAtomic(in, anyImage, text, 0o600)); err != nil {
		t.Fatal(err)
	}
}

func TestImageFile(t *testing.T) {
	in := faultfs.New()
	for _, img := range []store.Image{someImage, {Seq: 1}, {Seq: 2, Sections: []store.Section{{Name: "a", Data: bytes.Repeat([]byte("a"), 1<<20)}}}} {
		text := imageText(t, &img)
		if len(text)%imageAlign != 0 {
			t.Errorf("%d bytes", len(text))
		}
		putImage(t, in, text)
		got, dropped, err := readImage(in, anyImage, img.Seq)
		if diff := cmp.Diff(&img, got); err != nil || len(dropped) > 0 || diff != "" {
			t.Errorf("%v, dropped %v (-want +got):\n%s", err, dropped, diff)
		}
		if at, good, err := imageAt(in, anyImage); at != img.At || !good || err != nil {
			t.Errorf("it goes up to %v, %v, %v", at, good, err)
		}
		if _, _, err := readImage(in, anyImage, img.Seq+1); !errors.Is(err, errImage) {
			t.Errorf("as that of another commit: %v", err)
		}
	}
}

// TestImageFlipped changes each byte: the image reads the same, or lacks a derived section, or is
// damaged.
func TestImageFlipped(t *testing.T) {
	in := faultfs.New()
	text := imageText(t, &someImage)
	front := imageHeaderSize + imageEntrySize*len(someImage.Sections)
	for at := range text {
		hurt := slices.Clone(text)
		hurt[at] ^= 1 << (at % 8)
		putImage(t, in, hurt)
		where, good, err := imageAt(in, anyImage)
		footer := at - (len(text) - imageFooterSize)
		reserved := footer >= footerDigestAt+sha256.Size
		if fixed := at < front || footer >= 0 && !reserved; good == fixed || err != nil || good && where != someImage.At {
			t.Errorf("byte %d: up to %v, %v, %v", at, where, good, err)
		}
		img, dropped, err := readImage(in, anyImage, someImage.Seq)
		if err != nil {
			if !errors.Is(err, errImage) {
				t.Errorf("byte %d: %v", at, err)
			}
			continue
		}
		want := someImage
		want.Sections = slices.DeleteFunc(slices.Clone(someImage.Sections), func(s store.Section) bool { return slices.Contains(dropped, s.Name) && s.Derived })
		if diff := cmp.Diff(&want, img); diff != "" || !good || len(dropped) > 1 || len(want.Sections)+len(dropped) != len(someImage.Sections) {
			t.Errorf("byte %d, dropped %v (-want +got):\n%s", at, dropped, diff)
		}
		if i := bytes.IndexByte(text[front:], 't') + front; (at == i || at < front) && len(dropped) > 0 {
			t.Errorf("byte %d: dropped %v", at, dropped)
		}
	}
	dropped := func(text string) []string {
		hurt := bytes.Replace(imageText(t, &someImage), []byte(text), bytes.Repeat([]byte("x"), len(text)), 1)
		putImage(t, in, hurt)
		_, names, err := readImage(in, anyImage, someImage.Seq)
		if text == "the nodes" != (err != nil) {
			t.Errorf("without %q: %v", text, err)
		}
		return names
	}
	for text, want := range map[string][]string{"the nodes": nil, "12345678": {"index"}} {
		if got := dropped(text); !slices.Equal(got, want) {
			t.Errorf("without %q it dropped %v", text, got)
		}
	}
}

func TestImageCut(t *testing.T) {
	in := faultfs.New()
	text := imageText(t, &someImage)
	for size := range text {
		putImage(t, in, text[:size])
		if _, _, err := readImage(in, anyImage, someImage.Seq); !errors.Is(err, errImage) {
			t.Errorf("cut at %d: %v", size, err)
		}
		if _, good, err := imageAt(in, anyImage); good || err != nil {
			t.Errorf("cut at %d: %v, %v", size, good, err)
		}
	}
}

// TestImageUnsound changes fields and makes the digests good again.
func TestImageUnsound(t *testing.T) {
	in := faultfs.New()
	entry := imageHeaderSize
	for _, tc := range []struct {
		name  string
		at    int
		value uint64
		want  error
	}{
		{"nothing", imageSeqAt, someImage.Seq, nil},
		{"a newer format", imageMajorAt - 6, 7 << 48, store.ErrUnknownFormat},
		{"a section before the first place", entry + entryOffsetAt, 8, errImage},
		{"a section beyond the end", entry + entryOffsetAt, 1 << 40, errImage},
		{"a section that is too long", entry + entryLengthAt, 1 << 40, errImage},
		{"a length that is negative", entry + entryLengthAt, 1 << 63, errImage},
		{"sections that overlap", entry + imageEntrySize + entryOffsetAt, uint64(imageHeaderSize + 4*imageEntrySize), errImage},
		{"another size", imageSizeAt, 1, errImage},
	} {
		text := imageText(t, &someImage)
		if tc.at == imageMajorAt-6 {
			text[imageMajorAt] = 7
		} else {
			binary.LittleEndian.PutUint64(text[tc.at:], tc.value)
		}
		sum := sha256.Sum256(text[:imageHeaderSize+imageEntrySize*len(someImage.Sections)])
		copy(text[len(text)-imageFooterSize+footerDigestAt:], sum[:])
		putImage(t, in, text)
		if _, _, err := readImage(in, anyImage, someImage.Seq); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v", tc.name, err)
		}
		if _, good, err := imageAt(in, anyImage); good != (tc.want == nil) || tc.want == store.ErrUnknownFormat && !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, %v", tc.name, good, err)
		}
	}
}

// TestImageErrors: an error of the file system is no damage.
func TestImageErrors(t *testing.T) {
	in := faultfs.New()
	putImage(t, in, imageText(t, &someImage))
	failed := errors.New("failed")
	for n := 0; ; n++ {
		end := in.FailOp(n, failed)
		_, _, err := readImage(in, anyImage, someImage.Seq)
		if !end() {
			break
		}
		if !errors.Is(err, failed) {
			t.Errorf("fault %d: %v", n, err)
		}
	}
	if err := errors.Join(in.Remove(anyImage), in.MkdirAll(anyImage, 0o700)); err != nil {
		t.Fatal(err)
	}
	if at, good, err := imageAt(vfs.Plain(in), anyImage); at != (store.Pos{}) || good || err != nil {
		t.Errorf("a folder in its place: %v, %v, %v", at, good, err)
	}
	if _, _, err := imageAt(in, "image/none"); err == nil {
		t.Error("a missing image is passed over")
	}
	for n := range 12 {
		if err := writeImage(&short{left: n * 40}, &someImage); !errors.Is(err, errShort) {
			t.Errorf("%d bytes: %v", n*40, err)
		}
	}
}

var errShort = errors.New("no room")

// short is a writer that has no room for all.
type short struct{ left int }

func (s *short) Write(b []byte) (int, error) {
	if s.left -= len(b); s.left < 0 {
		return 0, errShort
	}
	return len(b), nil
}
