// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"context"
	"errors"
	"strings"
)

// A sticky window adds at most 1/stickyTurns of its budget, but at least minSticky tokens
// if the budget has them. On conversations a tenth keeps nine tenths of the text from turn
// to turn, and nine tenths of the evidence in it; see the decision record on what fills a
// window.
const (
	stickyTurns = 10
	minSticky   = 500
)

// buildSticky builds a window of LayoutSticky: the text of the previous window, followed by what the
// request needs in addition.
func buildSticky(ctx context.Context, src Source, sim Similarity, req Request) (*Window, error) {
	style := req.Policy + " " + req.Format + " " + req.Counter.Name()
	if req.Session.Shown.Style != style {
		req.Session = &Session{Shown: &Shown{}, Layout: LayoutSticky}
	}
	w, err := appendWindow(ctx, src, sim, req)
	if err != nil || w.Tokens <= req.Budget || req.Session.Shown.Text == "" {
		return w, err
	}
	req.Session = &Session{Shown: &Shown{}, Layout: LayoutSticky}
	return appendWindow(ctx, src, sim, req)
}

// appendWindow builds the window of what the session has not seen, and appends it to the session's text.
// Only a first text is certain to fit the budget.
func appendWindow(ctx context.Context, src Source, sim Similarity, req Request) (*Window, error) {
	added := req
	added.Caller.Summarize = nil // the text is stored, also on disk; a model's text must not be
	added.Budget = max(req.Budget/stickyTurns, min(minSticky, req.Budget))
	session := *req.Session
	added.Session, session.wholeBlocks = &session, added.Budget < req.Budget // blocks that fit the whole text are shown whole
	added.Degrade = req.Degrade && !session.wholeBlocks
	var p *plan
	var w *Window
	for w == nil {
		var err error
		p, w, err = build(ctx, src, sim, added)
		tooSmall, ok := errors.AsType[*BudgetError](err)
		switch {
		case err != nil && !ok:
			return nil, err
		case err == nil:
		case added.Budget < tooSmall.Needed && tooSmall.Needed <= req.Budget:
			added.Budget = tooSmall.Needed // the required parts alone need more
		case session.wholeBlocks && req.Degrade:
			session.wholeBlocks, added.Degrade = false, true
		case session.wholeBlocks:
			session.wholeBlocks, added.Budget = false, req.Budget
		default:
			tooSmall.Budget = req.Budget
			return nil, err
		}
	}
	before, tail := req.Session.Shown, p.renderer.Tail()
	text := strings.TrimSuffix(w.Text, tail)
	tokens := w.Tokens - p.costs.tail
	if before.Text != "" {
		head := p.renderer.Head(p.heading())
		text = text[len(head):]
		tokens += before.Tokens - p.costs.head
		if text != "" && len(before.Text) > len(head) {
			text = p.renderer.Separator() + text
			tokens += p.costs.separator
		}
		text = before.Text + text
	}
	w.Budget, w.Text, w.Tokens = req.Budget, text+tail, tokens+p.costs.tail
	if !isAdditive(req.Counter) {
		w.Tokens = req.Counter.Count(w.Text)
	}
	w.Shown.Text, w.Shown.Tokens, w.Shown.Style = text, tokens, req.Policy+" "+req.Format+" "+req.Counter.Name()
	return w, nil
}
