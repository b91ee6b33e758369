// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package minds

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/window"
	"github.com/fovea-memory/fovea/window/choose"
	"github.com/fovea-memory/fovea/working"
)

// Window is the manifest of a window that an agent was given.
type Window struct {
	ID       uint64    `json:"id" jsonschema:"the number of the window in its session, from 1"`
	Time     time.Time `json:"time" jsonschema:"when it was given"`
	Focus    string    `json:"focus,omitempty" jsonschema:"the id of the focus"`
	Question string    `json:"question,omitempty" jsonschema:"the question, at most 2000 bytes"`
	Task     string    `json:"task,omitempty" jsonschema:"the task, at most 2000 bytes"`
	Policy   string    `json:"policy" jsonschema:"the policy that chose the parts"`
	Layout   string    `json:"layout,omitempty" jsonschema:"of a session: tree or sticky"`
	Budget   int       `json:"budget" jsonschema:"in tokens"`
	Tokens   int       `json:"tokens" jsonschema:"number of tokens in the text"`
	Counter  string    `json:"counter" jsonschema:"name of the token counter"`
	Root     string    `json:"root" jsonschema:"the digest of the state that was read"`
	Text     string    `json:"text_digest" jsonschema:"the SHA-256 of the text"`
	Omitted  int       `json:"omitted" jsonschema:"number of nodes that were left out"`
	Parts    []Part    `json:"parts" jsonschema:"of the text, in order"`
}

// Part is what a window showed of one node.
type Part struct {
	ID     string        `json:"id" jsonschema:"the id of the node"`
	Path   string        `json:"path" jsonschema:"the file, below the memex"`
	Digest merkle.Digest `json:"digest" jsonschema:"of the own bytes"`
	Level  choose.Level  `json:"level" jsonschema:"how much of the node was shown"`
	Tokens int           `json:"tokens" jsonschema:"number of tokens that the part adds"`
}

// maxWords bounds the recorded question and task, in bytes each.
const maxWords = 2000

// stored is a window as it is encoded in its document.
type stored struct {
	Window
	agent   string   // that was given it; not encoded, the path of the document has it
	Sources []source `json:"sources"`
	Recipe  *recipe  `json:"recipe,omitempty"` // nil if the sources are too large
}

// source is a version of a node that a text was made from, or a file that a block showed.
type source struct {
	ID     string        `json:"id"`
	Path   string        `json:"path"`
	Digest merkle.Digest `json:"digest"`          // own digest of the node, or digest of the file's text
	Scope  string        `json:"scope,omitempty"` // "" is the memex
	File   bool          `json:"file,omitempty"`  // the text of the file that the block of this id names
	Made   bool          `json:"made,omitempty"`  // a model's summary of the block of this id, which is not recorded
}

// Given is a window that an agent was given. It must not be changed afterwards.
type Given struct {
	Session, Agent string
	Now            time.Time
	View           *view.View
	Request        window.Request
	Window         *window.Window
	Loaded         map[string]string // the texts of files that blocks showed, by the id of their node
	Made           map[string]string // a model's summaries of blocks, by the id of their node
}

// manifest returns the window without its number.
func (g *Given) manifest() *Window {
	w := &Window{
		Time: g.Now.UTC(), Focus: g.Request.Focus, Question: clip(g.Request.Question), Task: clip(g.Request.Task), Policy: g.Window.Policy,
		Budget: g.Window.Budget, Tokens: g.Window.Tokens, Counter: g.Window.Counter, Root: g.Window.Root.String(), Omitted: g.Window.Omitted,
		Parts: make([]Part, len(g.Window.Parts)),
	}
	if s := g.Request.Session; s != nil {
		w.Layout = s.Layout
	}
	for i := range g.Window.Parts {
		p := &g.Window.Parts[i]
		w.Parts[i] = Part{p.ID, p.Path, p.Digest, p.Level, p.Tokens}
	}
	return w
}

// clip returns at most maxWords bytes of what a caller asked.
func clip(text string) string { return strings.ToValidUTF8(text[:min(len(text), maxWords)], "") }

// store adds the recipe of its text to a window. A sticky window also uses the sources of the earlier one.
func (g *Given) store(w *Window, earlier []source, version func(source) (*node.Node, error)) *stored {
	s := &stored{Window: *w}
	var dictionary []string
	known := map[source]bool{}
	add := func(from source, text string) {
		if !known[from] {
			known[from] = true
			s.Sources, dictionary = append(s.Sources, from), append(dictionary, text)
		}
	}
	addNode := func(n *node.Node) {
		from := source{ID: n.ID, Path: n.Path, Digest: n.Own}
		if in := g.View.Scope(n); in != scope.Memex {
			from.Scope = in
		}
		add(from, textOf(n))
	}
	for _, p := range w.Parts {
		n, ok := g.View.Get(p.ID)
		if !ok {
			continue
		}
		addNode(n)
		if text, ok := g.Made[p.ID]; ok {
			add(source{ID: p.ID, Path: n.Path, Digest: merkle.SumText(text), Made: true}, text)
		}
		if text, ok := g.Loaded[p.ID]; ok {
			b, _ := working.OfNode(n)
			inMemory := false
			for n := range g.View.Document(b.Path()) {
				addNode(n)
				inMemory = true
			}
			if !inMemory {
				add(source{ID: p.ID, Path: b.Path(), Digest: merkle.SumText(text), File: true}, text)
			}
		}
	}
	if w.Layout == window.LayoutSticky {
		for _, from := range earlier {
			if n, err := version(from); err == nil {
				add(from, textOf(n))
			}
		}
	}
	s.Text = merkle.SumText(g.Window.Text).String()
	if r, ok := cook(g.Window.Text, dictionary); ok {
		s.Recipe = &r
	}
	return s
}

// textOf returns the text that a recipe copies from a node: its own bytes, and the attributes of a node
// that came as a tree.
func textOf(n *node.Node) string {
	if len(n.Attrs) == 0 {
		return n.Content
	}
	parts := []string{n.Content}
	for _, a := range n.Attrs {
		parts = append(parts, a.Value.String())
	}
	return strings.Join(parts, "\n")
}

// windowAttr is the attribute that holds a window as JSON.
const windowAttr = "WINDOW"

// tree returns the tree that keeps a window.
func (s *stored) tree() (*ast.Tree, error) {
	return working.Record("memory-window", working.WindowID(s.ID), windowAttr, s, "", "")
}

// windowOf returns the window that a node records, nil if it records none.
func windowOf(n *node.Node) *stored {
	var s stored
	if err := json.Unmarshal([]byte(document.Lookup(n.Attrs, windowAttr).String()), &s); err != nil || s.ID == 0 {
		return nil
	}
	return &s
}
