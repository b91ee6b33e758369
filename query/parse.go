// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Limits of a query text. They bound the work of Parse and Compile, far above what a
// person writes.
const (
	// MaxBytes is the maximum length of a query text.
	MaxBytes = 16 << 10
	// MaxDepth is the maximum nesting of negations and parentheses.
	MaxDepth = 100
)

// Parse parses a query in any of the syntaxes of the package comment and returns its
// simplified tree. Every error is a *[SyntaxError] with a column. Parse accepts exactly
// the trees that [Compile] accepts. Linear in the length of s, which is at most
// MaxBytes.
func Parse(s string) (Expr, error) {
	p := parser{text: s}
	if len(s) > MaxBytes {
		return nil, &SyntaxError{Column: 1, Message: fmt.Sprintf("the query has %d bytes, the limit is %d", len(s), MaxBytes)}
	}
	if i := invalidUTF8(s); i >= 0 {
		return nil, p.errorAt(i, "the text is not UTF-8", "")
	}
	read := p.plain
	switch trimmed := strings.TrimLeftFunc(s, unicode.IsSpace); {
	case beginsJSON(trimmed):
		read = p.json
	case beginsSexp(trimmed):
		read = p.sexp
	}
	e, err := read()
	if err != nil {
		return nil, err
	}
	e = Simplify(e)
	if depth(e) > MaxDepth { // lists may nest deeper if the simplified tree does not
		return nil, p.tooDeep(0)
	}
	return e, nil
}

// invalidUTF8 returns the offset of the first invalid byte, or -1.
func invalidUTF8(s string) int {
	for i, r := range s {
		if r != utf8.RuneError {
			continue
		}
		if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
			return i
		}
	}
	return -1
}

// parser is a recursive descent parser. Its methods start at the offset at and move it
// past their input.
type parser struct {
	text      string
	at, depth int
}

func (p *parser) errorAt(offset int, message, hint string) *SyntaxError {
	return &SyntaxError{Query: p.text, Column: utf8.RuneCountInString(p.text[:offset]) + 1, Message: message, Hint: hint}
}

func (p *parser) tooDeep(offset int) *SyntaxError {
	return p.errorAt(offset, fmt.Sprintf("nested more than %d deep", MaxDepth), "simplify the query")
}

func (p *parser) skipSpace() {
	p.at = len(p.text) - len(strings.TrimLeftFunc(p.text[p.at:], unicode.IsSpace))
}

// peek returns the current byte, or 0 at the end.
func (p *parser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// validated returns pred if a test can be built from it, else an error with a column.
func (p *parser) validated(pred Pred, start int, offsets []int) (Expr, error) {
	entry, ok := lookup(pred.Name)
	if !ok {
		err := unknownPredicate(pred.Name)
		return nil, p.errorAt(start, err.Message, err.Hint)
	}
	if _, err := entry.newTest(pred, nil, time.Time{}); err != nil {
		at := start
		if err.index >= 0 {
			at = offsets[err.index]
		}
		return nil, p.errorAt(at, err.message, err.hint)
	}
	return pred, nil
}
