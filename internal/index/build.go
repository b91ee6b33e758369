// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// How much a word counts by where it stands, as if the title were written three
// times and the tags twice: the linear combination of fields before saturation
// that makes BM25F (Robertson, Zaragoza and Taylor 2004).
const (
	titleWeight = 3
	tagWeight   = 2
	bodyWeight  = 1
)

// builder turns documents into one segment. It reads the text once, keeping one
// 8-byte record a posting, and then writes each list where its term will stand.
type builder struct {
	scan   scanner
	words  *lexicon // the words as the scanner tells them
	termBy []uint32 // word -> term: each different word is analysed once
	terms  *lexicon
	state  []termState // by term
	seen   []uint32    // the terms of the document at hand
	length uint64      // its weighted number of words

	records []record // the postings in the order of the documents
	counts  []int    // how many of them each document has
	lengths []uint32
}

// termState is what the builder knows of a term while it reads.
type termState struct {
	weight uint32 // in the document at hand
	next   uint32 // the document after the last one that has it
	size   int    // bytes of its list so far; then where its next posting goes
}

type record struct{ term, weight uint32 }

// bytesPerPosting is a guess to size the records by: short of it they grow.
const bytesPerPosting = 6

// build returns the segment of docs, which are sorted by id, each id once.
func build(docs []Doc) *segment {
	bytes := 0
	for i := range docs {
		bytes += len(docs[i].Body) + len(docs[i].Title)
	}
	b := &builder{
		words:   newLexicon(),
		terms:   newLexicon(),
		records: make([]record, 0, bytes/bytesPerPosting+64),
		counts:  make([]int, 0, len(docs)),
		lengths: make([]uint32, 0, len(docs)),
	}
	for i := range docs {
		b.read(uint32(i), &docs[i])
	}
	s := b.segment()
	s.ids = idTable(docs)
	return s
}

// read adds document number n.
func (b *builder) read(n uint32, doc *Doc) {
	b.length = 0
	b.text(doc.Title, titleWeight)
	for _, tag := range doc.Tags {
		b.text(tag, tagWeight)
	}
	eachProse(doc.Body, func(piece string) { b.text(piece, bodyWeight) })
	for _, t := range b.seen {
		st := &b.state[t]
		b.records = append(b.records, record{t, st.weight})
		st.size += postingSize(n-st.next, st.weight)
		st.next, st.weight = n+1, 0
	}
	b.counts = append(b.counts, len(b.seen))
	b.lengths = append(b.lengths, uint32(min(b.length, math.MaxUint32)))
	b.seen = b.seen[:0]
}

// text counts the words of a piece of the document at hand.
func (b *builder) text(text string, weight uint32) {
	b.scan.reset(text)
	for b.scan.next() {
		w, isNew := b.words.intern(b.scan.word)
		if isNew {
			b.termBy = append(b.termBy, b.term(termOf(b.scan.word, b.scan.plain)))
		}
		t := b.termBy[w]
		st := &b.state[t]
		if st.weight == 0 {
			b.seen = append(b.seen, t)
		}
		st.weight += min(weight, math.MaxUint32-st.weight)
		b.length += uint64(weight)
	}
}

// term returns the number of a term.
func (b *builder) term(term string) uint32 {
	t, isNew := b.terms.intern([]byte(term))
	if isNew {
		b.state = append(b.state, termState{})
	}
	return t
}

// segment lays out what was read, without the ids.
func (b *builder) segment() *segment {
	order := b.terms.sorted()
	s := &segment{lengths: b.lengths, terms: b.terms.table(order)}
	s.lists.ends = make([]int, len(order))
	end := 0
	for i, t := range order {
		st := &b.state[t]
		st.size, end = end, end+st.size
		st.next = 0
		s.lists.ends[i] = end
	}
	blob := make([]byte, end)
	at := 0
	for n, count := range b.counts {
		for _, r := range b.records[at : at+count] {
			st := &b.state[r.term]
			list := appendPosting(blob[:st.size], uint32(n)-st.next, r.weight)
			st.size, st.next = len(list), uint32(n)+1
		}
		at += count
	}
	s.lists.blob = string(blob)
	s.cut()
	return s
}

func idTable(docs []Doc) table {
	bytes := 0
	for i := range docs {
		bytes += len(docs[i].ID)
	}
	var blob strings.Builder
	blob.Grow(bytes)
	t := table{ends: make([]int, len(docs))}
	for i := range docs {
		blob.WriteString(docs[i].ID)
		t.ends[i] = blob.Len()
	}
	t.blob = blob.String()
	return t
}

// ordered returns docs sorted by id, the last of several with one id alone. The
// argument is left as it is.
func ordered(docs []Doc) []Doc {
	type place struct {
		id string
		at int
	}
	places := make([]place, len(docs))
	for i := range docs {
		places[i] = place{docs[i].ID, i}
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(strings.Compare(a.id, b.id), cmp.Compare(a.at, b.at))
	})
	sorted := make([]Doc, 0, len(docs))
	for i, p := range places {
		if i+1 == len(places) || places[i+1].id != p.id {
			sorted = append(sorted, docs[p.at])
		}
	}
	return sorted
}
