// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"errors"
	"slices"
)

// Doc is the lexical index's view of one node. It depends on that node alone. Body is
// the node's own text; a title inside it counts again. Of property drawers in Body only
// the values are indexed, without the value of ID.
type Doc struct {
	ID    string
	Title string
	Tags  []string
	Body  string
	// Marks are facts that are looked up exactly and are not words: a search never
	// finds them, and they do not count for the length.
	Marks []string
}

// Lexical is an immutable full-text index ranked by BM25. Nil and the zero value are
// empty. Concurrent reads are safe. Update returns a new index that shares nearly
// everything with the old one, which stays valid.
//
// Answers depend only on the documents: two indexes of the same documents return the
// same hits in the same order with bit-equal scores, whatever their history.
type Lexical struct {
	parts  []part // by falling size
	docs   int    // live documents
	length int    // sum of their weighted lengths
}

// part is a segment and the set of its documents that have been removed.
type part struct {
	*segment
	dead bitmap // nil if none
	live int
}

const (
	// partRatio is the minimum ratio of the live documents in a part to those in all
	// later parts; below it they are merged. With 4, n documents make about log5(n)
	// parts (at most 7 for 75,000), and a document added alone is rewritten about four
	// times per part.
	partRatio = 4

	// maxDeadPercent is the share of dead documents above which a part is rewritten,
	// because every query that reads its postings pays for them.
	maxDeadPercent = 30
)

// Build returns the index of docs, in any order; of several with the same ID the last
// one counts. It keeps no reference to docs or their text. It needs up to five times
// the size of the text while it runs. O(size of the text).
func Build(docs []Doc) *Lexical {
	return new(Lexical).insert(sortedUnique(docs))
}

// Update returns the index without the documents whose ids are in remove and with those
// in add. A document in add replaces one with the same ID, and add wins over remove.
// Unknown ids in remove are ignored. The receiver does not change. O(size of add), one
// bit per document copied for each part that loses documents, and a share of later
// merges: amortised, each document is rewritten O(log n) times.
func (x *Lexical) Update(remove []string, add []Doc) *Lexical {
	if len(remove) == 0 && len(add) == 0 {
		return x
	}
	added := sortedUnique(add)
	y := x.clone()
	ownsBitmap := make([]bool, len(y.parts)) // by part: whether y may change its bitmap
	for _, id := range remove {
		y.remove(id, ownsBitmap)
	}
	for i := range added {
		y.remove(added[i].ID, ownsBitmap)
	}
	return y.insert(added)
}

// Len returns the number of documents.
func (x *Lexical) Len() int {
	if x == nil {
		return 0
	}
	return x.docs
}

// clone returns a copy whose list of parts may be changed.
func (x *Lexical) clone() *Lexical {
	if x == nil {
		return new(Lexical)
	}
	return &Lexical{slices.Clone(x.parts), x.docs, x.length}
}

// find returns the part and number of the live document id.
func (x *Lexical) find(id string) (p int, doc uint32, ok bool) {
	for p := range x.parts {
		if i, ok := x.parts[p].ids.find(id); ok && !x.parts[p].dead.has(uint32(i)) {
			return p, uint32(i), true
		}
	}
	return 0, 0, false
}

// remove marks the document id as dead. It copies the bitmap of part p first unless
// ownsBitmap[p].
func (x *Lexical) remove(id string, ownsBitmap []bool) {
	i, doc, ok := x.find(id)
	if !ok {
		return
	}
	p := &x.parts[i]
	if !ownsBitmap[i] {
		dead := make(bitmap, (len(p.lengths)+63)/64)
		copy(dead, p.dead)
		p.dead, ownsBitmap[i] = dead, true
	}
	p.dead.set(doc)
	p.live--
	x.docs--
	x.length -= int(p.lengths[doc])
}

// insert adds docs, which must be sorted and not in x, to x itself, compacts the parts
// and returns x.
func (x *Lexical) insert(docs []Doc) *Lexical {
	if len(docs) > 0 {
		x.appendSegment(build(docs))
	}
	x.parts = slices.DeleteFunc(x.parts, func(p part) bool { return p.live == 0 })
	x.compact()
	return x
}

// appendSegment appends a segment whose documents are all live and not in x.
func (x *Lexical) appendSegment(s *segment) {
	x.parts = append(x.parts, part{segment: s, live: len(s.lengths)})
	x.docs += len(s.lengths)
	for _, n := range s.lengths {
		x.length += int(n)
	}
}

// compact merges the tail of the parts, from the first that is too small for its
// successors, and rewrites parts with too many dead documents.
func (x *Lexical) compact() {
	first, after := len(x.parts), 0
	for i, p := range slices.Backward(x.parts) {
		if p.live < partRatio*after {
			first = i
		}
		after += p.live
	}
	if first < len(x.parts) {
		merged := merge(x.parts[first:])
		x.parts = append(x.parts[:first], part{segment: merged, live: len(merged.lengths)})
	}
	for i, p := range x.parts {
		if dead := len(p.lengths) - p.live; 100*dead > maxDeadPercent*len(p.lengths) {
			merged := merge(x.parts[i : i+1])
			x.parts[i] = part{segment: merged, live: len(merged.lengths)}
		}
	}
}

var (
	// ErrDamaged is returned for an encoded index with a wrong checksum or structure.
	// Rebuild the index from the nodes.
	ErrDamaged = errors.New("damaged")

	// ErrVersion is returned for an encoded index with another FormatVersion or
	// AnalyzerVersion. Rebuild the index from the nodes.
	ErrVersion = errors.New("other version")
)
