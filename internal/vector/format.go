// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"

	"github.com/fovea-memory/fovea/merkle"
)

// Layout of a file of vectors; see doc/format/vectors.md.
const (
	fileMagic   = "FOVEAVEC"
	formatMajor = 0
	formatMinor = 0

	headerMagicAt       = 0
	headerMajorAt       = 8  // uint16
	headerMinorAt       = 10 // uint16
	headerDimAt         = 12 // uint32
	headerFingerprintAt = 16 // SHA-256 of the fingerprint
	headerLabelAt       = 48 // the fingerprint itself as far as it fits, then zeros
	headerCheckAt       = 252
	headerSize          = 256

	recordKindAt   = 0
	recordDigestAt = 8
	recordVectorAt = 40

	recordFixed = recordVectorAt + 4 // size of a record without its vector
)

// kind is what a record is.
type kind uint8

const (
	erased kind = iota // all bytes are zero
	stored             // a vector
	failed             // the text has no vector, and must not be tried again
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Model identifies vectors that are comparable with each other.
type Model struct {
	// Fingerprint identifies the model and everything else that vectors depend on, such as
	// prefixes: vectors of different fingerprints are never compared. Any text that is not empty.
	Fingerprint string
	// Dim is the length of the vectors, from 1 to MaxDim.
	Dim int
}

// MaxDim is the largest length of vectors.
const MaxDim = 8192

// recordSize is the size of each record in bytes.
func (m Model) recordSize() int { return recordFixed + 2*m.Dim }

// header encodes the first bytes of a file.
func (m Model) header() []byte {
	b := make([]byte, headerSize)
	copy(b[headerMagicAt:], fileMagic)
	binary.LittleEndian.PutUint16(b[headerMajorAt:], formatMajor)
	binary.LittleEndian.PutUint16(b[headerMinorAt:], formatMinor)
	binary.LittleEndian.PutUint32(b[headerDimAt:], uint32(m.Dim))
	sum := sha256.Sum256([]byte(m.Fingerprint))
	copy(b[headerFingerprintAt:], sum[:])
	copy(b[headerLabelAt:headerCheckAt], m.Fingerprint)
	binary.LittleEndian.PutUint32(b[headerCheckAt:], crc32.Checksum(b[:headerCheckAt], castagnoli))
	return b
}

// readHeader returns the model of a header, its fingerprint cut to the label; the zero Model if the header is invalid.
func readHeader(b []byte) Model {
	dim := int(binary.LittleEndian.Uint32(b[headerDimAt:]))
	if string(b[:len(fileMagic)]) != fileMagic || binary.LittleEndian.Uint16(b[headerMajorAt:]) != formatMajor || dim < 1 || dim > MaxDim ||
		binary.LittleEndian.Uint32(b[headerCheckAt:]) != crc32.Checksum(b[:headerCheckAt], castagnoli) {
		return Model{}
	}
	return Model{string(bytes.TrimRight(b[headerLabelAt:headerCheckAt], "\x00")), dim}
}

// seal returns the checksum of a record without its last four bytes. It starts from the
// checksum of the header, so that records of other models do not pass.
func seal(header, record []byte) uint32 {
	return crc32.Update(binary.LittleEndian.Uint32(header[headerCheckAt:]), castagnoli, record)
}

// appendRecord encodes a record. row is nil for a failed one.
func appendRecord(to, header []byte, dim int, d merkle.Digest, row []float32) []byte {
	from := len(to)
	to = append(to, make([]byte, recordFixed+2*dim)...)
	b := to[from:]
	b[recordKindAt] = byte(failed)
	copy(b[recordDigestAt:], d[:])
	if row != nil {
		b[recordKindAt] = byte(stored)
		for i, x := range row[:dim] {
			putHalf(b[recordVectorAt+2*i:], x)
		}
	}
	end := len(b) - 4
	binary.LittleEndian.PutUint32(b[end:], seal(header, b[:end]))
	return to
}

// readRecord decodes a record without its vector. It returns false for a damaged one.
func readRecord(b, header []byte) (kind, merkle.Digest, bool) {
	end := len(b) - 4
	switch k := kind(b[recordKindAt]); {
	case k == erased:
		return erased, merkle.Digest{}, len(bytes.Trim(b, "\x00")) == 0
	case k > failed, binary.LittleEndian.Uint32(b[end:]) != seal(header, b[:end]):
		return erased, merkle.Digest{}, false
	default:
		return k, merkle.Digest(b[recordDigestAt:recordVectorAt]), true
	}
}

// vectorOf decodes the vector of a record into a buffer.
func vectorOf(b []byte, into []float32) []float32 {
	for i := range into {
		into[i] = getHalf(b[recordVectorAt+2*i:])
	}
	return into
}
