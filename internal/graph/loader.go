// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"fmt"
	"slices"
	"sync"

	"github.com/fovea-memory/fovea/internal/champ"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// loader builds the nodes of a part of an image out of slabs, so that a large
// memory costs few allocations.
type loader struct {
	slab      []node.Node  // not yet used
	list      []*node.Node // not yet used
	kids      []string
	documents [][]*node.Node
	derived   bool // the nodes have their derived fields
}

// readNodes reads a nodes section.
func (l *loader) readNodes(section string) error {
	c := &cursor{s: section}
	if f := c.uint(); c.err == nil && f != ImageFormat {
		return fmt.Errorf("format %d: %w", f, ErrFormat)
	}
	documents, count := c.count(2), 0
	count = c.count(4)
	l.slab, l.list = make([]node.Node, count), make([]*node.Node, count)
	l.kids, l.documents = make([]string, 0, count), make([][]*node.Node, 0, documents)
	for range documents {
		l.document(c)
		if c.err != nil {
			return c.err
		}
	}
	if c.err != nil || len(l.slab) != 0 || c.at != len(c.s) {
		return errShort
	}
	return nil
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
	nodes := l.list[:n:n]
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
	l.slab, l.list = l.slab[n:], l.list[n:]
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

// hash computes all digests.
func (l *loader) hash() {
	for _, nodes := range l.documents {
		node.Hash(nodes)
	}
}

// assemble makes the state of documents with all that belongs to their nodes.
// The Merkle map is made beside the others.
func assemble(documents [][]*node.Node) *State {
	s, all := &State{}, slices.Concat(documents...)
	var hashing sync.WaitGroup
	hashing.Go(func() {
		tree := merkle.Map[*node.Node]{}.Edit()
		for _, n := range all {
			tree.Set(n)
		}
		s.tree = tree.Map()
	})
	s.nodes = champ.Build(len(all), func(i int) (string, *node.Node) { return all[i].ID, all[i] })
	s.documents = champ.Build(len(documents), func(i int) (string, []*node.Node) {
		return documents[i][0].Path, documents[i]
	})
	setup := askers{champ.Map[int]{}.Edit()}
	for _, d := range documents {
		setup.replace(nil, d)
	}
	s.setup = setup.Map()
	lost := slices.ContainsFunc(all, loses)
	hashing.Wait()
	if lost || s.Len() != s.tree.Len() {
		s.contest()
	}
	return s
}
