// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"iter"
	"slices"
	"strings"
	"time"
)

// SettleTime is the least time between the last change of a file and the scan of its
// entry for the stat alone to prove the file unchanged. Two seconds are the coarsest
// clock tick of a file system in use (FAT).
const SettleTime = 2 * time.Second

// File is a file of a memex as a scan saw it.
type File struct {
	Path   string // below the root, with slashes, as on disk
	Size   int64  // in bytes
	MTime  int64  // time of the last write, in Unix nanoseconds
	CTime  int64  // time of the last change to the inode, in Unix nanoseconds; 0 if unknown
	Inode  uint64 // 0 if unknown
	Opaque bool   // stored and hashed, but not parsed
}

// Entry is a file with the digest of its bytes.
type Entry struct {
	File
	Digest  [32]byte // SHA-256 of the bytes
	Scanned int64    // time of the scan that preceded the read, in Unix nanoseconds
}

// unchanged reports whether stat proves that f has the bytes of e.
func (e Entry) unchanged(f File) bool {
	return e.File == f && max(f.MTime, f.CTime) < e.Scanned-int64(SettleTime)
}

// Table is a listing with digests, with which the next scan compares. The zero value
// and nil are empty tables. A Table is immutable, except for UnmarshalBinary, and safe
// for concurrent use.
type Table struct {
	entries []Entry // sorted by path, without duplicates
}

// NewTable returns a table with a copy of the entries. Of several entries with the same
// path, the last one is used. O(n log n).
func NewTable(entries []Entry) *Table {
	sorted := slices.Clone(entries)
	slices.Reverse(sorted)
	slices.SortStableFunc(sorted, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	sorted = slices.CompactFunc(sorted, func(a, b Entry) bool { return a.Path == b.Path })
	return &Table{entries: sorted}
}

// list returns the entries, also of a nil table.
func (t *Table) list() []Entry {
	if t == nil {
		return nil
	}
	return t.entries
}

// Len returns the number of entries.
func (t *Table) Len() int { return len(t.list()) }

// All yields the entries in the order of their paths.
func (t *Table) All() iter.Seq[Entry] { return slices.Values(t.list()) }

// find returns the index of the first entry at or after a path, and whether it has that path.
func (t *Table) find(path string) (int, bool) {
	return slices.BinarySearchFunc(t.list(), path, func(e Entry, p string) int { return strings.Compare(e.Path, p) })
}

// Get returns the entry of the path, and whether there is one. O(log n).
func (t *Table) Get(path string) (Entry, bool) {
	i, ok := t.find(path)
	if !ok {
		return Entry{}, false
	}
	return t.entries[i], true
}

// below returns the entries whose paths lie below the folder; all for ".".
func (t *Table) below(folder string) []Entry {
	entries := t.list()
	if folder == "." {
		return entries
	}
	// The paths below a folder are adjacent, because they share the prefix.
	prefix := folder + "/"
	from, _ := t.find(prefix)
	to := from
	for to < len(entries) && strings.HasPrefix(entries[to].Path, prefix) {
		to++
	}
	return entries[from:to]
}

// The binary form: see doc/format/file-table.md.
const (
	tableMagic     = "FVFT"
	tableVersion   = 0
	tableEntrySize = 2 + 1 + 5*8 + 32 // of an entry, without the path
	tableFrameSize = 4 + 2 + 4 + 4    // magic, version, count, check sum
)

const opaqueFlag = 1

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// MarshalBinary encodes the table as doc/format/file-table.md describes. Equal tables
// give equal bytes. The error is always nil for a table made by a scan. O(n).
func (t *Table) MarshalBinary() ([]byte, error) {
	size := tableFrameSize
	for e := range t.All() {
		size += tableEntrySize + len(e.Path)
	}
	le := binary.LittleEndian
	b := make([]byte, 0, size)
	b = append(b, tableMagic...)
	b = le.AppendUint16(b, tableVersion)
	b = le.AppendUint32(b, uint32(t.Len()))
	for e := range t.All() {
		if len(e.Path) > maxPath {
			return nil, fmt.Errorf("corpus: encode table: %.40q…: %w", e.Path, ErrName)
		}
		b = le.AppendUint16(b, uint16(len(e.Path)))
		b = append(b, e.Path...)
		var flags byte
		if e.Opaque {
			flags |= opaqueFlag
		}
		b = append(b, flags)
		for _, v := range [...]uint64{uint64(e.Size), uint64(e.MTime), uint64(e.CTime), e.Inode, uint64(e.Scanned)} {
			b = le.AppendUint64(b, v)
		}
		b = append(b, e.Digest[:]...)
	}
	return le.AppendUint32(b, crc32.Checksum(b, castagnoli)), nil
}

// UnmarshalBinary decodes the output of MarshalBinary. It does not retain data. For any
// other input it returns ErrTable and leaves the table unchanged; the caller should then
// use an empty table, so that every file is read again. O(n).
func (t *Table) UnmarshalBinary(data []byte) error {
	le := binary.LittleEndian
	if len(data) < tableFrameSize || string(data[:4]) != tableMagic || le.Uint16(data[4:]) != tableVersion {
		return fmt.Errorf("corpus: decode table: header: %w", ErrTable)
	}
	body, sum := data[:len(data)-4], le.Uint32(data[len(data)-4:])
	if crc32.Checksum(body, castagnoli) != sum {
		return fmt.Errorf("corpus: decode table: check sum: %w", ErrTable)
	}
	count := int(le.Uint32(body[6:]))
	rest := body[10:]
	if count > len(rest)/tableEntrySize {
		return fmt.Errorf("corpus: decode table: count: %w", ErrTable)
	}
	entries := make([]Entry, 0, count)
	for range count {
		e, n := decodeEntry(rest)
		if n == 0 || len(entries) > 0 && cmp.Compare(entries[len(entries)-1].Path, e.Path) >= 0 {
			return fmt.Errorf("corpus: decode table: entry %d: %w", len(entries), ErrTable)
		}
		entries, rest = append(entries, e), rest[n:]
	}
	if len(rest) > 0 {
		return fmt.Errorf("corpus: decode table: %d bytes too many: %w", len(rest), ErrTable)
	}
	t.entries = entries
	return nil
}

// decodeEntry returns the entry at the start of b and its size, 0 if there is none.
func decodeEntry(b []byte) (Entry, int) {
	le := binary.LittleEndian
	if len(b) < tableEntrySize {
		return Entry{}, 0
	}
	path := int(le.Uint16(b))
	size := tableEntrySize + path
	if path == 0 || path > maxPath || size > len(b) || b[2+path]&^opaqueFlag != 0 {
		return Entry{}, 0
	}
	e := Entry{File: File{Path: string(b[2 : 2+path]), Opaque: b[2+path] == opaqueFlag}}
	v := b[3+path:]
	e.Size, e.MTime, e.CTime = int64(le.Uint64(v)), int64(le.Uint64(v[8:])), int64(le.Uint64(v[16:]))
	e.Inode, e.Scanned = le.Uint64(v[24:]), int64(le.Uint64(v[32:]))
	copy(e.Digest[:], v[40:])
	return e, size
}
