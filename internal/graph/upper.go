// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/node"
)

// Rank returns how high a document lies: 0 in a state of its own scope, more for
// one that Adopt has laid over it.
func (s *State) Rank(path string) int { return s.ranks[path] }

// Adopt sets a document to the nodes that another state has of it, and its rank:
// where two documents claim an id, the one of the higher rank bears it, whatever
// their paths. The nodes stay the very objects they are where they bear the same
// ids here as there. None takes the document out. O(nodes), and parsing where ids
// change hands, as in Put.
func (d *Draft) Adopt(path string, nodes []*node.Node, rank int) {
	if len(nodes) == 0 {
		d.rank(path, 0)
		d.Drop(path)
		return
	}
	d.lacks = d.lacks || slices.ContainsFunc(nodes, IsGone)
	old := d.take(path)
	d.claim(path, nil) // before the rank of what it claims changes
	d.rank(path, rank)
	claims := claimsOf(nodes)
	d.claim(path, claims)
	delete(d.problem, path)
	borne := d.borne(nodes)
	if borne {
		d.swap(old, nodes)
	} else { // none of them is in the map of ids: settle makes those that are to be
		d.swap(old, nil)
		d.retry = append(d.retry, path)
	}
	if node.IsTree(nodes) {
		d.setup.replace(old, nil)
		d.touch(nodes)
		d.trees.Set(path, plant(nodes))
	} else {
		d.adoptFile(path, old, nodes, borne)
	}
	d.retry = append(d.retry, d.dependents(path)...)
	d.settle()
}

// adoptFile sets the nodes of a file.
func (d *Draft) adoptFile(path string, old, nodes []*node.Node, borne bool) {
	d.after[path] = nodes
	if !borne {
		d.setup.replace(old, nil)
		return
	}
	d.setup.replace(old, nodes)
	d.documents.Set(path, nodes)
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

// order compares claims: those of a higher rank come first.
func (d *Draft) order(a, b node.Claim) int {
	if d.ranks != nil && d.ranks[a.Path] != d.ranks[b.Path] {
		return d.ranks[b.Path] - d.ranks[a.Path]
	}
	return order(a, b)
}

// claimsOf lists the claims of a document's nodes.
func claimsOf(nodes []*node.Node) []node.Claim {
	var claims []node.Claim
	ordered := !node.IsTree(nodes)
	for i, n := range nodes {
		if id := n.Wish(); id != "" {
			claims = append(claims, claimOf(id, n.Path, i, ordered))
		}
	}
	return claims
}

// claimOf makes the claim of the i-th node of a document. Within a tree no id is
// claimed twice: its claims are not ordered, so that a part may change alone.
func claimOf(id, path string, i int, ordered bool) node.Claim {
	if !ordered {
		i = 0
	}
	return node.Claim{ID: id, Path: path, Ordinal: i}
}

// borne reports whether the nodes of a document bear just the ids that they may
// bear in the draft.
func (d *Draft) borne(nodes []*node.Node) bool {
	met := map[string]bool{}
	ordered := !node.IsTree(nodes)
	for i, n := range nodes {
		id := n.Wish()
		if id == "" {
			continue
		}
		bears := !met[id] && d.bears(claimOf(id, n.Path, i, ordered))
		met[id] = true
		if bears != (n.ID == id) {
			return false
		}
	}
	return true
}
