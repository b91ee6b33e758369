// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package view

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/champ"
	"github.com/fovea-memory/fovea/internal/graph"
)

// diagnostics indexes the problems of documents by path; it omits documents without problems.
var diagnostics = &kind[champ.Map[[]document.Problem]]{
	build: func(s *graph.State) champ.Map[[]document.Problem] {
		return diagnose(champ.Map[[]document.Problem]{}, s, s.Paths())
	},
	update: func(x champ.Map[[]document.Problem], s *graph.State, g gap) champ.Map[[]document.Problem] {
		return diagnose(x, s, g.documents(s))
	},
}

// documents returns the paths of the documents that differ and of those that name one of them as a
// setup file: their problems can change although their text did not.
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

// diagnose returns known with new problems for the documents at paths.
func diagnose(known champ.Map[[]document.Problem], s *graph.State, paths []string) champ.Map[[]document.Problem] {
	e := known.Edit()
	for i, problems := range s.Problems(paths, encodingProblems) {
		if e.Delete(paths[i]); len(problems) > 0 {
			e.Set(paths[i], problems)
		}
	}
	return e.Map()
}

// encodingProblems reports encodings that Fovea cannot read or edit correctly.
func encodingProblems(path, text string) []document.Problem {
	var out []document.Problem
	add := func(line int, message string) {
		out = append(out, document.Problem{Path: path, Line: line, Kind: "encoding", Message: message})
	}
	switch {
	case document.IsUTF16(text):
		add(1, "the file is UTF-16 and read as if it were not; save it as UTF-8")
		return out
	case text != "" && strings.Trim(text, "\x00") == "":
		add(1, "the file holds nothing but NUL bytes, as after a crash; fovea log "+document.Quote(path)+" shows when it held text")
		return out
	}
	if line := foreignLine(text); line > 0 {
		add(line, "the file is not in UTF-8 but perhaps in Latin-1: words beyond ASCII are not found; save it as UTF-8")
	}
	if strings.Count(text, "\r") > 2*strings.Count(text, "\n") {
		add(1, "the lines end in carriage returns alone, so the file is read as one line; save it with line feeds")
	}
	return out
}

// foreignLine returns the 1-based line of the first invalid UTF-8 byte, 1 if the text
// declares another encoding, or 0.
func foreignLine(text string) int {
	for at, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[at:], "\uFFFD") {
			return 1 + strings.Count(text[:at], "\n")
		}
	}
	if !document.IsUTF8(text) {
		return 1
	}
	return 0
}
