// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"bytes"
	"strings"
)

// condition is an #if whose #endif is not read yet.
type condition struct {
	open   int  // brackets that were open at #if
	inside bool // it began within a declaration
}

// cLiteral reads lines of the preprocessor, raw strings, and the quote within a number.
func cLiteral(l *lexer) bool {
	switch c := l.at(0); {
	case c == '#' && l.fresh:
		l.directive()
		return true
	case c == '\'':
		t := l.last()
		if t.form == word && int(t.end) == l.i && l.src[t.off] >= '0' && l.src[t.off] <= '9' {
			l.i++
			return true
		}
	case c == '\\':
		l.i++
		return true
	case c == 'R' || c == 'L' || c == 'u' || c == 'U':
		for _, prefix := range [...]string{`R"`, `LR"`, `uR"`, `UR"`, `u8R"`} {
			if hasPrefix(l.src[l.i:], prefix) {
				return l.rawString(l.i + len(prefix))
			}
		}
	}
	return false
}

// maxDelimiter is the length of the longest word around a raw string of C++.
const maxDelimiter = 16

// rawString reads a raw string of C++, whose quote ends before i.
func (l *lexer) rawString(i int) bool {
	n := bytes.IndexByte(l.src[i:min(i+maxDelimiter+1, len(l.src))], '(')
	if n < 0 {
		return false
	}
	l.emit(quoted, l.after(i+n, ")"+string(l.src[i:i+n])+`"`, false))
	return true
}

// directive reads a line of the preprocessor. Of the branches of a condition all are read,
// but those after the first if that left a bracket or a declaration open: both would open
// it, and only one of them is compiled.
func (l *lexer) directive() {
	start := l.i
	end := l.directiveEnd(start)
	t := lexeme{form: directive, off: int32(start), end: int32(end), line: l.line, mate: -1}
	name, rest := directiveName(l.src[start:end])
	l.skip(end)
	switch name {
	case "define", "include", "import":
		l.directives = append(l.directives, t)
	case "if", "ifdef", "ifndef":
		l.ifs = append(l.ifs, condition{open: len(l.open), inside: l.withinDeclaration()})
		if rest == "0" {
			l.skipBranch(true)
		}
	case "else", "elif", "elifdef", "elifndef":
		if n := len(l.ifs); n > 0 && (len(l.open) != l.ifs[n-1].open || l.withinDeclaration() && !l.ifs[n-1].inside || l.ifs[n-1].inside && l.last().mark == ';') {
			l.skipBranch(false)
		}
	case "endif":
		if n := len(l.ifs); n > 0 {
			l.ifs = l.ifs[:n-1]
		}
	}
}

// withinDeclaration reports whether the last token leaves a declaration open.
func (l *lexer) withinDeclaration() bool {
	t := l.last()
	return t.form != 0 && (t.form != mark || strings.IndexByte(";{}:,", t.mark) < 0)
}

// directiveName returns the word of a directive and the words after it.
func directiveName(text []byte) (name, rest string) {
	const maxRead = 200
	text = bytes.TrimLeft(text, "# \t")
	fields := append(bytes.Fields(text[:min(len(text), maxRead)]), nil, nil)
	return string(fields[0]), string(fields[1])
}

// directiveEnd returns the end of the directive at i: of its line, those included that a
// backslash or a comment joins to it.
func (l *lexer) directiveEnd(i int) int {
	for i < len(l.src) {
		switch c := l.src[i]; {
		case c == '\\':
			if i++; i < len(l.src) && l.src[i] == '\r' {
				i++
			}
			i++
		case c == '\n':
			return i
		case c == '"':
			i = l.stringEnd(i+1, c, false)
		case c == '/' && i+1 < len(l.src) && l.src[i+1] == '*':
			i = l.blockEnd(i)
		case c == '/' && i+1 < len(l.src) && l.src[i+1] == '/':
			return l.lineEnd(i)
		default:
			i++
		}
	}
	return min(i, len(l.src))
}

// skipBranch passes the lines up to the #endif of the last condition, or to its next
// branch if one is to be read.
func (l *lexer) skipBranch(branch bool) {
	for depth := 0; l.i < len(l.src); l.skip(min(l.lineEnd(l.i)+1, len(l.src))) {
		line := bytes.TrimLeft(l.src[l.i:l.lineEnd(l.i)], " \t\r")
		if len(line) == 0 || line[0] != '#' {
			continue
		}
		switch name, _ := directiveName(line); name {
		case "if", "ifdef", "ifndef":
			depth++
		case "endif":
			if depth == 0 {
				l.fresh = true
				return
			}
			depth--
		case "else", "elif":
			if depth == 0 && branch {
				l.skip(l.lineEnd(l.i))
				return
			}
		}
	}
}
