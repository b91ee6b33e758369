// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// change is what an operation makes of a node: of the text of its file, or of its branch
// of a tree. Both are pure, so that they can be applied to an earlier version.
type change struct {
	// file returns the new text of a document; i is the headline, -1 for the document.
	file func(doc *org.Document, i int, now time.Time) (string, error)
	// tree returns the new branch, nil to remove it. Without it the operation is for
	// files only.
	tree func(t *node.Tree, now time.Time) (*node.Tree, error)
}

// typed returns the change that edits make.
func typed(edits ...org.Edit) change {
	return change{
		file: func(doc *org.Document, i int, now time.Time) (string, error) {
			splices, err := doc.Edit(i, now, edits...)
			if err != nil {
				return "", err
			}
			return org.ApplySplices(doc.Source, splices)
		},
		tree: func(t *node.Tree, now time.Time) (*node.Tree, error) { return editTree(t, edits, now) },
	}
}

// unchanged is the change of a node that moves as it is.
var unchanged = typed()

// filesOnly returns a change that refuses trees.
func (c change) filesOnly() change { return change{file: c.file} }

// Edit applies typed edits, in order, to a node of an Org file: a headline, or a
// document where the edit makes sense there. Of a node that stands in no file they
// change the attributes and the content. The file changes in the same step,
// and only the lines that the edits are about. base is the node's own digest as
// the caller read it, zero to edit whatever is there; the file is read first,
// and a change found in it becomes a commit of its own, by "file". It returns
// the zero Commit when nothing was to change. After any error the file is as it
// was. Errors: NotFound, Invalid (the edit, or a file that is no Org), Conflict
// (Error.Mine and Error.Theirs hold both texts; or an :ID: that is taken), Busy
// (an editor holds the file), ReadOnly (the file, its folder or the store),
// Other. Complexity is that of reading and writing the file.
func (m *Memory) Edit(ctx context.Context, id string, base merkle.Digest, edits ...org.Edit) (Commit, error) {
	return m.edit(ctx, "edit", nil, func(e *editing) error {
		if slices.ContainsFunc(edits, withHeadlines) {
			e.adds = math.MaxInt
		}
		apply := typed(edits...)
		n, err := e.node(ctx, id, base, apply)
		if err != nil {
			return err
		}
		if n.Derived.Encrypted && slices.ContainsFunc(edits, intoText) {
			return fail(e.name, id, Invalid, errEncrypted)
		}
		return e.change(n, apply)
	})
}

// change applies a change to a node.
func (e *editing) change(n *node.Node, c change) error {
	e.message = described(n)
	if node.IsMemory(n.Path) {
		next, err := c.tree(e.m.View().state.Branch(n.ID), e.now)
		if err != nil {
			return fail(e.name, n.ID, Invalid, err)
		}
		e.trees = append(e.trees, func(d *graph.Draft) error { return e.m.putBranch(d, n, next) })
		return nil
	}
	text, err := c.file(e.document(n.Path), e.headline(n), e.now)
	if err != nil {
		return fail(e.name, n.ID, Invalid, err)
	}
	e.put(n.Path, text)
	return nil
}

// described returns the path and title of a node, for the message of a commit.
func described(n *node.Node) string {
	if node.IsMemory(n.Path) {
		return n.Path + ": " + titleOf(n)
	}
	return n.Path + ": " + n.Title()
}

// errEncrypted refuses to put clear text beside text that is encrypted, or in its
// place.
var errEncrypted = errors.New("its text is encrypted, or is to be; decrypt and edit it in Emacs")

// intoText reports an edit of the text below a headline's own line and drawer.
func intoText(edit org.Edit) bool {
	switch edit.(type) {
	case org.AppendBody, org.ReplaceBody, org.InsertHeadline, org.CheckItem:
		return true
	}
	return false
}

// withHeadlines reports an edit that may bring in any number of headlines.
func withHeadlines(edit org.Edit) bool {
	switch edit := edit.(type) {
	case org.AppendBody:
		return edit.Children
	case org.ReplaceBody:
		return edit.Children
	}
	return false
}

// editing is one command that changes Org files through Fovea. The write lock
// is held.
type editing struct {
	m       *Memory
	name    string // of the command, for errors
	message string // of the commit
	now     time.Time
	texts   map[string]string // what the files are to hold, by path
	paths   []string          // in the order they are written
	marks   [][]byte          // that go with the commit

	adds    int                        // headlines that are to come
	trees   []func(*graph.Draft) error // what happens to memory-backed documents
	refiled *node.Node                 // of them, that goes into a file with all below it
	naming  *node.Tree                 // what refiled becomes before that, where it has no ID: see declare
}

// edit runs a command on the present: do finds its nodes and fills in the
// texts and the message. It returns the zero Commit when nothing changed. One
// that was done before is not done again: answer, which may be nil, is given its
// commit.
func (m *Memory) edit(ctx context.Context, name string, answer func(*graph.Commit), do func(*editing) error) (Commit, error) {
	defer m.chain.Begin().End()
	return m.perform(ctx, name, answer, do)
}

// perform is edit where m.mu is held.
func (m *Memory) perform(ctx context.Context, name string, answer func(*graph.Commit), do func(*editing) error) (Commit, error) {
	if m.closed {
		return Commit{}, fail(name, m.dir, Invalid, errClosed)
	}
	if first, err := m.repeated(ctx, name, graph.KindEdit); first != nil || err != nil {
		return m.answered(first, answer), err
	}
	if err := m.chain.Store().Err(); err != nil {
		return Commit{}, fail(name, m.state, ReadOnly, err)
	}
	e := &editing{m: m, name: name, now: m.opts.Now(), texts: map[string]string{}}
	if err := do(e); err != nil {
		return Commit{}, err
	}
	return e.save(ctx)
}

// errBuffer refuses to edit what an editor has not saved.
var errBuffer = errors.New("it stands in a buffer that was not saved; save it, or edit it there")

// node returns a node, after bringing memory up to date with its file. A base that is
// neither zero nor its own digest is a Conflict, with what c would have made of the base.
// Without c.tree, the node must be in a file.
func (e *editing) node(ctx context.Context, id string, base merkle.Digest, c change) (*node.Node, error) {
	n, ok := e.m.View().Get(id)
	switch {
	case !ok:
		return nil, fail(e.name, id, NotFound, errors.New("no such node"))
	case e.m.View().state.IsTree(n.Path) && !node.IsMemory(n.Path):
		return nil, fail(e.name, id, Busy, errBuffer)
	case node.IsMemory(n.Path) && c.tree == nil:
		return nil, fail(e.name, id, Invalid, errors.New("it stands in no file; refile it into one first"))
	case !node.IsMemory(n.Path):
		if _, err := e.refresh(ctx, n.Path); err != nil {
			return nil, err
		}
		if n, ok = e.m.View().Get(id); !ok {
			return nil, fail(e.name, id, NotFound, errors.New("the node left the file since it was read"))
		}
		if err := e.editable(ctx, n.Path); err != nil {
			return nil, err
		}
	}
	if !base.IsZero() && n.Own != base {
		return nil, e.conflict(n, base, c)
	}
	return n, nil
}

// conflict returns the error for a change of a node that was based on another version.
func (e *editing) conflict(n *node.Node, base merkle.Digest, c change) error {
	mine := ""
	if old, err := node.ReadOwn(base, e.m.chain.Store().Block); err == nil {
		mine, _ = c.alone(old, e.m.View().state.Reading(n.Path), node.IsMemory(n.Path), e.now)
	}
	return &Error{
		Op: e.name, What: n.ID, Kind: Conflict, Mine: mine, Theirs: n.Content,
		Err: fmt.Errorf("the node changed since it was read; it is now %s", n.Own),
	}
}

// alone returns what a change makes of an earlier version of a node outside its document,
// "" where that version is removed or is no node by itself.
func (c change) alone(old *node.Node, opts *org.Options, isTree bool, now time.Time) (string, error) {
	if isTree {
		t, err := c.tree(&node.Tree{Type: old.Type, Attrs: old.Attrs, Content: old.Content, Bare: old.Bare}, now)
		if err != nil || t == nil {
			return "", err
		}
		return t.Content, nil
	}
	doc := org.Parse(old.Content, opts)
	if len(doc.Headlines) > 1 || c.file == nil {
		return "", nil
	}
	return c.file(doc, len(doc.Headlines)-1, now)
}

// editable refuses a file that the actor may not change, or that is not parsed.
func (e *editing) editable(ctx context.Context, path string) error {
	c := e.m.entry(ctx, graph.KindEdit, "", 0)
	if err := e.m.mayWrite(ctx, e.name, &c, path); err != nil {
		return err // before anything of it is shown
	}
	return e.isParsed(path)
}

// isParsed refuses a file that memory keeps opaque.
func (e *editing) isParsed(path string) error {
	d, ok := e.m.View().state.Document(path)
	if !ok || !d.Derived.Opaque {
		return nil
	}
	if why := node.KeptWhole(d.Content); why != "" && node.IsOrg(path) {
		return fail(e.name, path, Invalid, errors.New(why))
	}
	return fail(e.name, path, Invalid, errors.New("the file is kept unparsed and not edited"))
}

// staysParsed refuses a state in which the file at path has become too large to be
// parsed: what a writer adds must be found again. O(1) for any other state.
func (m *Memory) staysParsed(name, path string, next *graph.State) error {
	d, ok := next.Document(path)
	if !ok || !d.Derived.Opaque {
		return nil
	}
	if why := node.KeptWhole(d.Content); why != "" {
		return fail(name, path, Invalid, fmt.Errorf("nothing was written, because with this change the file would have %s", why))
	}
	return nil
}

// refresh takes in a file that changed since it was read, as a commit of its
// own by the file, and returns what it holds.
func (e *editing) refresh(ctx context.Context, path string) (string, error) {
	m := e.m
	text, f, err := m.root.Read(path, 0)
	if err != nil {
		return "", failWrite(e.name, path, err)
	}
	if _, drifted := m.drift()[path]; drifted && m.drift()[path] == merkle.SumText(text) {
		return "", fail(e.name, path, Conflict, errors.New("the file differs from memory since a rollback of memory only; change the file, or roll back with files"))
	}
	state := m.View().state
	if doc, ok := state.Document(path); ok && doc.Derived.Opaque == f.Opaque && state.Holds(path, text) {
		return text, nil
	}
	in := newIngester(m, &IngestOptions{}, corpus.Scan{}, e.now)
	in.draft = m.draft(e.now.UnixMilli())
	if err := in.file(ctx, path); err != nil {
		return "", err
	}
	err = in.commit(ctx)
	text, _ = m.View().Text(path)
	return text, err
}

// document parses a file as the edits so far leave it.
func (e *editing) document(path string) *org.Document {
	text, ok := e.texts[path]
	if !ok {
		text, _ = e.m.View().Text(path)
	}
	return org.Parse(text, e.m.View().state.Reading(path))
}

// headline returns the place of a node in its document, -1 for the document.
func (e *editing) headline(n *node.Node) int {
	for i, o := range e.m.View().state.Nodes(n.Path) {
		if o.ID == n.ID {
			return i - 1
		}
	}
	return -1
}

// put sets what a file is to hold.
func (e *editing) put(path, text string) {
	if _, ok := e.texts[path]; !ok {
		e.paths = append(e.paths, path)
	}
	e.texts[path] = text
}

// save writes the files and commits what came of them.
func (e *editing) save(ctx context.Context) (Commit, error) {
	m, head, now := e.m, e.m.View().state, e.now.UnixMilli()
	state, delta, err := e.draft(now)
	if err == nil {
		err = e.newIDs(head, state)
	}
	if err == nil {
		err = e.checkInert(ctx, state, &delta)
	}
	if err != nil {
		return Commit{}, err
	}
	for _, path := range e.paths {
		have, _ := head.Text(path)
		if err := checkEncoding(have, e.texts[path]); err != nil {
			return Commit{}, fail(e.name, path, Invalid, err)
		}
	}
	if delta.Empty() {
		return Commit{}, nil
	}
	op := m.begin(ctx, e.name, graph.KindEdit, e.message, now)
	op.intent.marks = e.marks
	if err := op.sweep(e.paths); err != nil {
		return Commit{}, err
	}
	for _, path := range e.paths {
		w := fileWrite{path: path, next: corpus.Next{Text: e.texts[path]}}
		have, had := head.Text(path)
		if had {
			w.base = merkle.SumText(have)
		}
		if had && have == w.next.Text {
			continue
		}
		if err := op.stage(w); err != nil {
			return Commit{}, errors.Join(op.fail(path, err), op.discard())
		}
	}
	if e.naming != nil {
		if err = e.declare(ctx); err == nil {
			state, delta, err = e.draft(now)
		}
		if err != nil {
			return Commit{}, errors.Join(err, op.discard())
		}
	}
	return op.run(ctx, state, &delta)
}

// draft makes the state that the edit leads to from the present one.
func (e *editing) draft(now int64) (*graph.State, graph.Delta, error) {
	draft := e.m.draft(now)
	for _, path := range e.paths {
		draft.Put(path, e.texts[path], false)
	}
	if err := e.putTrees(draft); err != nil {
		return nil, graph.Delta{}, err
	}
	e.m.dropUnusedSetups(e.m.View().state, draft)
	state, delta := draft.Seal()
	for _, path := range e.paths {
		if err := e.m.staysParsed(e.name, path, state); err != nil {
			return nil, graph.Delta{}, err
		}
	}
	return state, delta, nil
}

// putTrees does what is to happen to memory-backed documents.
func (e *editing) putTrees(draft *graph.Draft) error {
	for _, put := range e.trees {
		if err := put(draft); err != nil {
			return fail(e.name, "", Invalid, err)
		}
	}
	return nil
}

// newIDs refuses an :ID: that the edit brings in and that a node bears already,
// so that the node that was asked for is the node that comes.
func (e *editing) newIDs(head, next *graph.State) error {
	before, after := map[string]int{}, map[string]int{}
	for _, path := range e.paths {
		countIDs(before, head.Nodes(path))
		countIDs(after, next.Nodes(path))
	}
	for _, id := range sortedKeys(after) {
		if after[id] <= before[id] {
			continue
		}
		n, taken := head.Get(id)
		if taken && e.goes(head, n) && after[id] == 1 {
			continue
		}
		if taken || after[id] > 1 {
			where := "the edit itself"
			if taken {
				where = n.Path
			}
			return fail(e.name, id, Conflict, fmt.Errorf("the id is taken, by a node of %s", where))
		}
	}
	return nil
}

// goes reports whether a node is one that is refiled, or stands below it.
func (e *editing) goes(head *graph.State, n *node.Node) bool {
	return e.refiled != nil && (n == e.refiled || slices.Contains(head.Ancestors(n), e.refiled))
}

// countIDs counts the ids that nodes declare.
func countIDs(into map[string]int, nodes []*node.Node) {
	for _, n := range nodes {
		if id := n.Derived.DeclaredID; id != "" {
			into[id]++
		}
	}
}
