// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"bytes"
	"strings"
)

// shellLiteral reads strings with commands in them, escapes, comments and the marks of
// here-documents.
func shellLiteral(l *lexer) bool {
	switch c := l.at(0); c {
	case '\\':
		l.skip(l.i + 2)
		return true
	case '"':
		l.emit(quoted, l.shellStringEnd(l.i+1))
		return true
	case '\'':
		if l.at(-1) == '$' {
			l.emit(quoted, l.stringEnd(l.i+1, c, true))
			return true
		}
	case '#':
		before := l.at(-1)
		if l.i == 0 || strings.IndexByte(" \t\n;()|&`", before) >= 0 {
			l.i = l.lineEnd(l.i)
			return true
		}
		l.emit(mark, l.i+1)
		return true
	case '$':
		if l.at(1) == '{' {
			l.emit(quoted, l.expansionEnd(l.i+2))
			return true
		}
	case '<':
		return l.shellHeredoc()
	}
	return false
}

// shellStringEnd returns the end of a string in double quotes from i. It may hold $(commands)
// with strings of their own.
func (l *lexer) shellStringEnd(i int) int {
	stack := []byte{'"'}
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
		case c == '"':
			stack = append(stack, '"')
		case c == '\'' && top == ')':
			i = l.after(i, "'", false)
		case c == '(' && (top == ')' || i > 1 && l.src[i-2] == '$'):
			stack = append(stack, ')')
		case c == '{' && i > 1 && l.src[i-2] == '$':
			stack = append(stack, '}')
		}
	}
	return i
}

// expansionEnd returns the end of ${...} from i.
func (l *lexer) expansionEnd(i int) int {
	for depth := 1; i < len(l.src); i++ {
		switch l.src[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"':
			i = l.shellStringEnd(i+1) - 1
		case '\'':
			if n := bytes.IndexByte(l.src[i+1:], '\''); n >= 0 {
				i += n + 1
			}
		case '\n':
			if depth == 1 && l.src[i-1] != '\\' && i > l.i+200 { // no expansion after all
				return i
			}
		}
	}
	return i
}

// shellHeredoc reads << with its word, for the text that begins with the next line.
func (l *lexer) shellHeredoc() bool {
	if l.at(1) != '<' || l.at(2) == '<' || l.at(-1) == '<' {
		return false
	}
	i, indent := l.i+2, l.at(2) == '-'
	if indent {
		i++
	}
	for i < len(l.src) && (l.src[i] == ' ' || l.src[i] == '\t') {
		i++
	}
	return !l.arithmetic() && l.heredoc(i, heredoc{indent: indent}, "\"'\\-.!%+@:`")
}

// arithmetic reports whether the position is within ((...)).
func (l *lexer) arithmetic() bool {
	n := len(l.open)
	return n > 1 && l.tokens[l.open[n-1]].mark == '(' && l.open[n-2] == l.open[n-1]-1 && l.tokens[l.open[n-2]].mark == '('
}

// scanShell reads functions in both forms, and the files that a script reads.
func scanShell(s *scanner) {
	open := frames{{end: len(s.tokens)}}
	for i := 0; i < len(s.tokens); i++ {
		o, at := open.at(i).scope, i
		if s.is(i, "function") && s.commandAt(i) && !s.token(i+1).first {
			at++
		}
		t := s.token(at)
		if t.form != word || !s.commandAt(i) {
			continue
		}
		if at == i && (s.is(i, "source") || s.is(i, ".")) && !s.token(i+1).first && i+1 < len(s.tokens) {
			s.add(scope{}, kindImport, s.shellArgument(i+1), i, i+2, i)
			continue
		}
		parens := s.mark(at+1, '(') && s.mark(at+2, ')') && s.token(at+1).line == t.line
		if !parens && at == i || strings.ContainsRune(s.text(at), '=') {
			continue
		}
		body := at + 1
		if parens {
			body = at + 3
		}
		s.add(o, "function", s.text(at), i, at+1, s.mate(body))
		if s.mate(body) > body && len(open) < maxDepth {
			open = append(open, frame{end: s.mate(body), scope: o.within("function", s.text(at))})
		}
	}
}

// shellArgument returns the argument that begins with the token i.
func (s *scanner) shellArgument(i int) string {
	end := i + 1
	for end < len(s.tokens) && s.token(end).off == s.token(end-1).end {
		end++
	}
	return strings.Trim(s.between(i, end), `"'`)
}

// beforeCommand are words after which a command begins.
var beforeCommand = words("then else elif do if while until time")

// commandAt reports whether a command begins at i.
func (s *scanner) commandAt(i int) bool {
	before := s.token(i - 1)
	return s.token(i).first || before.form == mark && strings.IndexByte(";{}()&|!", before.mark) >= 0 ||
		before.form == word && beforeCommand[s.text(i-1)]
}
