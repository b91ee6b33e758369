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

// PutTree is Put for a tree; nil removes the document. Errors: document.ErrTree.
func (d *Draft) PutTree(path string, t *ast.Tree) error {
	if t == nil {
		d.Drop(path)
		return nil
	}
	parts, err := t.Parts(path)
	if err == nil {
		d.Put(path, parts...)
	}
	return err
}

// PutBranch sets a branch of a tree: the node with this id and all below it. If no id outside the branch can
// change, it touches only the branch and its ancestors: O(nodes of the branch, children of the ancestors).
// Otherwise it puts the whole tree. Errors: document.ErrTree; nothing is changed then.
func (d *Draft) PutBranch(id string, t *ast.Tree) error {
	var way []*node.Node
	n, ok := d.nodes.Get(id)
	if ok {
		way = d.way(n)
	}
	if !ok || !way[0].IsTree() {
		return fmt.Errorf("%.60q is not a node of a tree: %w", id, document.ErrTree)
	}
	tree := t
	if n.Parent != "" {
		whole, _ := d.documents.Get(n.Path)
		old := walk(id, whole.size, d.nodes.Get)
		o, err := node.Replace(way, t, d.nodes.Get)
		if err != nil {
			return err
		}
		if whole.size+len(o.Parts)-len(old) <= ast.MaxTreeNodes && d.graft(old, o) {
			return nil
		}
		tree, _ = node.TreeOf(d.current(n.Path)).With(id, func(*ast.Tree) *ast.Tree { return t })
	}
	parts, err := tree.Parts(n.Path)
	if err == nil {
		d.Put(n.Path, parts...)
	}
	return err
}

// extend puts a text that appends headlines with ids to the present text of a file. It returns false, and
// changes nothing, for any other text.
func (d *Draft) extend(f document.Editor, path, text string) bool {
	nodes := d.current(path)
	_, isSetup := d.setup.Get(path)
	if nodes == nil || nodes[0].IsTree() || isSetup || d.copied.Of(path) != "" {
		return false
	}
	more, ok := cutPrefix(text, nodes)
	if !ok {
		return false
	}
	o := node.Extend(f, nodes, more, filesOf(d.current))
	return o != nil && d.graft(nil, o)
}

// graft replaces old nodes by a branch of a document, or without old nodes appends it to the children of its
// parents, and updates the ancestors. The parent of the first part is the deepest. The other nodes of the
// document are not touched: if an id could change among them, graft returns false, and changes nothing.
func (d *Draft) graft(old []*node.Node, o *node.Outline) bool {
	if d.movesIDs(old, o) {
		return false
	}
	nodes, _ := o.Nodes(func(node.Claim) bool { return true })
	if nodes == nil {
		return false
	}
	if d.keep(old, nodes, len(old) == 0); len(old) > 0 && nodes[0] == old[0] {
		return true // its version covers all below it
	}
	d.changed[nodes[0].Path] = true
	d.swap(old, nodes)
	roots := map[string][]string{} // by parent
	for i, n := range nodes {
		if o.Parts[i].Parent < 0 {
			roots[n.Parent] = append(roots[n.Parent], n.ID)
		}
	}
	deepest, _ := d.nodes.Get(nodes[0].Parent)
	way := d.way(deepest)
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
	path := nodes[0].Path
	whole, _ := d.documents.Get(path)
	d.documents.Set(path, &docNodes{top: whole.top, tree: whole.tree, extent: whole.plus(-1, old...).plus(1, nodes...)})
	return true
}

// movesIDs reports whether an id outside a branch could change when it replaces the old nodes, or is added at
// the end: because siblings change their order, or a node outside loses or wins an id.
func (d *Draft) movesIDs(old []*node.Node, o *node.Outline) bool {
	if o.HasCustom() || len(old) > 0 && !old[0].SamePlace(o.Parts[0].Key) {
		return true
	}
	mine := map[string]bool{}
	for _, n := range old {
		if mine[n.ID] = true; n.HasCustom() || loses(n) {
			return true
		}
		if _, contested := d.contested.Get(n.ID); contested {
			return true
		}
	}
	return slices.ContainsFunc(o.Claims(), func(c node.Claim) bool {
		_, borne := d.nodes.Get(c.ID)
		_, contested := d.contested.Get(c.ID)
		return !mine[c.ID] && (borne || contested)
	})
}

// way returns the nodes from the document to n.
func (d *Draft) way(n *node.Node) []*node.Node {
	return append(ancestors(n, d.nodes.Len(), d.nodes.Get), n)
}

// ancestors returns a node's ancestors, its document first; about limit of them if they form a cycle.
func ancestors(n *node.Node, limit int, get func(id string) (*node.Node, bool)) []*node.Node {
	var up []*node.Node
	for p, ok := get(n.Parent); ok && len(up) <= limit; p, ok = get(p.Parent) {
		up = append(up, p)
	}
	slices.Reverse(up)
	return up
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
