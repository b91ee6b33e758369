// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

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

// given is a record as tests compare it.
type given struct {
	Kind  store.Kind
	Batch uint64
	Pos   store.Pos
	Data  string
}

func keep(into *[]given) func(store.Record) error {
	return func(r store.Record) error {
		*into = append(*into, given{r.Kind, r.Batch, r.Pos, string(r.Data)})
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
func segmentText(t testing.TB, number, first uint64, batches ...sealed) (text []byte, ends []int64) {
	t.Helper()
	s, text, err := newSegment(number, first, random(byte(number)))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range batches {
		var batch store.Batch
		for _, text := range b.texts {
			batch.Add(letters[text[0]], []byte(text[2:]))
		}
		s.layout.sealBatch(batch.Bytes(), int64(len(text)), b.batch, b.rank, b.last)
		text = append(text, batch.Bytes()...)
		ends = append(ends, int64(len(text)))
	}
	return text, ends
}

// put makes the content of a file, with its folder.
func put(t testing.TB, in vfs.FS, name string, text []byte) {
	t.Helper()
	err := errors.Join(in.MkdirAll(store.JournalFolder, 0o700), in.MkdirAll(store.PackFolder, 0o700))
	if err == nil {
		err = vfs.WriteAtomic(in, name, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func openedSegment(t testing.TB, text []byte, number uint64) (*source, error) {
	t.Helper()
	in := faultfs.New()
	put(t, in, segmentName(number), text)
	s, err := openSegment(in, number)
	if err == nil {
		t.Cleanup(func() { s.close() })
	}
	return s, err
}

// recordIn reads a record of a segment.
func recordIn(s *source, at, end int64) (store.Record, error) { return s.reader(at, end).record(at) }

// groups is two groups, of two batches and of one.
var groups = []sealed{
	{7, 0, false, []string{"b first block", "c first commit"}},
	{8, 1, true, []string{"i an intent", "p padding", "m " + strings.Repeat("mark ", 20)}},
	{9, 0, true, []string{"b ", "c second commit"}},
}

func TestSegment(t *testing.T) {
	text, ends := segmentText(t, 3, 7, groups...)
	s, err := openedSegment(t, append(slices.Clone(text), make([]byte, 100)...), 3) // as it is preallocated
	if err != nil {
		t.Fatal(err)
	}
	if s.info.First != 3 || s.info.Batch != 7 || s.follows(7) != nil || s.follows(0) != nil || s.follows(8) == nil || s.follows(8).Offset != 24 {
		t.Errorf("segment %d of batch %d, %v", s.info.First, s.info.Batch, s.follows(8))
	}
	size, err := s.size()
	if err != nil {
		t.Fatal(err)
	}
	end, err := lastByte(s.file, headerSize, size)
	if err != nil || size != int64(len(text)+100) || end < int64(len(text))-store.Align || end > int64(len(text)) {
		t.Errorf("%d bytes, written up to %d of %d, %v", size, end, len(text), err)
	}
	if end, _ := lastByte(s.file, size-8, size); end != size-8 {
		t.Errorf("nothing is written behind %d, got %d", size-8, end)
	}
	var got []given
	walk := s.walk(headerSize, size, 7)
	if err := walk.each(keep(&got)); err != nil {
		t.Fatal(err)
	}
	var want []given
	at := int64(headerSize)
	for _, b := range groups {
		for _, text := range b.texts {
			if text[0] != 'p' {
				want = append(want, given{letters[text[0]], b.batch, store.Pos{Segment: 3, Offset: at}, text[2:]})
			}
			at += int64(store.RecordSize(len(text) - 2))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	start, groupEnd, next := walk.lastGroup()
	if walk.at != ends[2] || walk.next != 10 || start != ends[1] || groupEnd != ends[2] || next != 10 {
		t.Errorf("at %d before batch %d, group %d to %d before batch %d", walk.at, walk.next, start, groupEnd, next)
	}
	for _, w := range want {
		r, err := recordIn(s, w.Pos.Offset, size)
		if err != nil || (given{r.Kind, r.Batch, r.Pos, string(r.Data)}) != w {
			t.Errorf("record at %v: %+v, %v", w.Pos, r, err)
		}
		if _, err := recordIn(s, w.Pos.Offset+store.Align, size); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("between records: %v", err)
		}
		if _, err := recordIn(s, w.Pos.Offset, w.Pos.Offset+int64(store.RecordSize(len(w.Data)))-1); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("a record beyond the end: %v", err)
		}
	}
	var frames int
	if err := s.reader(headerSize, size).scan(func(f frame) bool {
		group := map[uint64]uint64{7: 7, 8: 7, 9: 9}[f.Batch]
		if frames++; f.length != len(f.Data) || f.dataAt != f.at+frameHeaderSize || f.end%store.Align != 0 || f.group() != group {
			t.Errorf("frame %+v", f)
		}
		return frames < 6
	}); err != nil || frames != 6 {
		t.Errorf("%d frames, %v, want to stop at 6", frames, err)
	}
	stop := errors.New("stop")
	if err := s.walk(headerSize, size, 7).each(func(store.Record) error { return stop }); err != stop {
		t.Errorf("an error of the function: %v", err)
	}
	if b := make([]byte, 8); true {
		if _, err := s.file.ReadAt(b, 0); err != nil || string(b) != "FOVEAJNL" {
			t.Errorf("%q, %v", b, err)
		}
	}
}

// TestSegmentFlipped changes each byte: what is damaged is found, and what is before it, and
// each frame by itself, is read.
func TestSegmentFlipped(t *testing.T) {
	text, ends := segmentText(t, 1, 7, groups...)
	var all []given
	s, _ := openedSegment(t, text, 1)
	if err := s.walk(headerSize, int64(len(text)), 0).each(keep(&all)); err != nil {
		t.Fatal(err)
	}
	for at := range text {
		hurt := slices.Clone(text)
		hurt[at] ^= 1 << (at % 8)
		s, err := openedSegment(t, hurt, 1)
		if at < headerSize {
			if bad, ok := errors.AsType[*store.Corruption](err); (!ok || bad.Segment != 1 || bad.Reason != "segment header damaged") &&
				!errors.Is(err, store.ErrUnknownFormat) {
				t.Errorf("header, byte %d: %v", at, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var got []given
		walk := s.walk(headerSize, int64(len(text)), 7)
		err = walk.each(keep(&got))
		bad, ok := errors.AsType[*store.Corruption](err)
		batch, _ := slices.BinarySearch(ends, int64(at)+1)
		want := slices.DeleteFunc(slices.Clone(all), func(r given) bool { return r.Batch >= 7+uint64(batch) })
		begin := append([]int64{headerSize}, ends...)[batch]
		if !ok || bad.Offset < begin || bad.Offset > int64(at) || walk.at != begin || walk.next != 7+uint64(batch) || !slices.Equal(got, want) {
			t.Errorf("byte %d: %v, at %d before batch %d, %d records", at, err, walk.at, walk.next, len(got))
		}
		if start, end, next := walk.lastGroup(); batch == 1 && (start != headerSize || end != headerSize || next != 7) || batch == 2 &&
			(end != ends[1] || next != 9) {
			t.Errorf("byte %d: last group %d to %d, next %d", at, start, end, next)
		}
		whole := 0
		if err := s.reader(headerSize, int64(len(text))).scan(func(frame) bool { whole++; return true }); err != nil || whole != 6 {
			t.Errorf("byte %d: %d whole frames, %v", at, whole, err)
		}
	}
}

// TestSegmentCut cuts the file at each place.
func TestSegmentCut(t *testing.T) {
	text, ends := segmentText(t, 1, 7, groups...)
	for size := range text {
		s, err := openedSegment(t, text[:size], 1)
		if size < headerSize {
			if !errors.Is(err, store.ErrCorrupt) {
				t.Errorf("cut at %d: %v", size, err)
			}
			continue
		}
		walk := s.walk(headerSize, int64(size), 7)
		err = walk.each(func(store.Record) error { return nil })
		whole := size == headerSize || int64(size) >= ends[1] && zeros(text[ends[1]:size])
		if (err == nil) != whole || err != nil && !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("cut at %d: %v", size, err)
		}
		if err := s.walk(headerSize, int64(len(text)), 7).each(func(store.Record) error { return nil }); err == nil || errors.Is(err, store.ErrCorrupt) {
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
			text, ends := segmentText(t, 1, 7, tc.batches...)
			from := append([]int64{headerSize}, ends...)[tc.from]
			for _, zeros := range []int{0, 8, 4096, readAhead + 8} {
				s, err := openedSegment(t, append(slices.Clone(text), make([]byte, zeros)...), 1)
				if err != nil {
					t.Fatal(err)
				}
				var got []given
				err = s.walk(from, int64(len(text)+zeros), tc.next).each(keep(&got))
				bad, _ := errors.AsType[*store.Corruption](err)
				if (bad == nil) != (tc.reason == "") || bad != nil && bad.Reason != tc.reason || len(got) != tc.want {
					t.Errorf("%d zeros behind: %v, %d batches", zeros, err, len(got))
				}
			}
			if tc.reason != "" {
				return
			}
			s, _ := openedSegment(t, text, 1)
			walk := s.walk(from, int64(len(text)), tc.next)
			err := walk.each(func(store.Record) error { return nil })
			if start, end, _ := walk.lastGroup(); err != nil || start != append([]int64{headerSize}, ends...)[tc.start] || end != int64(len(text)) {
				t.Errorf("the last group is from %d to %d, %v", start, end, err)
			}
			hurt := append(slices.Clone(text), make([]byte, 4096)...)
			hurt[len(hurt)-1] = 1
			s, _ = openedSegment(t, hurt, 1)
			err = s.walk(from, int64(len(hurt)), tc.next).each(func(store.Record) error { return nil })
			if bad, _ := errors.AsType[*store.Corruption](err); bad == nil || bad.Reason != "data after a gap" || bad.Offset != int64(len(text)) {
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
		{"a rank too large", frameRankAt + 1, maxGroup >> 8},
		{"no batch", frameBatchAt, 7},
		{"a length too large", frameLengthAt + 3, 0x40},
	} {
		text, _ := segmentText(t, 1, 7, sealed{7, 0, true, []string{"b text"}})
		text[headerSize+tc.at] ^= tc.bits
		s, err := openedSegment(t, text, 1)
		if err != nil {
			t.Fatal(err)
		}
		whole := text[headerSize:]
		binary.LittleEndian.PutUint32(whole[frameCheckAt:], s.layout.check(headerSize, whole))
		s, _ = openedSegment(t, text, 1)
		if _, err := recordIn(s, headerSize, int64(len(text))); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
	// A frame elsewhere, or in a segment with another salt, is none.
	text, ends := segmentText(t, 1, 7, sealed{7, 0, true, []string{"b text"}})
	moved := slices.Concat(text, text[headerSize:])
	s, _ := openedSegment(t, moved, 1)
	if _, err := recordIn(s, ends[0], int64(len(moved))); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("a frame that was copied: %v", err)
	}
	text[headerSaltAt] ^= 1
	binary.LittleEndian.PutUint32(text[headerCheckAt:], crc32.Checksum(text[:headerCheckAt], castagnoli))
	s, _ = openedSegment(t, text, 1)
	if _, err := recordIn(s, headerSize, int64(len(text))); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("a frame with another salt: %v", err)
	}
}

func TestOpenSegmentRefuses(t *testing.T) {
	in := faultfs.New()
	text, _ := segmentText(t, 4, 7, groups...)
	put(t, in, segmentName(5), text)
	if _, err := openSegment(in, 5); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("a segment of another number: %v", err)
	}
	if _, err := openSegment(in, 6); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing segment: %v", err)
	}
	text[headerMajorAt] = 9
	binary.LittleEndian.PutUint32(text[headerCheckAt:], crc32.Checksum(text[:headerCheckAt], castagnoli))
	put(t, in, segmentName(4), text)
	if _, err := openSegment(in, 4); !errors.Is(err, store.ErrUnknownFormat) {
		t.Errorf("a newer segment: %v", err)
	}
	if err := in.MkdirAll(segmentName(8), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := openSegment(vfs.Plain(in), 8)
	if bad, ok := errors.AsType[*store.Corruption](err); !ok || bad.File != segmentName(8) || bad.Segment != 8 || !strings.Contains(bad.Reason, "folder") {
		t.Errorf("a folder in its place: %v", err)
	}
	for _, name := range []string{"00000000.j", "1.j", "x.j", "00000002.k"} {
		put(t, in, store.JournalFolder+"/"+name, nil)
	}
	if got, err := listSegments(in); err != nil || !slices.Equal(got, []uint64{4, 5, 8}) {
		t.Errorf("segments %v, %v", got, err)
	}
	if got, err := listSegments(faultfs.New()); err != nil || len(got) > 0 {
		t.Errorf("segments of nothing: %v, %v", got, err)
	}
}

// TestLargeBatches reads batches around the size that is read at once.
func TestLargeBatches(t *testing.T) {
	var batches []sealed
	for i := range 12 {
		batches = append(batches, sealed{uint64(7 + i), 0, true, []string{"m small", "b " + strings.Repeat(string(rune('a'+i)), readAhead/8*i), "m small"}})
	}
	text, _ := segmentText(t, 1, 7, batches...)
	s, err := openedSegment(t, text, 1)
	if err != nil {
		t.Fatal(err)
	}
	var got []given
	if err := s.walk(headerSize, int64(len(text)), 7).each(keep(&got)); err != nil || len(got) != 36 {
		t.Fatal(len(got), err)
	}
	for i, r := range got {
		if b := batches[i/3]; r.Data != b.texts[i%3][2:] || r.Batch != b.batch {
			t.Errorf("record %d of batch %d has %d bytes", i, r.Batch, len(r.Data))
		}
	}
	n := 0
	if err := s.reader(headerSize, int64(len(text))).scan(func(f frame) bool {
		if string(f.Data) != got[n].Data {
			t.Errorf("frame %d has %d bytes", n, len(f.Data))
		}
		n++
		return true
	}); err != nil || n != 36 {
		t.Errorf("%d frames, %v", n, err)
	}
}
