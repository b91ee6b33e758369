// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package notes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/inert"
	"github.com/fovea-memory/fovea/internal/write"
	"github.com/fovea-memory/fovea/node"
)

// inertCheck checks the nodes that an agent's operation writes, see author.Actor.Author.
type inertCheck struct {
	ns     *Notes
	before *graph.State
	after  *graph.State
	places map[string]document.Place
}

// checkInert rejects an agent's edit that makes a node active, or that is parsed as more headlines
// than the operation adds.
func (e *editing) checkInert(before, after *graph.State, delta *graph.Delta) error {
	if e.ns.scope.Actor(e.ctx).Author.Kind != author.Agent {
		return nil
	}
	f := &inertCheck{ns: e.ns, before: before, after: after, places: map[string]document.Place{}}
	was := map[string]*node.Node{}
	for _, edge := range delta.Lineage {
		was[edge.New], _ = f.before.Get(edge.Old)
	}
	more := 0
	for _, c := range delta.Changes {
		old := cmp.Or(c.Old, was[c.ID])
		if c.New == nil {
			more -= headlines(c.Old)
			continue
		}
		if c.Old == nil {
			more += headlines(c.New)
		}
		if err := f.check(old, c.New); err != nil {
			return e.c.Fail(c.New.Path, fault.Invalid, err)
		}
	}
	if !e.trees && more > e.adds {
		return e.c.Fail("", fault.Invalid, errors.New("it would be read as more headlines than requested"))
	}
	return e.ns.rights.Keeps(e.ctx, e.c.Action, before, after, delta)
}

func headlines(n *node.Node) int {
	if n.Type == document.TypeHeadline {
		return 1
	}
	return 0
}

// check rejects a node that is active if old, which may be nil, was not.
func (f *inertCheck) check(old, n *node.Node) error {
	if n.Derived.Opaque || f.after.IsTree(n.Path) {
		return nil
	}
	var from document.Place
	before := ""
	if old != nil && !f.before.IsTree(old.Path) {
		if old.Path == n.Path && old.Content == n.Content {
			return nil
		}
		var err error
		if from, err = f.place(f.before, old.Path); err != nil {
			return err
		}
		before = old.Content
	}
	place, err := f.place(f.after, n.Path)
	if err != nil {
		return err
	}
	return place.Check(from, before, n.Content)
}

// place returns the check of the nodes of a file.
func (f *inertCheck) place(s *graph.State, path string) (document.Place, error) {
	if p, ok := f.places[path]; ok {
		return p, nil
	}
	text, _ := s.Text(path)
	p, err := f.ns.place(path, write.Parse(s, path, text), f.after)
	if err == nil {
		f.places[path] = p
	}
	return p, err
}

// place returns the check of the nodes of a document.
func (ns *Notes) place(path string, doc document.Text, s *graph.State) (document.Place, error) {
	c := inert.Checker(ns.scope.Options.Formats.Of(path))
	if c == nil {
		return nil, errors.New("what an agent writes cannot be checked in a file of this format")
	}
	return c.Place(doc, ns.linkable(s)), nil
}

// linkable returns a function that reports whether a node of a state or of the memex declares an
// id, so that agents may link to it.
func (ns *Notes) linkable(s *graph.State) func(id string) bool {
	return func(id string) bool {
		for _, in := range []*graph.State{s, ns.scope.Memex().Present()} {
			if n, ok := in.Get(id); ok && n.Derived.DeclaredID == id {
				return true
			}
		}
		return false
	}
}

// checkEnd rejects an active note at the end of a file: the last headline of a document.
func (ns *Notes) checkEnd(ctx context.Context, path string, doc document.Text, s *graph.State) error {
	if ns.scope.Actor(ctx).Author.Kind != author.Agent {
		return nil
	}
	place, err := ns.place(path, doc, s)
	if err != nil {
		return err
	}
	start, end := doc.Own(doc.Headlines() - 1)
	return place.Check(nil, "", doc.Source()[start:end])
}

// CheckTree rejects an agent's tree that would become active when refiled into a file.
func CheckTree(ctx context.Context, ns *Notes, t *ast.Tree) error {
	if ns.scope.Actor(ctx).Author.Kind != author.Agent {
		return nil
	}
	place := &inert.Place{Known: ns.linkable(ns.scope.Present())}
	for part := range t.All() {
		n, known := ns.scope.Present().Get(part.ID())
		for _, a := range part.Attrs {
			row := inert.Lookup("property", a.Key)
			if row.By == inert.ByFovea && row.Only == "" && (!known || document.Lookup(n.Attrs, a.Key).String() != a.Value.String()) {
				return fmt.Errorf("the attribute %s is not an agent's to set: it %s; leave it out", a.Key, row.Why)
			}
		}
		if err := place.Check(nil, "", noteText(part)); err != nil {
			return err
		}
	}
	return nil
}

// noteText formats the root of a tree as a headline with all its attributes in the drawer,
// including ones that are invalid there.
func noteText(t *ast.Tree) string {
	var b strings.Builder
	b.WriteString("* " + oneLine(t.Text("TITLE")) + "\n:PROPERTIES:\n")
	for _, a := range t.Attrs {
		for _, v := range append(a.Value.Items(), a.Value) {
			if a.Key != "TITLE" && v.Kind() != document.KindNull && v.Items() == nil {
				b.WriteString(":" + oneLine(a.Key) + ": " + oneLine(v.String()) + "\n")
			}
		}
	}
	b.WriteString(":END:\n")
	for line := range strings.Lines(t.Content) {
		if strings.HasPrefix(line, "*") { // a headline is a separate part, or rejected by refile
			line = " " + line
		}
		b.WriteString(line)
	}
	return b.String()
}

// oneLine replaces line breaks by spaces.
func oneLine(text string) string { return strings.NewReplacer("\r", " ", "\n", " ").Replace(text) }
