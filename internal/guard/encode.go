// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package guard

import (
	"errors"
	"math"

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

// Entries returns the codec of a list of entries.
func Entries(all *[]Entry) func(*merkle.Codec) { return merkle.List(all, (*Entry).Code) }

// Code codes an entry, a list that starts with a word.
func (e *Entry) Code(c *merkle.Codec) {
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
	c.Fields(&word)
	switch {
	case word == wordReset && fields == 1:
		e.Reset = true
	case word == wordPolicy && fields == 2:
		c.Fields(merkle.Bytes(&e.Policy))
	case word == wordBaseline && fields == 2:
		if c.In != nil {
			e.Baseline = &Baseline{}
		}
		e.Baseline.code(c)
	case word == wordRemoved && fields == 2:
		c.Fields(merkle.Bytes(&e.Removed))
	case word == wordNotified && fields == 3:
		c.Fields(merkle.Bytes(&e.Notified), &e.File)
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
	parts := merkle.List(&kept.Parts, func(p *Part, c *merkle.Codec) { c.Record(&p.Kind, &p.Where, &p.Digest) })
	c.Record(merkle.Bytes(&kept.Path), &kept.Seq, &kept.File, &kept.Memory, parts, merkle.Links(math.MaxInt, &kept.Earlier))
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

// EncodeBook encodes a book as the list of its entries.
func EncodeBook(b *Book) []byte {
	entries := b.Entries()
	return merkle.Encode(Entries(&entries))
}

// DecodeBook decodes the output of EncodeBook. Empty data is the zero Book.
func DecodeBook(data []byte) (*Book, error) {
	if len(data) == 0 {
		return &Book{}, nil
	}
	var entries []Entry
	if err := merkle.Decode(data, Entries(&entries)); err != nil {
		return nil, err
	}
	return new(Book).With(entries...), nil
}
