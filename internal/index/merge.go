// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"strings"
)

// source is a segment to merge, with the place reached in it.
type source struct {
	part
	doc    int
	term   int
	number []uint32 // old document number -> new; of the dead, anything
}

// merge returns one segment with the live documents of parts, which share no
// live id. It is equal to a segment built from these documents. O(size of parts).
func merge(parts []part) *segment {
	sources := make([]source, len(parts))
	for i, p := range parts {
		sources[i] = source{part: p, number: make([]uint32, len(p.lengths))}
	}
	m := &segment{}
	mergeDocs(m, sources)
	mergeTerms(m, sources)
	return m
}

// mergeDocs fills ids and lengths of m, and the new numbers into sources.
func mergeDocs(m *segment, sources []source) {
	var ids tableWriter
	for {
		var least *source
		for i := range sources {
			s := &sources[i]
			for s.doc < len(s.lengths) && s.dead.has(uint32(s.doc)) {
				s.doc++
			}
			if s.doc < len(s.lengths) && (least == nil || s.ids.at(s.doc) < least.ids.at(least.doc)) {
				least = s
			}
		}
		if least == nil {
			m.ids = ids.table()
			return
		}
		ids.append(least.ids.at(least.doc))
		least.number[least.doc] = uint32(len(m.lengths))
		m.lengths = append(m.lengths, least.lengths[least.doc])
		least.doc++
	}
}

// mergeTerms fills terms and lists of m. A term without a live document goes.
func mergeTerms(m *segment, sources []source) {
	var terms, lists tableWriter
	var merged, one, spare []posting
	var list []byte
	for {
		term, ok := leastTerm(sources)
		if !ok {
			m.terms, m.lists = terms.table(), lists.table()
			m.cut()
			return
		}
		merged = merged[:0]
		for i := range sources {
			s := &sources[i]
			if s.term == s.terms.len() || s.terms.at(s.term) != term {
				continue
			}
			one = s.postings(one[:0], s.term, s.dead)
			for j := range one {
				one[j].doc = s.number[one[j].doc]
			}
			s.term++
			spare = mergePostings(spare[:0], merged, one)
			merged, spare = spare, merged
		}
		if len(merged) == 0 {
			continue
		}
		terms.append(term)
		list = list[:0]
		next := uint32(0)
		for _, p := range merged {
			list = appendPosting(list, p.doc-next, p.weight)
			next = p.doc + 1
		}
		lists.appendBytes(list)
	}
}

// leastTerm returns the first term in byte order that sources have not passed.
func leastTerm(sources []source) (least string, ok bool) {
	for i := range sources {
		s := &sources[i]
		if s.term < s.terms.len() {
			if term := s.terms.at(s.term); !ok || term < least {
				least, ok = term, true
			}
		}
	}
	return least, ok
}

// mergePostings appends a and b, each in the order of documents, in that order.
func mergePostings(dst, a, b []posting) []posting {
	for len(a) > 0 && len(b) > 0 {
		if a[0].doc < b[0].doc {
			dst, a = append(dst, a[0]), a[1:]
		} else {
			dst, b = append(dst, b[0]), b[1:]
		}
	}
	return append(append(dst, a...), b...)
}

// tableWriter makes a table from front to back.
type tableWriter struct {
	blob strings.Builder
	ends []int
}

func (w *tableWriter) append(s string) {
	w.blob.WriteString(s)
	w.ends = append(w.ends, w.blob.Len())
}

func (w *tableWriter) appendBytes(b []byte) {
	w.blob.Write(b)
	w.ends = append(w.ends, w.blob.Len())
}

func (w *tableWriter) table() table { return table{w.blob.String(), w.ends} }
