// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"path"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// fileInfo describes the part of the history in a file. For a pack it is in the manifest and in the footer, see
// doc/format/pack.md; for a segment, First and Last are its number.
type fileInfo struct {
	First, Last uint64 // the segments it contains
	Generation  uint64 // of the manifest that the pack was made for; 0 for a segment
	Batch       uint64 // number of the first batch of the first segment
	Next        uint64 // number of the first batch after the last one
	Before      uint64 // commits in the packs before
	Commits     uint64 // commits in it
	Size        int64  // of the file in bytes
	Digest      [sha256.Size]byte
}

// infoSize is its size in bytes.
const infoSize = 96

const (
	segmentSuffix = ".j"
	packSuffix    = ".pack"
)

// name returns the name of the file.
func (p fileInfo) name() string {
	if p.Generation == 0 {
		return segmentName(p.First)
	}
	return path.Join(store.PackFolder, fmt.Sprintf("%08d-%06d%s", p.First, p.Generation, packSuffix))
}

// segmentName returns the name of the segment with a number.
func segmentName(number uint64) string {
	return path.Join(store.JournalFolder, fmt.Sprintf("%08d%s", number, segmentSuffix))
}

// follows reports whether the pack comes directly after q.
func (p fileInfo) follows(q fileInfo) bool {
	return p.First == q.Last+1 && p.Batch == q.Next && p.Before == q.Before+q.Commits
}

// sound reports whether the numbers are possible for a pack.
func (p fileInfo) sound() bool {
	return p.First > 0 && p.First <= p.Last && p.Generation > 0 && p.Batch > 0 && p.Batch <= p.Next && p.Size >= headerSize+packFooterSize
}

// footer ends a pack, followed by the CRC-32C of the salt and these bytes.
type footer struct {
	Magic    [8]byte
	Info     fileInfo
	TablesAt int64 // where the records end
	Digests  int64 // rows of the table of digests
	Gone     int64 // rows of the table of what was purged
	_        [4]byte
}

// packFooterSize is its size in bytes, with the checksum.
const packFooterSize = 136

// Widths of the rows of a pack's tables.
const (
	digestRow = merkle.DigestSize + 8 // and the record's offset
	commitRow = 8                     // offset of the record
	goneRow   = merkle.DigestSize + 8 // and the number of the commit that purged it
)

func (f *footer) encode(salt [saltSize]byte) []byte {
	copy(f.Magic[:], store.PackEndMagic)
	b := appendFixed(nil, f)
	return binary.LittleEndian.AppendUint32(b, saltedCheck(salt, b))
}

func saltedCheck(salt [saltSize]byte, b []byte) uint32 {
	return crc32.Update(crc32.Checksum(salt[:], castagnoli), castagnoli, b)
}

var errFooter = errors.New("pack footer damaged")

// decodeFooter returns errFooter unless the numbers agree with one another, the header and the size of the
// file.
func decodeFooter(b []byte, h header, size int64) (f footer, err error) {
	const end = packFooterSize - crc32.Size
	if len(b) != packFooterSize || !begins(b, store.PackEndMagic) || binary.LittleEndian.Uint32(b[end:]) != saltedCheck(h.Salt, b[:end]) {
		return f, errFooter
	}
	readFixed(b, &f)
	const limit = 1 << 48 // no sum below overflows
	for _, n := range [...]int64{f.TablesAt, f.Digests, f.Gone, int64(f.Info.Commits)} {
		if n < 0 || n >= limit {
			return f, errFooter
		}
	}
	p := &f.Info
	if f.TablesAt < headerSize || !p.sound() || p.Size != size || f.goneAt()+pagesFor(f.Gone, goneRow)*pageSize+packFooterSize != size ||
		p.First != h.Segment || p.Generation != h.Number {
		return f, errFooter
	}
	return f, nil
}

func (f *footer) commitsAt() int64 { return f.TablesAt + pagesFor(f.Digests, digestRow)*pageSize }

func (f *footer) goneAt() int64 {
	return f.commitsAt() + pagesFor(int64(f.Info.Commits), commitRow)*pageSize
}
