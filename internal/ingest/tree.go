// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ingest

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/write"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Tree is a tree to ingest.
type Tree struct {
	Root   *ast.Tree
	Parent string       // the id of a node of the scope, "" for none
	Over   string       // path of the file that the tree is a buffer of, "" for none
	Holder *scope.Scope // the scope that holds that file
}

// RunTree ingests a tree into the scope of a writer and returns the id of its root.
func RunTree(ctx context.Context, w *write.Writer, t Tree, opts *scope.WriteOptions) (string, chain.Commit, error) {
	in := &treeIngest{scope: w.Scope(), Tree: t}
	id := ""
	c, first, err := w.Do(ctx, scope.Action{Name: "ingest", Kind: graph.KindIngest, Key: opts.Key}, func(c *write.Change) error {
		if err := in.begin(ctx, c.State()); err != nil {
			return err
		}
		c.Draft(func(_ *graph.State, draft *graph.Draft) error {
			return fault.Wrap("ingest", "tree", fault.Invalid, in.put(ctx, draft))
		})
		if in.Over != "" { // it drifts from the file below it
			c.Mark(in.scope.DriftMarks([]string{in.Over}, map[string]merkle.Digest{in.Over: scope.FileNow(in.Holder.Present(), in.Over)})...)
		}
		c.Check = func(_, after *graph.State, delta *graph.Delta) error {
			id = in.at(after)
			n, _ := after.Get(id)
			c.Action.Message = scope.Message(delta) + ": " + TitleOf(n)
			return nil
		}
		return nil
	})
	switch {
	case err != nil:
		return "", chain.Commit{}, err
	case first != nil:
		if err := in.begin(ctx, in.scope.Present()); err != nil {
			return "", chain.Commit{}, err
		}
		id = in.idNow()
	case id == "": // nothing changed
		id = in.at(in.state)
	}
	return id, c, nil
}

// treeIngest is one run of RunTree.
type treeIngest struct {
	Tree
	scope *scope.Scope
	state *graph.State         // before the ingest
	trees map[string]*ast.Tree // changed documents by path; nil removes one
	at    func(*graph.State) string
}

// begin sets the state before the ingest, and updates the id of the parent: a derived id may have
// changed.
func (in *treeIngest) begin(ctx context.Context, state *graph.State) (err error) {
	in.state, in.trees = state, map[string]*ast.Tree{}
	if node.IsDerived(in.Parent) {
		heir, err := in.scope.Chain.CurrentID(ctx, in.scope.Chain.Head(), in.Parent)
		if err != nil {
			return fault.Wrap("ingest", in.Parent, fault.Corrupt, err)
		}
		in.Parent = heir
	}
	return nil
}

// idNow returns the current id of the root of a tree ingested before, "" if it is gone.
func (in *treeIngest) idNow() string {
	if in.Over != "" {
		if d, ok := in.state.Document(in.Over); ok {
			return d.ID
		}
		return ""
	}
	if id := in.Root.ID(); id != "" {
		return id
	}
	if up, ok := in.state.Get(in.Parent); ok {
		if n := in.namesake(up); n != nil {
			return n.ID
		}
		return ""
	}
	path, _ := node.TreePath(in.scope.Name, in.Root) // its caller checked it
	return strings.TrimPrefix(path, document.MemoryPath(""))
}

// TitleOf returns the title of a node, or its type if it has none; "" for nil.
func TitleOf(n *node.Node) string {
	if n == nil {
		return ""
	}
	return cmp.Or(n.Derived.Title, n.Type)
}

// put adds the tree to a draft.
func (in *treeIngest) put(ctx context.Context, draft *graph.Draft) error {
	if err := in.bornByFiles(ctx); err != nil {
		return err
	}
	if in.Over != "" {
		if in.Parent != "" {
			return fault.Errorf("ingest", in.Parent, fault.Invalid, "a buffer of a file cannot have a parent")
		}
		in.at = func(s *graph.State) string { d, _ := s.Document(in.Over); return d.ID }
		in.trees[in.Over] = in.Root
		return in.apply(draft)
	}
	known := in.known()
	if in.Parent != "" {
		return in.below(draft, known)
	}
	moved := in.moved(known)
	if known == nil {
		path, err := node.TreePath(in.scope.Name, in.Root)
		if err != nil {
			return err
		}
		in.take(in.withRivals(moved, path))
		in.trees[path] = in.Root
		in.at = func(s *graph.State) string { d, _ := s.Document(path); return d.ID }
		return in.apply(draft)
	}
	in.at = func(*graph.State) string { return known.ID }
	if len(moved) == 0 && in.Root.Equal(in.state.Branch(known.ID)) {
		return nil // comparing costs less than hashing
	}
	if len(moved) == 0 {
		return draft.PutBranch(known.ID, in.Root)
	}
	in.take(in.withRivals(moved, known.Path))
	if !in.change(known.Path, known.ID, func(*ast.Tree) *ast.Tree { return in.Root }) {
		return fault.Wrap("ingest", known.ID, fault.Invalid, errCycle)
	}
	return in.apply(draft)
}

// bornByFiles refuses a tree that declares the id of a node of a file, or of a buffer of the
// session.
func (in *treeIngest) bornByFiles(ctx context.Context) error {
	memories := append(scope.Reached(ctx, in.scope), in.scope)
	for part := range in.Root.All() {
		id := part.ID()
		if id == "" {
			continue
		}
		for _, s := range memories {
			if n, ok := s.Present().Get(id); ok && !document.IsMemory(n.Path) && !in.covers(n.Path) {
				return fault.Errorf("ingest", id, fault.Conflict, "a node of %s has this id; edit that node, or send the tree of the whole file", n.Path)
			}
		}
	}
	return nil
}

// covers reports whether the tree and the document at path are both buffers of this session, so
// that nodes may move between them.
func (in *treeIngest) covers(path string) bool {
	return in.Over != "" && (path == in.Over || in.state.IsTree(path))
}

// known returns the existing node that the tree replaces, nil for none.
func (in *treeIngest) known() *node.Node {
	n, ok := in.state.Get(in.Root.ID())
	if !ok || !document.IsMemory(n.Path) {
		return nil
	}
	return n
}

// moved lists the memory-backed nodes that the tree names and that lie outside known.
func (in *treeIngest) moved(known *node.Node) []*node.Node {
	var out []*node.Node
	inside := in.inside(known)
	for part := range in.Root.All() {
		if n, ok := in.state.Get(part.ID()); ok && document.IsMemory(n.Path) && !inside(n) {
			out = append(out, n)
		}
	}
	return out
}

// inside returns a function that reports whether a node is top or a descendant of it. All
// calls together visit each node once.
func (in *treeIngest) inside(top *node.Node) func(*node.Node) bool {
	if top == nil {
		return func(*node.Node) bool { return false }
	}
	known := map[string]bool{top.ID: true}
	return func(n *node.Node) bool {
		var way []string
		is, ok := known[n.ID]
		for !ok && n != nil {
			way = append(way, n.ID)
			up, _ := in.state.Get(n.Parent)
			is, ok = known[n.Parent]
			n = up
		}
		for _, id := range way {
			known[id] = is
		}
		return is
	}
}

// withRivals adds to the nodes that move to path the other nodes that declare the same ids and
// would get them there: history may have restored nodes that moved before.
func (in *treeIngest) withRivals(moved []*node.Node, path string) []*node.Node {
	out := slices.Clip(moved)
	for _, n := range moved {
		for _, rival := range in.state.Rivals(n) {
			if document.IsMemory(rival.Path) && (rival.Path == path || node.Claim{ID: n.ID, Path: rival.Path}.Before(node.Claim{ID: n.ID, Path: path})) {
				out = append(out, rival)
			}
		}
	}
	return out
}

// take removes nodes from their documents. O(nodes of those documents).
func (in *treeIngest) take(nodes []*node.Node) {
	gone := map[string]map[string]bool{}
	for _, n := range nodes {
		if gone[n.Path] == nil {
			gone[n.Path] = map[string]bool{}
		}
		gone[n.Path][n.ID] = true
	}
	for path, ids := range gone {
		if t := in.document(path); t != nil {
			in.trees[path] = t.Without(ids)
		}
	}
}

// document returns a document after the changes so far; nil if it is removed.
func (in *treeIngest) document(path string) *ast.Tree {
	t, begun := in.trees[path]
	if !begun {
		root, _ := in.state.Document(path)
		t = in.state.Branch(root.ID)
	}
	return t
}

// change changes one part of a document. It returns false if the part is gone with its ancestors.
func (in *treeIngest) change(path, id string, with func(*ast.Tree) *ast.Tree) bool {
	t := in.document(path)
	if t == nil {
		return false
	}
	next, ok := t.With(id, with)
	if ok {
		in.trees[path] = next
	}
	return ok
}

var errCycle = errors.New("a cycle: the parent is part of the tree, or is below a node that the tree moves")

// below makes the tree a child of the node in.Parent.
func (in *treeIngest) below(draft *graph.Draft, known *node.Node) error {
	up, ok := in.state.Get(in.Parent)
	switch {
	case !ok:
		return fault.Errorf("ingest", in.Parent, fault.NotFound, "no such node to be the parent")
	case !document.IsMemory(up.Path):
		return fault.Errorf("ingest", in.Parent, fault.Invalid,
			"it is in the file %s, and a tree cannot be part of a file; ingest it without a parent, then refile it", up.Path)
	}
	if known == nil {
		known = in.namesake(up)
	}
	stays, moved := known != nil && known.Parent == up.ID, in.moved(known)
	switch {
	case stays && len(moved) == 0:
		place := slices.Index(up.Kids, known.ID)
		in.at = func(s *graph.State) string { up, _ := s.Get(in.Parent); return up.Kids[place] }
		return draft.PutBranch(known.ID, in.Root)
	case known != nil && !stays:
		moved = append(moved, known)
	}
	in.take(in.withRivals(moved, up.Path))
	if !in.change(up.Path, up.ID, func(t *ast.Tree) *ast.Tree {
		next := *t
		next.Kids = slices.Clone(t.Kids)
		place := slices.IndexFunc(t.Kids, func(k *ast.Tree) bool { return stays && k.Names(known.ID) })
		if place < 0 {
			place, next.Kids = len(t.Kids), append(next.Kids, nil)
		}
		next.Kids[place] = in.Root
		return &next
	}) {
		return fault.Wrap("ingest", in.Parent, fault.Invalid, errCycle)
	}
	in.at = in.spot(up.Path)
	return in.apply(draft)
}

// namesake returns the child of up that matches a tree without an ID: a child without an ID
// and with the same CUSTOM_ID, else with the same title, else with the same type.
func (in *treeIngest) namesake(up *node.Node) *node.Node {
	if in.Root.ID() != "" {
		return nil
	}
	var same *node.Node
	custom := in.Root.Text("CUSTOM_ID")
	for _, id := range up.Kids {
		n, ok := in.state.Get(id)
		if !ok || n.ClaimedID() != "" {
			continue
		}
		if custom != "" && n.HasCustom() && (&ast.Tree{Attrs: n.Attrs}).Text("CUSTOM_ID") == custom {
			return n
		}
		if same == nil && node.IsDerived(id) && n.SamePlace(in.Root.Key()) {
			same = n
		}
	}
	return same
}

// spot returns a function that returns the tree's id by its position in a changed document,
// because ids of siblings and ancestors may change when nodes move away.
func (in *treeIngest) spot(path string) func(*graph.State) string {
	at := slices.Index(slices.Collect(in.trees[path].All()), in.Root)
	return func(s *graph.State) string { return s.Nodes(path)[at].ID }
}

// apply adds the changed documents to a draft.
func (in *treeIngest) apply(draft *graph.Draft) error {
	for _, path := range slices.Sorted(maps.Keys(in.trees)) {
		if in.trees[path] == nil {
			draft.Drop(path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(in.trees)) {
		if err := draft.PutTree(path, in.trees[path]); err != nil {
			return err
		}
	}
	return nil
}

// MoveBranch returns a change of a draft that moves a node of a memory-backed document below
// another one, false if that one is the node or below it.
func MoveBranch(state *graph.State, n, to *node.Node) (func(*graph.Draft) error, bool) {
	in := &treeIngest{state: state, trees: map[string]*ast.Tree{}, Tree: Tree{Root: state.Branch(n.ID)}}
	in.take([]*node.Node{n})
	ok := in.change(to.Path, to.ID, func(t *ast.Tree) *ast.Tree {
		next := *t
		next.Kids = append(slices.Clip(t.Kids), in.Root)
		return &next
	})
	return in.apply, ok
}
