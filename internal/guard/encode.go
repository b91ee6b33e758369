// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package guard

import (
	"errors"

	"github.com/fovea-memory/fovea/merkle"
)

// Words of the encoding of an Entry (doc/format/nodes.md).
const (
	wordPolicy   = "policy"
	wordBaseline = "baseline"
	wordEnded    = "ended"
	wordTold     = "told"
	wordAnew     = "anew"
)

// errEntry is returned for what is no entry.
var errEntry = errors.New("guard: not an entry of a book")

// Append writes an entry in the canonical encoding, a list that begins with a word.
func (e Entry) Append(b []byte) []byte {
	switch {
	case e.Anew:
		return merkle.AppendText(merkle.AppendList(b, 1), wordAnew)
	case e.Policy != "":
		b = merkle.AppendText(merkle.AppendList(b, 2), wordPolicy)
		return merkle.AppendBytes(b, e.Policy)
	case e.Baseline != nil:
		b = merkle.AppendText(merkle.AppendList(b, 2), wordBaseline)
		return e.Baseline.append(b)
	case e.Ended != "":
		b = merkle.AppendText(merkle.AppendList(b, 2), wordEnded)
		return merkle.AppendBytes(b, e.Ended)
	}
	b = merkle.AppendText(merkle.AppendList(b, 3), wordTold)
	b = merkle.AppendBytes(b, e.Told)
	return merkle.AppendLink(b, e.File)
}

// ReadEntry reads what Append has written.
func ReadEntry(r *merkle.Reader) (e Entry, err error) {
	n := r.List()
	switch word := r.Text(); {
	case word == wordAnew && n == 1:
		e.Anew = true
	case word == wordPolicy && n == 2:
		e.Policy = string(r.Bytes())
	case word == wordBaseline && n == 2:
		e.Baseline = readBaseline(r)
	case word == wordEnded && n == 2:
		e.Ended = string(r.Bytes())
	case word == wordTold && n == 3:
		e.Told, e.File = string(r.Bytes()), r.Link()
	default:
		return e, errors.Join(errEntry, r.Err())
	}
	if r.Err() == nil && !e.Anew && e.Policy == "" && e.Baseline == nil && e.Ended == "" && e.Told == "" {
		return e, errEntry
	}
	return e, r.Err()
}

func (b *Baseline) append(dst []byte) []byte {
	dst = merkle.AppendList(dst, 6)
	dst = merkle.AppendBytes(dst, b.Path)
	dst = merkle.AppendUint(dst, b.Seq)
	file, memory := b.File, b.Memory
	if len(b.Parts) == 0 {
		file, memory = swapAbsent(file), swapAbsent(memory)
	}
	dst = merkle.AppendLink(dst, file)
	dst = merkle.AppendLink(dst, memory)
	dst = merkle.AppendList(dst, len(b.Parts))
	for _, p := range b.Parts {
		dst = merkle.AppendList(dst, 3)
		dst = merkle.AppendText(dst, p.Kind)
		dst = merkle.AppendText(dst, p.Where)
		dst = merkle.AppendLink(dst, p.Digest)
	}
	dst = merkle.AppendList(dst, len(b.Earlier))
	for _, d := range b.Earlier {
		dst = merkle.AppendLink(dst, d)
	}
	return dst
}

func readBaseline(r *merkle.Reader) *Baseline {
	r.FixedList(6)
	b := &Baseline{Path: string(r.Bytes()), Seq: r.Uint(), File: r.Link(), Memory: r.Link()}
	for range r.List() {
		r.FixedList(3)
		b.Parts = append(b.Parts, Part{Kind: r.Text(), Where: r.Text(), Digest: r.Link()})
		if r.Err() != nil {
			return nil
		}
	}
	for range r.List() {
		b.Earlier = append(b.Earlier, r.Link())
		if r.Err() != nil {
			return nil
		}
	}
	if b.Path == "" {
		return nil
	}
	if len(b.Parts) == 0 {
		b.File, b.Memory = swapAbsent(b.File), swapAbsent(b.Memory)
	}
	return b
}

// swapAbsent turns a digest of a document without parts, one that is not there, into
// what is written of it, and back: there the SHA-256 of nothing stands for no file,
// as it did before an empty file was told from one, and Absent for the empty file.
func swapAbsent(d merkle.Digest) merkle.Digest {
	switch d {
	case Absent:
		return merkle.Sum(nil)
	case merkle.Sum(nil):
		return Absent
	}
	return d
}

// AppendBook writes a book as the list of its entries.
func AppendBook(dst []byte, b *Book) []byte {
	entries := b.Entries()
	dst = merkle.AppendList(dst, len(entries))
	for _, e := range entries {
		dst = e.Append(dst)
	}
	return dst
}

// DecodeBook reads what AppendBook has written. An empty text is the book of
// nothing, nil.
func DecodeBook(data []byte) (*Book, error) {
	if len(data) == 0 {
		return nil, nil
	}
	r := merkle.NewReader(data)
	var entries []Entry
	for range r.List() {
		e, err := ReadEntry(r)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	if err := r.Done(); err != nil {
		return nil, err
	}
	return (*Book)(nil).With(entries...), nil
}
