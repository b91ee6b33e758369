// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// SyntaxError is returned by [Parse] for an invalid text and by [Compile] for an
// invalid tree.
type SyntaxError struct {
	// Query is the parsed text, or "" if there was none.
	Query string `json:"query" jsonschema:"as it was sent"`
	// Column is the position of the error in runes from 1, or 0 if there was no text.
	Column int `json:"column" jsonschema:"from 1, in characters"`
	// Message states the problem.
	Message string `json:"message" jsonschema:"what is wrong"`
	// Hint states how to fix it; it may be empty.
	Hint string `json:"hint,omitempty" jsonschema:"what to write instead"`
}

// Error returns the message on one line, with the column and the hint.
func (e *SyntaxError) Error() string {
	var b strings.Builder
	b.WriteString("query: ")
	if e.Column > 0 {
		fmt.Fprintf(&b, "column %d: ", e.Column)
	}
	b.WriteString(e.Message)
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}

// maxExcerptColumns is the maximum width of [SyntaxError.Excerpt].
const maxExcerptColumns = 70

// Excerpt returns the part of the query around the error on one line and a caret under
// the column on a second one, or "" if there is no text. Columns are counted in runes.
func (e *SyntaxError) Excerpt() string {
	if e.Column == 0 || e.Query == "" {
		return ""
	}
	runes := []rune(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, e.Query))
	first := max(0, min(e.Column-maxExcerptColumns/2, len(runes)-maxExcerptColumns))
	last := min(len(runes), first+maxExcerptColumns)
	return string(runes[first:last]) + "\n" + strings.Repeat(" ", max(0, e.Column-1-first)) + "^"
}

// argError is the error of a predicate about its arguments. index is that of the
// invalid argument, or -1 for the list as a whole; the parser turns it into a column.
type argError struct {
	index         int
	message, hint string
}

// withIndex returns the same error for another argument.
func (e *argError) withIndex(index int) *argError { return &argError{index, e.message, e.hint} }

// unknownPredicate is the error for an unknown predicate name.
func unknownPredicate(name string) *SyntaxError {
	var names, all []string
	for _, p := range predicates {
		names, all = append(names, p.Name), append(append(all, p.Name), p.Aliases...)
	}
	hint := "known are " + strings.Join(names, " ")
	if near := Closest(name, all, 2); near != "" {
		hint = "did you mean " + near + ":"
	}
	return &SyntaxError{Message: fmt.Sprintf("unknown predicate %q", name), Hint: hint + "; quote the word to search for it as text"}
}

// Closest returns the known name with the smallest edit distance to name in lower case, or "" if
// no known name is within that many edits or starts with name.
// O(bytes of name * bytes of all known names).
func Closest(name string, known []string, edits int) string {
	name = strings.ToLower(name)
	best, bestDistance := "", edits+1
	for _, candidate := range known {
		d := editDistance(name, candidate)
		if len(name) >= 3 && strings.HasPrefix(candidate, name) {
			d = min(d, edits)
		}
		if d < bestDistance && d < len(candidate) {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// editDistance returns the number of bytes to insert, delete or replace to turn a into b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		previous := slices.Clone(row)
		row[0] = i + 1
		for j := range len(b) {
			replaced := previous[j]
			if a[i] != b[j] {
				replaced++
			}
			row[j+1] = min(replaced, previous[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
