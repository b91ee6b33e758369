// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ingest

import (
	"cmp"
	"context"
	"slices"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/view"
)

// Diagnostics lists, by path and line, what is odd in the documents: ids borne
// twice, malformed drawers, setup files that cannot be read, links that lead
// nowhere. What links lead to outside the folder is not looked at, but for ids
// that Options.ElsewhereID knows. Nothing is written. Errors: Other (ctx is
// done). Complexity is that of a look at each link and at each file that is linked to
// and no document, and of parsing, on all processors, the documents that changed since
// it was last asked; the first time, every document.
func (r *Reader) Diagnostics(ctx context.Context) ([]document.Problem, error) {
	if err := ctx.Err(); err != nil {
		return nil, fault.Wrap("diagnostics", r.scope.Dir, fault.Other, err)
	}
	v := r.scope.View()
	var out []document.Problem
	for _, problems := range view.ProblemsOf(v).All() {
		out = append(out, problems...)
	}
	around := graph.LinkTargets{Exists: once(r.scope.Root.Exists), Known: r.scope.Options.ElsewhereID}
	for p := range view.StateOf(v).BrokenLinks(ctx, around) {
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b document.Problem) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	return out, fault.Wrap("diagnostics", r.scope.Dir, fault.Other, ctx.Err())
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
