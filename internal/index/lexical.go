// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import "slices"

// Doc is what one node contributes to the lexical index: a function of the node
// alone, so that no change of another node changes it. Body is the node's own
// text; a title inside it counts again. Of property drawers in Body only the
// values are indexed, and not that of ID.
type Doc struct {
	ID    string
	Title string
	Tags  []string
	Body  string
}

// Lexical is an immutable full-text index that ranks by BM25. Nil and the zero
// value are empty. It is safe for any number of readers; Update makes a new one
// that shares nearly everything with the old one, which stays valid.
//
// What it answers is a function of its documents: two of them with the same
// documents give the same hits in the same order with bit-equal scores, however
// they came about.
type Lexical struct {
	parts  []part // by falling size
	docs   int    // live documents
	length int    // sum of their weighted lengths
}

// part is a segment with the documents that have left it since it was made.
type part struct {
	*segment
	dead bitmap // nil while none has left
	live int
}

const (
	// partRatio is how many times the live documents of all later parts a part
	// must hold, else it is merged with them. With 4, n documents make about
	// log5(n) parts (75,000 make at most 7), and a document that comes alone is
	// rewritten about four times per part.
	partRatio = 4

	// maxDeadPercent is the share of dead documents beyond which a part is
	// rewritten: dead postings are read by every query that meets them.
	maxDeadPercent = 30
)

// Build returns the index of docs, in any order; of several with one ID the last
// counts. It keeps no reference to docs or their text. While it runs it needs up
// to five times the size of the text. O(size of the text).
func Build(docs []Doc) *Lexical {
	return new(Lexical).insert(sortedUnique(docs))
}

// Update returns the index without the documents named in remove and with those
// in add; one in add replaces the document of its ID, and where both name an ID
// it is added. Ids that the index does not have are ignored in remove. The
// receiver stays as it is. O(size of add + a copy of one bit a document where
// something leaves), and a share of later merging: amortised, each document is
// rewritten O(log n) times.
func (x *Lexical) Update(remove []string, add []Doc) *Lexical {
	if len(remove) == 0 && len(add) == 0 {
		return x
	}
	added := sortedUnique(add)
	y := x.clone()
	ownsBitmap := make([]bool, len(y.parts)) // whose bitmap y owns
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

// Has reports whether the index has a document with this id. O(log n).
func (x *Lexical) Has(id string) bool {
	if x == nil {
		return false
	}
	_, _, ok := x.find(id)
	return ok
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

// drop marks the document id dead. The bitmap of part p is copied first unless
// fresh[p] says that no other index has it.
func (x *Lexical) remove(id string, ownsBitmap []bool) {
	i, doc, ok := x.find(id)
	if !ok {
		return
	}
	p := &x.parts[i]
	if !ownsBitmap[i] {
		dead := newBitmap(len(p.lengths))
		copy(dead, p.dead)
		p.dead, ownsBitmap[i] = dead, true
	}
	p.dead.set(doc)
	p.live--
	x.docs--
	x.length -= int(p.lengths[doc])
}

// with adds docs, which are ordered and new to x, and brings the parts into
// shape. It changes x and returns it.
func (x *Lexical) insert(docs []Doc) *Lexical {
	if len(docs) > 0 {
		x.appendSegment(build(docs))
	}
	x.parts = slices.DeleteFunc(x.parts, func(p part) bool { return p.live == 0 })
	x.compact()
	return x
}

// push appends a segment whose documents are all live and new to x.
func (x *Lexical) appendSegment(s *segment) {
	x.parts = append(x.parts, part{segment: s, live: len(s.lengths)})
	x.docs += len(s.lengths)
	for _, n := range s.lengths {
		x.length += int(n)
	}
}

// compact merges the tail of the parts from the first that is too small for
// what follows it, and rewrites parts with too many dead.
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
