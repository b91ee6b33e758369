// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"bytes"
	"strings"
)

// syntax is what the lexer needs to know of a language.
type syntax struct {
	line      string    // begins a comment that ends with its line
	block     [2]string // begin and end of a comment
	nested    bool      // such comments nest
	quotes    string    // bytes that begin and end a string, with backslashes, within a line
	multiline string    // the same over several lines
	raw       string    // the same without backslashes
	triple    string    // bytes of which three begin and end a string over several lines, with backslashes
	angles    bool      // < and > enclose types
	letters   string    // bytes of words beside letters, digits and _
	// special reads a form of the language that the other fields cannot describe. It returns
	// false, and reads nothing, if there is none at the position.
	special func(*lexer) bool
}

// cComment is the block comment of C and those after it.
var cComment = [2]string{"/*", "*/"}

// form is the form of a token.
type form uint8

const (
	word      form = iota + 1 // identifier, keyword, number
	mark                      // one byte that is none of the others
	quoted                    // string, character, template, regular expression
	directive                 // line of a preprocessor
)

// lexeme is a word, a mark or a string of the source.
type lexeme struct {
	form  form
	mark  byte  // the byte of a mark, otherwise 0
	first bool  // nothing but white space and comments stands before it in its line
	off   int32 // its first byte
	end   int32 // after its last byte
	line  int32 // of its first byte, from 1
	mate  int32 // of a bracket, the index of its mate: for one never closed, the number of tokens
}

// code is a source with its tokens.
type code struct {
	src        []byte
	tokens     []lexeme
	lines      int32 // number of lines
	directives []lexeme
}

// lexer makes the tokens of a source, from left to right.
type lexer struct {
	code
	*syntax
	i      int     // position
	line   int32   // of the position
	fresh  bool    // no token yet in this line
	open   []int32 // brackets that are not closed
	count  [3]int  // of them, by kind
	failed int     // up to there, no regular expression ends in its line
	steps  int     // tokens and comments read, for the test that reading is linear
	// pending are here-documents that begin with the next line.
	pending []heredoc
	ifs     []condition // of the preprocessor
}

// wordByte says which bytes make words in every language. All of UTF-8 does.
var wordByte = func() (table [256]bool) {
	for c := range table {
		table[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
	}
	return table
}()

// lex returns the tokens of src.
func lex(s *syntax, src []byte) *lexer {
	l := &lexer{code: code{src: src, tokens: make([]lexeme, 0, len(src)/5+1)}, syntax: s, line: 1, fresh: true}
	letters := wordByte
	for _, c := range []byte(s.letters) {
		letters[c] = true
	}
	if hasPrefix(src, "#!/") || hasPrefix(src, "#! ") {
		l.i = l.lineEnd(0)
	}
	for l.i < len(src) {
		l.steps++
		c := src[l.i]
		switch {
		case c == '\n':
			l.newline()
		case c == ' ' || c == '\t' || c == '\r' || c == '\f':
			l.i++
		case s.special != nil && s.special(l):
		case letters[c]:
			l.emit(word, runEnd(src, l.i, &letters))
		case l.comment():
		case strings.IndexByte(s.triple, c) >= 0 && l.at(1) == c && l.at(2) == c:
			l.emit(quoted, l.after(l.i+3, string(src[l.i:l.i+3]), true))
		case strings.IndexByte(s.quotes, c) >= 0:
			l.emit(quoted, l.stringEnd(l.i+1, c, false))
		case strings.IndexByte(s.multiline, c) >= 0:
			l.emit(quoted, l.stringEnd(l.i+1, c, true))
		case strings.IndexByte(s.raw, c) >= 0:
			l.emit(quoted, l.after(l.i+1, string(c), false))
		default:
			l.emit(mark, l.i+1)
		}
	}
	for _, at := range l.open {
		l.tokens[at].mate = int32(len(l.tokens))
	}
	if s.angles {
		l.matchAngles()
	}
	l.lines = l.line
	if l.lines > 1 && src[len(src)-1] == '\n' {
		l.lines--
	}
	return l
}

// emit adds the token from the position to end, and moves the position there.
func (l *lexer) emit(f form, end int) {
	end = min(end, len(l.src))
	t := lexeme{form: f, first: l.fresh, off: int32(l.i), end: int32(end), line: l.line, mate: -1}
	if f == mark {
		t.mark = l.src[l.i]
	}
	l.tokens = append(l.tokens, t)
	l.fresh = false
	if f == mark {
		l.i = end
		l.bracket(t.mark)
		return
	}
	l.skip(end)
}

// skip moves the position to end and counts the lines passed.
func (l *lexer) skip(end int) {
	end = min(end, len(l.src))
	l.line += int32(bytes.Count(l.src[l.i:end], []byte{'\n'}))
	l.i = end
}

// newline passes the end of a line, and here-documents that begin after it.
func (l *lexer) newline() {
	l.i++
	l.line++
	l.fresh = true
	for len(l.pending) > 0 && l.i < len(l.src) {
		doc := l.pending[0]
		l.pending = l.pending[1:]
		l.skip(doc.end(l.src, l.i))
	}
}

// comment passes a comment, if one begins at the position.
func (l *lexer) comment() bool {
	rest := l.src[l.i:]
	switch {
	case l.syntax.line != "" && hasPrefix(rest, l.syntax.line):
		l.i = l.lineEnd(l.i)
	case l.block[0] != "" && hasPrefix(rest, l.block[0]):
		l.skip(l.blockEnd(l.i))
	default:
		return false
	}
	return true
}

// blockEnd returns the end of the block comment at i.
func (l *lexer) blockEnd(i int) int {
	for depth := 0; i < len(l.src); {
		switch rest := l.src[i:]; {
		case hasPrefix(rest, l.block[1]) && depth > 0:
			i += len(l.block[1])
			if depth--; depth == 0 {
				return i
			}
		case hasPrefix(rest, l.block[0]) && (depth == 0 || l.nested):
			i += len(l.block[0])
			depth++
		default:
			i++
		}
	}
	return i
}

// lineEnd returns the position of the end of the line at i.
func (l *lexer) lineEnd(i int) int {
	if n := bytes.IndexByte(l.src[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(l.src)
}

// stringEnd returns the end of a string from i, where its quote is passed. A string within
// a line ends with the line, so that a stray quote costs one line and not the file.
func (l *lexer) stringEnd(i int, quote byte, lines bool) int {
	for ; i < len(l.src); i++ {
		switch c := l.src[i]; {
		case c == quote:
			return i + 1
		case c == '\\':
			i++
		case c == '\n' && !lines:
			return i
		}
	}
	return i
}

// templateEnd returns the end of a string from i, where its quote is passed, that may hold
// code: the mark open, a dollar or number sign and a bracket, begins code, in which strings
// and such templates may stand.
func (l *lexer) templateEnd(i int, quote, open string) int {
	stack := []byte{quote[0]}
	for i < len(l.src) {
		c, top := l.src[i], stack[len(stack)-1]
		i++
		switch {
		case c == '\\':
			i++
		case c == top:
			if stack = stack[:len(stack)-1]; len(stack) == 0 {
				return i
			}
		case top == '}' && (c == quote[0] || c == '"' || c == '`'):
			stack = append(stack, c)
		case top == '}' && c == '\'':
			i = l.stringEnd(i, c, false)
		case top == '}' && c == '{':
			stack = append(stack, '}')
		case top != '}' && top != '\'' && c == open[0] && i < len(l.src) && l.src[i] == open[1]:
			stack = append(stack, '}')
			i++
		}
	}
	return i
}

// after returns the end of the first closing from i, or of the source. With escapes, the byte
// after a backslash begins none.
func (l *lexer) after(i int, closing string, escapes bool) int {
	for ; i < len(l.src); i++ {
		switch {
		case hasPrefix(l.src[i:], closing):
			return i + len(closing)
		case escapes && l.src[i] == '\\':
			i++
		}
	}
	return len(l.src)
}

// wordEnd returns the end of the word at i.
func (l *lexer) wordEnd(i int) int { return runEnd(l.src, i, &wordByte) }

// runEnd returns the first position from i whose byte is not in a set.
func runEnd(src []byte, i int, set *[256]bool) int {
	for i < len(src) && set[src[i]] {
		i++
	}
	return i
}

// at returns the byte n after the position, 0 past the end.
func (l *lexer) at(n int) byte {
	if i := l.i + n; i >= 0 && i < len(l.src) {
		return l.src[i]
	}
	return 0
}

// last returns the last lexeme, or a zero one.
func (l *lexer) last() lexeme {
	if len(l.tokens) == 0 {
		return lexeme{}
	}
	return l.tokens[len(l.tokens)-1]
}

// lastWord returns the last lexeme if it is a word, else "".
func (l *lexer) lastWord() string {
	t := l.last()
	if t.form != word {
		return ""
	}
	return string(l.src[t.off:t.end])
}

// bracket matches the mark just read. A brace closes what is open within it; another
// bracket that does not fit is passed over, so that an error costs little.
func (l *lexer) bracket(c byte) {
	const opening, closing = "{([", "})]"
	if kind := strings.IndexByte(opening, c); kind >= 0 {
		l.open = append(l.open, int32(len(l.tokens)-1))
		l.count[kind]++
		return
	}
	kind := strings.IndexByte(closing, c)
	if kind < 0 || l.count[kind] == 0 {
		return
	}
	for n := len(l.open) - 1; n >= 0; n-- {
		at := l.open[n]
		top := l.tokens[at].mark
		if kind != 0 && top == '{' {
			return
		}
		l.open = l.open[:n]
		l.count[strings.IndexByte(opening, top)]--
		l.tokens[at].mate = int32(len(l.tokens) - 1)
		if top == opening[kind] {
			l.tokens[len(l.tokens)-1].mate = at
			return
		}
	}
}

// matchAngles finds the mates of angle brackets, which may also be operators: those of one
// pair stand in the same brackets, and no semicolon stands between them.
func (l *lexer) matchAngles() {
	var open []int32
	pop := func() {
		for n := len(open); n > 0 && l.tokens[open[n-1]].mark == '<'; n-- {
			open = open[:n-1]
		}
	}
	for i := range l.tokens {
		t := &l.tokens[i]
		switch t.mark {
		case '(', '[', '{', '<':
			open = append(open, int32(i))
		case ')', ']', '}':
			if pop(); len(open) > 0 && t.mate >= 0 {
				for n := len(open); n > 0 && open[n-1] >= t.mate; n-- {
					open = open[:n-1]
				}
			}
		case ';':
			pop()
		case '>':
			arrow := i > 0 && (l.tokens[i-1].mark == '=' || l.tokens[i-1].mark == '-') && l.tokens[i-1].end == t.off
			if n := len(open); n > 0 && !arrow && l.tokens[open[n-1]].mark == '<' {
				l.tokens[open[n-1]].mate = -int32(i + 1)
				open = open[:n-1]
			}
		}
	}
}

// hasPrefix is bytes.HasPrefix for a string.
func hasPrefix(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && string(b[:len(prefix)]) == prefix
}

// heredoc is a text that begins in the line after its mark, and ends before or with a line
// that has nothing but its word.
type heredoc struct {
	word   string
	indent bool // white space may stand before the word
	part   bool // more may stand behind the word, and is code
}

// heredoc reads the word at i of a here-document, of letters, more letters, and strings in quotes
// that are among those.
func (l *lexer) heredoc(i int, doc heredoc, more string) bool {
	start := i
	for i < len(l.src) && (wordByte[l.src[i]] || strings.IndexByte(more, l.src[i]) >= 0) {
		if c := l.src[i]; c == '"' || c == '\'' {
			i = l.stringEnd(i+1, c, false)
		} else {
			i++
		}
	}
	doc.word = strings.Trim(string(l.src[start:i]), "\"'`\\")
	if doc.word == "" || doc.word[0] >= '0' && doc.word[0] <= '9' {
		return false
	}
	l.pending = append(l.pending, doc)
	l.emit(quoted, i)
	return true
}

// end returns where the line after the here-document begins, whose first line is at i.
func (h heredoc) end(src []byte, i int) int {
	for i < len(src) {
		next := len(src)
		if n := bytes.IndexByte(src[i:], '\n'); n >= 0 {
			next = i + n + 1
		}
		line := bytes.TrimRight(src[i:next], "\r\n")
		if h.indent {
			i += len(line)
			line = bytes.TrimLeft(line, " \t")
			i -= len(line)
		}
		if string(line) == h.word {
			return next
		}
		if h.part && hasPrefix(line, h.word) && !wordByte[line[len(h.word)]] {
			return i + len(h.word)
		}
		i = next
	}
	return i
}
