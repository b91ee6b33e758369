// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"sort"
)

// A table is rows of one width in pages that each prove themselves, so that a
// few can be read without the rest.
const (
	pageSize    = 4096
	pageCheckAt = pageSize - 4 // uint32, CRC-32C of salt, the page's offset and the bytes before
)

func rowsPerPage(width int) int64 { return int64(pageCheckAt / width) }

func pagesFor(rows int64, width int) int64 {
	per := rowsPerPage(width)
	return (rows + per - 1) / per
}

// checkPage returns the checksum of a page of a table that stands at an offset.
func (l *layout) checkPage(at int64, page []byte) uint32 {
	return crc32.Update(l.begin(at), castagnoli, page[:pageCheckAt])
}

// table reads rows; it keeps the page it read last. It is used by one goroutine.
type table struct {
	layout
	file  io.ReaderAt
	at    int64 // of the first page in the file
	width int
	rows  int64

	page   []byte
	number int64 // of page
}

// row returns a row, valid until the next call. A page that does not verify is
// a Corruption.
func (t *table) row(i int64) ([]byte, error) {
	per := rowsPerPage(t.width)
	if n := i / per; t.page == nil || n != t.number {
		if err := t.load(n); err != nil {
			return nil, err
		}
	}
	return t.page[int(i%per)*t.width:][:t.width], nil
}

func (t *table) load(number int64) error {
	page := t.page
	if t.page = nil; page == nil {
		page = make([]byte, pageSize)
	}
	at := t.at + number*pageSize
	if n, err := t.file.ReadAt(page, at); err != nil && n != pageSize {
		if err == io.EOF {
			return t.damage(at, "the table is cut short")
		}
		return err
	}
	if binary.LittleEndian.Uint32(page[pageCheckAt:]) != t.checkPage(at, page) {
		return t.damage(at, "checksum mismatch in a table")
	}
	t.page, t.number = page, number
	return nil
}

// equals returns a Corruption unless the table has just these rows.
func (t *table) equals(want rows) error {
	differs := t.damage(t.at, "a table that does not fit the records")
	if want.count != t.rows {
		return differs
	}
	made := make([]byte, t.width)
	for i := range want.count {
		row, err := t.row(i)
		if err != nil {
			return err
		}
		if want.fill(i, made); !bytes.Equal(row, made) {
			return differs
		}
	}
	return nil
}

// find returns the row that begins with the key; ok is false if there is none.
// The rows are sorted. O(log rows) reads.
func (t *table) find(key []byte) (row []byte, ok bool, err error) {
	i := sort.Search(int(t.rows), func(i int) bool {
		if err != nil {
			return true
		}
		var r []byte
		r, err = t.row(int64(i))
		return err != nil || bytes.Compare(r[:len(key)], key) >= 0
	})
	if err != nil || int64(i) == t.rows {
		return nil, false, err
	}
	row, err = t.row(int64(i))
	return row, err == nil && bytes.HasPrefix(row, key), err
}

// writeTable writes rows as pages, the first of which stands at an offset of the file.
func (l *layout) writeTable(w io.Writer, at int64, t rows) error {
	page := make([]byte, pageSize)
	per := rowsPerPage(t.width)
	for first := int64(0); first < t.count; first += per {
		clear(page)
		for i := first; i < min(first+per, t.count); i++ {
			t.fill(i, page[int(i-first)*t.width:][:t.width])
		}
		binary.LittleEndian.PutUint32(page[pageCheckAt:], l.checkPage(at, page))
		if _, err := w.Write(page); err != nil {
			return err
		}
		at += pageSize
	}
	return nil
}
