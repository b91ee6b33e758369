// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package record

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

func random(seed byte) *rand.ChaCha8 { return rand.NewChaCha8([32]byte{seed}) }

// kept is a record as tests compare it.
type kept struct {
	Kind  store.Kind
	Batch uint64
	Pos   store.Pos
	Data  string
}

func keep(into *[]kept) func(store.Record) error {
	return func(r store.Record) error {
		*into = append(*into, kept{r.Kind, r.Batch, r.Pos, string(r.Data)})
		return nil
	}
}

// sealed is a batch as it is written into a segment.
type sealed struct {
	batch uint64
	rank  int
	last  bool
	texts []string // a record each: "b text" is a block, c a commit, i an intent, m a mark, p a pad
}

var letters = map[byte]store.Kind{'b': store.Block, 'c': store.Commit, 'i': store.Intent, 'm': store.Mark, 'p': store.Pad}

// segmentOf returns the bytes of a segment with the batches, and where each of them ends.
func segmentOf(t testing.TB, number, first uint64, batches ...sealed) (text []byte, ends []int64) {
	t.Helper()
	s, text, err := NewSegment(number, first, random(byte(number)))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range batches {
		var batch store.Batch
		for _, text := range b.texts {
			batch.Add(letters[text[0]], []byte(text[2:]))
		}
		s.Seal(batch.Bytes(), int64(len(text)), b.batch, b.rank, b.last)
		text = append(text, batch.Bytes()...)
		ends = append(ends, int64(len(text)))
	}
	return text, ends
}

// put makes the content of a file, with its folder.
func put(t testing.TB, in vfs.FS, name string, text []byte) {
	t.Helper()
	err := errors.Join(in.MkdirAll(JournalFolder, 0o700), in.MkdirAll(PackFolder, 0o700))
	if err == nil {
		err = vfs.WriteAtomic(in, name, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func openSegment(t testing.TB, text []byte, number uint64) (*Segment, error) {
	t.Helper()
	in := faultfs.New()
	put(t, in, SegmentName(number), text)
	s, err := OpenSegment(in, number)
	if err == nil {
		t.Cleanup(func() { s.Close() })
	}
	return s, err
}

// groups is two groups, of two batches and of one.
var groups = []sealed{
	{7, 0, false, []string{"b first block", "c first commit"}},
	{8, 1, true, []string{"i an intent", "p padding", "m " + strings.Repeat("mark ", 20)}},
	{9, 0, true, []string{"b ", "c second commit"}},
}

func TestSegment(t *testing.T) {
	text, ends := segmentOf(t, 3, 7, groups...)
	s, err := openSegment(t, append(slices.Clone(text), make([]byte, 100)...), 3) // as it is preallocated
	if err != nil {
		t.Fatal(err)
	}
	if s.Number != 3 || s.Batch != 7 || s.Follows(7) != nil || s.Follows(0) != nil || s.Follows(8) == nil || s.Follows(8).Offset != 24 {
		t.Errorf("segment %d of batch %d, %v", s.Number, s.Batch, s.Follows(8))
	}
	size, end, err := s.Written(HeaderSize)
	if err != nil || size != int64(len(text)+100) || end < int64(len(text))-FrameAlign || end > int64(len(text)) {
		t.Errorf("%d bytes, written up to %d of %d, %v", size, end, len(text), err)
	}
	if _, end, _ := s.Written(size - 8); end != size-8 {
		t.Errorf("nothing is written behind %d, got %d", size-8, end)
	}
	var got []kept
	walk := s.Walk(HeaderSize, size, 7)
	if err := walk.Each(keep(&got)); err != nil {
		t.Fatal(err)
	}
	var want []kept
	at := int64(HeaderSize)
	for _, b := range groups {
		for _, text := range b.texts {
			if text[0] != 'p' {
				want = append(want, kept{letters[text[0]], b.batch, store.Pos{Segment: 3, Offset: at}, text[2:]})
			}
			at += int64(store.RecordSize(len(text) - 2))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	start, groupEnd, next := walk.LastGroup()
	if walk.At() != ends[2] || walk.Next() != 10 || start != ends[1] || groupEnd != ends[2] || next != 10 {
		t.Errorf("at %d before batch %d, group %d to %d before batch %d", walk.At(), walk.Next(), start, groupEnd, next)
	}
	for _, w := range want {
		r, err := s.Record(w.Pos.Offset, size)
		if err != nil || (kept{r.Kind, r.Batch, r.Pos, string(r.Data)}) != w {
			t.Errorf("record at %v: %+v, %v", w.Pos, r, err)
		}
		if _, err := s.Record(w.Pos.Offset+FrameAlign, size); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("between records: %v", err)
		}
		if _, err := s.Record(w.Pos.Offset, w.Pos.Offset+int64(store.RecordSize(len(w.Data)))-1); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("a record beyond the end: %v", err)
		}
	}
	var frames int
	if err := s.Reader(HeaderSize, size).Scan(func(f Frame, data []byte) bool {
		if frames++; f.Length != len(data) || f.DataAt != f.At+frameHeaderSize || f.End%FrameAlign != 0 || f.Group() != map[uint64]uint64{7: 7, 8: 7, 9: 9}[f.Batch] {
			t.Errorf("frame %+v", f)
		}
		return frames < 6
	}); err != nil || frames != 6 {
		t.Errorf("%d frames, %v, want to stop at 6", frames, err)
	}
	stop := errors.New("stop")
	if err := s.Walk(HeaderSize, size, 7).Each(func(store.Record) error { return stop }); err != stop {
		t.Errorf("an error of the function: %v", err)
	}
	if b := make([]byte, 8); true {
		if _, err := s.ReadAt(b, 0); err != nil || string(b) != "FOVEAJNL" {
			t.Errorf("%q, %v", b, err)
		}
	}
}

// TestSegmentFlipped changes each byte: what is damaged is found, and what is before it, and
// each frame by itself, is read.
func TestSegmentFlipped(t *testing.T) {
	text, ends := segmentOf(t, 1, 7, groups...)
	var all []kept
	s, _ := openSegment(t, text, 1)
	if err := s.Walk(HeaderSize, int64(len(text)), 0).Each(keep(&all)); err != nil {
		t.Fatal(err)
	}
	for at := range text {
		hurt := slices.Clone(text)
		hurt[at] ^= 1 << (at % 8)
		s, err := openSegment(t, hurt, 1)
		if at < HeaderSize {
			if bad, ok := errors.AsType[*store.Corruption](err); (!ok || bad.Segment != 1 || bad.Reason != "segment header damaged") &&
				!errors.Is(err, store.ErrUnknownFormat) {
				t.Errorf("header, byte %d: %v", at, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var got []kept
		walk := s.Walk(HeaderSize, int64(len(text)), 7)
		err = walk.Each(keep(&got))
		bad, ok := errors.AsType[*store.Corruption](err)
		batch, _ := slices.BinarySearch(ends, int64(at)+1)
		want := slices.DeleteFunc(slices.Clone(all), func(r kept) bool { return r.Batch >= 7+uint64(batch) })
		begin := append([]int64{HeaderSize}, ends...)[batch]
		if !ok || bad.Offset < begin || bad.Offset > int64(at) || walk.At() != begin || walk.Next() != 7+uint64(batch) || !slices.Equal(got, want) {
			t.Errorf("byte %d: %v, at %d before batch %d, %d records", at, err, walk.At(), walk.Next(), len(got))
		}
		if start, end, next := walk.LastGroup(); batch == 1 && (start != HeaderSize || end != HeaderSize || next != 7) || batch == 2 &&
			(end != ends[1] || next != 9) {
			t.Errorf("byte %d: last group %d to %d, next %d", at, start, end, next)
		}
		whole := 0
		if err := s.Reader(HeaderSize, int64(len(text))).Scan(func(Frame, []byte) bool { whole++; return true }); err != nil || whole != 6 {
			t.Errorf("byte %d: %d whole frames, %v", at, whole, err)
		}
	}
}

// TestSegmentCut cuts the file at each place.
func TestSegmentCut(t *testing.T) {
	text, ends := segmentOf(t, 1, 7, groups...)
	for size := range text {
		s, err := openSegment(t, text[:size], 1)
		if size < HeaderSize {
			if !errors.Is(err, store.ErrCorrupt) {
				t.Errorf("cut at %d: %v", size, err)
			}
			continue
		}
		walk := s.Walk(HeaderSize, int64(size), 7)
		err = walk.Each(func(store.Record) error { return nil })
		whole := size == HeaderSize || int64(size) >= ends[1] && zeros(text[ends[1]:size])
		if (err == nil) != whole || err != nil && !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("cut at %d: %v", size, err)
		}
		if err := s.Walk(HeaderSize, int64(len(text)), 7).Each(func(store.Record) error { return nil }); err == nil || errors.Is(err, store.ErrCorrupt) {
			t.Errorf("cut at %d while it is read: %v, want that the file ended", size, err)
		}
	}
}

// TestSegmentOrder: batches that are whole but do not belong where they are.
func TestSegmentOrder(t *testing.T) {
	one := []string{"m x"}
	for _, tc := range []struct {
		name    string
		next    uint64
		from    int // batch to begin with
		batches []sealed
		want    int // batches that are read
		start   int // where the last group begins: behind so many batches
		reason  string
	}{
		{"in order", 7, 0, []sealed{{7, 0, true, one}, {8, 0, true, one}}, 2, 1, ""},
		{"any first batch", 0, 0, []sealed{{70, 0, true, one}, {71, 0, true, one}}, 2, 1, ""},
		{"begins inside a group", 0, 1, []sealed{{7, 0, false, one}, {8, 1, false, one}, {9, 2, true, one}}, 2, 1, ""},
		{"a group goes on after a sync", 7, 0, []sealed{{7, 0, true, one}, {8, 1, true, one}}, 2, 0, ""},
		{"the wrong first batch", 7, 0, []sealed{{8, 0, true, one}}, 0, 0, "a record out of order"},
		{"a batch is missing", 7, 0, []sealed{{7, 0, true, one}, {9, 0, true, one}}, 1, 0, "a record out of order"},
		{"a batch comes again", 7, 0, []sealed{{7, 0, true, one}, {7, 0, true, one}}, 1, 0, "a record out of order"},
		{"a rank is missing", 7, 0, []sealed{{7, 0, false, one}, {8, 2, true, one}}, 1, 0, "a record out of order"},
		{"another group within a group", 7, 0, []sealed{{7, 0, false, one}, {8, 0, true, one}}, 1, 0, "a record out of order"},
		{"a group that begins with a rank", 7, 0, []sealed{{7, 3, true, one}}, 0, 0, "a record out of order"},
		{"a rank too far behind", 7, 0, []sealed{{7, 0, true, one}, {8, 2, true, one}}, 1, 0, "a record out of order"},
		{"a group without an end", 7, 0, []sealed{{7, 0, true, one}, {8, 0, false, one}}, 2, 0, "the group is not finished"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text, ends := segmentOf(t, 1, 7, tc.batches...)
			from := append([]int64{HeaderSize}, ends...)[tc.from]
			for _, zeros := range []int{0, 8, 4096, readAhead + 8} {
				s, err := openSegment(t, append(slices.Clone(text), make([]byte, zeros)...), 1)
				if err != nil {
					t.Fatal(err)
				}
				var got []kept
				err = s.Walk(from, int64(len(text)+zeros), tc.next).Each(keep(&got))
				bad, _ := errors.AsType[*store.Corruption](err)
				if (bad == nil) != (tc.reason == "") || bad != nil && bad.Reason != tc.reason || len(got) != tc.want {
					t.Errorf("%d zeros behind: %v, %d batches", zeros, err, len(got))
				}
			}
			if tc.reason != "" {
				return
			}
			s, _ := openSegment(t, text, 1)
			walk := s.Walk(from, int64(len(text)), tc.next)
			err := walk.Each(func(store.Record) error { return nil })
			if start, end, _ := walk.LastGroup(); err != nil || start != append([]int64{HeaderSize}, ends...)[tc.start] || end != int64(len(text)) {
				t.Errorf("the last group is from %d to %d, %v", start, end, err)
			}
			hurt := append(slices.Clone(text), make([]byte, 4096)...)
			hurt[len(hurt)-1] = 1
			s, _ = openSegment(t, hurt, 1)
			err = s.Walk(from, int64(len(hurt)), tc.next).Each(func(store.Record) error { return nil })
			if bad, _ := errors.AsType[*store.Corruption](err); bad == nil || bad.Reason != "data behind a gap" || bad.Offset != int64(len(text)) {
				t.Errorf("a byte behind zeros: %v", err)
			}
		})
	}
}

// TestFramesThatAreNone changes fields of a frame and signs it again.
func TestFramesThatAreNone(t *testing.T) {
	for _, tc := range []struct {
		name string
		at   int
		bits byte
	}{
		{"no kind", frameKindAt, byte(store.Block)},
		{"a kind beyond the last", frameKindAt, byte(store.Block) ^ byte(store.Pad+1)},
		{"an unknown flag", frameFlagsAt, 4},
		{"the end of a group and not of a batch", frameFlagsAt, flagBatchEnd},
		{"a rank too large", frameRankAt + 1, MaxGroup >> 8},
		{"no batch", frameBatchAt, 7},
		{"a length too large", frameLengthAt + 3, 0x40},
	} {
		text, _ := segmentOf(t, 1, 7, sealed{7, 0, true, []string{"b text"}})
		text[HeaderSize+tc.at] ^= tc.bits
		s, err := openSegment(t, text, 1)
		if err != nil {
			t.Fatal(err)
		}
		whole := text[HeaderSize:]
		binary.LittleEndian.PutUint32(whole[frameCheckAt:], s.layout.check(HeaderSize, whole))
		s, _ = openSegment(t, text, 1)
		if _, err := s.Record(HeaderSize, int64(len(text))); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
	// A frame elsewhere, or in a segment with another salt, is none.
	text, ends := segmentOf(t, 1, 7, sealed{7, 0, true, []string{"b text"}})
	moved := slices.Concat(text, text[HeaderSize:])
	s, _ := openSegment(t, moved, 1)
	if _, err := s.Record(ends[0], int64(len(moved))); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("a frame that was copied: %v", err)
	}
	text[headerSaltAt] ^= 1
	binary.LittleEndian.PutUint32(text[headerCheckAt:], crc32.Checksum(text[:headerCheckAt], castagnoli))
	s, _ = openSegment(t, text, 1)
	if _, err := s.Record(HeaderSize, int64(len(text))); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("a frame with another salt: %v", err)
	}
}

func TestOpenSegmentRefuses(t *testing.T) {
	in := faultfs.New()
	text, _ := segmentOf(t, 4, 7, groups...)
	put(t, in, SegmentName(5), text)
	if _, err := OpenSegment(in, 5); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("a segment of another number: %v", err)
	}
	if _, err := OpenSegment(in, 6); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing segment: %v", err)
	}
	text[headerMajorAt] = 9
	binary.LittleEndian.PutUint32(text[headerCheckAt:], crc32.Checksum(text[:headerCheckAt], castagnoli))
	put(t, in, SegmentName(4), text)
	if _, err := OpenSegment(in, 4); !errors.Is(err, store.ErrUnknownFormat) {
		t.Errorf("a newer segment: %v", err)
	}
	if err := in.MkdirAll(SegmentName(8), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := OpenSegment(vfs.Plain(in), 8)
	if bad, ok := errors.AsType[*store.Corruption](err); !ok || bad.File != SegmentName(8) || bad.Segment != 8 || !strings.Contains(bad.Reason, "folder") {
		t.Errorf("a folder in its place: %v", err)
	}
	for _, name := range []string{"00000000.j", "1.j", "x.j", "00000002.k"} {
		put(t, in, JournalFolder+"/"+name, nil)
	}
	if got, err := ListSegments(in); err != nil || !slices.Equal(got, []uint64{4, 5, 8}) {
		t.Errorf("segments %v, %v", got, err)
	}
	if got, err := ListSegments(faultfs.New()); err != nil || len(got) > 0 {
		t.Errorf("segments of nothing: %v, %v", got, err)
	}
}

// TestLargeBatch reads batches around the size that is read at once.
func TestLargeBatch(t *testing.T) {
	var batches []sealed
	for i := range 12 {
		batches = append(batches, sealed{uint64(7 + i), 0, true, []string{"m small", "b " + strings.Repeat(string(rune('a'+i)), readAhead/8*i), "m small"}})
	}
	text, _ := segmentOf(t, 1, 7, batches...)
	s, err := openSegment(t, text, 1)
	if err != nil {
		t.Fatal(err)
	}
	var got []kept
	if err := s.Walk(HeaderSize, int64(len(text)), 7).Each(keep(&got)); err != nil || len(got) != 36 {
		t.Fatal(len(got), err)
	}
	for i, r := range got {
		if b := batches[i/3]; r.Data != b.texts[i%3][2:] || r.Batch != b.batch {
			t.Errorf("record %d of batch %d has %d bytes", i, r.Batch, len(r.Data))
		}
	}
	n := 0
	if err := s.Reader(HeaderSize, int64(len(text))).Scan(func(f Frame, data []byte) bool {
		if string(data) != got[n].Data {
			t.Errorf("frame %d has %d bytes", n, len(data))
		}
		n++
		return true
	}); err != nil || n != 36 {
		t.Errorf("%d frames, %v", n, err)
	}
}
