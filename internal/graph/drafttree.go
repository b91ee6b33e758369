// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"fmt"
	"slices"

	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// PutTree sets a document that came as a tree; path is as in node.GrowTree. An id
// of the tree that a file claims is the file's. A tree that cannot be taken in
// changes nothing and is node.ErrTree. O(nodes of the tree), and what Put says of
// ids that change hands.
func (d *Draft) PutTree(path string, t *node.Tree) error {
	if err := d.putTree(path, t); err != nil {
		return err
	}
	d.retry = append(d.retry, d.dependents(path)...)
	d.settle()
	return nil
}

func (d *Draft) putTree(path string, t *node.Tree) error {
	g, err := node.GrowTree(path, t)
	if err != nil {
		return err
	}
	old := d.take(path)
	d.setup.replace(old, nil)
	delete(d.problem, path)
	d.claim(path, g.Claims())
	nodes, problems := g.Nodes(d.bears)
	if len(problems) > 0 {
		d.problem[path] = problems
	}
	d.keep(old, nodes, false)
	d.swap(old, nodes)
	d.touch(nodes)
	d.trees.Set(path, plant(nodes))
	return nil
}

// touch notes that trees touched these nodes.
func (d *Draft) touch(nodes []*node.Node) {
	d.touched = slices.Grow(d.touched, len(nodes))
	for _, n := range nodes {
		d.touched = append(d.touched, n.ID)
	}
}

// fell takes a tree out of the draft whose nodes are these.
func (d *Draft) fell(path string, nodes []*node.Node) {
	d.touch(nodes)
	d.trees.Delete(path)
	d.claims[path] = wishes(nodes)
}

// PutBranch sets a part of a document that came as a tree: the node of that id
// with all below it. Where no id beside or above the branch can change by it, only
// the branch and its ancestors are touched: O(nodes of the branch, children of the
// ancestors). Else it is PutTree of the whole. Errors: node.ErrTree; nothing is
// changed then.
func (d *Draft) PutBranch(id string, t *node.Tree) error {
	n, ok := d.nodes.Get(id)
	var whole *tree
	if ok {
		whole, ok = d.trees.Get(n.Path)
	}
	if !ok {
		return fmt.Errorf("%.60q is no node of a tree: %w", id, node.ErrTree)
	}
	if n.Parent == "" {
		return d.PutTree(n.Path, t)
	}
	b := branch{draft: d, whole: whole, old: walk(id, whole.size, d.nodes.Get)}
	b.way = d.way(n)
	if alone, err := b.grow(t); err != nil || alone {
		return err
	}
	tree, _ := node.TreeOf(d.current(n.Path)).With(id, func(*node.Tree) *node.Tree { return t })
	return d.PutTree(n.Path, tree)
}

// way leads from the root of a node's document to the node.
func (d *Draft) way(n *node.Node) []*node.Node {
	way := []*node.Node{n}
	for n.Parent != "" {
		up, ok := d.nodes.Get(n.Parent)
		if !ok || len(way) > node.MaxTreeDepth {
			break
		}
		way, n = append(way, up), up
	}
	slices.Reverse(way)
	return way
}

// branch is a part of a tree in a draft, to be replaced by another.
type branch struct {
	draft *Draft
	whole *tree
	way   []*node.Node // from the root to the branch
	old   []*node.Node
}

// grow puts the tree in the branch's place and reports whether it could: whether
// all else in the tree stays but for the versions above.
func (b *branch) grow(t *node.Tree) (alone bool, err error) {
	n, up := b.old[0], b.way[len(b.way)-2]
	stem := node.Stem{Path: n.Path, Parent: up, Place: func() merkle.Digest { return node.TreePlace(b.way, b.draft.nodes.Get) }}
	if node.IsDerived(n.ID) {
		stem.ID = n.ID
	}
	g, err := node.GrowBranch(stem, t)
	if err != nil {
		return false, err
	}
	if !n.SamePlace(t) || g.Customs() || b.contested(g.Claims()) {
		return false, nil
	}
	nodes, _ := g.Nodes(func(node.Claim) bool { return true })
	if b.whole.size+len(nodes)-len(b.old) > node.MaxTreeNodes {
		return false, nil // the whole tree is refused by name
	}
	b.replace(nodes)
	return true, nil
}

// contested reports whether ids could change hands by the new claims or by the
// end of the old ones.
func (b *branch) contested(claims []node.Claim) bool {
	d, mine := b.draft, map[string]bool{}
	for _, n := range b.old {
		if mine[n.ID] = true; n.Custom() || loses(n) {
			return true
		}
		if _, fought := d.contested.Get(n.ID); fought {
			return true
		}
	}
	return slices.ContainsFunc(claims, func(c node.Claim) bool {
		_, fought := d.contested.Get(c.ID)
		_, borne := d.nodes.Get(c.ID)
		return fought || borne && !mine[c.ID]
	})
}

// replace puts nodes where the old ones of the branch are, and hashes what is
// above again.
func (b *branch) replace(nodes []*node.Node) {
	d, n := b.draft, b.old[0]
	d.keep(b.old, nodes, false)
	if nodes[0] == n {
		return // a version says all that is below
	}
	d.touch(b.old)
	d.touch(nodes)
	d.swap(b.old, nodes)
	was, now := n, nodes[0]
	for _, up := range slices.Backward(b.way[:len(b.way)-1]) {
		above := *up
		if was.ID != now.ID {
			above.Kids = slices.Clone(up.Kids)
			above.Kids[slices.Index(up.Kids, was.ID)] = now.ID
		}
		above.Version = d.version(&above)
		d.touched = append(d.touched, above.ID)
		d.nodes.Set(above.ID, &above)
		was, now = up, &above
	}
	d.trees.Set(n.Path, &tree{top: b.whole.top, size: b.whole.size + len(nodes) - len(b.old)})
}

// version computes a node's version from its children's.
func (d *Draft) version(n *node.Node) merkle.Digest {
	var few [16]merkle.Digest
	kids := slices.Grow(few[:0], len(n.Kids))
	for _, id := range n.Kids {
		if k, ok := d.nodes.Get(id); ok {
			kids = append(kids, k.Version)
		}
	}
	v, _ := node.VersionBlock(n.Own, kids, nil) // no emit, and fewer children than a version can have: no error
	return v
}
