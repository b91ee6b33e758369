// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"bytes"
	"slices"
)

// style is how the statements of a language end, and what encloses the body of a definition.
type style int

const (
	byBraces style = iota // a body is in braces, and a semicolon ends a statement
	byLines               // the same, and so does the end of a line, if the statement cannot go on behind it
	byIndent              // a body is what is indented deeper
	byEnd                 // a body ends with the word "end"
	byParens              // all is in parentheses
)

// The bytes that open the frames which no bracket opens.
const (
	byteOfIndent = 'i'
	byteOfEnd    = 'e'
)

// reader finds the definitions of one source: it walks through its code, and tries the rules on the heads of
// statements and bodies.
type reader struct {
	*grammar
	src, code []byte
	lines     []int32 // where each line begins
	found     []Definition

	// flat has the heads that are not at their end, from that of the source to that of the innermost frame. Of each
	// byte, at has the position in the source.
	flat    []byte
	at      []int32
	open    []frame
	count   [256]int // frames by the byte that opened them
	last    int      // the last byte of code that is no blank
	blank   bool     // whether blanks stand between it and what comes next
	newLine bool     // whether the end of a line does
	column  int      // byIndent: of the statement
	steps   int      // bytes that rules were tried on
}

// frame is a bracket that is open, or another start of a body.
type frame struct {
	opening byte // a bracket, byteOfIndent or byteOfEnd; 0 for the source
	place   byte
	keeps   bool // it is part of the head that it stands in, which goes on behind it
	owns    bool // it is the body of def
	tries   int  // of rules on the head
	def     int  // index of the definition around, or -1
	start   int  // of the head in flat
	column  int  // byIndent: of what it belongs to
}

// read reads what src defines. Its time is linear in src.
func read(g *grammar, src []byte) *reader {
	r := &reader{grammar: g, src: src, code: blank(g, src), lines: []int32{0}, open: []frame{{place: inFile, def: -1}}}
	for i, c := range src {
		if c == '\n' {
			r.lines = append(r.lines, int32(i+1))
		}
	}
	if g.prepare != nil {
		g.prepare(r)
	}
	for i, c := range r.code {
		switch {
		case c == '\n':
			r.newLine, r.blank = true, true
		case c <= ' ':
			r.blank = true
		default:
			if r.newLine {
				r.beginLine(i)
			}
			r.next(i, c)
			r.last, r.blank, r.newLine = i, false, false
		}
	}
	r.finish()
	for len(r.open) > 1 {
		r.leave(len(src) - 1)
	}
	return r
}

// line returns the number of the line of a position.
func (r *reader) line(at int) int {
	n, exact := slices.BinarySearch(r.lines, int32(at))
	if exact {
		n++
	}
	return max(n, 1)
}

func (r *reader) top() *frame { return &r.open[len(r.open)-1] }

// head returns the head of the innermost frame.
func (r *reader) head() []byte { return r.flat[r.top().start:] }

// put appends a byte to the head, unless that is too long to define anything.
func (r *reader) put(i int, c byte) {
	size := len(r.head())
	if size > maxHead {
		return
	}
	if r.blank && size > 0 {
		r.flat, r.at = append(r.flat, ' '), append(r.at, int32(i-1))
	}
	r.flat, r.at = append(r.flat, c), append(r.at, int32(i))
}

// clear begins a new head.
func (r *reader) clear() {
	f := r.top()
	f.tries = 0
	r.flat, r.at = r.flat[:f.start], r.at[:f.start]
}

// next reads a byte of code that is no blank.
func (r *reader) next(i int, c byte) {
	switch c {
	case '{', '[', '(':
		if r.style == byParens {
			r.list(i, c)
		} else {
			r.bracket(i, c)
		}
		return
	case '}', ']', ')':
		r.shut(i, c)
		return
	case ';':
		if r.top().place != inParens {
			r.last = i
			r.finish()
			return
		}
	case ',':
		if r.commas && r.separates() {
			r.finish()
			return
		}
	}
	r.put(i, c)
}

// separates reports whether a comma ends what may define something: a property, or a variable with a value.
func (r *reader) separates() bool {
	head := r.head()
	outsideAngles := bytes.Count(head, []byte("<")) <= bytes.Count(head, []byte(">"))
	return r.top().place == inValue || r.top().place != inParens && bytes.IndexByte(head, '=') > 0 && outsideAngles
}

// bracket enters the opening bracket c of a language with braces.
func (r *reader) bracket(i int, c byte) {
	place, def, keeps, around := byte(inParens), -1, true, r.top().place
	switch {
	case around == inOpaque:
		place = inOpaque
	case c == '{' && r.isValue():
		place = inValue
	case c == '{' || c == '(' && r.lists:
		rule, found := r.apply(c, i)
		switch {
		case rule != nil:
			place, def = rule.body, found
		case c == '{' && around == inFile:
			place = inFile
		case c == '{':
			place = inBody
		}
		keeps = c == '(' && rule == nil || hasPrefix(r.head(), "typedef ")
	}
	r.enter(c, i, place, def, keeps)
}

// isValue reports whether the brace that comes next is part of an expression, or of a type.
func (r *reader) isValue() bool {
	head, f := r.head(), r.top()
	if r.value == nil || len(head) == 0 {
		return r.value != nil && (f.place == inParens || f.place == inValue)
	}
	if !r.spend() {
		return true
	}
	if f.place != inValue {
		head = bytes.TrimLeft(r.quiet(head), " ")
	}
	return r.value.Match(head)
}

// maxOpen is the deepest nesting of brackets that is followed.
const maxOpen = 1000

// enter opens a frame at i, as the body of a definition unless def is -1.
func (r *reader) enter(opening byte, i int, place byte, def int, keeps bool) {
	if keeps {
		r.put(i, opening)
	} else {
		r.clear()
	}
	if len(r.open) >= maxOpen {
		return
	}
	f := frame{opening: opening, place: place, keeps: keeps, owns: def >= 0, def: def, start: len(r.flat)}
	if def < 0 {
		f.def = r.top().def
	}
	r.open = append(r.open, f)
	r.count[opening]++
}

// leave closes the innermost frame at i. What it held is no part of the head around it.
func (r *reader) leave(i int) {
	f := *r.top()
	if f.owns {
		r.found[f.def].EndLine = max(r.found[f.def].EndLine, r.line(i))
	}
	const longest = 80
	if content := r.flat[f.start:]; r.kept == nil || len(content) == 0 || len(content) > longest || !r.kept.Match(content) {
		r.flat, r.at = r.flat[:f.start], r.at[:f.start]
	}
	r.count[f.opening]--
	r.open = r.open[:len(r.open)-1]
}

// openings has the brackets that others close.
var openings = map[byte]byte{'}': '{', ']': '[', ')': '('}

// shut closes the bracket that c belongs to, and those within it that nothing closed. A bracket that closes nothing is passed over.
func (r *reader) shut(i int, c byte) {
	opening := openings[c]
	if r.count[opening] == 0 {
		r.clear()
		return
	}
	for f := r.top(); f.opening != opening; f = r.top() {
		if f.opening == '{' || f.opening == byteOfEnd {
			return
		}
		r.leave(i)
	}
	if r.style == byParens {
		r.tryParens(i)
	} else {
		r.finish()
	}
	for r.count[opening] > 0 && r.top().opening != opening { // what the statement before the bracket opened
		r.leave(i)
	}
	if r.count[opening] == 0 { // or what it closed
		return
	}
	keeps := r.top().keeps
	r.leave(i)
	if r.blank = false; keeps {
		r.put(i, c)
	}
}

// finish ends a statement behind the last byte of code.
func (r *reader) finish() {
	f := r.top()
	if f.place == inParens && r.style != byEnd {
		return
	}
	rule, def := r.apply(';', r.last)
	place := f.place
	if rule != nil {
		place = rule.body
	}
	switch {
	case r.style == byIndent && def >= 0:
		r.enter(byteOfIndent, r.last, place, def, false)
		r.top().column = r.column
	case r.style == byEnd:
		r.bodies(place, def)
	default:
		r.clear()
	}
}

// beginLine ends the statement of the line before, if it does not go on with the byte at i.
func (r *reader) beginLine(i int) {
	switch head := r.head(); {
	case r.style == byIndent:
		r.indent(i)
	case r.style == byLines || r.style == byEnd && r.top().opening != '(':
		const longest = len("implements ")
		if !r.unfinished.Match(head[max(0, len(head)-2):]) && !r.goesOn.Match(r.code[i:min(len(r.code), i+longest)]) {
			r.finish()
		}
	}
}

// indent ends the statement of the line before, and the bodies that are indented as deep as the line at i or deeper.
func (r *reader) indent(i int) {
	const tab = 8
	column := 0
	for _, c := range r.src[r.lines[r.line(i)-1]:i] {
		if column++; c == '\t' {
			column += tab - 1
		}
	}
	for f := r.top(); f.opening != byteOfIndent && len(r.open) > 1; f = r.top() {
		if !r.starts.Match(r.code[i:min(len(r.code), i+len("async class "))]) {
			return
		}
		r.leave(r.last)
	}
	r.finish()
	for f := r.top(); f.opening == byteOfIndent && f.column >= column; f = r.top() {
		r.leave(r.last)
	}
	r.column = column
}

// list enters a parenthesis of a language that has nothing else. What is quoted is data.
func (r *reader) list(i int, c byte) {
	r.tryParens(i)
	place := r.top().place
	if i > 0 && (r.code[i-1] == '\'' || r.code[i-1] == '`') {
		place = inOpaque
	}
	r.enter(c, i, place, -1, true)
}

// tryParens tries the rules on what stands in a parenthesis up to i.
func (r *reader) tryParens(i int) {
	f := r.top()
	if f.owns {
		return
	}
	if rule, def := r.apply('(', i); rule != nil {
		if f.place = rule.body; def >= 0 {
			f.def, f.owns = def, true
		}
	}
}
