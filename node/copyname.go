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

// copyMarks are the marks in names that only copies have. Forms that notes have as well, such
// as "garden 2.org" or "garden-PC.org", have no mark.
var copyMarks = func() (marks []string) {
	for row := range strings.Lines(copyNames) {
		if mark, _, isRow := strings.Cut(row, "\t"); isRow {
			marks = append(marks, mark)
		}
	}
	return marks
}()

// The maximum number of times that a name is shortened, without and with a mark.
const (
	maxPlainCuts  = 5
	maxMarkedCuts = 24
)

// Originals returns the files in the same folder whose conflict copy the file at path may be
// by its name, the longest first; none for a document in memory. marked reports that only
// copies have such a name; the names without the mark then come first. A name may be that of a
// copy if it is the name of another file, continued by a sign that is not a letter or digit.
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
			heads, cuts, marked = []string{stem[len(mark):] + " ", stem}, maxMarkedCuts, true // the blank is cut first
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
