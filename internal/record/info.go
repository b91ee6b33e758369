// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package record

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"path"

	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// Layout of a pack behind its header; see doc/format/pack.md.
const (
	packFooterMagic  = "FOVEAPEN"
	packFooterSize   = 136
	packEndMagicAt   = 0
	packEndInfoAt    = 8   // Info
	packEndTablesAt  = 104 // uint64, where the records end and the tables begin
	packEndDigestsAt = 112 // uint64, rows of the table of digests
	packEndGoneAt    = 120 // uint64, rows of the table of purged digests
	packEndCheckAt   = 132 // uint32, CRC-32C of salt and the bytes before

	infoFirstAt      = 0  // uint64, number of the first segment
	infoLastAt       = 8  // uint64, number of the last one
	infoGenerationAt = 16 // uint64, of the manifest that the pack was made for
	infoBatchAt      = 24 // uint64, number of the first batch
	infoNextAt       = 32 // uint64, number of the first batch behind it
	infoBeforeAt     = 40 // uint64, commits before it
	infoCommitsAt    = 48 // uint64, commits in it
	infoSizeAt       = 56 // uint64, of the file
	infoDigestAt     = 64 // SHA-256 of the file up to the footer
	infoSize         = 96
)

// Widths of the rows of a pack's tables.
const (
	digestRow = merkle.DigestSize + 8 // and the record's offset
	commitRow = 8                     // offset of the record
	goneRow   = merkle.DigestSize + 8 // and the number of the commit that purged it
)

// PackFolder is the folder of the packs.
const PackFolder = "packs"

const packSuffix = ".pack"

// ListPacks returns the names of the packs there are, as Info.Name makes them.
func ListPacks(in vfs.FS) ([]string, error) { return listFiles(in, PackFolder, packSuffix) }

// Info is what the manifest and the pack's own footer say of a pack.
type Info struct {
	First, Last uint64 // the segments it stands for
	Generation  uint64 // of the manifest that it was made for
	Batch       uint64 // number of the first batch of the first segment
	Next        uint64 // number of the first batch behind the last one
	Before      uint64 // commits in the packs before
	Commits     uint64 // commits in it
	Size        int64  // of the file in bytes
	Digest      [sha256.Size]byte
}

// Name returns the name of the pack's file.
func (p Info) Name() string {
	return path.Join(PackFolder, fmt.Sprintf("%08d-%06d%s", p.First, p.Generation, packSuffix))
}

// follows reports whether the pack stands for what comes right behind q.
func (p Info) follows(q Info) bool {
	return p.First == q.Last+1 && p.Batch == q.Next && p.Before == q.Before+q.Commits
}

// sound reports whether the numbers can be those of a pack.
func (p Info) sound() bool {
	return p.First > 0 && p.First <= p.Last && p.Batch > 0 && p.Batch <= p.Next && p.Size >= HeaderSize+packFooterSize
}

func (p Info) appendTo(b []byte) []byte {
	for _, n := range [...]uint64{p.First, p.Last, p.Generation, p.Batch, p.Next, p.Before, p.Commits, uint64(p.Size)} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return append(b, p.Digest[:]...)
}

func decodeInfo(b []byte) Info {
	number := func(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
	return Info{
		First: number(infoFirstAt), Last: number(infoLastAt), Generation: number(infoGenerationAt), Batch: number(infoBatchAt),
		Next: number(infoNextAt), Before: number(infoBeforeAt), Commits: number(infoCommitsAt), Size: int64(number(infoSizeAt)),
		Digest: [sha256.Size]byte(b[infoDigestAt:]),
	}
}

// footer is what the last bytes of a pack say besides its Info.
type footer struct {
	tablesAt int64
	digests  int64 // rows
	gone     int64 // rows
}

func (f footer) encode(p Info, salt [saltSize]byte) []byte {
	b := make([]byte, packFooterSize)
	copy(b[packEndMagicAt:], packFooterMagic)
	p.appendTo(b[packEndInfoAt:packEndInfoAt])
	binary.LittleEndian.PutUint64(b[packEndTablesAt:], uint64(f.tablesAt))
	binary.LittleEndian.PutUint64(b[packEndDigestsAt:], uint64(f.digests))
	binary.LittleEndian.PutUint64(b[packEndGoneAt:], uint64(f.gone))
	binary.LittleEndian.PutUint32(b[packEndCheckAt:], saltedCheck(salt, b[:packEndCheckAt]))
	return b
}

func saltedCheck(salt [saltSize]byte, b []byte) uint32 {
	return crc32.Update(crc32.Checksum(salt[:], castagnoli), castagnoli, b)
}

var errFooter = errors.New("pack footer damaged")

// decodeFooter returns errFooter unless the numbers fit one another and the file, which has
// the header h.
func decodeFooter(b []byte, h header, size int64) (Info, footer, error) {
	if len(b) != packFooterSize || string(b[:len(packFooterMagic)]) != packFooterMagic ||
		binary.LittleEndian.Uint32(b[packEndCheckAt:]) != saltedCheck(h.salt, b[:packEndCheckAt]) {
		return Info{}, footer{}, errFooter
	}
	number := func(at int) int64 { return int64(binary.LittleEndian.Uint64(b[at:])) }
	p := decodeInfo(b[packEndInfoAt:])
	f := footer{number(packEndTablesAt), number(packEndDigestsAt), number(packEndGoneAt)}
	const most = 1 << 48 // no sum below overflows
	bounded := f.tablesAt >= HeaderSize && f.tablesAt < most && f.digests >= 0 && f.digests < most && f.gone >= 0 && f.gone < most && p.Commits < most
	if !bounded || !p.sound() || p.Size != size || f.goneAt(p)+pagesFor(f.gone, goneRow)*pageSize+packFooterSize != size ||
		p.First != h.segment || p.Generation != h.number {
		return Info{}, footer{}, errFooter
	}
	return p, f, nil
}

func (f footer) commitsAt() int64 { return f.tablesAt + pagesFor(f.digests, digestRow)*pageSize }

func (f footer) goneAt(p Info) int64 {
	return f.commitsAt() + pagesFor(int64(p.Commits), commitRow)*pageSize
}
