// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
)

// Kind says what a record holds. The store looks only at whether a record can
// be found by digest, which Block and Commit records can.
type Kind uint8

// The kinds of records.
const (
	// Block is a block named by its digest: the SHA-256 of the data.
	Block Kind = 1
	// Intent announces a change of a file before it is made. Any later batch
	// settles it; a pack leaves it out then.
	Intent Kind = 2
	// Commit is a commit's block, found by digest like any Block.
	Commit Kind = 3
	// Mark is a note on the chain, such as a named snapshot.
	Mark Kind = 4
	// Pad fills space; Replay leaves it out.
	Pad Kind = 5
)

// String returns the kind in words.
func (k Kind) String() string {
	switch k {
	case Block:
		return "block"
	case Intent:
		return "intent"
	case Commit:
		return "commit"
	case Mark:
		return "mark"
	case Pad:
		return "pad"
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// known reports whether the kind is one of the constants.
func (k Kind) known() bool { return k >= Block && k <= Pad }

// Pos is a place in the journal: behind a batch, or where a record begins. It is
// comparable. The zero Pos stands for the beginning.
type Pos struct {
	// Segment is the number of the journal's file, from 1.
	Segment uint64
	// Offset is the place in that file, in bytes.
	Offset int64
}

// Compare orders positions as records are in the journal: -1, 0 or +1.
func (p Pos) Compare(q Pos) int {
	return cmp.Or(cmp.Compare(p.Segment, q.Segment), cmp.Compare(p.Offset, q.Offset))
}

// String returns SEGMENT:OFFSET.
func (p Pos) String() string { return fmt.Sprintf("%d:%d", p.Segment, p.Offset) }

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

// MaxData is the largest record's data in bytes.
const MaxData = 1<<30 - 1

// maxGroup is how many batches a group may have; a rank fits 16 bits.
const maxGroup = 4096

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// frame is the header of a record in the journal.
type frame struct {
	length int
	kind   Kind
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
		kind:   Kind(b[frameKindAt]),
		flags:  b[frameFlagsAt],
		rank:   binary.LittleEndian.Uint16(b[frameRankAt:]),
		batch:  binary.LittleEndian.Uint64(b[frameBatchAt:]),
		check:  binary.LittleEndian.Uint32(b[frameCheckAt:]),
	}
	ok = f.length <= MaxData && f.kind.known() && f.flags <= flagBatchEnd|flagGroupEnd && f.flags != flagGroupEnd &&
		f.rank < maxGroup && f.batch > uint64(f.rank)
	return f, ok
}

// appendFrame appends a frame without batch, flags and checksum.
func appendFrame(dst []byte, kind Kind, data []byte) []byte {
	dst = slices.Grow(dst, int(frameSize(len(data))))
	start := len(dst)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(data)))
	dst = append(dst, byte(kind))
	dst = append(dst, make([]byte, frameHeaderSize-frameKindAt-1)...)
	dst = append(dst, data...)
	return append(dst, make([]byte, frameSize(len(data))-int64(len(dst)-start))...)
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
