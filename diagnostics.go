// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"cmp"
	"context"
	"slices"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/node"
)

// Diagnostics lists, by path and line, what is odd in the documents: ids borne
// twice, malformed drawers, setup files that cannot be read, links that lead
// nowhere. What links lead to outside the folder is not looked at, but for ids
// that Options.ElsewhereID knows. Nothing is written. Errors: Other (ctx is
// done). Complexity is that of parsing every document, and of a look at each
// file that is linked to and no document.
func (m *Memory) Diagnostics(ctx context.Context) ([]node.Problem, error) {
	state := m.View().state
	var out []node.Problem
	for _, problems := range state.Problems(ctx) {
		out = append(out, problems...)
	}
	for d := range state.Documents() {
		if text, _ := state.Text(d.Path); !d.Derived.Opaque {
			if p, ok := encodingProblem(d.Path, text); ok {
				out = append(out, p)
			}
		}
	}
	around := graph.Around{Exists: once(m.root.Exists), Known: m.opts.ElsewhereID}
	for p := range state.BrokenLinks(ctx, around) {
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b node.Problem) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line)) })
	return out, fail("diagnostics", m.dir, Other, ctx.Err())
}

// once remembers the answers to questions that come again and again. It is for
// one goroutine.
func once(ask func(string) bool) func(string) bool {
	answers := map[string]bool{}
	return func(q string) bool {
		a, known := answers[q]
		if !known {
			a = ask(q)
			answers[q] = a
		}
		return a
	}
}
