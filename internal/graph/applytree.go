// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import "github.com/fovea-memory/fovea/node"

// rederiveBranches derives the nodes of a tree that changed, without a look at
// those that did not, and reports whether that was enough: whether the document
// was this tree before, and nothing that its nodes hand down has changed.
func (b *builder) rederiveBranches(path string) bool {
	t, ok := b.trees.Get(path)
	was, had := b.base.trees.Get(path)
	if !ok || !had || t.top != was.top {
		return false
	}
	waiting := map[string]bool{}
	for _, id := range b.branches[path] {
		waiting[id] = true
	}
	for _, id := range b.branches[path] {
		if !b.rederiveWay(id, waiting) {
			return false
		}
	}
	b.trees.Set(path, &tree{top: t.top, size: t.size}) // not with a list made before
	return true
}

// rederiveWay derives a node that waits for it, after those above that wait too.
func (b *builder) rederiveWay(id string, waiting map[string]bool) bool {
	var way []*node.Node
	var parent *node.Node
	for {
		n, ok := b.nodes.Get(id)
		if !ok || n.Type == typeGone {
			return false
		}
		if !waiting[id] {
			if parent = n; n.Derived == nil {
				return false // a way that leads back to itself, as a forged commit may have
			}
			break
		}
		delete(waiting, id)
		way = append(way, n)
		if n.Parent == "" {
			break
		}
		id = n.Parent
	}
	for i := len(way) - 1; i >= 0; i-- {
		n := way[i].Under(parent)
		if o, ok := b.base.Get(n.ID); ok && (o.Derived.Level != n.Derived.Level || o.Derived.Encrypted != n.Derived.Encrypted) {
			return false
		}
		b.put(n)
		parent = n
	}
	return true
}
