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
	t, err := newTree(ctx, src, &req)
	if err != nil {
		return nil, err
	}
	defer t.release()
	if text := similarityText(&req); sim != nil && (text != "" || req.Focus != "") {
		t.addSimilarities(sim.Scores(req.Focus, text))
	}
	for limit := req.Budget; ; {
		p := newPlan(src, t, &req)
		if err := p.choose(ctx, limit); err != nil {
			return nil, err
		}
		w := p.assemble()
		excess := w.Tokens - req.Budget
		switch {
		case excess <= 0:
			return w, nil
		case limit <= 0:
			return nil, &BudgetError{Needed: w.Tokens, Budget: req.Budget, Focus: t.focused()}
		}
		limit -= excess // the counter is not additive
	}
}

// similarityText returns the text that nodes are compared with besides the focus.
// PolicyFoveal compares with the focus only.
func similarityText(req *Request) string {
	if req.Policy == PolicyFoveal {
		return ""
	}
	return req.query()
}

// isAdditive reports whether the counter's tokens of pieces add up to the tokens of
// their concatenation.
func isAdditive(counter token.Counter) bool {
	return slices.Contains([]string{token.O200k, token.Estimated}, counter.Name())
}
