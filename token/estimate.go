// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package token

import "unicode/utf8"

// Estimate returns the counter named estimate. It cuts a text roughly as o200k
// does and adds up what such pieces cost on average and a margin; costs are
// rounded up at the end of each line. It reads no vocabulary: what it knows are
// some hundred numbers and a set of words of 256 KiB.
//
// It is made to over-count, in order that a budget holds: see the package
// comment for how much. That is measured, not proved: text made to defeat it,
// such as many misspelt words in a row, can cost more. Count takes linear time,
// no memory, and is some ten times faster than the exact counter.
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

// unit is the cost of one token; costs are counted in parts of it.
const unit = 64

// kind is a class of bytes.
type kind uint8

const (
	symbol     kind = iota // ASCII that is none of the others
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

// estimator walks over a text. Its methods read what starts at the offset at
// and leave it behind that.
type estimator struct {
	text string
	pos  int
	// before is the byte of this piece that stands before its word: a space, a
	// sign, or 0 for none.
	prefix byte
	// line is the cost since the last place where the text may be cut, and
	// total the tokens up to there.
	lineCost, tokens int
}

// endLine rounds the cost up to whole tokens.
func (e *estimator) endLine() {
	e.tokens += (e.lineCost + unit - 1) / unit
	e.lineCost = 0
}

// mayCut ends the line when a newline was read and what follows can be counted
// apart: the places of [Additive], and a few more.
func (e *estimator) maybeEndLine() {
	if e.text[e.pos-1] == '\n' && (e.pos == len(e.text) || !isSpace(e.text[e.pos]) && e.text[e.pos] != '/') {
		e.endLine()
	}
}

// wordCost is what a word costs that is not one token, by its length, without
// and with a sign before it: the mean and half a standard deviation of such
// words in Org files and in the translated messages of programs.
var wordCost = [2][16]int{
	{0, 142, 142, 142, 142, 142, 156, 170, 182, 192, 205, 216, 231, 249, 264, 285},
	{0, 128, 129, 138, 144, 158, 172, 179, 182, 209, 209, 219, 251, 259, 278, 325},
}

// longWord is what each letter behind the fifteenth costs.
const extraLetterCost = 26

// word reads capitals with small letters behind them, as one piece has them,
// and an English contraction.
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
	if n := i - e.pos; (n > 2 || prefixed > 0) && !isWord(hash) { // two letters are one token
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

// number reads digits, of which three make a token.
func (e *estimator) readNumber() {
	i := e.pos
	for i < len(e.text) && byteKinds[e.text[i]] == digit {
		i++
	}
	e.lineCost += unit * ((i - e.pos + 2) / 3)
	e.pos = i
}

// What a run of signs costs beyond the first: a sign that differs from the one
// before it, any other sign, and each newline behind the run but the first.
const (
	symbolChangeCost = 34
	symbolRepeatCost = 7
	symbolTailCost   = 16
)

// signs reads a run of signs and the newlines and slashes behind it. A single
// sign before a word is part of the word's piece.
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

// blank reads white space: up to its last newline if it has one, else all of
// it. The last space of it belongs to a word or a sign behind it.
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
