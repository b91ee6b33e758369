// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package record

import (
	"fmt"
	"io"
	"os"
	"path"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// JournalFolder is the folder of the segments.
const JournalFolder = "journal"

const segmentSuffix = ".j"

// SegmentName returns the name of the segment with a number.
func SegmentName(number uint64) string {
	return path.Join(JournalFolder, fmt.Sprintf("%08d%s", number, segmentSuffix))
}

// ListSegments returns the numbers of the segments there are, ascending.
func ListSegments(in vfs.FS) ([]uint64, error) {
	numbers, err := ListNumbered(in, JournalFolder, segmentSuffix, SegmentName)
	if len(numbers) > 0 && numbers[0] == 0 {
		numbers = numbers[1:] // the first segment has the number 1
	}
	return numbers, err
}

// SegmentDamage says what is wrong with a segment at an offset.
func SegmentDamage(number uint64, at int64, reason string) *store.Corruption {
	return &store.Corruption{File: SegmentName(number), Segment: number, Offset: at, Reason: reason}
}

// Segment is a file of the journal, open for reading. Its methods but Seal may be called
// concurrently.
type Segment struct {
	Number uint64
	Batch  uint64 // number of the first batch
	file   vfs.File
	layout layout
}

// NewSegment returns a segment that has no file yet, and the bytes that its file begins
// with. The salt comes from random.
func NewSegment(number, batch uint64, random io.Reader) (*Segment, []byte, error) {
	h, err := newHeader(number, batch, random)
	return newSegment(h, nil), h.encode(segmentMagic), err
}

func newSegment(h header, file vfs.File) *Segment {
	return &Segment{h.segment, h.number, file, layout{name: SegmentName(h.segment), segment: h.segment, salt: h.salt}}
}

// OpenSegment opens a segment and reads its header. A file that is too short or damaged,
// or no regular file, is a Corruption. The caller closes it.
func OpenSegment(in vfs.FS, number uint64) (*Segment, error) {
	file, err := in.OpenFile(SegmentName(number), os.O_RDONLY, 0)
	if bad := NotRegular(err, SegmentName(number)); bad != nil {
		bad.Segment = number
		return nil, bad
	}
	if err != nil {
		return nil, err
	}
	h, err := readHeader(file, segmentMagic)
	if err == errHeader || err == nil && h.segment != number {
		err = SegmentDamage(number, 0, "segment header damaged")
	}
	if err != nil {
		_ = file.Close() // it was only read
		return nil, err
	}
	return newSegment(h, file), nil
}

// Close closes the file.
func (s *Segment) Close() error { return s.file.Close() }

// ReadAt reads bytes of the file.
func (s *Segment) ReadAt(b []byte, at int64) (int, error) { return s.file.ReadAt(b, at) }

// Size returns the size of the file now.
func (s *Segment) Size() (int64, error) {
	info, err := s.file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Written returns the size of the file, and the end of what is written in it from an offset
// on: behind that are zeros alone.
func (s *Segment) Written(from int64) (size, end int64, err error) {
	if size, err = s.Size(); err == nil {
		end, err = lastByte(s.file, from, size)
	}
	return size, end, err
}

// Follows returns a Corruption unless the segment begins with the batch next; 0 stands for
// any.
func (s *Segment) Follows(next uint64) *store.Corruption {
	if next == 0 || next == s.Batch {
		return nil
	}
	return SegmentDamage(s.Number, headerNumberAt, "the segment does not follow the one before")
}

// Reader returns a reader from an offset, and no further than end.
func (s *Segment) Reader(from, end int64) *Reader {
	r := newReader(s.layout, s.file, from, end)
	return &r
}

// Record reads the record at an offset; the caller owns it. It reads no further than end.
func (s *Segment) Record(at, end int64) (store.Record, error) { return s.Reader(at, end).record(at) }

// Seal turns the bytes of a store.Batch, which go to an offset, into frames. batch is its
// number and rank how many batches of the group come before it; last says that none
// follows. It is for one goroutine.
func (s *Segment) Seal(buf []byte, at int64, batch uint64, rank int, last bool) {
	s.layout.sealBatch(buf, at, batch, rank, last)
}
