// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import (
	"regexp"
	"strings"

	"github.com/fovea-memory/fovea/org"
)

// cut is text to put in at an offset, so that what begins there is read as text.
type cut struct {
	at   int
	with string
}

// mathOpeners are what Org reads math between, and how much of the opener stays before
// what ends it.
var mathOpeners = []struct {
	open, close string
	cut         cut
}{
	{"$$", "$$", cut{1, apart}},
	{`\(`, `\)`, cut{1, apart}},
	{`\[`, `\]`, cut{1, apart}},
	{"$", "$", cut{1, " "}},
}

// texCuts returns what keeps a fragment or an environment of TeX from doing more than
// setting type, nothing where it does no more. Org hands such text to TeX, to MathJax and
// to HTML as it stands, so that all of the following must hold:
//
//   - Each command and environment is one of the table typesetting.
//   - Each command has its arguments inside the fragment. A \frac at its end would take
//     the \begin of the verbatim text that follows, which TeX would then run.
//   - Braces, and \begin and \end, come in pairs, for the same reason.
//   - Nothing is written as ^^5c, which is a backslash to TeX.
//   - Nothing is a tag of HTML or a command of Texinfo.
func texCuts(text string) []cut {
	text = strings.TrimRight(text, " \t\n\r")
	for _, m := range mathOpeners {
		if !strings.HasPrefix(text, m.open) || len(text) < len(m.open)+len(m.close) {
			continue
		}
		s := texScan{text: text[:len(text)-len(m.close)], at: len(m.open), math: true}
		s.scan()
		if s.open {
			return []cut{m.cut}
		}
		return s.cuts
	}
	s := texScan{text: text, math: strings.HasPrefix(text, `\begin`)}
	s.scan()
	if s.open {
		return []cut{{1, apart}}
	}
	return s.cuts
}

// texScan reads TeX as TeX does: commands, groups, comments.
type texScan struct {
	text string
	at   int
	math bool // between the signs of math, or in an environment: not in the running text

	groups []string // what is open: "{", or the name of an environment
	cuts   []cut
	open   bool // something is left open, or was closed that was not open
}

// mostGroups is how many groups of TeX may stand inside one another, and mostOption how
// long an option may be in bytes: each bounds how often a text is read.
const (
	mostGroups = 100
	mostOption = 500
)

// scan reads to the end.
func (s *texScan) scan() {
	for s.at < len(s.text) && !s.open {
		s.open = len(s.groups) > mostGroups
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
			s.cut(1, apart)
		case c == '<' && len(rest) > 1 && (isLetter(rest[1]) || strings.IndexByte("/!?", rest[1]) >= 0):
			s.cut(1, " ")
		case c == '@' && len(rest) > 1 && isLetter(rest[1]):
			s.cut(1, apart)
		}
		s.at++
	}
	s.open = s.open || len(s.groups) > 0
}

func (s *texScan) cut(after int, with string) { s.cuts = append(s.cuts, cut{s.at + after, with}) }

// close ends the innermost group, which must be the one named.
func (s *texScan) close(name string) {
	last := len(s.groups) - 1
	if last < 0 || s.groups[last] != name {
		s.open = true
		return
	}
	s.groups = s.groups[:last]
}

// comment goes past a comment, which must end inside the fragment. What HTML and TeX
// read in every place is cut in it too.
func (s *texScan) comment() {
	n := strings.IndexByte(s.text[s.at:], '\n')
	if n < 0 {
		s.open = true
		return
	}
	for end := s.at + n; s.at < end; s.at++ {
		if rest := s.text[s.at:]; rest[0] == '<' && rest[1] != ' ' {
			s.cut(1, " ")
		}
	}
}

// command reads a command, and goes on behind its name.
func (s *texScan) command() {
	name := texName(s.text[s.at:])
	if name == "" { // the last character; it would escape what closes the fragment
		s.open = true
		return
	}
	end := s.at + 1 + len(name)
	switch {
	case name == "begin" || name == "end":
		environment, behind := braced(s.text, end)
		e, known := environments[environment]
		switch {
		case !known:
			s.open = true
			return
		case name == "end":
			s.close(environment)
		default:
			s.groups = append(s.groups, environment)
			s.open = !s.has(behind, e)
		}
		end = behind
	case isSymbol(name):
		s.open = name == `\` && !s.has(end, texCommand{option: true})
	default:
		c, known := typesetting[name]
		if !known || c.math && !s.math || !s.has(end, c) {
			s.cut(1, apart)
		}
	}
	s.at = end
}

// texName returns the name of the command that text begins with, behind the backslash:
// letters, or one other character; "" where nothing follows.
func texName(text string) string {
	n := 1
	for n < len(text) && isLetter(text[n]) {
		n++
	}
	if n > 1 {
		return text[1:n]
	}
	for i := range text[1:] {
		if i > 0 {
			return text[1 : 1+i]
		}
	}
	return text[1:]
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// isSymbol reports the name of a command that is one character and only sets type. A
// character without width is one too: it names nothing.
func isSymbol(name string) bool {
	return len(name) == 1 && strings.Contains("\\{}%$&#_|,;:!> /-\n\t", name) || name == apart
}

// has reports whether the arguments of a command stand behind it: an option in brackets
// is closed where the command takes one, and each argument is a group, a character or a
// command without arguments.
func (s *texScan) has(at int, c texCommand) bool {
	if strings.HasPrefix(s.text[at:], "*") {
		at++
	}
	at = skipBlanks(s.text, at)
	for c.option && strings.HasPrefix(s.text[at:], "[") {
		if at = balanced(s.text[:min(len(s.text), at+mostOption)], at, ']'); at < 0 {
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
			if at = balanced(s.text, at, '}'); at < 0 {
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

// balanced returns the offset behind what closes the bracket or brace at an offset, -1
// for nothing.
func balanced(text string, at int, closing byte) int {
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

// braced returns the text in the braces at an offset, and the offset behind them.
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

// texCutsOf returns the cuts that the first headline of a document needs.
func texCutsOf(doc *org.Document) []cut {
	if text := doc.Text(0); !strings.ContainsAny(text, `\$`) {
		return nil
	}
	var cuts []cut
	tree := doc.Objects(0)
	for k := range tree.Elements {
		cuts = append(cuts, texOf(tree, k)...)
	}
	return cuts
}

// escaped is a character as JSON writes it: to TeX an accent over the digit behind it, or
// a name that stands for nothing.
var escaped = regexp.MustCompile(`^\\u[0-9a-fA-F]{4}`)

// texOf returns the cuts that one object or environment of a tree needs, by offsets of
// its source.
func texOf(tree *org.Tree, k int) []cut {
	el := &tree.Elements[k]
	switch el.Type {
	case org.TypeLatexFragment, org.TypeLatexEnvironment:
		text := strings.TrimLeft(tree.Source[el.Body:el.End], " \t")
		from := int(el.End) - len(text)
		if len(escaped.FindString(tree.Source[from:])) >= len(strings.TrimSpace(text)) {
			return nil
		}
		cuts := texCuts(text)
		for i := range cuts {
			cuts[i].at += from
		}
		return cuts
	case org.TypeCitation: // what stands before and behind its keys is not parsed
		if strings.ContainsAny(tree.Text(k), `\$`) {
			return []cut{{int(el.Start) + 1, apart}}
		}
	}
	return nil
}

// endsEnvironment reports a text that begins with the end of an environment that sets
// type. Any other one, such as verbatim, could end what Org exports code as.
func endsEnvironment(text string) bool {
	name, _ := braced(text, strings.IndexByte(text, '{'))
	_, known := environments[name]
	return known
}
