// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package token

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Counter counts the tokens of a text. A Counter is safe for concurrent use,
// and counts equal texts equally.
type Counter interface {
	// Name returns the short name that configurations, outputs and caches use.
	Name() string
	// Count returns the number of tokens of text, 0 for the empty text.
	Count(text string) int
}

// The names of the counters.
const (
	// O200k names the exact counter.
	O200k = "o200k"
	// Estimated names the estimate.
	Estimated = "estimate"
)

// ByName returns the counter of a name, O200k or Estimated. The vocabulary of
// O200k is read when the first text is counted, so that a caller who finds all
// counts in a cache never pays for it. It returns [ErrUnknownCounter] with the
// known names for any other name.
func ByName(name string) (Counter, error) {
	switch name {
	case O200k:
		return lazyExact{}, nil
	case Estimated:
		return Estimate(), nil
	}
	return nil, fmt.Errorf("token: %w %q: known are %s and %s", ErrUnknownCounter, name, O200k, Estimated)
}

// Additive reports whether left and right can be counted apart: when it is
// true, Count(left+right) equals Count(left)+Count(right) with each counter of
// this package. It is when one of them is empty, or when left ends with a
// newline and right starts with neither white space nor a slash. It is O(1).
//
// Why this holds for o200k: its pre-tokenizer cuts a text into pieces, and
// tokens never reach over the end of a piece. Of the alternatives that pieces.go
// lists, those for words and numbers contain no newline; the one for punctuation
// goes on behind a newline only with \r, \n or /; those for white space go on
// only with white space. So a piece that holds left's last byte ends with it.
// What follows cannot change the pieces of left either: the only look-ahead,
// (?!\S), is asked at the end of a run of white space without a newline, which
// left's last run is not. The estimate starts afresh at the same places.
func Additive(left, right string) bool {
	if left == "" || right == "" {
		return true
	}
	first, _ := utf8.DecodeRuneInString(right)
	return strings.HasSuffix(left, "\n") && first != '/' && !unicode.IsSpace(first)
}
