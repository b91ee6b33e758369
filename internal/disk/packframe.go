// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/fovea-memory/fovea/internal/store"
)

// Layout of a record in a pack; see doc/format/pack.md.
const (
	packFrameHeaderSize = 32

	packFrameLengthAt  = 0  // uint32, bytes of data
	packFrameKindAt    = 4  // uint8; 3 bytes reserved behind
	packFrameBatchAt   = 8  // uint64
	packFrameOffsetAt  = 16 // uint64, where the record stood in its segment
	packFrameSegmentAt = 24 // uint32, number of the segment less that of the pack's first
	packFrameCheckAt   = 28 // uint32, CRC-32C
)

// packFrame is the header of a record in a pack.
type packFrame struct {
	length int
	kind   store.Kind
	batch  uint64
	pos    store.Pos // where it was in the journal
}

func (f packFrame) size() int64 { return packFrameSize(f.length) }

func packFrameSize(length int) int64 {
	return (packFrameHeaderSize + int64(length) + frameAlign - 1) &^ (frameAlign - 1)
}

// appendPackFrame appends a whole record that stands at an offset of the pack.
func appendPackFrame(dst []byte, h packHeader, at int64, r store.Record) []byte {
	start := len(dst)
	dst = append(dst, make([]byte, packFrameHeaderSize)...)
	head := dst[start:]
	binary.LittleEndian.PutUint32(head[packFrameLengthAt:], uint32(len(r.Data)))
	head[packFrameKindAt] = byte(r.Kind)
	binary.LittleEndian.PutUint64(head[packFrameBatchAt:], r.Batch)
	binary.LittleEndian.PutUint64(head[packFrameOffsetAt:], uint64(r.Pos.Offset))
	binary.LittleEndian.PutUint32(head[packFrameSegmentAt:], uint32(r.Pos.Segment-h.first))
	dst = append(dst, r.Data...)
	dst = append(dst, make([]byte, packFrameSize(len(r.Data))-int64(len(dst)-start))...)
	whole := dst[start:]
	binary.LittleEndian.PutUint32(whole[packFrameCheckAt:], packFrameCheck(h.salt, at, whole))
	return dst
}

// packFrameCheck returns the checksum of a whole record, padding included.
func packFrameCheck(salt [saltSize]byte, at int64, whole []byte) uint32 {
	var head [saltSize + 8 + packFrameCheckAt]byte
	copy(head[:], salt[:])
	binary.LittleEndian.PutUint64(head[saltSize:], uint64(at))
	copy(head[saltSize+8:], whole[:packFrameCheckAt])
	return crc32.Update(crc32.Checksum(head[:], castagnoli), castagnoli, whole[packFrameHeaderSize:])
}

// readPackFrame decodes a header of packFrameHeaderSize bytes; ok is false when
// it can be none.
func readPackFrame(b []byte, first uint64) (f packFrame, ok bool) {
	f = packFrame{
		length: int(binary.LittleEndian.Uint32(b[packFrameLengthAt:])),
		kind:   store.Kind(b[packFrameKindAt]),
		batch:  binary.LittleEndian.Uint64(b[packFrameBatchAt:]),
		pos: store.Pos{
			Segment: first + uint64(binary.LittleEndian.Uint32(b[packFrameSegmentAt:])),
			Offset:  int64(binary.LittleEndian.Uint64(b[packFrameOffsetAt:])),
		},
	}
	ok = f.length <= store.MaxData && f.kind.Known() && f.kind != store.Pad && f.batch > 0 && f.pos.Offset >= segmentHeaderSize
	return f, ok
}

// packFrameAt reads and verifies the record at an offset. It returns a *damage
// when the bytes are none. The data is valid as long as the window's bytes.
func packFrameAt(win *window, h packHeader, at int64) (packFrame, []byte, error) {
	left := win.end - at
	if left < packFrameHeaderSize {
		return packFrame{}, nil, &damage{at: at, reason: "a record is cut short"}
	}
	head, err := win.bytes(at, packFrameHeaderSize)
	if err != nil {
		return packFrame{}, nil, err
	}
	f, ok := readPackFrame(head, h.first)
	if !ok {
		return f, nil, &damage{at: at, reason: "not a record"}
	}
	if f.size() > left {
		return f, nil, &damage{at: at, reason: "a record is cut short"}
	}
	whole, err := win.bytes(at, f.size())
	if err != nil {
		return f, nil, err
	}
	if packFrameCheck(h.salt, at, whole) != binary.LittleEndian.Uint32(whole[packFrameCheckAt:]) {
		return f, nil, &damage{at: at, reason: "checksum mismatch"}
	}
	return f, whole[packFrameHeaderSize:][:f.length:f.length], nil
}
