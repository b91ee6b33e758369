// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"strings"

	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// Position returns the byte offset and the 1-based line at which a node or an element
// starts in its document, or 0 and 0 if it is not in the state.
func (v View) Position(n *node.Node) (offset, line int) {
	if offset, line = v.State.Position(n); line > 0 {
		return offset, line
	}
	s, ok := v.span(n.ID)
	if !ok {
		return 0, 0
	}
	offset, line = v.State.Position(s.host)
	return offset + s.offset, line + strings.Count(s.host.Content[:s.offset], "\n")
}

// Lines returns the 1-based line at which each of the nodes and elements begins in its
// document, 0 for one that is not there. It reads each document, and the text of each
// node that holds one of the elements, once: O(their bytes + nodes).
func (v View) Lines(nodes []*node.Node) []int {
	out := make([]int, len(nodes))
	wanted := map[string]map[string][]int{} // path -> id of a node -> indexes of nodes that are it, or are in it
	for i, n := range nodes {
		id := n.ID
		if _, ok := v.State.Get(id); !ok {
			id = n.Parent
		}
		ids := wanted[n.Path]
		if ids == nil {
			ids = map[string][]int{}
			wanted[n.Path] = ids
		}
		ids[id] = append(ids[id], i)
	}
	for path, ids := range wanted {
		line := 1
		for _, host := range v.State.Nodes(path) {
			if asked, ok := ids[host.ID]; ok {
				linesIn(host, line, nodes, asked, out)
				if delete(ids, host.ID); len(ids) == 0 {
					break
				}
			}
			line += strings.Count(host.Content, "\n")
		}
	}
	return out
}

// linesIn sets in out the lines of the nodes that asked names: each is host, which
// begins at a line, or an element in it.
func linesIn(host *node.Node, line int, nodes []*node.Node, asked, out []int) {
	elements, types := map[string][]int{}, map[org.Type]bool{}
	for _, i := range asked {
		if nodes[i].ID == host.ID {
			out[i] = line
			continue
		}
		elements[nodes[i].ID] = append(elements[nodes[i].ID], i)
		if t, ok := elementNames[nodes[i].Type]; ok {
			types[t] = true
		}
	}
	from := 0
	for s := range spans(host, types) { // in the order of their places
		line += strings.Count(host.Content[from:s.offset], "\n")
		from = s.offset
		for _, i := range elements[s.node.ID] {
			out[i] = line
		}
	}
}
