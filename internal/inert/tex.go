// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/org"
)

// insertion is a text to insert at an offset, to make the construct there inactive.
type insertion struct {
	at   int
	text string
}

// mathDelimiters are the delimiters of math in Org, with the insertion into the opening
// one that disables it.
var mathDelimiters = []struct {
	open, close string
	cut         insertion
}{
	{"$$", "$$", insertion{1, zeroWidthSpace}},
	{`\(`, `\)`, insertion{1, zeroWidthSpace}},
	{`\[`, `\]`, insertion{1, zeroWidthSpace}},
	{"$", "$", insertion{1, " "}},
}

// texInsertions returns the insertions that keep a TeX fragment or environment from doing
// more than setting type; none if it does not. Org passes such text unchanged to TeX,
// MathJax and HTML, so all of the following must hold:
//
//   - Each command and environment is in the tables typesetting and environments.
//   - Each command has its arguments inside the fragment. A \frac at the end would consume
//     the \begin of the verbatim text that follows, which TeX would then execute.
//   - Braces, and \begin and \end, are paired, for the same reason.
//   - Nothing is written as ^^5c, which is a backslash in TeX.
//   - Nothing is an HTML tag or a Texinfo command.
func texInsertions(text string) []insertion {
	text = strings.TrimRight(text, " \t\n\r")
	for _, m := range mathDelimiters {
		if !strings.HasPrefix(text, m.open) || len(text) < len(m.open)+len(m.close) {
			continue
		}
		s := texScanner{text: text[:len(text)-len(m.close)], at: len(m.open), math: true}
		s.scan()
		if s.unbalanced {
			return []insertion{m.cut}
		}
		return s.insertions
	}
	s := texScanner{text: text, math: strings.HasPrefix(text, `\begin`)}
	s.scan()
	if s.unbalanced {
		return []insertion{{1, zeroWidthSpace}}
	}
	return s.insertions
}

// texScanner scans commands, groups and comments as TeX does.
type texScanner struct {
	text string
	at   int
	math bool // between the signs of math, or in an environment: not in the running text

	groups     []string // what is open: "{", or the name of an environment
	insertions []insertion
	unbalanced bool // something is left open, or was closed that was not open
}

// maxGroups is the deepest nesting of TeX groups, and maxOptionLen the largest length of
// an option in bytes. Both limit how often a text is read.
const (
	maxGroups    = 100
	maxOptionLen = 500
)

// scan scans the whole text.
func (s *texScanner) scan() {
	for s.at < len(s.text) && !s.unbalanced {
		s.unbalanced = len(s.groups) > maxGroups
		rest := s.text[s.at:]
		switch c := rest[0]; {
		case c == '\\':
			s.command()
			continue
		case c == '{':
			s.groups = append(s.groups, "{")
		case c == '}':
			s.close("{")
		case c == '%':
			s.comment()
			continue
		case strings.HasPrefix(rest, "^^"):
			s.insert(1, zeroWidthSpace)
		case c == '<' && len(rest) > 1 && (isLetter(rest[1]) || strings.IndexByte("/!?", rest[1]) >= 0):
			s.insert(1, " ")
		case c == '@' && len(rest) > 1 && isLetter(rest[1]):
			s.insert(1, zeroWidthSpace)
		}
		s.at++
	}
	s.unbalanced = s.unbalanced || len(s.groups) > 0
}

func (s *texScanner) insert(after int, with string) {
	s.insertions = append(s.insertions, insertion{s.at + after, with})
}

// close ends the innermost group, which must have the given name.
func (s *texScanner) close(name string) {
	last := len(s.groups) - 1
	if last < 0 || s.groups[last] != name {
		s.unbalanced = true
		return
	}
	s.groups = s.groups[:last]
}

// comment skips a comment, which must end inside the fragment. HTML tags in it are still
// broken up.
func (s *texScanner) comment() {
	n := strings.IndexByte(s.text[s.at:], '\n')
	if n < 0 {
		s.unbalanced = true
		return
	}
	for end := s.at + n; s.at < end; s.at++ {
		if rest := s.text[s.at:]; rest[0] == '<' && rest[1] != ' ' {
			s.insert(1, " ")
		}
	}
}

// command handles a command and continues after its name.
func (s *texScanner) command() {
	name := texName(s.text[s.at:])
	if name == "" { // the last character; it would escape what closes the fragment
		s.unbalanced = true
		return
	}
	end := s.at + 1 + len(name)
	switch {
	case name == "begin" || name == "end":
		environment, behind := braced(s.text, end)
		e, known := environments[environment]
		switch {
		case !known:
			s.unbalanced = true
			return
		case name == "end":
			s.close(environment)
		default:
			s.groups = append(s.groups, environment)
			s.unbalanced = !s.hasArguments(behind, e)
		}
		end = behind
	case isSymbol(name):
		s.unbalanced = name == `\` && !s.hasArguments(end, texCommand{option: true})
	default:
		c, known := typesetting[name]
		if !known || c.math && !s.math || !s.hasArguments(end, c) {
			s.insert(1, zeroWidthSpace)
		}
	}
	s.at = end
}

// texName returns the name after the backslash at the start of text: letters, or one
// other character; "" if nothing follows.
func texName(text string) string {
	n := 1
	for n < len(text) && isLetter(text[n]) {
		n++
	}
	if n > 1 {
		return text[1:n]
	}
	_, size := utf8.DecodeRuneInString(text[1:])
	return text[1 : 1+size]
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// isSymbol reports whether name is a one-character command that only sets type. A
// zero-width space counts, because no command has that name.
func isSymbol(name string) bool {
	return len(name) == 1 && strings.Contains("\\{}%$&#_|,;:!> /-\n\t", name) || name == zeroWidthSpace
}

// hasArguments reports whether a command is followed by its arguments: an option in
// brackets, if the command takes one, is closed, and each argument is a group, a character
// or a command without arguments.
func (s *texScanner) hasArguments(at int, c texCommand) bool {
	if strings.HasPrefix(s.text[at:], "*") {
		at++
	}
	at = skipBlanks(s.text, at)
	for c.option && strings.HasPrefix(s.text[at:], "[") {
		if at = closingEnd(s.text[:min(len(s.text), at+maxOptionLen)], at, ']'); at < 0 {
			return false
		}
		at = skipBlanks(s.text, at)
	}
	for range c.arguments {
		if at = skipBlanks(s.text, at); at == len(s.text) {
			return false
		}
		switch s.text[at] {
		case '{':
			if at = closingEnd(s.text, at, '}'); at < 0 {
				return false
			}
		case '}', '&', '%', '$':
			return false
		case '\\':
			name := texName(s.text[at:])
			if name == "" || name == "begin" || name == "end" || typesetting[name].arguments > 0 {
				return false
			}
			at += 1 + len(name)
		default:
			at++
		}
	}
	return true
}

func skipBlanks(text string, at int) int {
	return len(text) - len(strings.TrimLeft(text[at:], " \t\n\r"))
}

// closingEnd returns the offset after the counterpart of the bracket or brace at an
// offset, -1 if there is none.
func closingEnd(text string, at int, closing byte) int {
	depth := 0
	for i := at + 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == closing && depth == 0:
			return i + 1
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth < 0 {
				return -1
			}
		}
	}
	return -1
}

// braced returns the text in the braces at an offset, and the offset after them.
func braced(text string, at int) (inside string, behind int) {
	if !strings.HasPrefix(text[at:], "{") {
		return "", at
	}
	inside, _, found := strings.Cut(text[at+1:], "}")
	if !found {
		return "", at
	}
	return inside, at + len(inside) + 2
}

// headlineTeX returns the insertions for the first headline of a document.
func headlineTeX(doc *org.Document) []insertion {
	if text := doc.Text(0); !strings.ContainsAny(text, `\$`) {
		return nil
	}
	var cuts []insertion
	tree := doc.Objects(0)
	for k := range tree.Elements {
		cuts = append(cuts, elementTeX(tree, k)...)
	}
	return cuts
}

// unicodeEscape matches a JSON escape of a character. TeX reads it as an accent over the
// digit after it, or as an undefined name.
var unicodeEscape = regexp.MustCompile(`^\\u[0-9a-fA-F]{4}`)

// elementTeX returns the insertions for one object or environment of a tree, as offsets
// in its source.
func elementTeX(tree *org.Tree, k int) []insertion {
	el := &tree.Elements[k]
	switch el.Type {
	case org.TypeLatexFragment, org.TypeLatexEnvironment:
		text := strings.TrimLeft(tree.Source[el.Body:el.End], " \t")
		from := int(el.End) - len(text)
		if len(unicodeEscape.FindString(tree.Source[from:])) >= len(strings.TrimSpace(text)) {
			return nil
		}
		cuts := texInsertions(text)
		for i := range cuts {
			cuts[i].at += from
		}
		return cuts
	case org.TypeCitation: // what stands before and behind its keys is not parsed
		if strings.ContainsAny(tree.Text(k), `\$`) {
			return []insertion{{int(el.Start) + 1, zeroWidthSpace}}
		}
	}
	return nil
}

// endsKnownEnvironment reports whether text starts with the end of an allowed
// environment. The end of another one, such as verbatim, could end the environment in
// which Org exports code.
func endsKnownEnvironment(text string) bool {
	name, _ := braced(text, strings.IndexByte(text, '{'))
	_, known := environments[name]
	return known
}
