// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package token

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Counter counts the tokens of a text. It is deterministic and safe for concurrent use.
type Counter interface {
	// Name returns the short name used in configurations, output and caches.
	Name() string
	// Count returns the number of tokens of text, 0 for the empty text.
	Count(text string) int
}

// Names of the counters.
const (
	// O200k names the exact counter.
	O200k = "o200k"
	// Estimated names the estimate.
	Estimated = "estimate"
)

// ByName returns the counter with a name, O200k or Estimated. The vocabulary of O200k
// is loaded when the first text is counted, so a caller who finds all counts in a cache
// never pays for it. For any other name it returns [ErrUnknownCounter] with the known
// names.
func ByName(name string) (Counter, error) {
	switch name {
	case O200k:
		return lazyExact{}, nil
	case Estimated:
		return Estimate(), nil
	}
	return nil, fmt.Errorf("token: %w %q: known are %s and %s", ErrUnknownCounter, name, O200k, Estimated)
}

// Additive reports whether left and right can be counted separately: if it is true,
// Count(left+right) equals Count(left)+Count(right) for each counter of this package.
// It is true if either is empty, or if left ends with a newline and right starts with
// neither white space nor a slash. O(1).
//
// Why this holds for o200k: its pre-tokenizer splits a text into pieces, and no token
// crosses the end of a piece. Of the alternatives listed in pieces.go, those for words
// and numbers contain no newline; the one for punctuation continues after a newline
// only with \r, \n or /; those for white space continue only with white space. So the
// piece that contains left's last byte ends there. The following text cannot change the
// pieces of left either: the only lookahead, (?!\S), applies at the end of a run of
// white space without a newline, and left's last run has one. The estimate restarts at
// the same places.
func Additive(left, right string) bool {
	if left == "" || right == "" {
		return true
	}
	first, _ := utf8.DecodeRuneInString(right)
	return strings.HasSuffix(left, "\n") && first != '/' && !unicode.IsSpace(first)
}

var (
	// ErrUnknownCounter is returned by [ByName] for an unknown name.
	ErrUnknownCounter = errors.New("unknown counter")
	// ErrCache is returned by [Cache.UnmarshalBinary] for bytes that MarshalBinary of this
	// version did not write, or that are damaged.
	ErrCache = errors.New("token cache is damaged or of another version")
)
