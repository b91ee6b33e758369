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
	c := merkle.Codec{Out: b}
	e.code(&c)
	return c.Out
}

// ReadEntry decodes the output of Append.
func ReadEntry(r *merkle.Reader) (e Entry, err error) {
	c := merkle.Codec{In: r}
	e.code(&c)
	return e, c.Err
}

func (e *Entry) code(c *merkle.Codec) {
	word, fields := wordNotified, 3
	switch {
	case e.Reset:
		word, fields = wordReset, 1
	case e.Policy != "":
		word, fields = wordPolicy, 2
	case e.Baseline != nil:
		word, fields = wordBaseline, 2
	case e.Removed != "":
		word, fields = wordRemoved, 2
	}
	fields = c.Size(fields)
	c.Text(&word)
	switch {
	case word == wordReset && fields == 1:
		e.Reset = true
	case word == wordPolicy && fields == 2:
		c.Bytes(&e.Policy)
	case word == wordBaseline && fields == 2:
		if c.In != nil {
			e.Baseline = &Baseline{}
		}
		e.Baseline.code(c)
	case word == wordRemoved && fields == 2:
		c.Bytes(&e.Removed)
	case word == wordNotified && fields == 3:
		c.Bytes(&e.Notified)
		c.Link(&e.File)
	default:
		c.Fail(errEntry)
	}
	if !c.Fail(nil) && !e.Reset && e.Policy == "" && (e.Baseline == nil || e.Baseline.Path == "") && e.Removed == "" && e.Notified == "" {
		c.Fail(errEntry)
	}
}

func (b *Baseline) code(c *merkle.Codec) {
	kept := *b
	kept.swapAbsent()
	c.Fixed(6)
	c.Bytes(&kept.Path)
	c.Uint(&kept.Seq)
	c.Link(&kept.File)
	c.Link(&kept.Memory)
	merkle.List(c, &kept.Parts, func(p *Part, c *merkle.Codec) {
		c.Fixed(3)
		c.Text(&p.Kind)
		c.Text(&p.Where)
		c.Link(&p.Digest)
	})
	merkle.List(c, &kept.Earlier, func(d *merkle.Digest, c *merkle.Codec) { c.Link(d) })
	if c.In != nil {
		*b = kept
		b.swapAbsent()
	}
}

// swapAbsent converts the digests of a document without parts to their encoding and back.
// The encoding swaps two values, for compatibility with versions that did not distinguish
// a missing file from an empty one: the SHA-256 of no bytes means a missing file, and
// Absent an empty one.
func (b *Baseline) swapAbsent() {
	for _, d := range []*merkle.Digest{&b.File, &b.Memory} {
		switch {
		case len(b.Parts) > 0:
		case *d == Absent:
			*d = merkle.Sum(nil)
		case *d == merkle.Sum(nil):
			*d = Absent
		}
	}
}

// AppendBook encodes a book as the list of its entries.
func AppendBook(dst []byte, b *Book) []byte {
	c, entries := merkle.Codec{Out: dst}, b.Entries()
	merkle.List(&c, &entries, (*Entry).code)
	return c.Out
}

// DecodeBook decodes the output of AppendBook. Empty data is the zero Book.
func DecodeBook(data []byte) (*Book, error) {
	if len(data) == 0 {
		return &Book{}, nil
	}
	var entries []Entry
	if err := merkle.Decode(data, func(c *merkle.Codec) { merkle.List(c, &entries, (*Entry).code) }); err != nil {
		return nil, err
	}
	return new(Book).With(entries...), nil
}
