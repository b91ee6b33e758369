// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package record

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"github.com/fovea-memory/fovea/internal/store"
)

// Layout of the header of a segment and of a pack; see doc/format/journal.md and pack.md.
const (
	segmentMagic = "FOVEAJNL"
	packMagic    = "FOVEAPAK"

	headerMagicAt   = 0
	headerMajorAt   = 8  // uint16
	headerMinorAt   = 10 // uint16
	headerSegmentAt = 16 // uint64, number of the segment, or of the pack's first one
	headerNumberAt  = 24 // uint64, number of the segment's first batch, or generation of the pack
	headerSaltAt    = 32
	headerCheckAt   = 60 // uint32, CRC-32C of the bytes before

	saltSize = 8
)

// HeaderSize is the size of the header of a segment and of a pack in bytes.
const HeaderSize = 64

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// header is what the first bytes of a file say.
type header struct {
	segment uint64
	number  uint64 // of the segment's first batch, or generation of the pack
	salt    [saltSize]byte
}

// newHeader makes a header with a random salt.
func newHeader(segment, number uint64, random io.Reader) (header, error) {
	h := header{segment: segment, number: number}
	_, err := io.ReadFull(random, h.salt[:])
	return h, err
}

func (h header) encode(magic string) []byte {
	b := make([]byte, HeaderSize)
	copy(b[headerMagicAt:], magic)
	store.PutFormat(b[headerMajorAt:])
	binary.LittleEndian.PutUint64(b[headerSegmentAt:], h.segment)
	binary.LittleEndian.PutUint64(b[headerNumberAt:], h.number)
	copy(b[headerSaltAt:], h.salt[:])
	binary.LittleEndian.PutUint32(b[headerCheckAt:], crc32.Checksum(b[:headerCheckAt], castagnoli))
	return b
}

// errHeader means that the first bytes of a file are no header.
var errHeader = errors.New("header damaged")

// readHeader returns errHeader for bytes that encode would not have written, and
// ErrUnknownFormat for another major number.
func readHeader(file io.ReaderAt, magic string) (header, error) {
	b := make([]byte, HeaderSize)
	n, err := file.ReadAt(b, 0)
	if err != nil && err != io.EOF {
		return header{}, err
	}
	if n < HeaderSize || string(b[:len(magic)]) != magic || binary.LittleEndian.Uint32(b[headerCheckAt:]) != crc32.Checksum(b[:headerCheckAt], castagnoli) {
		return header{}, errHeader
	}
	if err := store.CheckFormat(b[headerMajorAt:]); err != nil {
		return header{}, err
	}
	return header{
		binary.LittleEndian.Uint64(b[headerSegmentAt:]), binary.LittleEndian.Uint64(b[headerNumberAt:]), [saltSize]byte(b[headerSaltAt:]),
	}, nil
}
