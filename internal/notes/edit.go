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
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/filetx"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/ingest"
	"github.com/fovea-memory/fovea/internal/recall"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// change transforms a node, in the text of its file or in its branch of a tree. Both
// functions are pure, so they can also be applied to an earlier version.
type change struct {
	// file returns the new text of a document; i is the headline, -1 for the document.
	file func(doc document.Text, i int, now time.Time) (string, error)
	// tree returns the new branch, nil to remove it. A change without tree is for files
	// only.
	tree func(t *ast.Tree, now time.Time) (*ast.Tree, error)
}

// typed returns the change that applies edits.
func typed(edits ...document.Edit) change {
	return change{
		file: func(doc document.Text, i int, now time.Time) (string, error) { return edited(doc, i, now, edits...) },
		tree: func(t *ast.Tree, now time.Time) (*ast.Tree, error) { return editTree(t, edits, now) },
	}
}

// edited returns a text after edits of headline i, -1 for the document.
func edited(doc document.Text, i int, now time.Time, edits ...document.Edit) (string, error) {
	splices, err := doc.Edit(i, now, edits...)
	if err != nil {
		return "", err
	}
	return document.Apply(doc.Source(), splices)
}

// unchanged leaves a node as it is, for moves.
var unchanged = typed()

// filesOnly returns a change that refuses trees.
func (c change) filesOnly() change { return change{file: c.file} }

// Edit is that of fovea.Notes.
func (ns *Notes) Edit(ctx context.Context, id string, opts *scope.WriteOptions, edits ...document.Edit) (chain.Commit, error) {
	opts = opts.OrZero()
	return ns.edit(ctx, editAction("edit", opts), func(e *editing) error {
		if slices.ContainsFunc(edits, withHeadlines) {
			e.adds = math.MaxInt
		}
		apply := typed(edits...)
		n, err := e.node(ctx, id, opts.Base, apply)
		if err != nil {
			return err
		}
		if n.Derived.Encrypted && slices.ContainsFunc(edits, intoText) {
			return fault.Wrap(e.action.Name, id, fault.Invalid, errEncrypted)
		}
		return e.change(n, apply)
	})
}

// change applies a change to a node.
func (e *editing) change(n *node.Node, c change) error {
	e.action.Message = described(n)
	if document.IsMemory(n.Path) {
		next, err := c.tree(e.ns.scope.Present().Branch(n.ID), e.action.Now)
		if err != nil {
			return fault.Wrap(e.action.Name, n.ID, fault.Invalid, err)
		}
		e.trees = append(e.trees, func(d *graph.Draft) error { return putBranch(e.ns.scope.Present(), d, n, next) })
		return nil
	}
	text, err := c.file(e.document(n.Path), e.headline(n), e.action.Now)
	if err != nil {
		return fault.Wrap(e.action.Name, n.ID, fault.Invalid, err)
	}
	e.put(n.Path, text)
	return nil
}

// described returns the path and title of a node for a commit message.
func described(n *node.Node) string {
	if document.IsMemory(n.Path) {
		return n.Path + ": " + ingest.TitleOf(n)
	}
	return n.Path + ": " + n.Title()
}

// errEncrypted refuses clear text next to encrypted text or in its place.
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

// editing is one command that changes Org files. Its caller is the chain's writer.
type editing struct {
	ns     *Notes
	tx     *chain.Tx
	action scope.Action
	texts  map[string]string // new contents of files, by path
	paths  []string          // in the order they are written
	marks  [][]byte          // written with the commit

	adds    int                        // maximum number of headlines added
	trees   []func(*graph.Draft) error // changes of memory-backed documents
	refiled *node.Node                 // a memory-backed node that moves into a file with its descendants
	naming  *ast.Tree                  // refiled with a new ID, if it has none: see declare
}

// editAction returns the action of a command with options, which may be nil.
func editAction(name string, opts *scope.WriteOptions) scope.Action {
	return scope.ActionOf(opts.OrZero(), name, graph.KindEdit)
}

// edit runs a command on the head: do finds the nodes and sets the texts and the message. It
// returns the zero Commit if nothing changed.
func (ns *Notes) edit(ctx context.Context, a scope.Action, do func(*editing) error) (chain.Commit, error) {
	tx := ns.scope.Chain.Begin()
	defer tx.End()
	c, _, err := ns.perform(ctx, tx, a, do)
	return c, err
}

// perform is edit within a write of its caller. A repeated action is not run again: perform
// returns its first commit as well.
func (ns *Notes) perform(ctx context.Context, tx *chain.Tx, a scope.Action, do func(*editing) error) (c chain.Commit, first *graph.Commit, err error) {
	if first, err = ns.scope.Enter(ctx, tx, a); first != nil || err != nil {
		return ns.scope.Replay(first), first, err
	}
	a.Now = ns.scope.Options.Now()
	e := &editing{ns: ns, tx: tx, action: a, texts: map[string]string{}}
	if err = do(e); err == nil {
		c, err = e.save(ctx)
	}
	return c, nil, err
}

// errBuffer refuses edits of an editor's unsaved buffer.
var errBuffer = errors.New("it stands in a buffer that was not saved; save it, or edit it there")

// branch is node for a change that takes all below the node with it: its base is the version,
// which covers that. The own digest of a node that never stood alone with this text is taken
// for what it is; for one that did, it was the version as well, which is another one now.
func branch(ctx context.Context, e *editing, id string, base merkle.Digest, c change) (*node.Node, error) {
	n, err := e.node(ctx, id, merkle.Digest{}, c)
	if err != nil || base.IsZero() || base == n.Version || base == n.Own && !stoodAlone(ctx, e.ns.scope.Chain, n) {
		return n, err
	}
	return nil, e.conflict(ctx, n, base, c)
}

// stoodAlone reports whether a node had its present text while nothing stood below it, or whether
// history cannot tell.
func stoodAlone(ctx context.Context, c *chain.Chain, n *node.Node) bool {
	alone := false
	_, err := c.Trail(ctx, n.ID, 1, c.Head().Commit.Seq, func(s *chain.Step) error {
		if alone = s.After != nil && s.After.Own == n.Own && s.After.Version == n.Own; alone {
			return chain.ErrStop
		}
		return nil
	})
	return alone || err != nil
}

// node returns a node after bringing memory up to date with its file. A base that is not zero
// and neither the node's own digest nor its version is a Conflict, with the result of c on the
// base. Without c.tree, the node must be in a file.
func (e *editing) node(ctx context.Context, id string, base merkle.Digest, c change) (*node.Node, error) {
	n, ok := e.ns.scope.Present().Get(id)
	switch {
	case !ok:
		return nil, fault.Wrap(e.action.Name, id, fault.NotFound, errors.New("no such node"))
	case e.ns.scope.Present().IsTree(n.Path) && !document.IsMemory(n.Path):
		return nil, fault.Wrap(e.action.Name, id, fault.Busy, errBuffer)
	case document.IsMemory(n.Path) && c.tree == nil:
		return nil, fault.Wrap(e.action.Name, id, fault.Invalid, errors.New("it stands in no file; refile it into one first"))
	case !document.IsMemory(n.Path):
		if _, err := ingest.Refresh(ctx, e.tx, e.ns.folder, e.action, n.Path); err != nil {
			return nil, err
		}
		if n, ok = e.ns.scope.Present().Get(id); !ok {
			return nil, fault.Wrap(e.action.Name, id, fault.NotFound, errors.New("the node left the file since it was read"))
		}
		if err := e.ns.rights.MayWrite(ctx, e.action, n.Path); err != nil {
			return nil, err // before an error reveals any contents
		}
		if err := e.isParsed(n.Path); err != nil {
			return nil, err
		}
	}
	if !base.IsZero() && n.Own != base && n.Version != base {
		return nil, e.conflict(ctx, n, base, c)
	}
	return n, nil
}

// conflict returns the error for a change based on another version of the node. A base that is
// no version of it may be the text of a note that the caller must not read.
func (e *editing) conflict(ctx context.Context, n *node.Node, base merkle.Digest, c change) error {
	mine, its := "", false
	chained := e.ns.scope.Chain
	_, _ = chained.Trail(ctx, n.ID, 1, chained.Head().Commit.Seq, func(s *chain.Step) error {
		if its = s.After != nil && s.After.Own == base || s.Before != nil && s.Before.Own == base; its {
			return chain.ErrStop
		}
		return nil
	})
	if old, err := node.ReadOwn(base, chained.Store().Block); err == nil && its && recall.Readable(n) == n.Content {
		mine, _ = c.alone(e.ns.scope.Present(), n.Path, old, e.action.Now)
	}
	return &fault.Error{
		Op: e.action.Name, What: n.ID, Kind: fault.Conflict, Mine: mine, Theirs: recall.Readable(n),
		Err: fmt.Errorf("the node changed since it was read, or what stands below it; it is now %s, and %s with all below it", n.Own, n.Version),
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
	doc := parse(s, path, old.Content)
	if doc.Headlines() > 1 || c.file == nil {
		return "", nil
	}
	return c.file(doc, doc.Headlines()-1, now)
}

// isParsed refuses a file that memory keeps opaque.
func (e *editing) isParsed(path string) error {
	d, ok := e.ns.scope.Present().Document(path)
	if !ok || !d.Derived.Opaque {
		return nil
	}
	if why := e.ns.scope.Options.Formats.KeptWhole(path, d.Content); why != "" {
		return fault.Wrap(e.action.Name, path, fault.Invalid, errors.New(why))
	}
	return fault.Wrap(e.action.Name, path, fault.Invalid, errors.New("the file is kept unparsed and not edited"))
}

// staysParsed refuses a state in which the file at path has become too large to parse, because
// added text must remain searchable. O(1) for any other state.
func staysParsed(name, path string, next *graph.State) error {
	d, ok := next.Document(path)
	if !ok || !d.Derived.Opaque {
		return nil
	}
	if why := next.Formats().KeptWhole(path, d.Content); why != "" {
		return fault.Wrap(name, path, fault.Invalid, fmt.Errorf("nothing was written, because with this change the file would have %s", why))
	}
	return nil
}

// parse parses a text of the file at a path as a state does.
func parse(s *graph.State, path, text string) document.Text {
	if f, ok := s.Formats().Of(path).(document.Editor); ok {
		return f.Parse(path, text, s.Files)
	}
	return readOnly{text}
}

// readOnly is a text of a format without edits.
type readOnly struct{ text string }

var errReadOnly = errors.New("files of this format are read, and not edited")

func (r readOnly) Source() string           { return r.text }
func (r readOnly) Headlines() int           { return 0 }
func (r readOnly) IsTop(int) bool           { return false }
func (r readOnly) Own(int) (start, end int) { return 0, len(r.text) }
func (r readOnly) Edit(int, time.Time, ...document.Edit) ([]document.Splice, error) {
	return nil, errReadOnly
}

// orgOf returns the Org document behind a text, for what only Org has.
func orgOf(doc document.Text) (*org.Document, error) {
	if t, ok := doc.(org.Text); ok {
		return t.Document, nil
	}
	return nil, errors.New("this is possible between Org files only")
}

// document parses a file after the edits so far.
func (e *editing) document(path string) document.Text {
	text, ok := e.texts[path]
	if !ok {
		text, _ = e.ns.scope.Present().Text(path)
	}
	return parse(e.ns.scope.Present(), path, text)
}

// headline returns the index of a node's headline in its document, -1 for the document.
func (e *editing) headline(n *node.Node) int {
	for i, o := range e.ns.scope.Present().Nodes(n.Path) {
		if o.ID == n.ID {
			return i - 1
		}
	}
	return -1
}

// put sets the new text of a file.
func (e *editing) put(path, text string) {
	if _, ok := e.texts[path]; !ok {
		e.paths = append(e.paths, path)
	}
	e.texts[path] = text
}

// save writes the files and commits the result.
func (e *editing) save(ctx context.Context) (chain.Commit, error) {
	m, head, now := e.ns, e.ns.scope.Present(), e.action.Now.UnixMilli()
	state, delta, err := e.draft(now)
	if err == nil {
		err = e.newIDs(head, state)
	}
	if err == nil {
		err = e.checkInert(ctx, state, &delta)
	}
	if err != nil {
		return chain.Commit{}, err
	}
	for _, path := range e.paths {
		have, _ := head.Text(path)
		if err := document.CheckEncoding(have, e.texts[path]); err != nil {
			return chain.Commit{}, fault.Wrap(e.action.Name, path, fault.Invalid, err)
		}
	}
	if delta.Empty() {
		return chain.Commit{}, nil
	}
	e.action.Message += scope.Rebound(&delta)
	op := m.files.Begin(ctx, e.tx, e.action)
	op.Intent.Marks = e.marks
	var writes []filetx.FileWrite
	for _, path := range e.paths {
		w := filetx.FileWrite{Path: path, Next: corpus.Next{Text: e.texts[path]}}
		have, had := head.Text(path)
		if had {
			w.Base = merkle.SumText(have)
		}
		if !had || have != w.Next.Text {
			writes = append(writes, w)
		}
	}
	if err := op.Prepare(writes...); err != nil {
		return chain.Commit{}, err
	}
	if e.naming != nil && !e.action.DryRun {
		if err = e.declare(ctx); err == nil {
			state, delta, err = e.draft(now)
		}
		if err != nil {
			return chain.Commit{}, errors.Join(err, op.Discard())
		}
	}
	return op.Run(ctx, state, &delta)
}

// draft returns the state after the edit, and its delta from the head.
func (e *editing) draft(now int64) (*graph.State, graph.Delta, error) {
	draft := e.ns.scope.Present().Edit(now)
	for _, path := range e.paths {
		draft.Put(path, document.File(e.texts[path], false))
	}
	for _, put := range e.trees {
		if err := put(draft); err != nil {
			return nil, graph.Delta{}, fault.Wrap(e.action.Name, "", fault.Invalid, err)
		}
	}
	e.ns.scope.DropUnusedSetups(e.ns.scope.Present(), draft)
	state, delta := draft.Seal()
	for _, path := range e.paths {
		if err := staysParsed(e.action.Name, path, state); err != nil {
			return nil, graph.Delta{}, err
		}
	}
	return state, delta, nil
}

// newIDs refuses an added :ID: that another node already has, so that the id still names the
// requested node.
func (e *editing) newIDs(head, next *graph.State) error {
	before, after := map[string]int{}, map[string]int{}
	for _, path := range e.paths {
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
			return fault.Wrap(e.action.Name, id, fault.Conflict, fmt.Errorf("the id is taken, by a node of %s", where))
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
