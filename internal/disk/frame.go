// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/fovea-memory/fovea/internal/store"
)

// Layout of a frame in a segment; see doc/format/journal.md. A store.Batch reserves room for this header before
// each record, with length and kind in the same places.
const (
	frameHeaderSize = store.Headroom

	frameLengthAt = 0  // uint32, bytes of data
	frameKindAt   = 4  // uint8
	frameFlagsAt  = 5  // uint8
	frameRankAt   = 6  // uint16, batches of the group before this one
	frameBatchAt  = 8  // uint64
	frameCheckAt  = 16 // uint32, CRC-32C

	flagBatchEnd = 1 // last frame of its batch
	flagGroupEnd = 2 // last frame of its group
)

// Layout of a frame in a pack; see doc/format/pack.md.
const (
	packFrameHeaderSize = 32

	packFrameLengthAt  = 0  // uint32, bytes of data
	packFrameKindAt    = 4  // uint8; 3 reserved bytes follow
	packFrameBatchAt   = 8  // uint64
	packFrameOffsetAt  = 16 // uint64, offset of the record in its segment
	packFrameSegmentAt = 24 // uint32, number of the segment less that of the pack's first
	packFrameCheckAt   = 28 // uint32, CRC-32C
)

// maxGroup is the maximum number of batches in a group; a rank fits 16 bits.
const maxGroup = 4096

// frame is the header of a record in a file, and the record.
type frame struct {
	store.Record       // its data is valid as long as what was read
	at           int64 // offset in the file
	dataAt       int64 // offset of the data in the file
	end          int64 // offset after it, padding included
	length       int   // of the data
	flags        uint8
	rank         uint16 // 0 in a pack
}

// group returns the number of the group: that of its first batch.
func (f frame) group() uint64 { return f.Batch - uint64(f.rank) }

// leavesGroup reports whether a frame leaves its group unfinished.
func (f frame) leavesGroup() bool { return f.Kind != 0 && f.flags&flagGroupEnd == 0 }

// layout is how the records of a file are framed. In both layouts a header begins with
// the length of the data and ends with the checksum. It is for one goroutine; a copy is for
// another.
type layout struct {
	name    string // of the file
	segment uint64 // its number, 0 for a pack
	first   uint64 // of a pack: the number of its first segment
	salt    [saltSize]byte
	scratch [saltSize + 8]byte // of check; as a variable there it would be allocated for each frame
}

// damage returns a Corruption at an offset of the file. Whether it is a torn tail or damage to acknowledged
// data depends on what follows.
func (l *layout) damage(at int64, reason string) *store.Corruption {
	return &store.Corruption{File: l.name, Segment: l.segment, Offset: at, Reason: reason}
}

// headerSize returns the size of a frame's header.
func (l *layout) headerSize() int64 {
	if l.segment == 0 {
		return packFrameHeaderSize
	}
	return frameHeaderSize
}

// frameSize returns how many bytes a frame takes, padding included.
func frameSize(header int64, length int) int64 {
	return (header + int64(length) + store.Align - 1) &^ (store.Align - 1)
}

// decode decodes the header of a frame at an offset; ok is false if it cannot be one, so that most bytes of a
// damaged area need no checksum.
func (l *layout) decode(b []byte, at int64) (f frame, ok bool) {
	f = frame{at: at, dataAt: at + l.headerSize(), length: int(binary.LittleEndian.Uint32(b))}
	f.Kind, f.Batch = store.Kind(b[frameKindAt]), binary.LittleEndian.Uint64(b[frameBatchAt:])
	f.end = at + frameSize(l.headerSize(), f.length)
	ok = f.length <= store.MaxData && f.Kind.Known() && f.Batch > 0
	if l.segment == 0 {
		f.Pos.Segment = l.first + uint64(binary.LittleEndian.Uint32(b[packFrameSegmentAt:]))
		f.Pos.Offset = int64(binary.LittleEndian.Uint64(b[packFrameOffsetAt:]))
		f.flags = flagGroupEnd // it was durable before it was packed
		return f, ok && f.Kind != store.Pad && f.Pos.Offset >= headerSize
	}
	f.Pos = store.Pos{Segment: l.segment, Offset: at}
	f.flags, f.rank = b[frameFlagsAt], binary.LittleEndian.Uint16(b[frameRankAt:])
	return f, ok && f.flags <= flagBatchEnd|flagGroupEnd && f.flags != flagGroupEnd && f.rank < maxGroup && f.Batch > uint64(f.rank)
}

// check returns the checksum of a whole frame, padding included, at an offset of the file. It covers the offset
// and the file's salt, so that a copy of a frame elsewhere, such as a journal kept as a note, is not a frame.
func (l *layout) check(at int64, whole []byte) uint32 {
	size := l.headerSize()
	sum := crc32.Update(l.begin(at), castagnoli, whole[:size-4])
	return crc32.Update(sum, castagnoli, whole[size:])
}

// begin returns the checksum of the salt and an offset, with which every other checksum begins.
func (l *layout) begin(at int64) uint32 {
	copy(l.scratch[:], l.salt[:])
	binary.LittleEndian.PutUint64(l.scratch[saltSize:], uint64(at))
	return crc32.Checksum(l.scratch[:], castagnoli)
}

// sign writes the checksum of a frame into its header.
func (l *layout) sign(at int64, whole []byte) {
	binary.LittleEndian.PutUint32(whole[l.headerSize()-4:], l.check(at, whole))
}

// sealBatch turns the records of a store.Batch into frames of a segment: it fills in
// numbers, flags and checksums.
func (l *layout) sealBatch(buf []byte, at int64, batch uint64, rank int, groupEnd bool) {
	for start := 0; start < len(buf); {
		length := int(binary.LittleEndian.Uint32(buf[start+frameLengthAt:]))
		whole := buf[start:][:frameSize(frameHeaderSize, length)]
		if start+len(whole) == len(buf) {
			whole[frameFlagsAt] = flagBatchEnd
			if groupEnd {
				whole[frameFlagsAt] |= flagGroupEnd
			}
		}
		binary.LittleEndian.PutUint16(whole[frameRankAt:], uint16(rank))
		binary.LittleEndian.PutUint64(whole[frameBatchAt:], batch)
		l.sign(at+int64(start), whole)
		start += len(whole)
	}
}

// appendRecord appends a whole frame for an offset of a pack.
func (l *layout) appendRecord(dst []byte, at int64, r store.Record) []byte {
	start := len(dst)
	dst = append(dst, make([]byte, packFrameHeaderSize)...)
	head := dst[start:]
	binary.LittleEndian.PutUint32(head[packFrameLengthAt:], uint32(len(r.Data)))
	head[packFrameKindAt] = byte(r.Kind)
	binary.LittleEndian.PutUint64(head[packFrameBatchAt:], r.Batch)
	binary.LittleEndian.PutUint64(head[packFrameOffsetAt:], uint64(r.Pos.Offset))
	binary.LittleEndian.PutUint32(head[packFrameSegmentAt:], uint32(r.Pos.Segment-l.first))
	dst = append(dst, r.Data...)
	dst = append(dst, make([]byte, frameSize(packFrameHeaderSize, len(r.Data))-int64(len(dst)-start))...)
	l.sign(at, dst[start:])
	return dst
}
