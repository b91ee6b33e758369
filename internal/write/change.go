// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package write

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/node"
)

// Change is one operation that changes files, trees and marks. Its functions are called by the
// chain's writer, within the function given to Do.
type Change struct {
	Action scope.Action // Now is the time of the commit; the operation sets Message
	// Check, unless nil, may refuse the result of the change. It is not called where nothing changes.
	Check func(before, after *graph.State, delta *graph.Delta) error
	// Deferred lets the caller be answered before the commit is synced: it may be lost in a crash.
	Deferred bool

	ctx    context.Context
	in     *group
	first  *declaration
	texts  map[string]string // new contents, by path
	paths  []string          // in the order in which they are written
	read   map[string]bool   // files that are up to date with memory
	local  map[string]int    // see groupFile.nodes
	drafts []func(*graph.State, *graph.Draft) error
	marks  [][]byte
	once   []any
}

// declaration is a separate commit before the one of a change.
type declaration struct {
	message string
	draft   func(*graph.State, *graph.Draft) error
}

// Head returns the newest moment for the change, which includes the earlier changes of its group.
func (c *Change) Head() *chain.Moment { return c.in.all.Head(c.in.tx) }

// State returns the state of Head.
func (c *Change) State() *graph.State { return c.Head().State }

// Fail returns the error of the operation.
func (c *Change) Fail(what string, kind fault.Kind, err error) error {
	return fault.Wrap(c.Action.Name, what, kind, err)
}

// Once makes the change wait for a later group if one before it in its group named the same key:
// it can be judged only when that one is durable.
func (c *Change) Once(key any) error {
	if c.in.named[key] {
		return errLater
	}
	c.once = append(c.once, key)
	return nil
}

// Read is Fresh for a file that need not exist; there is false if it does not. The file must be one
// that a scan lists, or would list if it existed.
func (c *Change) Read(path string) (text string, there bool, err error) {
	s := c.in.w.scope
	if err := c.in.w.rights.MayWrite(c.ctx, c.Action, c.in.place, path); err != nil {
		return "", false, err
	}
	if c.in.index(path) < 0 { // a file of the group was already admitted
		switch ok, err := s.Root.Admits(path); {
		case err != nil:
			return "", false, scope.FailWrite(c.Action.Name, path, err)
		case !ok || !s.HasFiles():
			return "", false, c.Fail(path, fault.Invalid, errors.New("a file of this path would be no part of this scope"))
		}
	}
	_, known := c.State().Document(path)
	text, err = c.fresh(path)
	if errors.Is(err, corpus.ErrVanished) && !known {
		return "", false, nil
	}
	return text, err == nil, err
}

// Fresh brings memory up to date with a file that the actor may write, and returns its text.
// Errors: Denied, Locked, NotFound, Invalid (it is kept unparsed), Busy, Conflict.
func (c *Change) Fresh(path string) (string, error) {
	if err := c.in.w.rights.MayWrite(c.ctx, c.Action, c.in.place, path); err != nil {
		return "", err
	}
	return c.fresh(path)
}

// fresh is Fresh for an actor who may write the file.
func (c *Change) fresh(path string) (string, error) {
	if c.read[path] { // a file that changed since is detected when it is written
		text, _ := c.State().Text(path)
		return text, nil
	}
	text, err := c.in.read(c, path)
	if d, ok := c.State().Document(path); err == nil && ok && d.Derived.Opaque {
		why := cmp.Or(c.in.w.scope.Options.Formats.KeptWhole(path, d.Content), "the file is kept unparsed and not edited")
		err = c.Fail(path, fault.Invalid, errors.New(why))
	}
	c.read[path] = err == nil
	return text, err
}

// Text returns the text of a file as the change has set it.
func (c *Change) Text(path string) string {
	text, ok := c.texts[path]
	if !ok {
		text = c.in.text(c.State(), path)
	}
	return text
}

// Document parses the text of a file as the change has set it.
func (c *Change) Document(path string) document.Text { return Parse(c.State(), path, c.Text(path)) }

// Parse parses a text of the file at a path as a state does. A format without edits rejects each edit.
func Parse(s *graph.State, path, text string) document.Text {
	if f, ok := s.Formats().Of(path).(document.Editor); ok {
		return f.Parse(path, text, s.Files)
	}
	return readOnly{text}
}

// readOnly is a text of a format without edits.
type readOnly struct{ text string }

func (r readOnly) Source() string                 { return r.text }
func (r readOnly) Headlines() int                 { return 0 }
func (r readOnly) Own(int) (start, end int)       { return 0, len(r.text) }
func (r readOnly) Keywords() (all, done []string) { return nil, nil }
func (r readOnly) Edit(int, time.Time, ...document.Edit) ([]document.Splice, error) {
	return nil, errors.New("files of this format can be read, but not edited")
}

// Edited returns a text after edits of headline i, -1 for the document.
func Edited(doc document.Text, i int, now time.Time, edits ...document.Edit) (string, error) {
	splices, err := doc.Edit(i, now, edits...)
	if err != nil {
		return "", err
	}
	return document.Apply(doc.Source(), splices)
}

// Headline returns the index of a node's headline in its document, -1 for the document itself.
func (c *Change) Headline(n *node.Node) int {
	return max(-1, slices.IndexFunc(c.State().Nodes(n.Path), func(o *node.Node) bool { return o.ID == n.ID })-1)
}

// Edit applies edits to a headline of a file that was read.
func (c *Change) Edit(n *node.Node, edits ...document.Edit) error {
	text, err := Edited(c.Document(n.Path), c.Headline(n), c.Action.Now, edits...)
	if err != nil {
		return c.Fail(n.ID, fault.Invalid, err)
	}
	c.Put(n.Path, text)
	return nil
}

// Inserted appends a headline to the text of a file that was read. It returns the new text, for Put,
// and the parsed end of it. An edit parses its document, so it edits only the text before the first
// headline and the last two top-level headlines where that gives the same result as the whole file.
func (c *Change) Inserted(path string, h document.InsertHeadline) (text string, end document.Text, err error) {
	s, text := c.State(), c.Text(path)
	short := text
	if _, set := c.texts[path]; !set { // else the nodes are not of this text
		nodes := s.Nodes(path)
		if head, tail := ends(nodes, c.in.file(path).nodes, s.Formats().Of(path)); tail > 0 {
			short = text[:head] + text[len(text)-tail:]
			c.local[path] = len(nodes)
		}
	}
	next, err := Edited(Parse(s, path, short), -1, c.Action.Now, h)
	more, appended := strings.CutPrefix(next, short)
	if err == nil && !appended && len(short) < len(text) { // where it inserts depends on the whole file
		next, err = Edited(Parse(s, path, text), -1, c.Action.Now, h)
		more, appended = strings.CutPrefix(next, text)
	}
	switch {
	case err != nil:
		return "", nil, c.Fail(path, fault.Invalid, err)
	case appended:
		text = c.in.grown(path, text, more)
	default:
		text = next
	}
	return text, Parse(s, path, next), nil
}

// ends returns the lengths of the text of a file before its first headline, and of its last two
// top-level headlines with their subtrees; 0 if the parse depends on the whole file. known is the
// number of first nodes that are already known to be independent of it.
func ends(nodes []*node.Node, known int, format document.Format) (head, tail int) {
	x, extends := format.(document.Editor)
	tops := 0
	for i := len(nodes) - 1; i > 0 && (tops < 2 || i >= known); i-- {
		if !extends || i >= known && !x.IsLocal(nodes[i].Content) { // a setting in the middle of the file may affect its end
			return 0, 0
		}
		if tops < 2 {
			tail += len(nodes[i].Content)
		}
		if nodes[i].Parent == nodes[0].ID {
			tops++
		}
	}
	if tops < 2 {
		return 0, 0
	}
	return len(nodes[0].Content), tail
}

// Splice applies splices to a text of a file and puts the result.
func (c *Change) Splice(path, text string, splices []document.Splice) error {
	text, err := document.Apply(text, splices)
	if err != nil {
		return c.Fail(path, fault.Other, err)
	}
	c.Put(path, text)
	return nil
}

// Put sets the new text of a file that was read.
func (c *Change) Put(path, text string) {
	if _, known := c.texts[path]; !known {
		c.paths = append(c.paths, path)
	}
	c.texts[path] = text
}

// Paths returns the files whose text the change sets, in the order of the first Put of each.
func (c *Change) Paths() []string { return c.paths }

// Draft adds a function that changes documents without files in a draft.
func (c *Change) Draft(change func(before *graph.State, draft *graph.Draft) error) {
	c.drafts = append(c.drafts, change)
}

// Mark adds marks that are written with the commit.
func (c *Change) Mark(marks ...[]byte) { c.marks = append(c.marks, marks...) }

// Declare changes documents without files in a separate commit before the one of the
// change, in the same step.
func (c *Change) Declare(message string, draft func(before *graph.State, draft *graph.Draft) error) {
	c.first = &declaration{message, draft}
}

// seal returns the steps of the change, none if it changes nothing.
func (c *Change) seal() ([]Step, error) {
	var steps []Step
	head, w := c.State(), c.in.w
	if c.first != nil {
		draft := head.Edit(c.Action.Now.UnixMilli())
		if err := c.first.draft(head, draft); err != nil {
			return nil, c.Fail("", fault.Invalid, err)
		}
		a := scope.Action{Kind: c.Action.Kind, Message: c.first.message, Now: c.Action.Now}
		steps = append(steps, Step{Commit: w.scope.NewCommit(c.ctx, a)})
		steps[0].state, steps[0].delta = draft.Seal()
		head = steps[0].state
	}
	draft := head.Edit(c.Action.Now.UnixMilli())
	if err := c.put(head, draft); err != nil {
		return nil, err
	}
	w.scope.DropUnusedSetups(head, draft)
	last := Step{Marks: c.marks}
	last.state, last.delta = draft.Seal()
	if last.delta.Empty() {
		if len(steps) > 0 {
			steps[0].Marks = c.marks
		} else if len(c.marks) > 0 {
			steps = append(steps, last)
		}
		return steps, nil
	}
	if err := c.judge(head, &last); err != nil {
		return nil, err
	}
	c.Action.Message += scope.Rebound(&last.delta)
	last.Commit = w.scope.NewCommit(c.ctx, c.Action)
	return append(steps, last), nil
}

// put makes the changes in a draft of a state.
func (c *Change) put(head *graph.State, draft *graph.Draft) error {
	for _, path := range c.paths {
		if !c.in.file(path).isUTF8 { // UTF-8 may become any other text
			if err := document.CheckEncoding(c.in.text(head, path), c.texts[path]); err != nil {
				return c.Fail(path, fault.Invalid, err)
			}
		}
		draft.Put(path, document.File(c.texts[path], false))
	}
	for _, change := range c.drafts {
		if err := change(head, draft); err != nil {
			return c.Fail("", fault.Invalid, err)
		}
	}
	return nil
}

// judge rejects a step that the actor may not make, or with a text that would not be parsed.
func (c *Change) judge(head *graph.State, s *Step) error {
	w := c.in.w
	for _, path := range c.paths {
		if d, ok := s.state.Document(path); ok && d.Derived.Opaque {
			why := s.state.Formats().KeptWhole(path, d.Content)
			return c.Fail(path, fault.Invalid, fmt.Errorf("nothing was written, because with this change the file would have %s", why))
		}
	}
	var err error
	if c.Check != nil {
		err = c.Check(head, s.state, &s.delta)
	}
	if err == nil {
		err = w.allow(c.ctx, c.Action, head, &s.delta)
	}
	return err
}

// allow rejects changes that the actor may not make, or that break a claim.
func (w *Writer) allow(ctx context.Context, a scope.Action, before *graph.State, delta *graph.Delta) error {
	if err := w.rights.Unprotected(ctx, a, delta.Paths...); err != nil || w.scope.Fence == nil {
		return err
	}
	return w.scope.Fence.Change(ctx, a, before, delta)
}

// Splice replaces a stretch of one file.
type Splice struct {
	File    int // the index of the file in the operation
	At      int // offset of the stretch in bytes,
	Removed int // and its length
	Text    string
}

// NewSplice returns the shortest splice that makes one text of a file the other, with File 0.
func NewSplice(before, after string) Splice {
	if more, ok := strings.CutPrefix(after, before); ok { // fast if both share memory
		return Splice{At: len(before), Text: more}
	}
	both := min(len(before), len(after))
	at := text.SharedPrefix(before, after)
	same := 0
	for same < both-at && before[len(before)-1-same] == after[len(after)-1-same] {
		same++
	}
	return Splice{At: at, Removed: len(before) - same - at, Text: after[at : len(after)-same]}
}

// apply returns a text after the splice, false if the text is too short for it.
func (s *Splice) apply(text string) (string, bool) {
	if s.At > len(text) || s.Removed > len(text)-s.At {
		return "", false
	}
	return text[:s.At] + s.Text + text[s.At+s.Removed:], true
}
