// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"context"
	"slices"

	"github.com/fovea-memory/fovea/token"
)

// Build chooses and renders the window that req asks for. With a nil sim no node is
// similar. Errors: ErrUnknownPolicy, ErrUnknownFormat, ErrUnknownFocus, *BudgetError,
// or the error of ctx. Build is safe for concurrent use. With an Outline of the same
// state it takes O(c log c + h), where c is the number of nodes whose headings alone
// could fill the window and h the number of nodes that are similar, adjacent to a
// similar node, linked with the focus, or in its document. Without one it reads all
// items first.
func Build(ctx context.Context, src Source, sim Similarity, req Request) (*Window, error) {
	req, err := req.withDefaults()
	if err != nil {
		return nil, err
	}
	if req.Session != nil && req.Session.Layout == LayoutSticky {
		return buildSticky(ctx, src, sim, req)
	}
	_, w, err := build(ctx, src, sim, req)
	return w, err
}

// build builds the window of a request with all defaults set. Of the returned plan, only the
// renderer and the costs of the frame are still valid.
func build(ctx context.Context, src Source, sim Similarity, req Request) (*plan, *Window, error) {
	t, err := newTree(ctx, src, &req)
	if err != nil {
		return nil, nil, err
	}
	defer t.release()
	text := req.query()
	if req.Policy == PolicyFoveal && t.focused() {
		text = "" // the policy compares nodes with the focus only
	}
	if sim != nil && (text != "" || req.Focus != "") {
		t.addSimilarities(sim.Scores(req.Focus, text))
	}
	for limit := req.Budget; ; {
		p := newPlan(src, t, &req)
		if err := p.choose(ctx, limit); err != nil {
			return nil, nil, err
		}
		w := p.assemble()
		excess := w.Tokens - req.Budget
		switch {
		case excess <= 0:
			return p, w, nil
		case limit <= 0:
			return nil, nil, &BudgetError{Needed: w.Tokens, Budget: req.Budget, Focus: t.focused(), Critical: len(p.critical)}
		}
		limit -= excess // the counter is not additive
	}
}

// isAdditive reports whether the counter's tokens of pieces add up to the tokens of
// their concatenation.
func isAdditive(counter token.Counter) bool {
	return slices.Contains([]string{token.O200k, token.Estimated}, counter.Name())
}
