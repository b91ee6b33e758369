// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package record

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"io"
	"io/fs"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// packIndex is what the tables of a pack hold. It is made while the records are
// written, and again from the records when a pack is checked.
type packIndex struct {
	digests []digestAt
	commits []int64
}

// digestAt says where a block or a commit is.
type digestAt struct {
	digest merkle.Digest
	at     int64
}

// add takes a record into account and reports whether it is found by a digest.
func (x *packIndex) add(at int64, kind store.Kind, d merkle.Digest) bool {
	if kind == store.Commit {
		x.commits = append(x.commits, at)
	}
	if kind != store.Block && kind != store.Commit {
		return false
	}
	x.digests = append(x.digests, digestAt{d, at})
	return true
}

// sort puts the digests in order, each once: where it stood first.
func (x *packIndex) sort() {
	slices.SortStableFunc(x.digests, func(a, b digestAt) int { return bytes.Compare(a.digest[:], b.digest[:]) })
	x.digests = slices.CompactFunc(x.digests, func(a, b digestAt) bool { return a.digest == b.digest })
}

// PackWriter writes a pack. Records come in the order of the journal. It is for one
// goroutine.
type PackWriter struct {
	out    *bufio.Writer
	sum    hash.Hash
	layout layout
	at     int64
	index  packIndex
	rows   map[uint64]int           // of index.digests, by the beginning of the digest
	gone   map[merkle.Digest]uint64 // number of the commit that purged it
	buf    []byte
}

// WritePack makes a pack durable under the name of info, whole or not at all: fill adds the
// records, and returns the number of the batch that follows them. It returns info with what
// is known of the pack then. The salt comes from random. O(bytes); memory of about 80 bytes
// for each block.
func WritePack(in vfs.FS, perm fs.FileMode, info Info, random io.Reader, fill func(*PackWriter) (next uint64, err error)) (Info, error) {
	h, err := newHeader(info.First, info.Generation, random)
	if err != nil {
		return Info{}, err
	}
	err = vfs.WriteAtomicFunc(in, info.Name(), perm, func(out io.Writer) (err error) {
		w := &PackWriter{
			out: bufio.NewWriterSize(out, readAhead), sum: sha256.New(), layout: layout{first: h.segment, salt: h.salt},
			rows: map[uint64]int{}, gone: map[merkle.Digest]uint64{},
		}
		if _, err := w.Write(h.encode(packMagic)); err != nil {
			return err
		}
		if info.Next, err = fill(w); err == nil {
			info, err = w.finish(info)
		}
		return err
	})
	return info, err
}

// Write appends bytes to the file, and to what its digest covers.
func (p *PackWriter) Write(b []byte) (int, error) {
	p.sum.Write(b)
	n, err := p.out.Write(b)
	p.at += int64(n)
	return n, err
}

// Add appends a record; d is the digest of its data if it has one.
func (p *PackWriter) Add(r store.Record, d merkle.Digest) error {
	if p.index.add(p.at, r.Kind, d) {
		p.rows[beginning(d)] = len(p.index.digests) - 1
	}
	p.buf = p.layout.appendRecord(p.buf[:0], p.at, r)
	_, err := p.Write(p.buf)
	return err
}

// Has reports whether the pack has the block already. Where two digests begin the
// same it may miss one, which is then there twice.
func (p *PackWriter) Has(d merkle.Digest) bool {
	i, ok := p.rows[beginning(d)]
	return ok && p.index.digests[i].digest == d
}

func beginning(d merkle.Digest) uint64 { return binary.LittleEndian.Uint64(d[:]) }

// Drop notes that a block was left out for good, as the commit with the number by says.
func (p *PackWriter) Drop(d merkle.Digest, by uint64) { p.gone[d] = max(p.gone[d], by) }

// finish writes the tables and the footer and returns what info becomes by it.
func (p *PackWriter) finish(info Info) (Info, error) {
	p.index.sort()
	gone := slices.SortedFunc(maps.Keys(p.gone), func(a, b merkle.Digest) int { return bytes.Compare(a[:], b[:]) })
	info.Commits = uint64(len(p.index.commits))
	f := footer{tablesAt: p.at, digests: int64(len(p.index.digests)), gone: int64(len(gone))}
	err := p.layout.writeTable(p, p.at, digestRow, f.digests, func(i int64, row []byte) {
		copy(row, p.index.digests[i].digest[:])
		binary.LittleEndian.PutUint64(row[merkle.DigestSize:], uint64(p.index.digests[i].at))
	})
	if err == nil {
		err = p.layout.writeTable(p, p.at, commitRow, int64(info.Commits), func(i int64, row []byte) {
			binary.LittleEndian.PutUint64(row, uint64(p.index.commits[i]))
		})
	}
	if err == nil {
		err = p.layout.writeTable(p, p.at, goneRow, f.gone, func(i int64, row []byte) {
			copy(row, gone[i][:])
			binary.LittleEndian.PutUint64(row[merkle.DigestSize:], p.gone[gone[i]])
		})
	}
	if err != nil {
		return Info{}, err
	}
	p.sum.Sum(info.Digest[:0])
	info.Size = p.at + packFooterSize
	if _, err := p.out.Write(f.encode(info, p.layout.salt)); err != nil {
		return Info{}, err
	}
	return info, p.out.Flush()
}
