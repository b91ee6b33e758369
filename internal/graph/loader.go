// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"fmt"
	"sync"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/internal/champ"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// whole is the content of all parts of an image: one slab of each kind, so that a large
// memory needs few allocations and few pages.
type whole struct {
	nodes     []*node.Node
	entries   []champ.Entry[*node.Node] // the same by id
	documents [][]*node.Node
	formats   document.Formats
}

// loader builds the nodes of a part of an image out of slabs.
type loader struct {
	heads  cursor // the nodes without their contents
	texts  string // the contents not yet assigned to a node
	extras cursor // the derived section
	words  words
	tree   preorder

	formats document.Formats

	slab      []node.Node // this and the next three: the unused rest
	list      []*node.Node
	entries   []champ.Entry[*node.Node]
	derived   []document.Derived
	kids      []string
	modified  int64 // of the previous node
	documents [][]*node.Node
	whole     bool // all nodes read so far have their derived fields
	lost      bool // one of them claims an id that another node bears
}

// smallestNode is the minimum number of bytes of a node.
const smallestNode = 6

// sizes are the numbers of items in a part, or in all parts.
type sizes struct{ documents, nodes, strings, properties int }

// loadersOf reads the heads of the parts and allocates the slabs for all.
func loadersOf(parts []Part, formats document.Formats) (*whole, []loader, error) {
	loaders, each := make([]loader, len(parts)), make([]sizes, len(parts))
	var total sizes
	for i, p := range parts {
		l, n := &loaders[i], &each[i]
		l.formats = formats
		var err error
		if n.documents, n.nodes, err = l.begin(stringOf(p.Nodes)); err != nil {
			return nil, nil, partError(i, err)
		}
		n.strings, n.properties = l.beginDerived(stringOf(p.Derived), n.nodes)
		total.documents, total.nodes = total.documents+n.documents, total.nodes+n.nodes
		total.strings, total.properties = total.strings+n.strings, total.properties+n.properties
	}
	nodes, derived, kids := bound.Slab[node.Node](total.nodes), bound.Slab[document.Derived](total.nodes), make([]string, total.nodes)
	all := words{bound.Slab[string](total.strings), bound.Slab[document.Property](total.properties)}
	w := &whole{
		nodes: make([]*node.Node, total.nodes), entries: bound.Slab[champ.Entry[*node.Node]](total.nodes),
		documents: make([][]*node.Node, 0, total.documents), formats: formats,
	}
	at := 0
	for i, n := range each {
		l, end := &loaders[i], at+n.nodes
		l.slab, l.derived, l.kids = nodes[at:end], derived[at:end], kids[at:at:end]
		l.list, l.entries = w.nodes[at:end], w.entries[at:end]
		l.documents = make([][]*node.Node, 0, n.documents)
		l.words.strings, _ = cut(&all.strings, n.strings)
		l.words.properties, _ = cut(&all.properties, n.properties)
		at = end
	}
	return w, loaders, nil
}

// begin reads the head of a nodes section and returns its numbers of documents and nodes.
func (l *loader) begin(section string) (documents, nodes int, err error) {
	c := cursor{s: section}
	if f := c.uint(); c.err == nil && f != ImageFormat {
		return 0, 0, fmt.Errorf("format %d: %w", f, ErrFormat)
	}
	documents, nodes = c.count(2), c.count(smallestNode)
	contents := c.count(1)
	l.texts = c.s[len(c.s)-contents:]
	c.s = c.s[:len(c.s)-contents]
	l.heads = c
	return documents, nodes, c.err
}

// load reads the documents one by one; each is derived and hashed while its bytes are in
// the cache.
func (l *loader) load() error {
	for range cap(l.documents) {
		nodes := l.document()
		if l.heads.err != nil {
			return l.heads.err
		}
		node.Hash(nodes)
		l.whole = l.whole && l.derive(nodes)
		l.documents = append(l.documents, nodes)
	}
	if len(l.slab) != 0 || len(l.texts) != 0 || l.heads.at != len(l.heads.s) {
		return errShort
	}
	l.whole = l.whole && l.extras.at == len(l.extras.s)
	return nil
}

// document reads one document: its nodes in pre-order, each with the number of its
// children. An error is in the cursor.
func (l *loader) document() []*node.Node {
	c := &l.heads
	path := c.string()
	n := c.count(smallestNode)
	if n == 0 || n > len(l.slab) {
		c.fail()
		return nil
	}
	nodes := l.list[:n:n]
	tree := &l.tree
	tree.open, tree.wait = tree.open[:0], tree.wait[:0]
	for i := range nodes {
		x := &l.slab[i]
		kids := l.node(x)
		x.Path = path
		if c.err != nil || (i > 0) == (len(tree.open) == 0) || kids > n-i-1 {
			c.fail()
			return nil
		}
		nodes[i], l.entries[i] = x, champ.NewEntry(x.ID, x)
		if i > 0 {
			p := nodes[tree.parent()]
			x.Parent = p.ID
			p.Kids = append(p.Kids, x.ID)
		}
		if kids > 0 {
			tree.push(i, kids)
			x.Kids = l.kidsSlice(kids)
		}
	}
	if len(tree.open) != 0 {
		c.fail()
	}
	l.slab, l.list, l.entries = l.slab[n:], l.list[n:], l.entries[n:]
	return nodes
}

// node reads one node into x and returns the number of its children.
func (l *loader) node(x *node.Node) (kids int) {
	c := &l.heads
	x.Identify(c.string())
	switch number := c.uint(); {
	case number == 0:
		x.Type = c.string()
	case number <= uint64(len(types)):
		x.Type = types[number-1]
	default:
		c.fail()
	}
	l.modified += c.int()
	x.Modified = l.modified
	kids = c.count(smallestNode)
	if marks := c.uint(); marks > 0 {
		readAttrs(x, c, marks)
	}
	size := c.uint()
	if size > uint64(len(l.texts)) {
		c.fail()
		return 0
	}
	if size > 0 {
		x.Content, l.texts = l.texts[:size], l.texts[size:]
	}
	return kids
}

// preorder finds the parents of nodes in pre-order from the numbers of children.
type preorder struct {
	open []int // nodes with missing children
	wait []int // number of missing children of each
}

func (t *preorder) push(i, kids int) { t.open, t.wait = append(t.open, i), append(t.wait, kids) }

// parent returns the parent of the next node.
func (t *preorder) parent() int {
	top := len(t.open) - 1
	p := t.open[top]
	if t.wait[top]--; t.wait[top] == 0 {
		t.open, t.wait = t.open[:top], t.wait[:top]
	}
	return p
}

// readAttrs reads the fields that only nodes of trees have: marks is twice the number of
// attributes, plus one for a node without content.
func readAttrs(x *node.Node, c *cursor, marks uint64) {
	if x.Bare = marks&1 != 0; marks/2 > uint64(len(c.s)-c.at)/2 {
		c.fail()
		return
	}
	x.Attrs = make([]document.Attr, 0, marks/2)
	for range marks / 2 {
		key := c.string()
		v, err := document.ParseValue(c.string())
		if err != nil {
			c.fail()
			return
		}
		x.Attrs = append(x.Attrs, document.Attr{Key: key, Value: v})
	}
}

// kidsSlice returns an empty slice of the given capacity from the slab.
func (l *loader) kidsSlice(n int) []string {
	at := len(l.kids)
	if at+n > cap(l.kids) {
		return make([]string, 0, n)
	}
	l.kids = l.kids[:at+n]
	return l.kids[at : at : at+n]
}

// state returns the state of the documents; lost says that a node claims an id that
// another node bears. The Merkle map is built concurrently.
func (w *whole) state(lost bool) *State {
	s := Empty(w.formats)
	var hashing sync.WaitGroup
	hashing.Go(func() { s.tree = merkle.Build(w.nodes) })
	s.nodes = champ.Build(w.entries)
	documents, slab := make([]champ.Entry[*docNodes], len(w.documents)), make([]docNodes, len(w.documents))
	setup := setupCounts{champ.Map[int]{}.Edit()}
	for i, nodes := range w.documents {
		slab[i].init(nodes)
		documents[i] = champ.NewEntry(nodes[0].Path, &slab[i])
		setup.replace(nil, nodes)
	}
	s.documents, s.setup = champ.Build(documents), setup.Map()
	hashing.Wait()
	if lost || s.Len() != s.tree.Len() {
		s.contest()
	}
	return s
}
