// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"context"
	"slices"

	"github.com/fovea-memory/fovea/token"
)

// Build chooses and writes the window that req asks for. A nil sim finds nothing
// similar. It fails with ErrUnknownPolicy, ErrUnknownFormat, ErrUnknownFocus, a
// *BudgetError, or the error of ctx. Build may run in many goroutines. With an Outline of
// this state it takes O(c log c + h) for the c nodes that a window of headings alone could
// hold and the h that sim names or that stand beside those, link to the focus or are in
// its document; else all items are read first.
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
		limit -= excess // a counter under which the tokens of pieces do not add up
	}
}

// similarityText is what nodes are compared with besides the focus: by
// PolicyFoveal nothing.
func similarityText(req *Request) string {
	if req.Policy == PolicyFoveal {
		return ""
	}
	return req.query()
}

// addsUp reports whether the tokens of pieces add up with this counter.
func isAdditive(counter token.Counter) bool {
	return slices.Contains([]string{token.O200k, token.Estimated}, counter.Name())
}
