// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"fmt"
	"slices"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// PutBranch sets a branch of a tree: the node with this id and all below it. Where no
// id beside or above the branch can change, only the branch and its ancestors are
// touched: O(nodes of the branch, children of the ancestors). Otherwise the whole tree
// is put. Errors: node.ErrTree; nothing is changed then.
func (d *Draft) PutBranch(id string, t *ast.Tree) error {
	n, ok := d.nodes.Get(id)
	var whole *docNodes
	if ok {
		whole, ok = d.documents.Get(n.Path)
	}
	if !ok || !whole.tree {
		return fmt.Errorf("%.60q is no node of a tree: %w", id, document.ErrTree)
	}
	if n.Parent == "" {
		return d.PutTree(n.Path, t)
	}
	old := walk(id, whole.size, d.nodes.Get)
	nodes, err := d.branch(old, whole.size, t)
	if err != nil {
		return err
	}
	if nodes != nil {
		d.graft(whole, old, nodes)
		return nil
	}
	tree, _ := node.TreeOf(d.current(n.Path)).With(id, func(*ast.Tree) *ast.Tree { return t })
	return d.PutTree(n.Path, tree)
}

// branch returns the nodes of a tree in the place of the old ones of a branch; nil if
// the rest of the tree, of size nodes in all, must be looked at.
func (d *Draft) branch(old []*node.Node, size int, t *ast.Tree) ([]*node.Node, error) {
	n := old[0]
	way := d.way(n)
	stem := node.Stem{Path: n.Path, Parent: way[len(way)-2], Place: func() merkle.Digest { return node.TreePlace(way, d.nodes.Get) }}
	if node.IsDerived(n.ID) {
		stem.ID = n.ID
	}
	o, err := node.Below(stem, t)
	if err != nil || !n.SamePlace(t) || o.HasCustom() || d.movesIDs(old, o.Claims()) {
		return nil, err
	}
	nodes, _ := o.Nodes(func(node.Claim) bool { return true })
	if size+len(nodes)-len(old) > ast.MaxTreeNodes {
		return nil, nil // putting the whole tree reports this
	}
	return nodes, nil
}

// movesIDs reports whether ids could move between documents by the new claims of a
// branch or by the end of its old ones.
func (d *Draft) movesIDs(old []*node.Node, claims []node.Claim) bool {
	mine := map[string]bool{}
	for _, n := range old {
		if mine[n.ID] = true; n.HasCustom() || loses(n) {
			return true
		}
		if _, contested := d.contested.Get(n.ID); contested {
			return true
		}
	}
	return slices.ContainsFunc(claims, func(c node.Claim) bool { return !mine[c.ID] && !d.free(c.ID) })
}

// free reports whether nobody claims an id.
func (d *Draft) free(id string) bool {
	_, borne := d.nodes.Get(id)
	_, contested := d.contested.Get(id)
	return !borne && !contested
}

// extend puts a text that adds headlines with ids to the end of what a file holds. It
// returns false, and changes nothing, for any other text.
func (d *Draft) extend(path, text string) bool {
	whole, ok := d.documents.Get(path)
	_, isSetup := d.setup.Get(path)
	if !ok || whole.tree || isSetup {
		return false
	}
	nodes := d.current(path)
	more, ok := cutPrefix(text, nodes)
	if !ok {
		return false
	}
	added := node.Extend(d.base.formats.Of(path), nodes, more, filesOf(d.current), d.free)
	if added == nil {
		return false
	}
	delete(d.problem, path)
	d.graft(whole, nil, added)
	return true
}

// graft replaces a branch of a document by nodes, or with no old nodes adds them behind
// the last children of their parents, and updates the ancestors. The parent of the first
// node is the deepest. The other nodes of the document are not touched.
func (d *Draft) graft(whole *docNodes, old, nodes []*node.Node) {
	d.keep(old, nodes, false)
	if len(old) > 0 && nodes[0] == old[0] {
		return // its version covers all below it
	}
	d.changed = true
	d.swap(old, nodes)
	first := nodes[0]
	up, _ := d.nodes.Get(first.Parent)
	way := d.way(up)
	roots := map[string][]string{} // by parent
	for _, n := range way {
		roots[n.ID] = nil
	}
	for _, n := range nodes {
		if ids, above := roots[n.Parent]; above {
			roots[n.Parent] = append(ids, n.ID)
		}
	}
	for _, up := range slices.Backward(way) {
		n := *up
		if ids := roots[n.ID]; len(ids) > 0 && len(old) == 0 {
			n.Kids = slices.Concat(n.Kids, ids)
		} else if len(ids) > 0 && ids[0] != old[0].ID {
			n.Kids = slices.Clone(n.Kids)
			n.Kids[slices.Index(n.Kids, old[0].ID)] = ids[0]
		}
		n.Version = d.version(&n)
		d.set(&n)
	}
	d.documents.Set(first.Path, &docNodes{top: whole.top, extent: whole.plus(-1, old...).plus(1, nodes...), tree: whole.tree})
}

// way returns the nodes from the document to n.
func (d *Draft) way(n *node.Node) []*node.Node {
	way := []*node.Node{n}
	for n.Parent != "" {
		up, ok := d.nodes.Get(n.Parent)
		if !ok || len(way) > d.nodes.Len() {
			break
		}
		way, n = append(way, up), up
	}
	slices.Reverse(way)
	return way
}

// version returns the version of a node from those of its children.
func (d *Draft) version(n *node.Node) merkle.Digest {
	var few [16]merkle.Digest
	kids := slices.Grow(few[:0], len(n.Kids))
	for _, id := range n.Kids {
		if k, ok := d.nodes.Get(id); ok {
			kids = append(kids, k.Version)
		}
	}
	v, _ := node.VersionBlock(n.Own, kids, nil) // without emit, and under the maximum number of children: no error
	return v
}
