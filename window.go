// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/recall"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/window"
)

// Window chooses and renders what a model sees of this view within a token budget. The
// focus must be an id; Resolve finds it for a name that a person types. Nil Projects
// stand for all active ones. Errors: Budget (the text names the smallest budget that
// works), Invalid, NotFound, Locked.
func (v *View) Window(ctx context.Context, req window.Request) (*window.Window, error) {
	if _, has := v.Get(req.Focus); req.Focus != "" && !has {
		if err := v.lockedDown("context", req.Focus); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, fail("context", "", Other, err)
	}
	req.Outline = v.tree.get()
	if req.Projects == nil {
		req.Projects = req.Outline.Projects()
	}
	w, err := window.Build(ctx, &source{state: v.state}, similarity{v}, req)
	if err == nil {
		return w, nil
	}
	kind := Invalid
	if _, ok := errors.AsType[*window.BudgetError](err); ok {
		kind = Budget
	}
	return nil, &Error{Op: "context", Kind: kind, Err: err}
}

// ActiveProjects returns the ids of the active projects in document order: headlines
// with the own tag "project" and no terminal keyword, and documents with the tag in
// FILETAGS. O(nodes).
func (v *View) ActiveProjects() []string {
	var out []string
	for n := range v.state.All() {
		if isActiveProject(n.Derived) {
			out = append(out, n.ID)
		}
	}
	return out
}

func isActiveProject(d *document.Derived) bool {
	return slices.Contains(d.Tags, "project") && !d.Done && !d.Commented && !d.Archived
}

// source presents a state to package window. It caches the last node, because windows
// ask for several facts of one node in a row. It is not safe for concurrent use.
type source struct {
	state *graph.State
	last  *node.Node
	next  []*node.Node // the nodes after last in its document, which a walk visits next
	brief bool         // leave out tags, and reuse props: the caller does not keep items
	props [][2]string  // properties of the last brief item
}

func (s *source) get(id string) (*node.Node, bool) {
	if s.last != nil && s.last.ID == id {
		return s.last, true
	}
	if len(s.next) > 0 && s.next[0].ID == id {
		s.last, s.next = s.next[0], s.next[1:]
		return s.last, true
	}
	n, ok := s.state.Get(id)
	if ok {
		s.last = n
		if n.Parent == "" {
			s.next = s.state.Nodes(n.Path)[1:]
		}
	}
	return n, ok
}

func (s *source) Root() merkle.Digest { return s.state.Root() }

func (s *source) Documents() []string {
	out := make([]string, 0, s.state.DocumentCount())
	for d := range s.state.Documents() {
		out = append(out, d.ID)
	}
	return out
}

func (s *source) Children(id string) []string {
	if n, ok := s.get(id); ok {
		return n.Kids
	}
	return nil
}

func (s *source) Parent(id string) string {
	if n, ok := s.get(id); ok {
		return n.Parent
	}
	return ""
}

func (s *source) Document(id string) (doc, path string) {
	n, ok := s.get(id)
	if !ok {
		return "", ""
	}
	if n.Parent == "" {
		return id, n.Path
	}
	d, ok := s.state.Document(n.Path)
	if !ok {
		return "", ""
	}
	return d.ID, n.Path
}

func (s *source) Item(id string) (window.Item, bool) {
	n, ok := s.get(id)
	if !ok {
		return window.Item{}, false
	}
	d := n.Derived
	it := window.Item{
		ID: n.ID, Title: n.Title(), Todo: d.Todo, Priority: d.Priority, Done: d.Done,
		Level: d.Level, Path: n.Path, Type: n.Type,
		Body: n.Body(), Digest: n.Own, Links: d.Links, Agent: agentOf(n.Path), Project: isActiveProject(d),
		Hidden: d.Commented || d.Archived || n.Secret(),
	}
	if !s.brief {
		it.Tags = s.state.EffectiveTags(n)
	}
	if d.Encrypted {
		return it, true // only the headline is shown
	}
	for _, p := range [...]struct{ key, value string }{{"SCHEDULED", d.Scheduled}, {"DEADLINE", d.Deadline}, {"CLOSED", d.Closed}} {
		if p.value != "" {
			it.Planning = append(it.Planning, p.key+": "+p.value)
		}
	}
	switch {
	case s.brief:
		it.Properties = s.props[:0]
	case len(d.Properties) > 0:
		it.Properties = make([][2]string, 0, len(d.Properties))
	}
	for _, p := range d.Properties {
		if !strings.EqualFold(p.Key, "ID") {
			it.Properties = append(it.Properties, [2]string{p.Key, p.Value})
		}
	}
	if s.brief {
		s.props = it.Properties
	}
	if d.Opaque && !opaqueText(n) {
		it.Body = ""
	}
	return it, true
}

// opaqueText reports whether an opaque file can be shown: it is text and not
// encrypted.
func opaqueText(n *node.Node) bool {
	return strings.IndexByte(n.Content, 0) < 0 && !node.IsEncrypted(n.Path)
}

// agentOf returns the agent that writes a document, "" for the owner's documents. The ROM
// of an agent is the owner's, because only the owner may write it.
func agentOf(path string) string {
	rest, ok := strings.CutPrefix(path, "agents/")
	if !ok {
		return ""
	}
	name, file, ok := strings.Cut(rest, "/")
	if !ok || strings.HasPrefix(file, "ROM") && !strings.Contains(file, "/") {
		return ""
	}
	return name
}

// similarity scores nodes by the arms of the view, scaled so that 1 is the score of
// the focus compared with itself or, without a focus, of the best hit.
type similarity struct{ v *View }

// The rarest words of a long focus find the nodes that resemble it. Common words match
// nearly all nodes, and the thousandth hit no longer resembles the focus.
const (
	similarTerms = 32
	similarNodes = 500
)

func (s similarity) Scores(focus, text string) []window.Scored {
	n, _ := s.v.Get(focus)
	ranking := s.v.recall().Rank(recall.Request{Text: text, Focus: n, Limit: similarNodes, Terms: similarTerms})
	if len(ranking.Hits) == 0 {
		return nil
	}
	best := ranking.Hits[0].Score
	for _, h := range ranking.Hits {
		if h.ID == focus {
			best = h.Score
		}
	}
	out := make([]window.Scored, len(ranking.Hits))
	for i, h := range ranking.Hits {
		out[i] = window.Scored{ID: h.ID, Score: min(1, h.Score/best), Reason: ranking.Reason(h)}
	}
	return out
}
