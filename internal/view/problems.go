// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package view

import (
	"slices"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/champ"
	"github.com/fovea-memory/fovea/internal/graph"
)

// diagnostics indexes the problems of documents by path; it leaves out those without any.
var diagnostics = &kind[champ.Map[[]document.Problem]]{
	build: func(s *graph.State) champ.Map[[]document.Problem] {
		return diagnose(champ.Map[[]document.Problem]{}, s, s.Paths())
	},
	update: func(x champ.Map[[]document.Problem], s *graph.State, g gap) champ.Map[[]document.Problem] {
		return diagnose(x, s, g.documents(s))
	},
}

// documents returns the paths of the documents that differ and of those that ask for one
// of them as a setup file: their problems can change although their text did not.
func (g gap) documents(s *graph.State) []string {
	if !slices.ContainsFunc(g.paths, s.Asked) {
		return g.paths
	}
	paths := g.paths
	differs := func(path string) bool { _, ok := slices.BinarySearch(g.paths, path); return ok }
	for d := range s.Documents() {
		if !differs(d.Path) && slices.ContainsFunc(d.Derived.Setup, differs) {
			paths = append(paths, d.Path)
		}
	}
	return paths
}

// diagnose returns known with the problems of the documents at paths determined again.
func diagnose(known champ.Map[[]document.Problem], s *graph.State, paths []string) champ.Map[[]document.Problem] {
	e := known.Edit()
	for i, problems := range s.Problems(paths, encodingProblems) {
		if e.Delete(paths[i]); len(problems) > 0 {
			e.Set(paths[i], problems)
		}
	}
	return e.Map()
}
