// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"bytes"
	"strings"
)

// phpLiteral reads here-documents, and passes text outside <?php and ?>.
func phpLiteral(l *lexer) bool {
	rest := l.src[l.i:]
	switch {
	case l.steps == 1: // the source begins outside
		return l.template(0)
	case hasPrefix(rest, "?>"):
		return l.template(2)
	case hasPrefix(rest, "#["): // an attribute, no comment
		l.emit(mark, l.i+1)
		return true
	case hasPrefix(rest, "#"), hasPrefix(rest, "//"): // ends before ?>
		end := l.lineEnd(l.i)
		if n := bytes.Index(l.src[l.i:end], []byte("?>")); n >= 0 {
			end = l.i + n
		}
		l.i = end
		return true
	case hasPrefix(rest, "<<<"):
		return l.phpHeredoc()
	}
	return false
}

// template passes the text outside PHP that begins n bytes after the position.
func (l *lexer) template(n int) bool {
	begin := bytes.Index(l.src[l.i+n:], []byte("<?"))
	if begin < 0 {
		if n == 0 {
			return false
		}
		l.skip(len(l.src))
		return true
	}
	l.skip(l.i + n + begin + 2)
	if hasPrefix(l.src[l.i:], "php") {
		l.i += len("php")
	}
	if t := l.last(); t.form != 0 && t.mark != ';' && t.mark != '{' && t.mark != '}' && t.mark != ':' {
		l.tokens = append(l.tokens, lexeme{form: mark, mark: ';', off: int32(l.i), end: int32(l.i), line: l.line, mate: -1})
	}
	return true
}

// phpHeredoc reads <<<WORD, for the text up to the line that begins with WORD, perhaps indented.
func (l *lexer) phpHeredoc() bool {
	i := l.i + 3
	for i < len(l.src) && (l.src[i] == ' ' || l.src[i] == '\t') {
		i++
	}
	return l.heredoc(i, heredoc{indent: true, part: true}, "\"'")
}

// phpTypes are the words that begin a type of PHP.
var phpTypes = words("class interface trait enum")

// phpPrefixes may stand before the keyword of a definition.
var phpPrefixes = words("public private protected static abstract final readonly")

// scanPHP reads definitions by their keywords, at any depth.
func scanPHP(s *scanner) {
	open := frames{{end: len(s.tokens)}}
	for i := 0; i < len(s.tokens); i++ {
		o := open.at(i).scope
		if s.token(i).form != word || s.mark(i-1, '>') || s.mark(i-1, ':') && s.mark(i-2, ':') || s.mark(i-1, '$') {
			continue
		}
		head, kind, name := s.phpDefinition(i, o)
		if head < 0 {
			continue
		}
		if s.mark(head, '{') && len(open) < maxDepth && kind != "namespace" {
			open = append(open, frame{end: s.mate(head), scope: o.within(kind, name)})
		}
		i = max(i, head-1)
	}
}

// phpDefinition records the definition whose keyword is at i. It returns the token after its head,
// its kind and its name, or -1 if there is none.
func (s *scanner) phpDefinition(i int, o scope) (head int, kind, name string) {
	kind = strings.ToLower(s.text(i))
	at := i + 1
	switch {
	case kind == "function":
		if s.mark(at, '&') {
			at++
		}
		if !s.word(at) || !s.mark(at+1, '(') {
			return -1, "", ""
		}
		if phpTypes[o.kind] {
			kind = "method"
		}
		head = s.firstOf(s.mate(at+1), len(s.tokens), "{;")
	case phpTypes[kind] && s.word(at) && !s.is(i-1, "new") && !s.is(at, "extends") && !s.is(at, "implements"):
		head = s.firstOf(at, len(s.tokens), "{;")
		if !s.mark(head, '{') {
			return -1, "", ""
		}
	case kind == "namespace" && (s.word(at) && !s.mark(at, '\\')):
		head = s.firstOf(at, len(s.tokens), "{;")
		s.add(o, kind, strings.ReplaceAll(s.between(at, head), " ", ""), i, head, head)
		return head, kind, ""
	case kind == "use" && o.depth == 0:
		head = s.firstOf(at, len(s.tokens), ";")
		s.add(o, kindImport, s.between(at, head), i, head, head)
		return head, kindImport, ""
	case kind == "const":
		return s.phpConstants(i, o), kind, ""
	case kind == "define" && s.mark(at, '(') && s.token(at+1).form == quoted:
		s.add(o, "const", strings.Trim(s.text(at+1), `"'`), i, s.mate(at)+1, s.mate(at))
		return s.mate(at), "const", ""
	default:
		return -1, "", ""
	}
	name = s.text(at)
	s.add(o, kind, name, s.start(i, phpPrefixes), head, s.mate(head))
	return head, kind, name
}

// phpConstants records the constants after the keyword at i.
func (s *scanner) phpConstants(i int, o scope) int {
	end := s.firstOf(i, len(s.tokens), ";}")
	for at := i + 1; at < end; at = s.mate(at) + 1 {
		if s.word(at) && s.mark(at+1, '=') && !s.mark(at+2, '=') && !s.mark(at+2, '>') {
			s.add(o, "const", s.text(at), s.start(i, phpPrefixes), at+1, end)
		}
	}
	return end
}
