// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package notes

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/ingest"
	"github.com/fovea-memory/fovea/internal/recall"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/write"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// change transforms a node, in the text of its file or in its branch of a tree. Both
// functions are pure, so that they also apply to an earlier version.
type change struct {
	// file returns the new text of a document; i is the headline, -1 for the document.
	file func(doc document.Text, i int, now time.Time) (string, error)
	// tree returns the new branch, nil to remove it. A change without tree is for files only.
	tree func(t *ast.Tree, now time.Time) (*ast.Tree, error)
}

// typed returns the change that applies edits.
func typed(edits ...document.Edit) change {
	return change{
		file: func(doc document.Text, i int, now time.Time) (string, error) {
			return write.Edited(doc, i, now, edits...)
		},
		tree: func(t *ast.Tree, now time.Time) (*ast.Tree, error) { return editTree(t, edits, now) },
	}
}

// unchanged leaves a node as it is, for moves.
var unchanged = typed()

// filesOnly returns the change without its part for trees.
func (c change) filesOnly() change { return change{file: c.file} }

// Edit is that of fovea.Notes.
func (ns *Notes) Edit(ctx context.Context, id string, opts *scope.WriteOptions, edits ...document.Edit) (chain.Commit, error) {
	return ns.edit(ctx, "edit", opts, func(e *editing) error {
		if slices.ContainsFunc(edits, withHeadlines) {
			e.adds = math.MaxInt
		}
		apply := typed(edits...)
		n, err := e.node(id, e.base, apply)
		if err != nil {
			return err
		}
		if n.Derived.Encrypted && slices.ContainsFunc(edits, intoText) {
			return e.c.Fail(id, fault.Invalid, errEncrypted)
		}
		return e.change(n, apply)
	})
}

// change applies a change to a node.
func (e *editing) change(n *node.Node, c change) error {
	e.c.Action.Message = described(n)
	if document.IsMemory(n.Path) {
		next, err := c.tree(e.c.State().Branch(n.ID), e.c.Action.Now)
		if err != nil {
			return e.c.Fail(n.ID, fault.Invalid, err)
		}
		e.tree(func(before *graph.State, d *graph.Draft) error { return putBranch(before, d, n, next) })
		return nil
	}
	text, err := c.file(e.c.Document(n.Path), e.c.Headline(n), e.c.Action.Now)
	if err != nil {
		return e.c.Fail(n.ID, fault.Invalid, err)
	}
	e.c.Put(n.Path, text)
	return nil
}

// described returns the path and title of a node for a commit message.
func described(n *node.Node) string {
	if document.IsMemory(n.Path) {
		return n.Path + ": " + ingest.TitleOf(n)
	}
	return n.Path + ": " + n.Title()
}

// errEncrypted is returned for an edit that would put clear text in or next to encrypted text.
var errEncrypted = errors.New("its text is encrypted, or is to be; decrypt and edit it in Emacs")

// intoText reports whether an edit changes the text below a headline's line and drawer.
func intoText(edit document.Edit) bool {
	switch edit.(type) {
	case document.AppendBody, document.ReplaceBody, document.InsertHeadline, document.CheckItem:
		return true
	}
	return false
}

// withHeadlines reports whether an edit may add any number of headlines.
func withHeadlines(edit document.Edit) bool {
	switch edit := edit.(type) {
	case document.AppendBody:
		return edit.Children
	case document.ReplaceBody:
		return edit.Children
	}
	return false
}

// editing is one command on notes.
type editing struct {
	c   *write.Change
	ctx context.Context
	ns  *Notes

	base merkle.Digest // of what the caller has read, zero for nothing

	adds    int        // maximum number of headlines added
	trees   bool       // it changes documents without files
	refiled *node.Node // a memory-backed node that moves into a file with its descendants
}

// edit runs a command: do finds the nodes and sets the texts and the message.
func (ns *Notes) edit(ctx context.Context, name string, opts *scope.WriteOptions, do func(*editing) error) (chain.Commit, error) {
	c, _, err := ns.perform(ctx, name, opts, do)
	return c, err
}

// perform is edit, but also returns the first commit of a repeated action, which is not run again.
func (ns *Notes) perform(ctx context.Context, name string, opts *scope.WriteOptions, do func(*editing) error,
) (c chain.Commit, first *graph.Commit, err error) {
	opts = opts.OrZero()
	return ns.writer.Do(ctx, scope.ActionOf(opts, name, graph.KindEdit), func(c *write.Change) error {
		e := &editing{c: c, ctx: ctx, ns: ns, base: opts.Base}
		c.Check = e.check
		return do(e)
	})
}

// tree makes a change of documents without files.
func (e *editing) tree(change func(before *graph.State, draft *graph.Draft) error) {
	e.trees = true
	e.c.Draft(change)
}

// branch is node for a change that includes all descendants: its base is the version, which covers
// them. An own digest is also accepted, unless the node once had this text and no children: then
// the digest was also its version, and the base may mean that earlier version.
func branch(e *editing, id string, base merkle.Digest, c change) (*node.Node, error) {
	n, err := e.node(id, merkle.Digest{}, c)
	if err != nil || base.IsZero() || base == n.Version || base == n.Own && !stoodAlone(e, n) {
		return n, err
	}
	return nil, e.conflict(n, base, c)
}

// stoodAlone reports whether a node once had its present text and no children, or whether history
// cannot be read.
func stoodAlone(e *editing, n *node.Node) bool {
	alone, err := e.ever(n, func(s *chain.Step) bool { return s.After != nil && s.After.Own == n.Own && s.After.Version == n.Own })
	return alone || err != nil
}

// ever reports whether any step in the history of a node satisfies a condition.
func (e *editing) ever(n *node.Node, is func(*chain.Step) bool) (found bool, err error) {
	in := e.ns.scope.Chain
	_, err = in.Trail(e.ctx, n.ID, 1, in.Head().Commit.Seq, func(s *chain.Step) error {
		if found = is(s); found {
			return chain.ErrStop
		}
		return nil
	})
	return found, err
}

// node returns a node after bringing memory up to date with its file. A non-zero base that is
// neither the node's own digest nor its version is a Conflict, whose error has the result of c on
// the base. Without c.tree, the node must be in a file.
func (e *editing) node(id string, base merkle.Digest, c change) (*node.Node, error) {
	n, ok := e.c.State().Get(id)
	switch {
	case !ok:
		return nil, e.c.Fail(id, fault.NotFound, errors.New("no such node"))
	case e.c.State().IsTree(n.Path) && !document.IsMemory(n.Path):
		return nil, e.c.Fail(id, fault.Busy, errors.New("it stands in a buffer that was not saved; save it, or edit it there"))
	case document.IsMemory(n.Path) && c.tree == nil:
		return nil, e.c.Fail(id, fault.Invalid, errors.New("it stands in no file; refile it into one first"))
	case !document.IsMemory(n.Path):
		if _, err := e.c.Fresh(n.Path); err != nil {
			return nil, err
		}
		if n, ok = e.c.State().Get(id); !ok {
			return nil, e.c.Fail(id, fault.NotFound, errors.New("the node left the file since it was read"))
		}
	}
	if !base.IsZero() && n.Own != base && n.Version != base {
		return nil, e.conflict(n, base, c)
	}
	return n, nil
}

// conflict returns the error for a change based on another version of the node. It shows the base
// only if that is a version of this node: others may be notes that the caller must not read.
func (e *editing) conflict(n *node.Node, base merkle.Digest, c change) error {
	mine := ""
	its, _ := e.ever(n, func(s *chain.Step) bool {
		return s.After != nil && s.After.Own == base || s.Before != nil && s.Before.Own == base
	})
	if old, err := node.ReadOwn(base, e.ns.scope.Chain.Store().Block); err == nil && its && recall.Readable(n) == n.Content {
		mine, _ = c.alone(e.c.State(), n.Path, old, e.c.Action.Now)
	}
	return &fault.Error{
		Op: e.c.Action.Name, What: n.ID, Kind: fault.Conflict, Mine: mine, Theirs: recall.Readable(n),
		Err: fmt.Errorf("the node or one below it changed since it was read; it is now %s, and %s with all nodes below it", n.Own, n.Version),
	}
}

// alone applies a change to an earlier version of a node outside its document. It returns ""
// if the change removes the node, or if that version is not a single node.
func (c change) alone(s *graph.State, path string, old *node.Node, now time.Time) (string, error) {
	if document.IsMemory(path) {
		t, err := c.tree(&ast.Tree{Type: old.Type, Attrs: old.Attrs, Content: old.Content, Bare: old.Bare}, now)
		if err != nil || t == nil {
			return "", err
		}
		return t.Content, nil
	}
	doc := write.Parse(s, path, old.Content)
	if doc.Headlines() > 1 || c.file == nil {
		return "", nil
	}
	return c.file(doc, doc.Headlines()-1, now)
}

// orgOf returns the Org documents of texts, for operations of Org alone; nil for no text.
func orgOf(texts ...document.Text) ([]*org.Document, error) {
	docs := make([]*org.Document, len(texts))
	for i, text := range texts {
		t, ok := text.(org.Text)
		if !ok && text != nil {
			return nil, errors.New("this is possible between Org files only")
		}
		docs[i] = t.Document
	}
	return docs, nil
}

// check rejects a result of the command, see write.Change.Check.
func (e *editing) check(before, after *graph.State, delta *graph.Delta) error {
	if err := e.newIDs(before, after); err != nil {
		return err
	}
	return e.checkInert(before, after, delta)
}

// newIDs rejects an added :ID: that another node already has, so that the id still names that
// node.
func (e *editing) newIDs(head, next *graph.State) error {
	before, after := map[string]int{}, map[string]int{}
	for _, path := range e.c.Paths() {
		countIDs(before, head.Nodes(path))
		countIDs(after, next.Nodes(path))
	}
	for _, id := range slices.Sorted(maps.Keys(after)) {
		if after[id] <= before[id] {
			continue
		}
		n, taken := head.Get(id)
		if taken && e.refiled != nil && (n == e.refiled || slices.Contains(head.Ancestors(n), e.refiled)) && after[id] == 1 {
			continue
		}
		if taken || after[id] > 1 {
			where := "the edit itself"
			if taken {
				where = n.Path
			}
			return e.c.Fail(id, fault.Conflict, fmt.Errorf("the id is taken, by a node of %s", where))
		}
	}
	return nil
}

// countIDs counts the ids that nodes declare.
func countIDs(into map[string]int, nodes []*node.Node) {
	for _, n := range nodes {
		if id := n.Derived.DeclaredID; id != "" {
			into[id]++
		}
	}
}
