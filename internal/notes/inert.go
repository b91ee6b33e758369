// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package notes

import (
	"context"
	"errors"
	"strings"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/inert"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// inertCheck checks the nodes that an agent's operation writes, see author.Actor.Author.
type inertCheck struct {
	ns     *Notes
	before *graph.State
	after  *graph.State
	places map[string]*inert.Place
}

// checkInert rejects an agent's edit if it makes a node active, or would be read as more
// headlines than the operation adds.
func (e *editing) checkInert(ctx context.Context, after *graph.State, delta *graph.Delta) error {
	if e.ns.scope.Actor(ctx).Author.Kind != author.Agent {
		return nil
	}
	f := &inertCheck{ns: e.ns, before: e.ns.scope.Present(), after: after, places: map[string]*inert.Place{}}
	was := map[string]*node.Node{}
	for _, edge := range delta.Lineage {
		was[edge.New], _ = f.before.Get(edge.Old)
	}
	more := 0
	for _, c := range delta.Changes {
		old := c.Old
		if old == nil {
			old = was[c.ID]
		}
		if c.New == nil {
			more -= headlines(c.Old)
			continue
		}
		if c.Old == nil {
			more += headlines(c.New)
		}
		if err := f.check(old, c.New); err != nil {
			return fault.Wrap(e.name, c.New.Path, fault.Invalid, err)
		}
	}
	if len(e.trees) == 0 && more > e.adds {
		return fault.Wrap(e.name, "", fault.Invalid, errors.New("it would be read as more headlines than were asked for"))
	}
	return nil
}

func headlines(n *node.Node) int {
	if n.Type == document.TypeHeadline {
		return 1
	}
	return 0
}

// check rejects a node that is active if old, which may be nil, was not.
func (f *inertCheck) check(old, n *node.Node) error {
	if n.Derived.Opaque || !f.inFile(f.after, n) {
		return nil
	}
	if c, ok := f.after.Formats().Of(n.Path).(document.Checker); ok {
		before := ""
		if old != nil && f.inFile(f.before, old) {
			before = old.Content
		}
		return c.Check(before, n.Content)
	}
	from, before := &inert.Place{}, ""
	if old != nil && f.inFile(f.before, old) {
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

// inFile reports whether a node belongs to a file.
func (f *inertCheck) inFile(s *graph.State, n *node.Node) bool { return !s.IsTree(n.Path) }

// place returns the context that a file gives its nodes.
func (f *inertCheck) place(s *graph.State, path string) (*inert.Place, error) {
	p, ok := f.places[path]
	if !ok {
		text, _ := s.Text(path)
		doc, err := orgOf(parse(s, path, text))
		if err != nil {
			return nil, errUnchecked
		}
		p = inertPlace(doc, f.ns, f.after)
		f.places[path] = p
	}
	return p, nil
}

// errUnchecked refuses texts of agents in a format without a check.
var errUnchecked = errors.New("what an agent writes cannot be checked in a file of this format")

// inertPlace returns the context that a document gives its nodes, which may link to the
// nodes of a state and of the memex.
func inertPlace(doc *org.Document, m *Notes, s *graph.State) *inert.Place {
	p := inert.NewPlace(doc)
	p.Known = func(id string) bool {
		for _, in := range []*graph.State{s, m.scope.Memex().Present()} {
			if n, ok := in.Get(id); ok && n.Derived.DeclaredID == id {
				return true
			}
		}
		return false
	}
	return p
}

// checkInert rejects an active note in a batch: the last headline of the document.
func (p *batch) checkInert(ctx context.Context, doc document.Text) error {
	if p.ns.scope.Actor(ctx).Author.Kind != author.Agent {
		return nil
	}
	start, end := doc.Own(doc.Headlines() - 1)
	note := doc.Source()[start:end]
	if c, ok := p.ns.scope.Options.Formats.Of(p.path).(document.Checker); ok {
		return c.Check("", note)
	}
	if p.place == nil {
		text, err := orgOf(doc)
		if err != nil {
			return errUnchecked
		}
		p.place = inertPlace(text, p.ns, p.ns.scope.Present())
	}
	return p.place.Check(&inert.Place{}, "", note)
}

// CheckTree rejects an agent's tree that would become active when refiled into a file.
func CheckTree(ctx context.Context, ns *Notes, t *ast.Tree) error {
	if ns.scope.Actor(ctx).Author.Kind != author.Agent {
		return nil
	}
	place := inertPlace(org.Parse("", nil), ns, ns.scope.Present())
	for part := range t.All() {
		if err := place.Check(&inert.Place{}, "", noteText(part)); err != nil {
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
