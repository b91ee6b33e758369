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
	for e.at < len(text) {
		switch kinds[text[e.at]] {
		case small, capital:
			e.word()
		case digit:
			e.number()
		case sign:
			e.signs()
		case beyond:
			e.beyond()
		default:
			e.blank()
		}
	}
	e.endLine()
	return e.total
}

// unit is the cost of one token; costs are counted in parts of it.
const unit = 64

// kind is a class of bytes.
type kind uint8

const (
	sign    kind = iota // ASCII that is none of the others
	small               // a to z
	capital             // A to Z
	digit               // 0 to 9
	gap                 // space and tab
	eol                 // \r and \n
	beyond              // part of a character that is not ASCII
)

var kinds = func() (table [256]kind) {
	for c := range table {
		switch r := rune(c); {
		case r >= utf8.RuneSelf:
			table[c] = beyond
		case 'a' <= r && r <= 'z':
			table[c] = small
		case 'A' <= r && r <= 'Z':
			table[c] = capital
		case '0' <= r && r <= '9':
			table[c] = digit
		case r == '\r' || r == '\n':
			table[c] = eol
		case r == ' ' || r == '\t':
			table[c] = gap
		}
	}
	return table
}()

func isLetter(c byte) bool { return kinds[c] == small || kinds[c] == capital }
func isBlank(c byte) bool  { return kinds[c] == gap || kinds[c] == eol }

// estimator walks over a text. Its methods read what starts at the offset at
// and leave it behind that.
type estimator struct {
	text string
	at   int
	// before is the byte of this piece that stands before its word: a space, a
	// sign, or 0 for none.
	before byte
	// line is the cost since the last place where the text may be cut, and
	// total the tokens up to there.
	line, total int
}

// endLine rounds the cost up to whole tokens.
func (e *estimator) endLine() {
	e.total += (e.line + unit - 1) / unit
	e.line = 0
}

// mayCut ends the line when a newline was read and what follows can be counted
// apart: the places of [Additive], and a few more.
func (e *estimator) mayCut() {
	if e.text[e.at-1] == '\n' && (e.at == len(e.text) || !isBlank(e.text[e.at]) && e.text[e.at] != '/') {
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
const longWord = 26

// word reads capitals with small letters behind them, as one piece has them,
// and an English contraction.
func (e *estimator) word() {
	text, i := e.text, e.at
	hash := uint64(e.before)
	for i < len(text) && kinds[text[i]] == capital {
		hash = hashStep(hash, text[i])
		i++
	}
	for i < len(text) && kinds[text[i]] == small {
		hash = hashStep(hash, text[i])
		i++
	}
	cost := unit
	signed := 0
	if e.before != 0 && e.before != ' ' {
		signed = 1
	}
	if n := i - e.at; (n > 2 || signed > 0) && !isWord(hash) { // two letters are one token
		cost = wordCost[signed][min(n, 15)] + max(n-15, 0)*longWord
	}
	if i < len(text) && text[i] == '\'' {
		start := i
		i = contraction(text, i)
		for _, c := range []byte(text[start:i]) {
			hash = hashStep(hash, c)
		}
		if i > start && !isWord(hash) {
			cost += unit
		}
	}
	e.line += cost
	e.at, e.before = i, 0
}

// number reads digits, of which three make a token.
func (e *estimator) number() {
	i := e.at
	for i < len(e.text) && kinds[e.text[i]] == digit {
		i++
	}
	e.line += unit * ((i - e.at + 2) / 3)
	e.at = i
}

// What a run of signs costs beyond the first: a sign that differs from the one
// before it, any other sign, and each newline behind the run but the first.
const (
	signChange = 34
	signMore   = 7
	signTail   = 16
)

// signs reads a run of signs and the newlines and slashes behind it. A single
// sign before a word is part of the word's piece.
func (e *estimator) signs() {
	text, i := e.text, e.at+1
	cost := unit
	for i < len(text) && kinds[text[i]] == sign {
		if text[i] != text[i-1] {
			cost += signChange
		}
		cost += signMore
		i++
	}
	if i == e.at+1 && i < len(text) && isLetter(text[i]) && (e.at == 0 || text[e.at-1] != ' ') {
		e.before, e.at = text[e.at], i
		return
	}
	for run := i; i < len(text) && (kinds[text[i]] == eol || text[i] == '/'); i++ {
		if i > run {
			cost += signTail
		}
	}
	e.line += cost
	e.at = i
	e.mayCut()
}

// blank reads white space: up to its last newline if it has one, else all of
// it. The last space of it belongs to a word or a sign behind it.
func (e *estimator) blank() {
	text, i := e.text, e.at
	if i+1 < len(text) && text[i] == ' ' && isLetter(text[i+1]) { // the most frequent case
		e.before, e.at = ' ', i+1
		return
	}
	newline, changes := 0, 0
	for i < len(text) && isBlank(text[i]) {
		if kinds[text[i]] == eol {
			newline = i + 1
		}
		if i > e.at && kinds[text[i]] != kinds[text[i-1]] {
			changes++
		}
		i++
	}
	if newline > 0 {
		if changes > 2 {
			e.line += unit
		}
		e.line += unit + (newline-e.at)/8*8
		e.at = newline
		e.mayCut()
		return
	}
	if n := i - e.at; n > 1 || i == len(text) {
		e.line += unit + n/8*8 + changes*unit
	}
	e.at = i
	if i == len(text) {
		return
	}
	switch last := text[i-1]; kinds[text[i]] {
	case small, capital:
		e.before = last
	case digit:
		e.line += unit
	case sign:
		if last != ' ' {
			e.line += unit
		}
	}
}
