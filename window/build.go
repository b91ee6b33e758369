// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"context"
	"slices"

	"github.com/fovea-memory/fovea/token"
)

// Build chooses and writes the window that req asks for. A nil sim finds nothing
// similar. It fails with ErrUnknownPolicy, ErrUnknownFormat, ErrUnknownFocus, a
// *BudgetError, or the error of ctx. Build keeps no state and may run in many
// goroutines; it takes O(n log n) for n nodes. It reads the items that may be shown,
// and all others only where req has no Outline of this state.
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
	var similar map[string]float64
	if text := similarityText(&req); sim != nil && (text != "" || req.Focus != "") {
		similar = sim.Scores(req.Focus, text)
	}
	for room := req.Budget; ; {
		p := newPlan(src, t, &req, similar)
		if err := p.choose(ctx, room); err != nil {
			return nil, err
		}
		w := p.write()
		over := w.Tokens - req.Budget
		switch {
		case over <= 0:
			return w, nil
		case room <= 0:
			return nil, &BudgetError{Needed: w.Tokens, Budget: req.Budget, Focus: t.focus >= 0}
		}
		room -= over // a counter under which the tokens of pieces do not add up
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
func addsUp(counter token.Counter) bool {
	return slices.Contains([]string{token.O200k, token.Estimated}, counter.Name())
}
