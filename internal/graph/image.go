// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"sync"

	"github.com/fovea-memory/fovea/internal/champ"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// ImageFormat is the version of the node and derived sections of an image
// (doc/format/nodes.md).
const ImageFormat = 0

// EncodeNodes returns the nodes section of an image: ids, times, shape and
// bytes, in document order, and no digest. Who reads it computes the digests
// from the bytes and compares the root.
func (s *State) EncodeNodes() []byte {
	size := 0
	for _, n := range s.nodes.All() {
		size += len(n.Content) + len(n.ID) + 32
	}
	b := make([]byte, 0, size+64)
	b = binary.AppendUvarint(b, ImageFormat)
	b = binary.AppendUvarint(b, uint64(s.DocumentCount()))
	b = binary.AppendUvarint(b, uint64(s.Len()))
	for d := range s.Documents() {
		nodes := s.Nodes(d.Path)
		b = appendString(b, d.Path)
		b = binary.AppendUvarint(b, uint64(len(nodes)))
		for _, n := range nodes {
			b = appendString(b, n.ID)
			b = appendString(b, n.Type)
			b = binary.AppendVarint(b, n.Modified)
			b = binary.AppendUvarint(b, uint64(len(n.Kids)))
			b = binary.AppendUvarint(b, uint64(len(n.Attrs)))
			for _, a := range n.Attrs {
				b = appendString(appendString(b, a.Key), a.Value)
			}
			b = appendString(b, n.Content)
		}
	}
	return b
}

// DecodeNodes reads a nodes section and the derived section that belongs to
// it; where the latter is empty or of another parser, derived fields are read
// from the bytes. All digests are computed anew. The state shares the memory
// of its arguments. Damaged input is an error, never a panic.
func DecodeNodes(section, derived string) (*State, error) {
	c := &cursor{s: section}
	if f := c.uint(); c.err == nil && f != ImageFormat {
		return nil, fmt.Errorf("image: nodes section: format %d: %w", f, ErrFormat)
	}
	docs, count := c.count(2), 0
	count = c.count(4)
	l := loader{slab: make([]node.Node, count), kids: make([]string, 0, count)}
	for range docs {
		l.document(c)
		if c.err != nil {
			return nil, fmt.Errorf("image: nodes section: %w", c.err)
		}
	}
	if len(l.slab) != 0 || c.at != len(c.s) {
		return nil, fmt.Errorf("image: nodes section: %w", errShort)
	}
	var hashing sync.WaitGroup
	hashing.Go(l.hash)
	if !l.readDerived(derived) {
		hashing.Wait()
		if err := l.rederive(); err != nil {
			return nil, err
		}
	}
	return l.state(&hashing), nil
}

// loader builds the nodes of an image out of two slabs, so that a large memory
// costs few allocations.
type loader struct {
	slab      []node.Node // not yet used
	kids      []string
	documents [][]*node.Node
}

// document reads one document; nodes stand in pre-order, each with the number
// of its children.
func (l *loader) document(c *cursor) {
	path := c.string()
	n := c.count(4)
	if n == 0 || n > len(l.slab) {
		c.fail()
		return
	}
	nodes := make([]*node.Node, n)
	open := make([]int, 0, 8) // nodes that still wait for children
	wait := make([]int, 0, 8)
	for i := range n {
		x := &l.slab[i]
		nodes[i] = x
		x.Identify(c.string())
		x.Type = c.string()
		x.Path = path
		x.Modified = c.int()
		kids := c.count(4)
		for range c.count(2) {
			x.Attrs = append(x.Attrs, node.Attr{Key: c.string(), Value: c.string()})
		}
		x.Content = c.string()
		if c.err != nil || (i > 0) == (len(open) == 0) || kids > n-i-1 {
			c.fail()
			return
		}
		if i > 0 {
			p := nodes[open[len(open)-1]]
			x.Parent = p.ID
			p.Kids = append(p.Kids, x.ID)
			if wait[len(wait)-1]--; wait[len(wait)-1] == 0 {
				open, wait = open[:len(open)-1], wait[:len(wait)-1]
			}
		}
		if kids > 0 {
			open, wait = append(open, i), append(wait, kids)
			x.Kids = l.room(kids)
		}
	}
	if len(open) != 0 {
		c.fail()
	}
	l.slab = l.slab[n:]
	l.documents = append(l.documents, nodes)
}

// room returns an empty slice of the given capacity cut from the slab.
func (l *loader) room(n int) []string {
	at := len(l.kids)
	if at+n > cap(l.kids) {
		return make([]string, 0, n)
	}
	l.kids = l.kids[:at+n]
	return l.kids[at : at : at+n]
}

// hash computes all digests, on all processors.
func (l *loader) hash() {
	parts := runtime.GOMAXPROCS(0)
	var wg sync.WaitGroup
	for p := range parts {
		wg.Go(func() {
			for i := p; i < len(l.documents); i += parts {
				node.Hash(l.documents[i])
			}
		})
	}
	wg.Wait()
}

// state puts the nodes into their maps; the Merkle map when they are hashed.
func (l *loader) state(hashing *sync.WaitGroup) *State {
	nodes := champ.Map[*node.Node]{}.Edit()
	documents := champ.Map[[]*node.Node]{}.Edit()
	setup := askers{champ.Map[int]{}.Edit()}
	lost := false
	for _, d := range l.documents {
		documents.Set(d[0].Path, d)
		setup.replace(nil, d)
		for _, n := range d {
			nodes.Set(n.ID, n)
			lost = lost || loses(n)
		}
	}
	hashing.Wait()
	tree := merkle.Map[*node.Node]{}.Edit()
	for _, d := range l.documents {
		for _, n := range d {
			tree.Set(n)
		}
	}
	s := &State{nodes: nodes.Map(), documents: documents.Map(), tree: tree.Map(), setup: setup.Map()}
	if lost || s.Len() != s.tree.Len() {
		s.contest()
	}
	return s
}
