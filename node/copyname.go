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

// Most of the names that a name is cut to, from its end, or from a mark.
const (
	maxPlainCuts  = 5
	maxMarkedCuts = 24
)

// Originals returns the paths of the files beside the one at path that it can be a conflict
// copy of by its name, the longest first; none for a document in memory. marked reports that
// only a copy is called so; the names without the mark come first. Any name that goes on
// after that of another file, with a sign that is no letter or digit, can be that of a copy.
func Originals(path string) (originals []string, marked bool) {
	slash, dot := strings.LastIndexByte(path, '/')+1, strings.LastIndexByte(path, '.')
	if dot <= slash || document.IsMemory(path) {
		return nil, false
	}
	folder, stem, ext := path[:slash], path[slash:dot], path[dot:]
	heads, cuts, lower := []string{stem}, maxPlainCuts, strings.ToLower(stem)
	for _, mark := range copyMarks {
		switch at := strings.Index(lower, mark); {
		case at == 0 && strings.HasSuffix(mark, " "):
			heads, cuts, marked = []string{stem[len(mark):] + " ", stem}, maxMarkedCuts, true // cut to all but the blank
		case at > 0 && !marked:
			heads, cuts, marked = []string{stem[:min(at+1, len(stem))], stem}, maxMarkedCuts, true
		}
	}
	for _, head := range heads {
		for range cuts {
			head = strings.TrimRight(head[:max(0, strings.LastIndexFunc(head, isNameSign))], " ([{")
			if head == "" {
				break
			}
			if name := folder + strings.TrimSuffix(head, ext) + ext; !slices.Contains(originals, name) {
				originals = append(originals, name)
			}
		}
	}
	return originals, marked
}

// isNameSign reports whether r separates the words of a name.
func isNameSign(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
}
