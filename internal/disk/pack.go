// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"path"
	"strings"

	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// Layout of a pack; see doc/format/pack.md.
const (
	packMagic      = "FOVEAPAK"
	packHeaderSize = 64

	packMagicAt      = 0
	packMajorAt      = 8  // uint16
	packMinorAt      = 10 // uint16
	packFirstAt      = 16 // uint64, number of the first segment in it
	packGenerationAt = 24 // uint64
	packSaltAt       = 32
	packCheckAt      = 60 // uint32, CRC-32C of the bytes before

	packFooterMagic  = "FOVEAPEN"
	packFooterSize   = 136
	packEndMagicAt   = 0
	packEndInfoAt    = 8   // packInfo
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
	packInfoSize     = 96
)

// Widths of the rows of a pack's tables.
const (
	digestRow = merkle.DigestSize + 8 // and the record's offset
	commitRow = 8                     // offset of the record
	goneRow   = merkle.DigestSize + 8 // and the number of the commit that purged it
)

const packSuffix = ".pack"

// packInfo is what the manifest and the pack's own footer say of a pack.
type packInfo struct {
	first, last uint64 // the segments it stands for
	generation  uint64
	batch       uint64 // number of the first batch of the first segment
	next        uint64 // number of the first batch behind the last one
	before      uint64 // commits in the packs before
	commits     uint64 // commits in it
	size        int64
	digest      [sha256.Size]byte
}

func (p packInfo) name() string {
	return path.Join(packFolder, fmt.Sprintf("%08d-%06d%s", p.first, p.generation, packSuffix))
}

// follows reports whether the pack stands for what comes right behind q.
func (p packInfo) follows(q packInfo) bool {
	return p.first == q.last+1 && p.batch == q.next && p.before == q.before+q.commits
}

// sound reports whether the numbers can be those of a pack.
func (p packInfo) sound() bool {
	return p.first > 0 && p.first <= p.last && p.batch > 0 && p.batch <= p.next && p.size >= packHeaderSize+packFooterSize
}

func (p packInfo) appendTo(b []byte) []byte {
	for _, n := range [...]uint64{p.first, p.last, p.generation, p.batch, p.next, p.before, p.commits, uint64(p.size)} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return append(b, p.digest[:]...)
}

func decodePackInfo(b []byte) packInfo {
	number := func(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
	p := packInfo{
		first: number(infoFirstAt), last: number(infoLastAt), generation: number(infoGenerationAt), batch: number(infoBatchAt),
		next: number(infoNextAt), before: number(infoBeforeAt), commits: number(infoCommitsAt), size: int64(number(infoSizeAt)),
	}
	copy(p.digest[:], b[infoDigestAt:])
	return p
}

// packHeader is what the first bytes of a pack say.
type packHeader struct {
	first      uint64
	generation uint64
	salt       [saltSize]byte
}

func (h packHeader) encode() []byte {
	b := make([]byte, packHeaderSize)
	copy(b[packMagicAt:], packMagic)
	binary.LittleEndian.PutUint16(b[packMajorAt:], FormatMajor)
	binary.LittleEndian.PutUint16(b[packMinorAt:], FormatMinor)
	binary.LittleEndian.PutUint64(b[packFirstAt:], h.first)
	binary.LittleEndian.PutUint64(b[packGenerationAt:], h.generation)
	copy(b[packSaltAt:], h.salt[:])
	binary.LittleEndian.PutUint32(b[packCheckAt:], crc32.Checksum(b[:packCheckAt], castagnoli))
	return b
}

var (
	errPackHeader = errors.New("pack header damaged")
	errPackFooter = errors.New("pack footer damaged")
)

func decodePackHeader(b []byte) (packHeader, error) {
	if len(b) < packHeaderSize || string(b[:len(packMagic)]) != packMagic ||
		binary.LittleEndian.Uint32(b[packCheckAt:]) != crc32.Checksum(b[:packCheckAt], castagnoli) {
		return packHeader{}, errPackHeader
	}
	if major := binary.LittleEndian.Uint16(b[packMajorAt:]); major != FormatMajor {
		return packHeader{}, unknownFormat(major, binary.LittleEndian.Uint16(b[packMinorAt:]))
	}
	h := packHeader{first: binary.LittleEndian.Uint64(b[packFirstAt:]), generation: binary.LittleEndian.Uint64(b[packGenerationAt:])}
	copy(h.salt[:], b[packSaltAt:])
	return h, nil
}

// packFooter is what the last bytes of a pack say.
type packFooter struct {
	packInfo
	tablesAt int64
	digests  int64 // rows
	gone     int64 // rows
}

func (f packFooter) encode(salt [saltSize]byte) []byte {
	b := make([]byte, packFooterSize)
	copy(b[packEndMagicAt:], packFooterMagic)
	f.appendTo(b[packEndInfoAt:packEndInfoAt])
	binary.LittleEndian.PutUint64(b[packEndTablesAt:], uint64(f.tablesAt))
	binary.LittleEndian.PutUint64(b[packEndDigestsAt:], uint64(f.digests))
	binary.LittleEndian.PutUint64(b[packEndGoneAt:], uint64(f.gone))
	binary.LittleEndian.PutUint32(b[packEndCheckAt:], saltedCheck(salt, b[:packEndCheckAt]))
	return b
}

func saltedCheck(salt [saltSize]byte, b []byte) uint32 {
	return crc32.Update(crc32.Checksum(salt[:], castagnoli), castagnoli, b)
}

// decodePackFooter returns errPackFooter unless the numbers fit one another and
// the file.
func decodePackFooter(b []byte, salt [saltSize]byte, size int64) (packFooter, error) {
	if len(b) != packFooterSize || string(b[:len(packFooterMagic)]) != packFooterMagic ||
		binary.LittleEndian.Uint32(b[packEndCheckAt:]) != saltedCheck(salt, b[:packEndCheckAt]) {
		return packFooter{}, errPackFooter
	}
	f := packFooter{
		packInfo: decodePackInfo(b[packEndInfoAt:]),
		tablesAt: int64(binary.LittleEndian.Uint64(b[packEndTablesAt:])),
		digests:  int64(binary.LittleEndian.Uint64(b[packEndDigestsAt:])),
		gone:     int64(binary.LittleEndian.Uint64(b[packEndGoneAt:])),
	}
	const most = 1 << 48 // no sum below overflows
	bounded := f.tablesAt >= packHeaderSize && f.tablesAt < most && f.digests >= 0 && f.digests < most && f.gone >= 0 && f.gone < most && f.commits < most
	if !bounded || !f.sound() || f.size != size || f.goneAt()+pagesFor(f.gone, goneRow)*pageSize+packFooterSize != size {
		return packFooter{}, errPackFooter
	}
	return f, nil
}

func (f packFooter) commitsAt() int64 { return f.tablesAt + pagesFor(f.digests, digestRow)*pageSize }

func (f packFooter) goneAt() int64 {
	return f.commitsAt() + pagesFor(int64(f.commits), commitRow)*pageSize
}

// listPacks returns the names of the packs there are, as packInfo.name makes
// them.
func listPacks(in vfs.FS) ([]string, error) {
	entries, err := readDirOrNone(in, packFolder)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), packSuffix) {
			names = append(names, path.Join(packFolder, e.Name()))
		}
	}
	return names, nil
}
