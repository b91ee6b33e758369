// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"strings"

	"github.com/fovea-memory/fovea/node"
)

// extend is put for a text that adds headlines to the end of what a file holds; it
// returns false, and has done nothing, for any other and where that is not all that
// the text would do.
func (d *Draft) extend(path, text string) bool {
	_, isTree := d.trees.Get(path)
	_, asked := d.setup.Get(path)
	if isTree || asked {
		return false
	}
	nodes := d.current(path)
	more, ok := behind(nodes, text)
	if !ok || len(nodes) == 0 {
		return false
	}
	all := node.Extend(nodes, more, reading(path, d.base.defaults, d.current), d.free)
	if all == nil {
		return false
	}
	d.lengthen(path, nodes, all)
	return true
}

// lengthen sets the nodes of a file that has those of before, changed or not, and more
// behind them.
func (d *Draft) lengthen(path string, before, all []*node.Node) {
	if _, seen := d.before[path]; !seen {
		d.before[path], _ = d.base.documents.Get(path)
	}
	ids := d.claimed(path)
	ids = append(make([]string, 0, len(ids)+len(all)-len(before)), ids...)
	for i, n := range before {
		if all[i] != n {
			d.nodes.Set(n.ID, all[i])
		}
	}
	for _, n := range all[len(before):] {
		n.Modified = d.now
		ids = append(ids, n.ID)
		d.nodes.Set(n.ID, n)
	}
	d.claims[path] = ids
	d.documents.Set(path, all)
	d.after[path] = all
	delete(d.places, path)
	delete(d.problem, path)
}

// free reports whether nobody claims an id.
func (d *Draft) free(id string) bool {
	_, borne := d.nodes.Get(id)
	_, contested := d.contested.Get(id)
	return !borne && !contested
}

// behind cuts the text that nodes join to off a text.
func behind(nodes []*node.Node, text string) (rest string, ok bool) {
	for _, n := range nodes {
		if text, ok = strings.CutPrefix(text, n.Content); !ok {
			return "", false
		}
	}
	return text, true
}

// Holds reports whether a document has just these bytes, without joining its nodes'.
func (s *State) Holds(path, text string) bool {
	nodes := s.Nodes(path)
	rest, ok := behind(nodes, text)
	return nodes != nil && ok && rest == ""
}

// Size returns the number of bytes of a document, 0 for none.
func (s *State) Size(path string) int {
	size := 0
	for _, n := range s.Nodes(path) {
		size += len(n.Content)
	}
	return size
}
