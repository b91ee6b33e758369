// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"io"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// packIndex is the content of a pack's tables. It is collected while the records are written, and again when a
// pack is checked.
type packIndex struct {
	digests []digestAt
	commits []int64
	gone    map[merkle.Digest]uint64 // number of the commit that purged it
}

// digestAt is the offset of a block or a commit.
type digestAt struct {
	digest merkle.Digest
	at     int64
}

// add adds a record and reports whether it is found by digest.
func (x *packIndex) add(at int64, kind store.Kind, d merkle.Digest) bool {
	if kind == store.Commit {
		x.commits = append(x.commits, at)
	}
	if kind.HasDigest() {
		x.digests = append(x.digests, digestAt{d, at})
	}
	return kind.HasDigest()
}

// rows are the rows of a table: fill writes row i into zero bytes.
type rows struct {
	width int
	count int64
	fill  func(i int64, row []byte)
}

// tables returns the tables in the order of the file. Digests are sorted, each once, with its first offset.
func (x *packIndex) tables() [3]rows {
	slices.SortStableFunc(x.digests, func(a, b digestAt) int { return bytes.Compare(a.digest[:], b.digest[:]) })
	x.digests = slices.CompactFunc(x.digests, func(a, b digestAt) bool { return a.digest == b.digest })
	gone := slices.SortedFunc(maps.Keys(x.gone), merkle.Digest.Compare)
	number := func(row []byte, d *merkle.Digest, n uint64) {
		copy(row, d[:])
		binary.LittleEndian.PutUint64(row[merkle.DigestSize:], n)
	}
	return [3]rows{
		{digestRow, int64(len(x.digests)), func(i int64, row []byte) { number(row, &x.digests[i].digest, uint64(x.digests[i].at)) }},
		{commitRow, int64(len(x.commits)), func(i int64, row []byte) { binary.LittleEndian.PutUint64(row, uint64(x.commits[i])) }},
		{goneRow, int64(len(gone)), func(i int64, row []byte) { number(row, &gone[i], x.gone[gone[i]]) }},
	}
}

// packWriter writes a pack. Records come in the order of the journal. It is for one
// goroutine.
type packWriter struct {
	out    *bufio.Writer
	sum    hash.Hash
	layout layout
	at     int64
	index  packIndex
	byHead map[uint64]int // rows of index.digests, by the beginning of the digest
	buf    []byte
}

// writePack makes a pack durable under the name of p, whole or not at all: fill adds the records and returns
// the number of the batch that follows them. It returns p completed. The salt comes from random. O(bytes);
// memory of about 80 bytes for each block.
func writePack(in vfs.FS, p fileInfo, random io.Reader, fill func(*packWriter) (next uint64, err error)) (fileInfo, error) {
	h, err := newHeader(store.PackMagic, p.First, p.Generation, random)
	if err != nil {
		return fileInfo{}, err
	}
	err = vfs.WriteAtomicFunc(in, p.name(), filePerm, func(out io.Writer) (err error) {
		w := &packWriter{
			out: bufio.NewWriterSize(out, readAhead), sum: sha256.New(), layout: layout{first: h.Segment, salt: h.Salt},
			byHead: map[uint64]int{}, index: packIndex{gone: map[merkle.Digest]uint64{}},
		}
		if _, err := w.Write(h.encode()); err != nil {
			return err
		}
		if p.Next, err = fill(w); err == nil {
			p, err = w.finish(p)
		}
		return err
	})
	return p, err
}

// Write appends bytes to the file, and to what its digest covers.
func (w *packWriter) Write(b []byte) (int, error) {
	w.sum.Write(b)
	n, err := w.out.Write(b)
	w.at += int64(n)
	return n, err
}

// add appends a record; d is the digest of its data if it has one.
func (w *packWriter) add(r store.Record, d merkle.Digest) error {
	if w.index.add(w.at, r.Kind, d) {
		w.byHead[beginning(d)] = len(w.index.digests) - 1
	}
	w.buf = w.layout.appendRecord(w.buf[:0], w.at, r)
	_, err := w.Write(w.buf)
	return err
}

// has reports whether the pack already has the block. It may miss one whose digest begins as another does; that
// block is then written twice.
func (w *packWriter) has(d merkle.Digest) bool {
	i, ok := w.byHead[beginning(d)]
	return ok && w.index.digests[i].digest == d
}

func beginning(d merkle.Digest) uint64 { return binary.LittleEndian.Uint64(d[:]) }

// drop records that the commit with the number by left out a block for good.
func (w *packWriter) drop(d merkle.Digest, by uint64) error {
	w.index.gone[d] = max(w.index.gone[d], by)
	return nil
}

// finish writes the tables and the footer and returns p completed.
func (w *packWriter) finish(p fileInfo) (fileInfo, error) {
	end := footer{TablesAt: w.at}
	tables := w.index.tables()
	for _, t := range tables {
		if err := w.layout.writeTable(w, w.at, t); err != nil {
			return fileInfo{}, err
		}
	}
	w.sum.Sum(p.Digest[:0])
	p.Commits, p.Size = uint64(len(w.index.commits)), w.at+packFooterSize
	end.Info, end.Digests, end.Gone = p, tables[0].count, tables[2].count
	if _, err := w.out.Write(end.encode(w.layout.salt)); err != nil {
		return fileInfo{}, err
	}
	return p, w.out.Flush()
}
