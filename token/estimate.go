// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package token

import "unicode/utf8"

// Estimate returns the counter named estimate. It splits a text roughly as o200k does
// and adds up the average cost of such pieces plus a margin, rounded up at the end of
// each line. It needs no vocabulary: it uses about a hundred numbers and a word set of
// 256 KiB.
//
// It over-counts so that budgets hold; see the package comment for how much. That is
// measured, not proved: adversarial text, such as many misspelt words in a row, can
// cost more tokens than estimated. Count takes linear time, does not allocate, and is
// about ten times faster than the exact counter.
func Estimate() Counter { return estimate{} }

type estimate struct{}

func (estimate) Name() string { return Estimated }

func (estimate) Count(text string) int {
	e := estimator{text: text}
	for e.pos < len(text) {
		switch byteKinds[text[e.pos]] {
		case lowercase, uppercase:
			e.readWord()
		case digit:
			e.readNumber()
		case symbol:
			e.readSymbols()
		case nonASCII:
			e.readNonASCII()
		default:
			e.readSpace()
		}
	}
	e.endLine()
	return e.tokens
}

// unit is the cost of one token. Costs are fixed-point numbers in 1/64 token.
const unit = 64

// kind is a class of bytes.
type kind uint8

const (
	symbol     kind = iota // any other ASCII
	lowercase              // a to z
	uppercase              // A to Z
	digit                  // 0 to 9
	spaceOrTab             // space and tab
	lineEnd                // \r and \n
	nonASCII               // part of a character that is not ASCII
)

var byteKinds = func() (table [256]kind) {
	for c := range table {
		switch r := rune(c); {
		case r >= utf8.RuneSelf:
			table[c] = nonASCII
		case 'a' <= r && r <= 'z':
			table[c] = lowercase
		case 'A' <= r && r <= 'Z':
			table[c] = uppercase
		case '0' <= r && r <= '9':
			table[c] = digit
		case r == '\r' || r == '\n':
			table[c] = lineEnd
		case r == ' ' || r == '\t':
			table[c] = spaceOrTab
		}
	}
	return table
}()

func isLetter(c byte) bool { return byteKinds[c] == lowercase || byteKinds[c] == uppercase }
func isSpace(c byte) bool  { return byteKinds[c] == spaceOrTab || byteKinds[c] == lineEnd }

// estimator scans a text. Each read method consumes the run that starts at pos.
type estimator struct {
	text string
	pos  int
	// prefix is the byte of the current piece before its word: a space, a symbol, or 0 for
	// none.
	prefix byte
	// lineCost is the cost since the last split point, and tokens the total before it.
	lineCost, tokens int
}

// endLine rounds the cost of the line up to whole tokens.
func (e *estimator) endLine() {
	e.tokens += (e.lineCost + unit - 1) / unit
	e.lineCost = 0
}

// maybeEndLine ends the line if the text can be split at pos: where the package comment
// promises it, and in a few more places.
func (e *estimator) maybeEndLine() {
	if e.text[e.pos-1] == '\n' && (e.pos == len(e.text) || !isSpace(e.text[e.pos]) && e.text[e.pos] != '/') {
		e.endLine()
	}
}

// wordCost is the cost of a word that is not a single token, by its length, without and
// with a symbol before it: the mean plus half a standard deviation over such words in
// Org files and in translated program messages.
var wordCost = [2][16]int{
	{0, 142, 142, 142, 142, 142, 156, 170, 182, 192, 205, 216, 231, 249, 264, 285},
	{0, 128, 129, 138, 144, 158, 172, 179, 182, 209, 209, 219, 251, 259, 278, 325},
}

// extraLetterCost is the cost of each letter after the fifteenth.
const extraLetterCost = 26

// readWord reads capitals followed by small letters, which form one piece, and an
// English contraction.
func (e *estimator) readWord() {
	text, i := e.text, e.pos
	hash := uint64(e.prefix)
	for i < len(text) && byteKinds[text[i]] == uppercase {
		hash = hashStep(hash, text[i])
		i++
	}
	for i < len(text) && byteKinds[text[i]] == lowercase {
		hash = hashStep(hash, text[i])
		i++
	}
	cost := unit
	prefixed := 0
	if e.prefix != 0 && e.prefix != ' ' {
		prefixed = 1
	}
	if n := i - e.pos; (n > 2 || prefixed > 0) && !isWord(hash) { // one or two letters are one token
		cost = wordCost[prefixed][min(n, 15)] + max(n-15, 0)*extraLetterCost
	}
	if i < len(text) && text[i] == '\'' {
		start := i
		i = contractionEnd(text, i)
		for _, c := range []byte(text[start:i]) {
			hash = hashStep(hash, c)
		}
		if i > start && !isWord(hash) {
			cost += unit
		}
	}
	e.lineCost += cost
	e.pos, e.prefix = i, 0
}

// readNumber reads digits; three of them make a token.
func (e *estimator) readNumber() {
	i := e.pos
	for i < len(e.text) && byteKinds[e.text[i]] == digit {
		i++
	}
	e.lineCost += unit * ((i - e.pos + 2) / 3)
	e.pos = i
}

// Costs in a run of symbols after the first one: extra for a symbol that differs from
// the one before it, each symbol, and each newline after the run except the first.
const (
	symbolChangeCost = 34
	symbolRepeatCost = 7
	symbolTailCost   = 16
)

// readSymbols reads a run of symbols and the newlines and slashes after it. A single
// symbol before a word is part of the word's piece.
func (e *estimator) readSymbols() {
	text, i := e.text, e.pos+1
	cost := unit
	for i < len(text) && byteKinds[text[i]] == symbol {
		if text[i] != text[i-1] {
			cost += symbolChangeCost
		}
		cost += symbolRepeatCost
		i++
	}
	if i == e.pos+1 && i < len(text) && isLetter(text[i]) && (e.pos == 0 || text[e.pos-1] != ' ') {
		e.prefix, e.pos = text[e.pos], i
		return
	}
	for run := i; i < len(text) && (byteKinds[text[i]] == lineEnd || text[i] == '/'); i++ {
		if i > run {
			cost += symbolTailCost
		}
	}
	e.lineCost += cost
	e.pos = i
	e.maybeEndLine()
}

// readSpace reads white space: up to its last newline if it has one, else all of it.
// Its last space belongs to the word or symbol that follows.
func (e *estimator) readSpace() {
	text, i := e.text, e.pos
	if i+1 < len(text) && text[i] == ' ' && isLetter(text[i+1]) { // the most frequent case
		e.prefix, e.pos = ' ', i+1
		return
	}
	newline, changes := 0, 0
	for i < len(text) && isSpace(text[i]) {
		if byteKinds[text[i]] == lineEnd {
			newline = i + 1
		}
		if i > e.pos && byteKinds[text[i]] != byteKinds[text[i-1]] {
			changes++
		}
		i++
	}
	if newline > 0 {
		if changes > 2 {
			e.lineCost += unit
		}
		e.lineCost += unit + (newline-e.pos)/8*8
		e.pos = newline
		e.maybeEndLine()
		return
	}
	if n := i - e.pos; n > 1 || i == len(text) {
		e.lineCost += unit + n/8*8 + changes*unit
	}
	e.pos = i
	if i == len(text) {
		return
	}
	switch last := text[i-1]; byteKinds[text[i]] {
	case lowercase, uppercase:
		e.prefix = last
	case digit:
		e.lineCost += unit
	case symbol:
		if last != ' ' {
			e.lineCost += unit
		}
	}
}
