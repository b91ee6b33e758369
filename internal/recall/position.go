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
	element, at, ok := v.Span(n.ID)
	if !ok {
		return 0, 0
	}
	host, _ := v.State.Get(element.Parent)
	offset, line = v.State.Position(host)
	return offset + at, line + strings.Count(host.Content[:at], "\n")
}

// Lines returns the 1-based line at which each of the nodes and elements begins in its
// document, 0 for one that is not in the state. It reads each document, and parses each
// node that contains one of the elements, once: O(their bytes + nodes).
func (v View) Lines(nodes []*node.Node) []int {
	paths, places := map[string]bool{}, map[string][]int{} // places: indexes of nodes by id
	types := map[string]map[org.Type]bool{}                // by id of a node: of the elements in it
	for i, n := range nodes {
		paths[n.Path] = true
		places[n.ID] = append(places[n.ID], i)
		if _, isNode := v.State.Get(n.ID); isNode {
			continue
		}
		if t, ok := elementNames[n.Type]; ok {
			if types[n.Parent] == nil {
				types[n.Parent] = map[org.Type]bool{}
			}
			types[n.Parent][t] = true
		}
	}
	out := make([]int, len(nodes))
	for path := range paths {
		line := 1
		for _, host := range v.State.Nodes(path) {
			for _, i := range places[host.ID] {
				out[i] = line
			}
			from := 0
			for s := range spans(host, types[host.ID]) { // in the order of their offsets
				line += strings.Count(host.Content[from:s.offset], "\n")
				from = s.offset
				for _, i := range places[s.node.ID] {
					out[i] = line
				}
			}
			line += strings.Count(host.Content[from:], "\n")
		}
	}
	return out
}
