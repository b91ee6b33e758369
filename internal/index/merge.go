// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import "strings"

// source is a segment to merge and the position reached in it.
type source struct {
	part
	nextDoc   int
	nextTerm  int
	newNumber []uint32 // old document number -> new one; undefined for dead documents
}

// merge returns one segment with the live documents of parts, which must not share a
// live id. It equals the segment built from these documents. O(size of parts).
func merge(parts []part) *segment {
	sources := make([]source, len(parts))
	for i, p := range parts {
		sources[i] = source{part: p, newNumber: make([]uint32, len(p.lengths))}
	}
	m := &segment{}
	mergeDocs(m, sources)
	mergeTerms(m, sources)
	return m
}

// mergeDocs fills ids and lengths of m and newNumber of sources.
func mergeDocs(m *segment, sources []source) {
	var ids tableWriter
	for {
		var next *source
		for i := range sources {
			s := &sources[i]
			for s.nextDoc < len(s.lengths) && s.dead.has(uint32(s.nextDoc)) {
				s.nextDoc++
			}
			if s.nextDoc < len(s.lengths) && (next == nil || s.ids.at(s.nextDoc) < next.ids.at(next.nextDoc)) {
				next = s
			}
		}
		if next == nil {
			m.ids = ids.table()
			return
		}
		ids.append(next.ids.at(next.nextDoc))
		next.newNumber[next.nextDoc] = uint32(len(m.lengths))
		m.lengths = append(m.lengths, next.lengths[next.nextDoc])
		next.nextDoc++
	}
}

// mergeTerms fills terms and lists of m. It drops terms without live documents.
func mergeTerms(m *segment, sources []source) {
	var terms, lists tableWriter
	var merged, current, spare []posting
	var list []byte
	for {
		term, ok := minTerm(sources)
		if !ok {
			m.terms, m.lists = terms.table(), lists.table()
			return
		}
		merged = merged[:0]
		for i := range sources {
			s := &sources[i]
			if s.nextTerm == s.terms.len() || s.terms.at(s.nextTerm) != term {
				continue
			}
			current = s.postings(current[:0], s.nextTerm, s.dead)
			for j := range current {
				current[j].doc = s.newNumber[current[j].doc]
			}
			s.nextTerm++
			spare = mergePostings(spare[:0], merged, current)
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
		lists.append(string(list))
	}
}

// minTerm returns the first term in byte order that sources have not passed.
func minTerm(sources []source) (first string, ok bool) {
	for i := range sources {
		s := &sources[i]
		if s.nextTerm < s.terms.len() {
			if term := s.terms.at(s.nextTerm); !ok || term < first {
				first, ok = term, true
			}
		}
	}
	return first, ok
}

// mergePostings appends the postings of a and b, both in document order, to dst in
// document order.
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

// tableWriter builds a table by appending strings.
type tableWriter struct {
	blob strings.Builder
	ends []int
}

func (w *tableWriter) append(s string) {
	w.blob.WriteString(s)
	w.ends = append(w.ends, w.blob.Len())
}

func (w *tableWriter) table() table { return table{w.blob.String(), w.ends} }
