// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// saltSize is the size of the salt of a segment or a pack.
const saltSize = 8

// header begins a segment and a pack, followed by its CRC-32C; see doc/format/journal.md and pack.md.
type header struct {
	preamble
	_       [4]byte
	Segment uint64 // its number, or that of the pack's first one
	Number  uint64 // of the segment's first batch, or generation of the pack
	Salt    [saltSize]byte
	_       [20]byte
}

const (
	headerSize     = 64 // in bytes, the checksum included
	headerNumberAt = 24 // where Number is
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// newHeader makes a header with a random salt.
func newHeader(magic string, segment, number uint64, random io.Reader) (header, error) {
	h := header{preamble: preambleOf(magic), Segment: segment, Number: number}
	_, err := io.ReadFull(random, h.Salt[:])
	return h, err
}

func (h *header) encode() []byte {
	b := appendFixed(nil, h)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// errHeader means that the first bytes of a file are not a valid header.
var errHeader = errors.New("header damaged")

// readHeader returns errHeader for bytes that encode does not write, and ErrUnknownFormat for another major
// number.
func readHeader(file io.ReaderAt, magic string) (h header, err error) {
	b := make([]byte, headerSize)
	n, err := file.ReadAt(b, 0)
	if err != nil && err != io.EOF {
		return h, err
	}
	const end = headerSize - crc32.Size
	if n < headerSize || !begins(b, magic) || binary.LittleEndian.Uint32(b[end:]) != crc32.Checksum(b[:end], castagnoli) {
		return h, errHeader
	}
	readFixed(b, &h)
	return h, h.known()
}
