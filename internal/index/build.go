// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Weights of one occurrence of a word in each field. The weighted counts are added
// before saturation, as in BM25F (Robertson, Zaragoza and Taylor 2004).
const (
	titleWeight = 3
	tagWeight   = 2
	bodyWeight  = 1
)

// markPrefix begins the terms of marks. No word contains it.
const markPrefix = "\x01"

// builder turns documents into one segment. It reads each text once into 8-byte
// records, one per posting, and then writes each posting list at its final place.
type builder struct {
	scan       scanner
	words      *lexicon // distinct words, as the scanner returns them
	termByWord []uint32 // word number -> term number; each distinct word is analysed once
	terms      *lexicon
	states     []termState // by term number
	docTerms   []uint32    // terms of the current document
	docLength  uint64      // weighted number of words of the current document

	records []record // postings in document order
	counts  []int    // number of records of each document
	lengths []uint32
}

// termState is the state of one term while the builder reads.
type termState struct {
	weight uint32 // in the current document
	next   uint32 // the document after the last one that has the term
	size   int    // size of its list so far in bytes; later the offset of its next posting
}

type record struct{ term, weight uint32 }

// bytesPerPosting is the text size per posting by which records is preallocated.
const bytesPerPosting = 6

// build returns the segment of docs, which must be sorted by id without duplicates.
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
	var ids tableWriter
	for i := range docs {
		b.addDoc(uint32(i), &docs[i])
		ids.append(docs[i].ID)
	}
	s := b.segment()
	s.ids = ids.table()
	return s
}

// addDoc reads document number n.
func (b *builder) addDoc(n uint32, doc *Doc) {
	b.docLength = 0
	b.addText(doc.Title, titleWeight)
	for _, tag := range doc.Tags {
		b.addText(tag, tagWeight)
	}
	eachProse(doc.Body, func(piece string) { b.addText(piece, bodyWeight) })
	for _, mark := range doc.Marks {
		b.count(b.internTerm(markPrefix+mark), 1)
	}
	for _, t := range b.docTerms {
		st := &b.states[t]
		b.records = append(b.records, record{t, st.weight})
		st.size += postingSize(n-st.next, st.weight)
		st.next, st.weight = n+1, 0
	}
	b.counts = append(b.counts, len(b.docTerms))
	b.lengths = append(b.lengths, uint32(min(b.docLength, math.MaxUint32)))
	b.docTerms = b.docTerms[:0]
}

// addText counts the words of a text of the current document.
func (b *builder) addText(text string, weight uint32) {
	b.scan.reset(text)
	for b.scan.next() {
		w, isNew := b.words.intern(b.scan.word)
		if isNew {
			b.termByWord = append(b.termByWord, b.internTerm(termOf(b.scan.word, b.scan.plain)))
		}
		b.count(b.termByWord[w], weight)
		b.docLength += uint64(weight)
	}
}

// count adds to the weight of a term in the current document.
func (b *builder) count(term, weight uint32) {
	st := &b.states[term]
	if st.weight == 0 {
		b.docTerms = append(b.docTerms, term)
	}
	st.weight += min(weight, math.MaxUint32-st.weight)
}

// internTerm returns the number of a term.
func (b *builder) internTerm(term string) uint32 {
	t, isNew := b.terms.intern([]byte(term))
	if isNew {
		b.states = append(b.states, termState{})
	}
	return t
}

// segment returns the documents read, as a segment without ids.
func (b *builder) segment() *segment {
	order := b.terms.sorted()
	s := &segment{lengths: b.lengths, terms: b.terms.table(order)}
	s.lists.ends = make([]int, len(order))
	end := 0
	for i, t := range order {
		st := &b.states[t]
		st.size, end = end, end+st.size
		st.next = 0
		s.lists.ends[i] = end
	}
	blob := make([]byte, end)
	at := 0
	for n, count := range b.counts {
		for _, r := range b.records[at : at+count] {
			st := &b.states[r.term]
			list := appendPosting(blob[:st.size], uint32(n)-st.next, r.weight)
			st.size, st.next = len(list), uint32(n)+1
		}
		at += count
	}
	s.lists.blob = string(blob)
	return s
}

// sortedUnique returns docs sorted by id, keeping the last of several with the same id.
// It does not change its argument.
func sortedUnique(docs []Doc) []Doc {
	order := make([]int, len(docs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(strings.Compare(docs[a].ID, docs[b].ID), cmp.Compare(b, a)) })
	order = slices.CompactFunc(order, func(a, b int) bool { return docs[a].ID == docs[b].ID })
	sorted := make([]Doc, len(order))
	for i, at := range order {
		sorted[i] = docs[at]
	}
	return sorted
}
