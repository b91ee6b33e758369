// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"bytes"
	"regexp"
	"strings"
)

// aside is a form of what is no code: a comment, or a literal such as a string.
//
// To read a source in linear time, more must match in any text, or match at most a few bytes.
type aside struct {
	open      string
	more      *regexp.Regexp // what follows open, or nil for anything
	shut      string         // what ends it, with $1 for the first group of more; "" if more matches all of it
	comment   bool
	lines     bool   // it may have several lines; if not, it ends with its line at the latest
	escapes   bool   // the byte after a backslash does not end it
	nests     string // what opens another one within it
	code      string // what opens code within it: a byte, and the brackets that may follow it
	pairs     bool   // the bracket that more matches is shut by its mate
	operand   bool   // it begins only where grammar.operand says so
	following bool   // it begins with the next line, and ends with a line that has nothing but shut
}

// lineComment is a comment up to the end of its line.
func lineComment(open string) aside { return aside{open: open, shut: "\n", comment: true} }

// blockComment is a comment of any number of lines.
func blockComment(open, shut string) aside {
	return aside{open: open, shut: shut, comment: true, lines: true}
}

// quoted is a string within a line, in which a backslash escapes.
func quoted(quote string) aside { return aside{open: quote, shut: quote, escapes: true} }

// longString is a string of any number of lines, in which a backslash escapes.
func longString(open, shut string) aside {
	return aside{open: open, shut: shut, escapes: true, lines: true}
}

// rawString is a string of any number of lines without escapes.
func rawString(open, shut string) aside { return aside{open: open, shut: shut, lines: true} }

// hereDocument is a text that begins in the next line. The groups of more are forms of the word that ends it.
func hereDocument(open, more string) aside {
	return aside{open: open, more: anchored(more), following: true, operand: true}
}

// anchored compiles an expression that matches at the start of a text only.
func anchored(expression string) *regexp.Regexp {
	return regexp.MustCompile(`^(?s:` + expression + `)`)
}

// cAsides are what most languages with braces have.
var cAsides = []aside{lineComment("//"), blockComment("/*", "*/"), quoted(`"`), quoted("'")}

// blanker makes the code of a source: the source with blanks for comments, and with underscores for what
// stands between the first and the last byte of other asides.
type blanker struct {
	*grammar
	src, code []byte
	documents []here // that begin with the next line
}

// here is a text that begins with the next line, and ends with a line that has only word.
type here struct {
	word   string
	indent bool // blanks may stand before the word
}

// blank returns the code of src, which has the same length and the same lines.
func blank(g *grammar, src []byte) []byte {
	b := &blanker{grammar: g, src: src, code: bytes.Clone(src)}
	start := 0
	if g.outside != "" {
		start = shutAt(src, 0, g.outside)
		b.erase(0, start, "\n", 0)
	}
	b.scan(start, 0, 0, 0)
	return b.code
}

// scan reads code from i up to the bracket that closes it, or to the end of the source, and returns the position behind that.
// Within an aside, depth is above 0.
func (b *blanker) scan(i int, opening, closing byte, depth int) int {
	for level := 1; i < len(b.src); i++ {
		c := b.src[i]
		if a, from := b.asideAt(i); a != nil {
			i = b.pass(a, i, from, depth) - 1
			continue
		}
		switch {
		case c == '\\':
			end := min(i+1+len(escaped.Find(b.src[i+1:])), len(b.src))
			b.erase(i+1, end, "", depth)
			i = end - 1
		case c == '\n':
			i = b.hereDocuments(i+1) - 1
		case c == opening:
			level++
		case c == closing:
			if level--; level == 0 {
				return i + 1
			}
		}
	}
	return len(b.src)
}

// escaped is what a backslash takes the meaning from.
var escaped = regexp.MustCompile(`^(?s:\r\n|.)`)

// asideAt returns the form of the aside that begins at i, and where what it encloses begins.
func (b *blanker) asideAt(i int) (*aside, int) {
	const before = 32
	for _, a := range b.byFirst[b.src[i]] {
		from := i + len(a.open)
		if !hasPrefix(b.src[i:], a.open) || a.operand && !b.operand(b.code[max(0, i-before):i], b.src[min(from, len(b.src)-1)]) {
			continue
		}
		if a.more != nil {
			m := a.more.FindIndex(b.src[from:])
			if m == nil {
				continue
			}
			from += m[1]
		}
		return a, from
	}
	return nil, 0
}

// pass passes the aside at i, which encloses what begins at from, and returns where it ends.
func (b *blanker) pass(a *aside, i, from, depth int) int {
	shut, end := a.shut, from
	if a.more != nil {
		groups := a.more.FindSubmatch(b.src[i+len(a.open) : from])
		word := string(bytes.Join(groups[1:], nil))
		shut = strings.ReplaceAll(shut, "$1", word)
		if a.pairs && mates[word[0]] != 0 {
			pair := *a
			pair.nests, shut = word, string(mates[word[0]])
			a = &pair
		}
		if a.following {
			b.documents = append(b.documents, here{word, strings.IndexByte("-~<", b.src[i+2]) >= 0})
		}
	}
	if shut != "" {
		end = b.end(a, from, shut, depth)
	}
	switch {
	case a.comment:
		b.erase(i, end, "\n", depth)
	case shut != "" && hasPrefix(b.src[end-1:], shut[len(shut)-1:]):
		b.erase(i+1, end-1, "", depth)
	default:
		b.erase(i+1, end, "", depth)
	}
	return end
}

// end returns where the aside ends that encloses what begins at i.
func (b *blanker) end(a *aside, i int, shut string, depth int) int {
	for level := 1; i < len(b.src); i++ {
		c, rest := b.src[i], b.src[i:]
		switch {
		case c == '\n' && !a.lines:
			return i
		case a.escapes && c == '\\':
			i++
		case hasPrefix(rest, shut):
			if level--; level == 0 {
				return i + len(shut)
			}
			i += len(shut) - 1
		case a.nests != "" && hasPrefix(rest, a.nests):
			level++
			i += len(a.nests) - 1
		case a.code != "" && c == a.code[0] && len(rest) > 1 && strings.IndexByte(a.code[1:], rest[1]) >= 0 && depth < maxDepth:
			i = b.scan(i+2, rest[1], mates[rest[1]], depth+1) - 1
		}
	}
	return len(b.src)
}

// mates has the brackets that close others.
var mates = map[byte]byte{'{': '}', '(': ')', '[': ']', '<': '>'}

// shutAt returns the end of the first text shut from i, or of src.
func shutAt(src []byte, i int, shut string) int {
	if n := bytes.Index(src[i:], []byte(shut)); n >= 0 {
		return i + n + len(shut)
	}
	return len(src)
}

// erase puts underscores into the code, or blanks if it keeps the ends of lines. What is within an aside is erased with it.
func (b *blanker) erase(from, to int, keeps string, depth int) {
	for i := from; i < to && depth == 0; i++ {
		switch {
		case keeps == "":
			b.code[i] = '_'
		case b.code[i] != '\n':
			b.code[i] = ' '
		}
	}
}

// hereDocuments passes the texts that begin with the line at i.
func (b *blanker) hereDocuments(i int) int {
	for _, document := range b.documents {
		start := i
		for done := false; i < len(b.src) && !done; {
			next := shutAt(b.src, i, "\n")
			line := bytes.TrimRight(b.src[i:next], "\r\n")
			if document.indent {
				line = bytes.TrimLeft(line, " \t")
			}
			rest, found := bytes.CutPrefix(line, []byte(document.word))
			done = found && (len(rest) == 0 || !isWord(rest[0])) // in PHP more code may follow
			i = next
		}
		b.erase(start, i, "\n", 0)
	}
	b.documents = nil
	return i
}

// isWord reports whether c is a byte of words.
func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}

// lastWord returns the word at the end of text.
func lastWord(text []byte) string {
	start := len(text)
	for start > 0 && isWord(text[start-1]) {
		start--
	}
	return string(text[start:])
}

// beforeOperands are the words behind which an operand stands.
var beforeOperands = words("return typeof case in of delete void throw new else do instanceof yield await default " +
	"if unless while until when and or not then elsif")

// afterOperator reports whether an operand, such as a regular expression, may stand behind a text: it ends with no operand.
func afterOperator(before []byte, _ byte) bool {
	text := bytes.TrimRight(before, " \t\r\n")
	if len(text) == 0 {
		return true
	}
	switch last := text[len(text)-1]; {
	case isWord(last):
		return beforeOperands[lastWord(text)]
	case last == ')':
		return bytes.Contains(text, []byte("if (")) || bytes.Contains(text, []byte("while ("))
	default:
		return strings.IndexByte("]}\"'`<", last) < 0
	}
}

// asArgument is afterOperator for a language whose calls need no parentheses: what has a blank before it and none
// behind it may be an argument.
func asArgument(before []byte, next byte) bool {
	word := bytes.TrimRight(before, " \t")
	if n := len(word); n > 0 && n < len(before) && isWord(word[n-1]) && next > ' ' && next != '=' {
		return true
	}
	return afterOperator(before, next)
}

// afterBlank reports whether no word ends with the text before.
func afterBlank(before []byte, _ byte) bool {
	return len(before) == 0 || strings.IndexByte(" \t\r\n;&|()'`,", before[len(before)-1]) >= 0
}

// outsideNumber reports whether the text before does not end with a number, in which a quote separates digits.
func outsideNumber(before []byte, _ byte) bool {
	word := lastWord(before)
	return word == "" || word[0] < '0' || word[0] > '9'
}
