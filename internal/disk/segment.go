// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// Layout of a segment's header; see doc/format/journal.md.
const (
	segmentMagic      = "FOVEAJNL"
	segmentHeaderSize = 64
	saltSize          = 8

	segmentMagicAt  = 0
	segmentMajorAt  = 8  // uint16
	segmentMinorAt  = 10 // uint16
	segmentNumberAt = 16 // uint64
	segmentBatchAt  = 24 // uint64, number of the first batch
	segmentSaltAt   = 32
	segmentCheckAt  = 60 // uint32, CRC-32C of the bytes before
)

const (
	journalFolder = "journal"
	segmentSuffix = ".j"
)

// notNext is what is wrong with a segment whose first batch is not the one behind those
// before it.
const notNext = "the segment does not follow the one before"

func segmentName(number uint64) string {
	return path.Join(journalFolder, fmt.Sprintf("%08d%s", number, segmentSuffix))
}

// segmentHeader is what the first bytes of a segment say.
type segmentHeader struct {
	number uint64
	batch  uint64 // the first batch's number
	salt   [saltSize]byte
}

func (h segmentHeader) encode() []byte {
	b := make([]byte, segmentHeaderSize)
	copy(b[segmentMagicAt:], segmentMagic)
	binary.LittleEndian.PutUint16(b[segmentMajorAt:], FormatMajor)
	binary.LittleEndian.PutUint16(b[segmentMinorAt:], FormatMinor)
	binary.LittleEndian.PutUint64(b[segmentNumberAt:], h.number)
	binary.LittleEndian.PutUint64(b[segmentBatchAt:], h.batch)
	copy(b[segmentSaltAt:], h.salt[:])
	binary.LittleEndian.PutUint32(b[segmentCheckAt:], crc32.Checksum(b[:segmentCheckAt], castagnoli))
	return b
}

// errBadHeader means that a segment's first bytes are no header.
var errBadHeader = errors.New("segment header damaged")

func decodeSegmentHeader(b []byte) (segmentHeader, error) {
	if len(b) < segmentHeaderSize || string(b[:len(segmentMagic)]) != segmentMagic ||
		binary.LittleEndian.Uint32(b[segmentCheckAt:]) != crc32.Checksum(b[:segmentCheckAt], castagnoli) {
		return segmentHeader{}, errBadHeader
	}
	if major := binary.LittleEndian.Uint16(b[segmentMajorAt:]); major != FormatMajor {
		return segmentHeader{}, unknownFormat(major, binary.LittleEndian.Uint16(b[segmentMinorAt:]))
	}
	h := segmentHeader{number: binary.LittleEndian.Uint64(b[segmentNumberAt:]), batch: binary.LittleEndian.Uint64(b[segmentBatchAt:])}
	copy(h.salt[:], b[segmentSaltAt:])
	return h, nil
}

// segment is a file of the journal, open for reading.
type segment struct {
	segmentHeader
	shared
	layout frames
}

// reader reads the segment from an offset, and no further than end.
func (s *segment) reader(from, end int64) reader { return newReader(s.layout, s.file, from, end) }

// corruption says what is wrong with a segment.
func corruption(number uint64, at int64, reason string) *store.Corruption {
	return &store.Corruption{File: segmentName(number), Segment: number, Offset: at, Reason: reason}
}

// openSegment opens a segment and reads its header. A file that is too short or damaged,
// or no regular file, is a Corruption.
func openSegment(in vfs.FS, number uint64) (*segment, error) {
	file, err := in.OpenFile(segmentName(number), os.O_RDONLY, 0)
	if errors.Is(err, vfs.ErrNotRegular) {
		return nil, corruption(number, 0, notRegular(err))
	}
	if err != nil {
		return nil, err
	}
	head := make([]byte, segmentHeaderSize)
	n, err := file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, errors.Join(err, file.Close())
	}
	header, err := decodeSegmentHeader(head[:n])
	if err == errBadHeader || err == nil && header.number != number {
		err = corruption(number, 0, errBadHeader.Error())
	}
	if err != nil {
		_ = file.Close() // it was only read
		return nil, err
	}
	return &segment{header, shared{file: file}, frames{name: segmentName(number), segment: number, salt: header.salt}}, nil
}

// size is the file's size now.
func (s *segment) size() (int64, error) {
	info, err := s.file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// written returns the size of the segment, and the end of what is written in it: behind
// that are zeros alone.
func (s *segment) written() (size, end int64, err error) {
	if size, err = s.size(); err == nil {
		end, err = lastByte(s.file, segmentHeaderSize, size)
	}
	return size, end, err
}

// listSegments returns the numbers of the segments there are, ascending.
func listSegments(in vfs.FS) ([]uint64, error) {
	numbers, err := listNumbered(in, journalFolder, segmentSuffix, segmentName)
	if len(numbers) > 0 && numbers[0] == 0 {
		numbers = numbers[1:] // the first segment has the number 1
	}
	return numbers, err
}

// listNumbered returns the numbers of a folder's files, ascending: those whose
// names are just what name makes of the number. A missing folder has none.
func listNumbered(in vfs.FS, folder, suffix string, name func(uint64) string) ([]uint64, error) {
	entries, err := readDirOrNone(in, folder)
	if err != nil {
		return nil, err
	}
	var numbers []uint64
	for _, e := range entries {
		digits, ok := strings.CutSuffix(e.Name(), suffix)
		number, err := strconv.ParseUint(digits, 10, 64)
		if ok && err == nil && path.Base(name(number)) == e.Name() {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// readDirOrNone lists a folder; one that is missing has nothing.
func readDirOrNone(in vfs.FS, folder string) ([]fs.DirEntry, error) {
	entries, err := in.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return entries, err
}
