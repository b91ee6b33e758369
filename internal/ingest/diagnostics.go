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

// Diagnostics lists problems by path and line: duplicate ids, malformed drawers,
// unreadable setup files, broken links. Targets outside the folder are not checked,
// except ids that Options.ElsewhereID knows. Nothing is written. Errors: Other (ctx is
// done). O(links and linked files), and parsing, on all processors, of the documents that
// changed since the last call; the first call parses every document.
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
	for p := range v.BrokenLinks(ctx, around) {
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
