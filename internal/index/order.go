// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// File is a list of documents in their order. It must not change: when a document in it
// changes, another File replaces it.
type File struct {
	Path string
	IDs  []string
	// Last is, for each document, the index in IDs of the last document below it, or its own
	// index.
	Last []int32
	// Times are when the documents were made, 0 for unknown; nil in files that cannot have neighbours in others.
	Times []uint64
	// Bare means that the first document is a title for the others and has no text.
	Bare bool

	lift atomic.Pointer[liftMemo]
}

// Order is the order of the documents of an index: in files, sorted by path. A
// document's position counts from the first document of the first file. An Order is
// immutable and safe for concurrent reads. Which positions documents have depends only
// on the files.
type Order struct {
	index   *Lexical
	files   []*File
	first   []uint32   // by file: position of its first document; at the end the number of positions
	fileOf  []uint32   // by position: its file
	lengths []uint32   // by position: sum of the lengths of all documents before it; one more at the end
	places  [][]uint32 // by part of the index and number: position, nowhere for dead documents

	joining sync.Once
	stream  *stream // nil if no document has neighbours in other files

	before *pool // of an earlier order, nil for none
	once   sync.Once
	pool   atomic.Pointer[pool] // nil until it is first needed
}

// nowhere is the position of a document that is in no file.
const nowhere = ^uint32(0)

// NewOrder returns the order of the documents of x in files, in any order. Documents in
// no file are never found. O(documents).
func NewOrder(x *Lexical, files []*File) *Order {
	return (&Order{index: new(Lexical)}).Update(x, files, nil)
}

// Update returns the order after a change: x is the updated index, files the files that
// were added or have other documents, and gone has the paths of files that were
// removed. The receiver does not change. O(documents), with a small factor: two
// passes over arrays of four bytes a document.
func (o *Order) Update(x *Lexical, files []*File, gone map[string]bool) *Order {
	changed := make(map[string]*File, len(files))
	for _, f := range files {
		changed[f.Path] = f
	}
	next := &Order{index: x.clone(), before: cmp.Or(o.pool.Load(), o.before)}
	for _, f := range o.files {
		if changed[f.Path] == nil && !gone[f.Path] {
			next.files = append(next.files, f)
		}
	}
	next.files = append(next.files, files...)
	slices.SortFunc(next.files, func(a, b *File) int { return strings.Compare(a.Path, b.Path) })
	next.count()
	m := o.moves(next)
	next.places = make([][]uint32, len(next.index.parts))
	for i := range next.places {
		p := &next.index.parts[i]
		at := slices.IndexFunc(o.index.parts, func(old part) bool { return old.segment == p.segment })
		list := slices.Repeat([]uint32{nowhere}, len(p.lengths))
		for doc := range list {
			if at >= 0 {
				list[doc] = m.moved(o.places[at][doc])
			} else if !p.dead.has(uint32(doc)) {
				list[doc] = m.byID(p.ids.at(doc))
			}
		}
		next.places[i] = list
	}
	next.measure()
	return next
}

// count fills first and fileOf from files.
func (o *Order) count() {
	total := 0
	for _, f := range o.files {
		total += len(f.IDs)
	}
	o.first, o.fileOf = make([]uint32, 0, len(o.files)+1), make([]uint32, 0, total)
	for i, f := range o.files {
		o.first = append(o.first, uint32(len(o.fileOf)))
		for range f.IDs {
			o.fileOf = append(o.fileOf, uint32(i))
		}
	}
	o.first = append(o.first, uint32(total))
}

// measure fills lengths from places.
func (o *Order) measure() {
	o.lengths = make([]uint32, len(o.fileOf)+1)
	for i, list := range o.places {
		p := &o.index.parts[i]
		for doc, pos := range list {
			if pos != nowhere && !p.dead.has(uint32(doc)) {
				o.lengths[pos+1] = p.lengths[doc]
			}
		}
	}
	for i := range o.fileOf {
		o.lengths[i+1] += o.lengths[i]
	}
}

// moves maps the positions of one order to those of the next.
type moves struct {
	from, to *Order
	file     []int             // by file of from: the file of to with its path, -1 for none
	byName   map[string]uint32 // position in to of documents that moved within their file
}

func (o *Order) moves(next *Order) *moves {
	m := &moves{from: o, to: next, file: make([]int, len(o.files)), byName: map[string]uint32{}}
	before := make([]int, len(next.files)) // by file of next: its number in o plus one
	for i, f := range o.files {
		m.file[i] = -1
		if at, ok := slices.BinarySearchFunc(next.files, f.Path, func(f *File, path string) int { return cmp.Compare(f.Path, path) }); ok {
			m.file[i], before[at] = at, i+1
		}
	}
	for i, f := range next.files {
		var old []string
		if before[i] > 0 {
			old = o.files[before[i]-1].IDs
			if o.files[before[i]-1] == f {
				continue
			}
		}
		for local, id := range f.IDs {
			if local >= len(old) || old[local] != id {
				m.byName[id] = next.first[i] + uint32(local)
			}
		}
	}
	return m
}

// moved returns the position of a document that was at old.
func (m *moves) moved(old uint32) uint32 {
	if old == nowhere {
		return nowhere
	}
	f := m.from.fileOf[old]
	local := old - m.from.first[f]
	was := m.from.files[f]
	if at := m.file[f]; at >= 0 {
		is := m.to.files[at]
		if is == was || int(local) < len(is.IDs) && is.IDs[local] == was.IDs[local] {
			return m.to.first[at] + local
		}
	}
	if pos, ok := m.byName[was.IDs[local]]; ok {
		return pos
	}
	return nowhere
}

// byID returns the position of a document.
func (m *moves) byID(id string) uint32 {
	if pos, ok := m.byName[id]; ok {
		return pos
	}
	pos, _ := m.from.Position(id)
	return m.moved(pos)
}

// Len returns the number of positions.
func (o *Order) Len() int { return len(o.fileOf) }

// Files returns the number of files.
func (o *Order) Files() int { return len(o.files) }

// File returns a file by its number.
func (o *Order) File(n int) *File { return o.files[n] }

// Span returns the first and the last position of a file, which is not empty.
func (o *Order) Span(file int) (first, last uint32) { return o.first[file], o.first[file+1] - 1 }

// MeanLength is the mean length of the documents of a file, as Score counts it. O(1).
func (o *Order) MeanLength(file int) float64 {
	first, end := o.first[file], o.first[file+1]
	return float64(o.lengths[end]-o.lengths[first]) / float64(max(1, end-first))
}

// Spread returns the standard deviation of the lengths of the documents of a file, as a
// multiple of their mean.
func (o *Order) Spread(file int) float64 {
	first, last := o.Span(file)
	n, sum, squares := float64(last-first+1), 0.0, 0.0
	for pos := first; pos <= last; pos++ {
		length := float64(o.lengths[pos+1] - o.lengths[pos])
		sum, squares = sum+length, squares+length*length
	}
	mean := sum / n
	return math.Sqrt(max(0, squares/n-mean*mean)) / max(mean, 1)
}

// ID returns the document at a position.
func (o *Order) ID(pos uint32) string {
	f, local := o.Place(pos)
	return o.files[f].IDs[local]
}

// Place returns the file of a position and the index in it.
func (o *Order) Place(pos uint32) (file, local int) {
	f := o.fileOf[pos]
	return int(f), int(pos - o.first[f])
}

// Branch returns the last position below the document at pos, pos itself if there is
// none.
func (o *Order) Branch(pos uint32) uint32 {
	f, local := o.Place(pos)
	return o.first[f] + uint32(o.files[f].Last[local])
}

// Position returns the position of a document, and whether it has one. O(log n).
func (o *Order) Position(id string) (uint32, bool) {
	i, doc, ok := o.index.find(id)
	if !ok {
		return nowhere, false
	}
	pos := o.places[i][doc]
	return pos, pos != nowhere
}
