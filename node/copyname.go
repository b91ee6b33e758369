// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	_ "embed" // for the table of names
	"slices"
	"strings"
	"unicode"

	"github.com/fovea-memory/fovea/document"
)

//go:embed copynames.txt
var copyNames string

// copyMarks are the marks of the forms that only copies have. Forms that notes have as well,
// such as "garden 2.org" or "garden-PC.org", need none.
var copyMarks = func() (marks []string) {
	for row := range strings.Lines(copyNames) {
		if mark, _, isRow := strings.Cut(row, "\t"); isRow {
			marks = append(marks, mark)
		}
	}
	return marks
}()

// Most of the places where a name is cut, counted from its end, or from a mark.
const (
	maxPlainCuts  = 3
	maxMarkedCuts = 12
)

// Originals returns the paths of the files beside the one at path that it can be a conflict
// copy of by its name, the longest first; none for a document in memory. marked reports that
// only a copy is called so. Any name that goes on after that of another file, beyond a sign
// that is no letter or digit, can be the name of a copy.
func Originals(path string) (originals []string, marked bool) {
	slash, dot := strings.LastIndexByte(path, '/')+1, strings.LastIndexByte(path, '.')
	if dot <= slash || document.IsMemory(path) {
		return nil, false
	}
	folder, stem, ext := path[:slash], path[slash:dot], path[dot:]
	if !strings.ContainsFunc(stem, isNameSign) {
		return nil, false
	}
	end, cuts := len(stem), maxPlainCuts
	lower := strings.ToLower(stem)
	for _, mark := range copyMarks {
		switch at := strings.Index(lower, mark); {
		case at == 0 && strings.HasSuffix(mark, " "):
			return []string{folder + stem[len(mark):] + ext}, true
		case at > 0 && !marked:
			end, cuts, marked = min(at+1, len(stem)), maxMarkedCuts, true
		}
	}
	for stem = stem[:end]; len(originals) < cuts; {
		end = strings.LastIndexFunc(stem, isNameSign)
		if end <= 0 {
			break
		}
		stem = strings.TrimRightFunc(stem[:end], isNameSign)
		if name := folder + strings.TrimSuffix(stem, ext) + ext; stem != "" && !slices.Contains(originals, name) {
			originals = append(originals, name)
		}
	}
	return originals, marked
}

// isNameSign reports whether r separates the words of a name.
func isNameSign(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
}
