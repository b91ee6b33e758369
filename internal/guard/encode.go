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
	wordRemoved  = "ended"
	wordNotified = "told"
	wordReset    = "anew"
)

// errEntry is returned for data that is not an entry.
var errEntry = errors.New("guard: not an entry of a book")

// Append appends the canonical encoding of an entry, a list that starts with a word.
func (e Entry) Append(b []byte) []byte {
	switch {
	case e.Reset:
		return merkle.AppendText(merkle.AppendList(b, 1), wordReset)
	case e.Policy != "":
		b = merkle.AppendText(merkle.AppendList(b, 2), wordPolicy)
		return merkle.AppendBytes(b, e.Policy)
	case e.Baseline != nil:
		b = merkle.AppendText(merkle.AppendList(b, 2), wordBaseline)
		return e.Baseline.append(b)
	case e.Removed != "":
		b = merkle.AppendText(merkle.AppendList(b, 2), wordRemoved)
		return merkle.AppendBytes(b, e.Removed)
	}
	b = merkle.AppendText(merkle.AppendList(b, 3), wordNotified)
	b = merkle.AppendBytes(b, e.Notified)
	return merkle.AppendLink(b, e.File)
}

// ReadEntry decodes the output of Append.
func ReadEntry(r *merkle.Reader) (e Entry, err error) {
	n := r.List()
	switch word := r.Text(); {
	case word == wordReset && n == 1:
		e.Reset = true
	case word == wordPolicy && n == 2:
		e.Policy = string(r.Bytes())
	case word == wordBaseline && n == 2:
		e.Baseline = readBaseline(r)
	case word == wordRemoved && n == 2:
		e.Removed = string(r.Bytes())
	case word == wordNotified && n == 3:
		e.Notified, e.File = string(r.Bytes()), r.Link()
	default:
		return e, errors.Join(errEntry, r.Err())
	}
	if r.Err() == nil && !e.Reset && e.Policy == "" && e.Baseline == nil && e.Removed == "" && e.Notified == "" {
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

// swapAbsent converts the digest of a document without parts to its encoding and back.
// The encoding swaps two values, for compatibility with versions that did not distinguish
// a missing file from an empty one: the SHA-256 of no bytes means a missing file, and
// Absent an empty one.
func swapAbsent(d merkle.Digest) merkle.Digest {
	switch d {
	case Absent:
		return merkle.Sum(nil)
	case merkle.Sum(nil):
		return Absent
	}
	return d
}

// AppendBook encodes a book as the list of its entries.
func AppendBook(dst []byte, b *Book) []byte {
	entries := b.Entries()
	dst = merkle.AppendList(dst, len(entries))
	for _, e := range entries {
		dst = e.Append(dst)
	}
	return dst
}

// DecodeBook decodes the output of AppendBook. Empty data is the zero Book.
func DecodeBook(data []byte) (*Book, error) {
	if len(data) == 0 {
		return &Book{}, nil
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
	return new(Book).With(entries...), nil
}
