// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package view

import (
	"context"
	"errors"
	"slices"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/recall"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/window"
)

// Window is that of fovea.View.
func (v *View) Window(ctx context.Context, req window.Request) (*window.Window, error) {
	if n, has := v.Get(req.Focus); has && v.CopyOf(n.Path) != "" {
		return nil, fault.Errorf("context", n.Path, fault.Invalid, "%q is a conflict copy of %q, and no window shows it", n.Path, v.CopyOf(n.Path))
	} else if req.Focus != "" && !has {
		if err := v.lockedDown("context", req.Focus); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, fault.Wrap("context", "", fault.Other, err)
	}
	if caller := author.ActorOf(ctx).Author; req.Caller.Agent == "" && caller.Kind == author.Agent {
		req.Caller.Agent = caller.Name
	}
	v = v.AskedBy(req.Caller.Agent)
	if req.Caller.Load == nil && v.serve != nil {
		v.serve(ctx, v, &req.Caller)
	}
	req.Outline = v.tree.get()
	if req.Projects == nil {
		req.Projects = req.Outline.Projects()
	}
	w, err := window.Build(ctx, &source{state: v.State, handle: v.Handle}, similarity{v, req.Policy == window.PolicyFoveal}, req)
	if err == nil {
		v.fillLines(w)
		return w, nil
	}
	kind := fault.Invalid
	if _, ok := errors.AsType[*window.BudgetError](err); ok {
		kind = fault.Budget
	}
	return nil, &fault.Error{Op: "context", Kind: kind, Err: err}
}

// fillLines sets the first lines of the nodes of a window and of those left out, and the titles of the latter. A node
// without a file has no line.
func (v *View) fillLines(w *window.Window) {
	var nodes []*node.Node
	var lines []*int
	add := func(id string, line *int) {
		if n, ok := v.Get(id); ok && !document.IsMemory(n.Path) {
			nodes, lines = append(nodes, n), append(lines, line)
		}
	}
	for i := range w.Parts {
		add(w.Parts[i].ID, &w.Parts[i].Line)
	}
	for i := range w.OmittedTop {
		add(w.OmittedTop[i].ID, &w.OmittedTop[i].Line)
		if n, ok := v.Get(w.OmittedTop[i].ID); ok {
			w.OmittedTop[i].Title = n.Title()
		}
	}
	for i, line := range v.Lines(nodes) {
		*lines[i] = line
	}
}

// ActiveProjects is that of fovea.View.
func (v *View) ActiveProjects() []string {
	var out []string
	for n := range v.All() {
		if isActiveProject(n.Derived) && v.CopyOf(n.Path) == "" {
			out = append(out, n.ID)
		}
	}
	return out
}

func isActiveProject(d *document.Derived) bool {
	return slices.Contains(d.Tags, "project") && !d.Done && !d.Commented && !d.Archived
}

// similarity scores nodes by the arms of the view, scaled so that 1 is the score of
// the focus compared with itself or, without a focus, of the best hit. A foveal one is at
// least the similarity by vectors, which means the same with each model.
type similarity struct {
	v      *View
	foveal bool
}

// The rarest words of a long focus find the nodes that resemble it. Common words match
// nearly all nodes, and the thousandth hit no longer resembles the focus.
const (
	similarTerms = 32
	similarNodes = 500
)

func (s similarity) Scores(focus, text string) []window.Scored {
	n, _ := s.v.Get(focus)
	hits := s.v.recall().Rank(recall.Request{Text: text, Focus: n, Limit: similarNodes, Terms: similarTerms})
	if len(hits) == 0 {
		return nil
	}
	best := hits[0].Score
	for _, h := range hits {
		if h.ID == focus {
			best = h.Score
		}
	}
	out := make([]window.Scored, len(hits))
	for i, h := range hits {
		out[i] = window.Scored{ID: h.ID, Score: min(1, h.Score/best), Reason: h.Reason()}
		if s.foveal {
			out[i].Score = max(out[i].Score, h.Near)
		}
	}
	return out
}
