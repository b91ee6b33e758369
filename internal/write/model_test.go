// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package write_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/write"
	"github.com/fovea-memory/fovea/merkle"
)

// editKind is what one edit of a change does.
type editKind int

const (
	prepend editKind = iota // Put
	splice                  // Splice: the second line
	insert                  // Insert
	same                    // Put of the present text
	tree                    // Draft of a document without a file
	declare                 // Declare of one
	mark
	once
	// meddle: another program saves the file after it was read, the first time that the change runs. It
	// is not drawn: when a group is tried again, a later change may have brought a file up to date before
	// an earlier one did, and the model expects the order of the changes. TestReadTwice asks for it.
	meddle
)

// edit is one edit of a change. Its text is new.
type edit struct {
	kind editKind
	path string
	text string
}

// change is a random change. It is plain data, so that it can be performed in many memories.
type change struct {
	id       int
	who      string // "" for the owner
	key      string
	dry      bool
	deferred bool
	refuse   bool // its Check refuses
	edits    []edit
}

func (c *change) message() string { return fmt.Sprint("change ", c.id) }

func (c *change) meddles() bool {
	return slices.ContainsFunc(c.edits, func(e edit) bool { return e.kind == meddle })
}

// linked is a file with two names: it is written in place, and by no agent.
const unwritable, drifting, linked = "unwritable.org", "drifting.org", "linked.org"

// denied maps each agent to what begins the names of the files that it may not write.
var denied = map[string]string{"ada": "b", "bob": "sub/"}

// mayNot reports whether the author of a change may not write a file.
func (c *change) mayNot(path string) bool {
	return c.who != "" && (path == linked || strings.HasPrefix(path, denied[c.who]))
}

// as returns a context of an agent, "" for the owner.
func as(who string) context.Context {
	if who == "" {
		return context.Background()
	}
	return author.WithActor(context.Background(), author.Actor{Author: author.Named(who), Session: "s-" + who, May: func(path string) error {
		if strings.HasPrefix(path, denied[who]) {
			return errors.New("not yours")
		}
		return nil
	}})
}

// drawChange draws a change.
func drawChange(t *rapid.T, id int) change {
	c := change{id: id, who: rapid.SampledFrom([]string{"", "ada", "bob"}).Draw(t, "who")}
	switch rapid.IntRange(0, 11).Draw(t, "form") {
	case 0:
		c.dry = true
	case 1:
		c.refuse = true
	case 2:
		c.deferred = true
	case 3, 4, 5, 6, 7:
		c.key = c.who + rapid.SampledFrom([]string{"k1", "k2"}).Draw(t, "key")
	}
	for i := range rapid.IntRange(1, 4).Draw(t, "edits") {
		kind := editKind(rapid.IntRange(0, int(meddle)-1).Draw(t, "kind"))
		e := edit{kind: kind, text: fmt.Sprintf("Text %d of %s, ünïcode", i, c.message())}
		switch e.kind {
		case tree:
			e.path = rapid.SampledFrom([]string{"t1", "t2"}).Draw(t, "tree")
			if rapid.IntRange(0, 3).Draw(t, "drop") == 0 {
				e.text = ""
			}
		case declare:
			e.path = "t3"
		case mark:
			e.path = fmt.Sprintf("mark-%d-%d.org", c.id, i)
		case once:
			e.path = "key"
		default:
			e.path = rapid.SampledFrom([]string{"a.org", "a.org", "b.org", "sub/c.org", "new.org", "sub/new.org", "a.org",
				"b.org", "sub/c.org", linked, unwritable, drifting}).Draw(t, "path")
		}
		if e.kind == meddle && (e.path == unwritable || e.path == drifting || e.path == linked) {
			e.path = "a.org"
		}
		c.edits = append(c.edits, e)
	}
	return c
}

// newText returns a text of a file after an edit, as plainly as can be.
func (e *edit) newText(text string) string {
	switch e.kind {
	case prepend, meddle:
		return e.text + ".\n" + text
	case splice:
		from := strings.IndexByte(text, '\n') + 1
		to := from + strings.IndexByte(text[from:], '\n') + 1
		return text[:from] + e.text + "!\n" + text[to:]
	case insert:
		return text + "* " + e.text + "\nbelow it\n"
	}
	return text
}

// perform performs a change with a writer. outside saves the new text of a file as another program.
func (c *change) perform(w *write.Writer, outside func(path string, newText func(string) string)) (chain.Commit, *graph.Commit, error) {
	a := scope.Action{Name: "model", Kind: graph.KindEdit, Key: c.key, Message: c.message(), DryRun: c.dry}
	meddled := false
	return w.Do(as(c.who), a, func(in *write.Change) error {
		in.Deferred = c.deferred
		if c.refuse {
			in.Check = func(_, _ *graph.State, _ *graph.Delta) error { return errors.New("refused") }
		}
		for i := range c.edits {
			if err := c.edits[i].make(in); err != nil {
				return err
			}
		}
		for i := range c.edits {
			if e := &c.edits[i]; e.kind == meddle && !meddled {
				outside(e.path, func(text string) string { return "Saved by another program, " + e.text + ".\n" + text })
			}
		}
		meddled = true
		return nil
	})
}

// make makes an edit.
func (e *edit) make(in *write.Change) error {
	switch e.kind {
	case once:
		return in.Once(e.path)
	case mark:
		in.Mark(chain.NewMark("drift", merkle.Bytes(&e.path), new(merkle.SumText(e.text))))
		return nil
	case tree:
		in.Draft(e.draft)
		return nil
	case declare:
		in.Declare("before "+in.Action.Message, e.draft)
		return nil
	}
	if _, _, err := in.Read(e.path); err != nil {
		return err
	}
	text := in.Text(e.path)
	switch e.kind {
	case insert:
		text, _, err := in.Inserted(e.path, document.InsertHeadline{Title: e.text, Body: "below it"})
		if err == nil {
			in.Put(e.path, text)
		}
		return err
	case splice:
		from := strings.IndexByte(text, '\n') + 1
		to := from + strings.IndexByte(text[from:], '\n') + 1
		return in.Splice(e.path, text, []document.Splice{{Start: from, End: to, New: e.text + "!\n"}})
	default:
		in.Put(e.path, e.newText(text))
		return nil
	}
}

// draft puts a document without a file into a draft, or drops it.
func (e *edit) draft(_ *graph.State, draft *graph.Draft) error {
	path := document.MemoryPath(e.path)
	if e.text == "" {
		draft.Drop(path)
		return nil
	}
	t, err := ast.DecodeTree(fmt.Appendf(nil, `{"type":"HEADLINE","properties":{"ID":%q,"TITLE":%q}}`, e.path, e.text))
	if err != nil {
		return err
	}
	parts, err := t.Parts(path)
	draft.Put(path, parts...)
	return err
}

// state is the model of a memory after a commit.
type state struct {
	texts map[string]string // of files in memory
	trees map[string]string // titles of documents without files
	drift map[string]string // the texts of files that differ from memory since a rollback of memory only; marks of changes
}

func (s state) clone() state {
	return state{maps.Clone(s.texts), maps.Clone(s.trees), maps.Clone(s.drift)}
}

func (s state) equal(o state) bool {
	return maps.Equal(s.texts, o.texts) && maps.Equal(s.trees, o.trees)
}

// reads returns the files that a change reads until it is refused.
func (c *change) reads(s state) (paths []string) {
	for _, e := range c.edits {
		if e.kind == tree || e.kind == declare || e.kind == mark || e.kind == once {
			continue
		}
		if c.mayNot(e.path) {
			break
		}
		paths = append(paths, e.path)
		if _, drifts := s.drift[e.path]; drifts {
			break
		}
	}
	return paths
}

// outcome is the expected result of a change: an error, or commits.
type outcome struct {
	refused  bool
	messages []string // of its commits
	states   []state  // after each
	marks    []string // that it leaves without a commit
}

// expect predicts the result of a change in a state.
func (c *change) expect(s state) outcome {
	first, after, marks := s.clone(), s.clone(), []string(nil)
	declared := false
	for _, e := range c.edits {
		if e.kind == declare {
			first.trees[e.path], after.trees[e.path], declared = e.text, e.text, true
		}
	}
	for _, e := range c.edits {
		switch _, drifts := s.drift[e.path]; {
		case e.kind == once || e.kind == declare:
		case e.kind == mark:
			marks = append(marks, e.path)
		case e.kind == tree:
			if after.trees[e.path] = e.text; e.text == "" {
				delete(after.trees, e.path)
			}
		case c.mayNot(e.path), drifts:
			return outcome{refused: true}
		default:
			after.texts[e.path] = e.newText(after.texts[e.path])
		}
	}
	changes := !first.equal(after)
	if changes && c.refuse || after.texts[unwritable] != s.texts[unwritable] {
		return outcome{refused: true}
	}
	if c.dry {
		return outcome{}
	}
	var o outcome
	if declared {
		o.messages, o.states = append(o.messages, "before "+c.message()), append(o.states, first)
	}
	if changes {
		o.messages, o.states = append(o.messages, c.message()), append(o.states, after)
	}
	if len(o.states) == 0 {
		return outcome{marks: marks}
	}
	for _, path := range marks {
		o.states[len(o.states)-1].drift[path] = ""
	}
	return o
}
