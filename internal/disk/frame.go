// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/fovea-memory/fovea/internal/store"
)

// Layout of a frame; see doc/format/journal.md.
const (
	frameHeaderSize = 20
	frameAlign      = 8

	frameLengthAt = 0  // uint32, bytes of data
	frameKindAt   = 4  // uint8
	frameFlagsAt  = 5  // uint8
	frameRankAt   = 6  // uint16, batches of the group before this one
	frameBatchAt  = 8  // uint64
	frameCheckAt  = 16 // uint32, CRC-32C

	flagBatchEnd = 1 // last frame of its batch
	flagGroupEnd = 2 // last frame of its group
)

// maxGroup is how many batches a group may have; a rank fits 16 bits.
const maxGroup = 4096

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// frame is the header of a record in the journal.
type frame struct {
	length int
	kind   store.Kind
	flags  uint8
	rank   uint16
	batch  uint64
	check  uint32
}

// group returns the number of the group: that of its first batch.
func (f frame) group() uint64 { return f.batch - uint64(f.rank) }

// size is what the frame takes in the journal, in bytes.
func (f frame) size() int64 { return frameSize(f.length) }

func frameSize(length int) int64 {
	return (frameHeaderSize + int64(length) + frameAlign - 1) &^ (frameAlign - 1)
}

// readFrame decodes a header of frameHeaderSize bytes; ok is false when it can
// be none, so that most of the bytes in a damaged place need no checksum.
func readFrame(b []byte) (f frame, ok bool) {
	f = frame{
		length: int(binary.LittleEndian.Uint32(b[frameLengthAt:])),
		kind:   store.Kind(b[frameKindAt]),
		flags:  b[frameFlagsAt],
		rank:   binary.LittleEndian.Uint16(b[frameRankAt:]),
		batch:  binary.LittleEndian.Uint64(b[frameBatchAt:]),
		check:  binary.LittleEndian.Uint32(b[frameCheckAt:]),
	}
	ok = f.length <= store.MaxData && f.kind.Known() && f.flags <= flagBatchEnd|flagGroupEnd && f.flags != flagGroupEnd &&
		f.rank < maxGroup && f.batch > uint64(f.rank)
	return f, ok
}

// frameCheck returns the checksum of a whole frame, padding included, that
// stands at an offset of a segment. The offset and the segment's salt are part
// of it, so that a frame's copy elsewhere, such as a journal kept as a note,
// is no frame.
func frameCheck(salt [saltSize]byte, at int64, whole []byte) uint32 {
	var head [saltSize + 8 + frameCheckAt]byte
	copy(head[:], salt[:])
	binary.LittleEndian.PutUint64(head[saltSize:], uint64(at))
	copy(head[saltSize+8:], whole[:frameCheckAt])
	return crc32.Update(crc32.Checksum(head[:], castagnoli), castagnoli, whole[frameHeaderSize:])
}
