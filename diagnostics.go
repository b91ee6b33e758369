// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"cmp"
	"context"
	"slices"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/champ"
	"github.com/fovea-memory/fovea/internal/graph"
)

// Diagnostics lists, by path and line, what is odd in the documents: ids borne
// twice, malformed drawers, setup files that cannot be read, links that lead
// nowhere. What links lead to outside the folder is not looked at, but for ids
// that Options.ElsewhereID knows. Nothing is written. Errors: Other (ctx is
// done). Complexity is that of a look at each link and at each file that is linked to
// and no document, and of parsing, on all processors, the documents that changed since
// it was last asked; the first time, every document.
func (m *Memory) Diagnostics(ctx context.Context) ([]document.Problem, error) {
	if err := ctx.Err(); err != nil {
		return nil, fail("diagnostics", m.dir, Other, err)
	}
	v := m.View()
	var out []document.Problem
	for _, problems := range problemsOf(v).All() {
		out = append(out, problems...)
	}
	around := graph.LinkTargets{Exists: once(m.root.Exists), Known: m.opts.ElsewhereID}
	for p := range stateOf(v).BrokenLinks(ctx, around) {
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b document.Problem) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	return out, fail("diagnostics", m.dir, Other, ctx.Err())
}

// oddities are what is odd in single documents: by path, where anything is.
var oddities = &kind[champ.Map[[]document.Problem]]{
	build: func(s *graph.State) champ.Map[[]document.Problem] {
		return oddIn(champ.Map[[]document.Problem]{}, s, s.Paths())
	},
	update: func(x champ.Map[[]document.Problem], s *graph.State, g gap) champ.Map[[]document.Problem] {
		return oddIn(x, s, g.documents(s))
	},
}

// documents returns the paths of the documents that differ and of those that ask for one
// of them as a setup file: these may have other problems though they read the same.
func (g gap) documents(s *graph.State) []string {
	var paths []string
	asked := false
	for path := range g.paths.All() {
		paths, asked = append(paths, path), asked || s.Asked(path)
	}
	if !asked {
		return paths
	}
	differs := func(path string) bool { _, ok := g.paths.Get(path); return ok }
	for d := range s.Documents() {
		if !differs(d.Path) && slices.ContainsFunc(d.Derived.Setup, differs) {
			paths = append(paths, d.Path)
		}
	}
	return paths
}

// oddIn returns what is known to be odd, known anew of the documents at some paths.
func oddIn(known champ.Map[[]document.Problem], s *graph.State, paths []string) champ.Map[[]document.Problem] {
	e := known.Edit()
	for i, problems := range s.Problems(paths, encodingProblems) {
		if e.Delete(paths[i]); len(problems) > 0 {
			e.Set(paths[i], problems)
		}
	}
	return e.Map()
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
