// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/node"
)

// Rank returns the layer of a document: 0 in a state of its own scope, more if Adopt laid it over that scope.
func (s *State) Rank(path string) int { return s.ranks[path] }

// Adopt sets a document and its rank to the nodes of another state. Of two documents that
// claim an id, the one of the higher rank bears it, whatever their paths. Nodes that bear
// the same ids in both states are shared. No nodes remove the document. O(nodes), and
// parsing where ids move, as in Put.
func (d *Draft) Adopt(path string, nodes []*node.Node, rank int) {
	if len(nodes) == 0 {
		d.rank(path, 0)
		d.Drop(path)
		return
	}
	d.lacks = d.lacks || slices.ContainsFunc(nodes, IsGone)
	old := d.take(path)
	d.claim(path, old, nil) // before the rank of its claims changes
	d.rank(path, rank)
	isCopy := d.copied.Of(path) != ""
	if !isCopy {
		d.claim(path, nil, claimsOf(nodes))
	}
	d.documents.Set(path, newDocument(nodes))
	if !isCopy && d.bearsClaimed(nodes) {
		d.swap(old, nodes)
	} else { // none of them enters the map of ids: settle parses the document again
		d.swap(old, nil)
		d.retry = append(d.retry, path)
	}
	d.settle(path)
}

// rank sets the rank of a document.
func (d *Draft) rank(path string, rank int) {
	if d.ranks[path] == rank {
		return
	}
	if !d.ranked {
		d.ranks, d.ranked = maps.Clone(d.ranks), true
	}
	if d.ranks == nil {
		d.ranks = map[string]int{}
	}
	if d.ranks[path] = rank; rank == 0 {
		delete(d.ranks, path)
	}
}

// order compares claims: those of a higher rank are first.
func (d *Draft) order(a, b node.Claim) int {
	if d.ranks != nil && d.ranks[a.Path] != d.ranks[b.Path] {
		return d.ranks[b.Path] - d.ranks[a.Path]
	}
	return order(a, b)
}

// claimsOf returns the claims of a document's nodes.
func claimsOf(nodes []*node.Node) []node.Claim {
	var claims []node.Claim
	for _, n := range nodes {
		if id := n.ClaimedID(); id != "" {
			claims = append(claims, node.Claim{ID: id, Path: n.Path})
		}
	}
	return claims
}

// bearsClaimed reports whether the nodes of a document bear exactly the ids that they may bear
// in the draft.
func (d *Draft) bearsClaimed(nodes []*node.Node) bool {
	seen := map[string]bool{}
	for _, n := range nodes {
		id := n.ClaimedID()
		if id == "" {
			continue
		}
		bears := !seen[id] && d.bears(node.Claim{ID: id, Path: n.Path})
		seen[id] = true
		if bears != (n.ID == id) {
			return false
		}
	}
	return true
}
