// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/recall"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/window"
)

// Window chooses and renders what a model sees of this view within a token
// budget. Focus is taken as an id; use Resolve for what a person types. The
// request's Projects are filled in when it names none. Errors: Budget (the
// text names the smallest budget that works), Invalid, NotFound, Locked.
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

// ActiveProjects lists the ids of the active projects, by path and position:
// headlines with the own tag "project" that are not in a terminal state of
// their file's keywords, and documents that carry it by FILETAGS. Complexity
// is O(nodes).
func (v *View) ActiveProjects() []string {
	var out []string
	for n := range v.state.All() {
		if isActiveProject(n.Derived) {
			out = append(out, n.ID)
		}
	}
	return out
}

func isActiveProject(d *node.Derived) bool {
	return slices.Contains(d.Tags, "project") && !d.Done && !d.Commented && !d.Archived
}

// source shows a state to package window, which asks several things of one
// node in a row. It is for one goroutine.
type source struct {
	state *graph.State
	last  *node.Node
	next  []*node.Node // those behind last in its document, where a walk goes on
	brief bool         // items are read and not kept, and their tags not at all
	props [][2]string  // for brief items
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
		Body: n.Body(), Digest: n.Own, Links: d.Links, Agent: agent(n.Path), Project: isActiveProject(d),
		Hidden: d.Commented || d.Archived || n.Secret(),
	}
	if !s.brief {
		it.Tags = s.state.EffectiveTags(n)
	}
	if d.Encrypted {
		return it, true // what is below its own line stays out of sight
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

// opaqueText reports whether an opaque file can be shown: it reads as text, and
// is not encrypted.
func opaqueText(n *node.Node) bool {
	return strings.IndexByte(n.Content, 0) < 0 && !node.IsEncrypted(n.Path)
}

// agent names the agent whose writing a document is, "" for the owner's. What
// is an agent's ROM is the owner's: nobody else may write it.
func agent(path string) string {
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
