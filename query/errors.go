// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// SyntaxError is returned by [Parse] for a text that is no query, and by
// [Compile] for a tree that no query could have.
type SyntaxError struct {
	// Query is the text that was read, "" when the tree was not read from one.
	Query string
	// Column is the place in the text, counted in runes from 1. It is 0 when
	// the tree was not read from a text.
	Column int
	// Message says what is wrong.
	Message string
	// Hint says what to do about it; it may be empty.
	Hint string
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

// caretColumns is how much of a long query [SyntaxError.Excerpt] shows.
const maxExcerptColumns = 70

// Excerpt returns the line of the query that the error is in and, on a second
// line, a caret below the column; "" when there is no text. Columns are
// counted in runes.
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

// argError is what a predicate says about its arguments. Index is the argument
// that is wrong, or -1 for the list as a whole; the parser knows its column.
type argError struct {
	index         int
	message, hint string
}

// at returns the same complaint about another argument.
func (e *argError) withIndex(index int) *argError { return &argError{index, e.message, e.hint} }

// unknown is the error for a name that is no predicate.
func unknownPredicate(name string) *SyntaxError {
	hint := "known are " + strings.Join(predicateNames(), " ")
	if near := closestName(name, namesAndAliases()); near != "" {
		hint = "did you mean " + near + ":"
	}
	return &SyntaxError{Message: fmt.Sprintf("unknown predicate %q", name), Hint: hint + "; quote the word to search for it as text"}
}

// nearest returns the known name that is spelled most like name, or "" when
// none is within two edits and none starts with it.
func closestName(name string, known []string) string {
	name = strings.ToLower(name)
	best, bestDistance := "", 3
	for _, candidate := range known {
		d := editDistance(name, candidate)
		if len(name) >= 3 && strings.HasPrefix(candidate, name) {
			d = min(d, 2)
		}
		if d < bestDistance && d < len(candidate) {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// distance is the number of bytes to insert, delete or replace to make b of a.
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
