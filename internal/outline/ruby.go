// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"bytes"
	"strings"
)

// rubyLiteral reads strings with code in them, here-documents, % literals, regular
// expressions, symbols, characters and the comments between =begin and =end.
func rubyLiteral(l *lexer) bool {
	switch c := l.at(0); {
	case l.fresh && c == '=' && hasPrefix(l.src[l.i:], "=begin") && l.at(-1) != ' ':
		l.skip(l.lineAfter("\n=end"))
		return true
	case l.fresh && c == '_' && hasPrefix(l.src[l.i:], "__END__"):
		l.skip(len(l.src))
		return true
	case c == '"' || c == '`' && l.lastWord() != "def":
		l.emit(quoted, l.templateEnd(l.i+1, string(c), "#{"))
		return true
	case c == ':' && l.at(1) == '"':
		l.emit(quoted, l.templateEnd(l.i+2, `"`, "#{"))
		return true
	case c == ':' && wordByte[l.at(1)] && l.at(-1) != ':':
		l.emit(quoted, l.wordEnd(l.i+1))
		return true
	case c == '?' && l.expectsValue() && l.at(1) > ' ' && !wordByte[l.at(2)]:
		l.emit(quoted, l.i+2)
		return true
	case c == '/' && l.valueBefore():
		l.emit(quoted, l.rubyRegexEnd())
		return true
	case c == '%' && l.valueBefore():
		return l.percent()
	case c == '<' && l.at(1) == '<':
		return l.rubyHeredoc()
	case c == '$' && l.at(1) > ' ' && !wordByte[l.at(1)]:
		l.emit(quoted, l.i+2)
		return true
	case wordByte[c]:
		return l.rubyWord()
	}
	return false
}

// rubyRegexEnd returns the end of the regular expression at the position, which may have
// several lines.
func (l *lexer) rubyRegexEnd() int {
	if l.i >= l.failed {
		end, ok := l.regexEnd(l.i + 1)
		if ok {
			return end
		}
		l.failed = end
	}
	return l.templateEnd(l.i+1, "/", "#{")
}

// rubyWord reads a word with the ? or ! at its end.
func (l *lexer) rubyWord() bool {
	end := l.wordEnd(l.i)
	n := end - l.i
	if c := l.at(n); (c == '?' || c == '!') && (l.at(n+1) != '=' || l.at(n+2) == '=') {
		end++
	}
	l.emit(word, end)
	return true
}

// lineAfter returns the end of the line that text, which begins with a line feed, begins.
func (l *lexer) lineAfter(text string) int {
	n := bytes.Index(l.src[l.i:], []byte(text))
	if n < 0 {
		return len(l.src)
	}
	return l.lineEnd(l.i + n + 1)
}

// valueBefore reports whether a slash or percent sign at the position begins a literal: it begins
// a line, a value is expected, or it is the argument of a method, as in puts /x/.
func (l *lexer) valueBefore() bool {
	if l.fresh || l.expectsValue() {
		return true
	}
	t := l.last()
	space := l.at(-1) == ' ' && l.at(1) != ' ' && l.at(1) != '='
	return t.form == word && space && !(l.src[t.off] >= '0' && l.src[t.off] <= '9')
}

// percent reads a literal such as %w[a b] or %(text).
func (l *lexer) percent() bool {
	i := l.i + 1
	if strings.IndexByte("wWiIqQrsx", l.at(1)) >= 0 && l.at(1) != 0 {
		i++
	}
	if i >= len(l.src) || wordByte[l.src[i]] || l.src[i] <= ' ' || l.src[i] == '=' {
		return false
	}
	open := l.src[i]
	closing := open
	if n := strings.IndexByte("([{<", open); n >= 0 {
		closing = ")]}>"[n]
	}
	for depth := 0; i < len(l.src); i++ {
		switch c := l.src[i]; {
		case c == '\\':
			i++
		case c == closing && (depth == 1 || closing == open && depth > 0):
			l.emit(quoted, i+1)
			return true
		case c == closing && depth > 0:
			depth--
		case c == open:
			depth++
		}
	}
	l.emit(quoted, i)
	return true
}

// rubyHeredoc reads <<WORD, <<-WORD or <<~WORD, for the text that begins with the next line.
func (l *lexer) rubyHeredoc() bool {
	i, letters := l.i+2, ""
	indent := l.at(2) == '-' || l.at(2) == '~'
	if indent {
		i++
	}
	if c := l.at(i - l.i); strings.IndexByte("\"'`", c) >= 0 {
		letters = string(c)
	} else if !indent && (c < 'A' || c > 'Z') {
		return false
	}
	return l.lastWord() != "class" && l.heredoc(i, heredoc{indent: indent}, letters)
}

// rubyOpeners begin what an end ends, where a statement or a value may begin.
var rubyOpeners = words("if unless while until case for begin")

// rubyBlock is what an end will end.
type rubyBlock struct {
	found int // its definition, -1 for none
	loop  bool
	line  int32
	scope scope
}

// scanRuby matches each end with what it ends.
func scanRuby(s *scanner) {
	r := &ruby{scanner: s}
	for i := 0; i < len(s.tokens); i++ {
		if s.token(i).form == word {
			i = r.word(i)
		}
	}
	for len(r.open) > 0 {
		r.end(len(s.tokens) - 1)
	}
}

type ruby struct {
	*scanner
	open []rubyBlock
}

// enter opens the block of the definition just recorded, whose scope is inner; within
// maxDepth others it is that of what is around it.
func (r *ruby) enter(o, inner scope) {
	if inner.depth > maxDepth {
		inner = o
	}
	r.open = append(r.open, rubyBlock{found: len(r.found) - 1, scope: inner})
}

func (r *ruby) scope() scope {
	if len(r.open) == 0 {
		return scope{}
	}
	return r.open[len(r.open)-1].scope
}

// end ends the last block with the token i.
func (r *ruby) end(i int) {
	last := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	if last.found >= 0 {
		d := &r.found[last.found]
		d.EndLine = max(d.Line, r.lineOf(i))
	}
}

// word reads the word at i, and returns the last token read.
func (r *ruby) word(i int) int {
	if r.mark(i-1, '.') || r.mark(i+1, ':') && r.token(i+1).off == r.token(i).end && !r.mark(i+2, ':') && !r.mark(i-1, '?') {
		return i
	}
	text, o := r.text(i), r.scope()
	switch {
	case text == "end":
		if len(r.open) > 0 {
			r.end(i)
		}
	case text == "do":
		if n := len(r.open); n > 0 && r.open[n-1].loop && r.open[n-1].line == r.token(i).line {
			r.open[n-1].loop = false
			return i
		}
		r.open = append(r.open, rubyBlock{found: -1, scope: o})
	case rubyOpeners[text]:
		if text != "begin" && text != "case" && text != "for" && !r.begins(i) {
			return i
		}
		r.open = append(r.open, rubyBlock{found: -1, scope: o, line: r.token(i).line, loop: text == "while" || text == "until" || text == "for"})
	case text == "class" || text == "module":
		return r.module(i, text, o)
	case text == "def":
		return r.method(i, o)
	case (text == "require" || text == "require_relative") && r.token(i).first:
		at := i + 1
		if r.mark(at, '(') {
			at++
		}
		if r.token(at).form == quoted && o.depth == 0 {
			r.add(scope{}, kindImport, strings.Trim(r.text(at), `"'`), i, at+1, at)
		}
	}
	return i
}

// beforeStatement are words after which a statement or a value begins.
var beforeStatement = words("then else elsif do begin ensure if unless while until when in and or not")

// begins reports whether the keyword at i begins a statement or a value, and does not
// follow the statement that it governs.
func (r *ruby) begins(i int) bool {
	before := r.token(i - 1)
	switch {
	case r.token(i).first && before.form != mark:
		return true
	case before.form == word:
		return beforeStatement[r.text(i-1)] && !r.mark(i-2, '.')
	}
	return before.form == mark && (r.token(i).first || strings.IndexByte("=([{,;|&!?:+-*<>", before.mark) >= 0)
}

// module reads a class or module at i; class << self opens one without a name.
func (r *ruby) module(i int, kind string, o scope) int {
	if !r.name(i + 1) {
		if r.mark(i+1, '<') && r.mark(i+2, '<') {
			r.open = append(r.open, rubyBlock{found: -1, scope: o})
			return i + 2
		}
		return i
	}
	at := i + 1
	for r.mark(at+1, ':') && r.mark(at+2, ':') && r.name(at+3) {
		at += 3
	}
	r.add(o, kind, r.text(at), i, r.headEnd(at+1, ";"), at)
	inner := o.within(kind, strings.ReplaceAll(r.between(i+1, at+1), "::", "."))
	r.enter(o, inner)
	return at
}

// name reports whether the token i may be the name of a class or module.
func (r *ruby) name(i int) bool { return r.scanner.word(i) && !r.is(i, "end") && !r.is(i, "do") }

// method reads the method at i. One with an equals sign after its parameters has no end.
func (r *ruby) method(i int, o scope) int {
	at := i + 1
	if r.mark(at+1, '.') {
		at += 2
	}
	name, next := r.methodName(at)
	if next == at {
		return i
	}
	head := next
	if r.mark(head, '(') {
		head = min(r.mate(head)+1, len(r.tokens))
	} else {
		head = r.headEnd(head, ";=")
	}
	r.add(o, "method", name, i, head, head-1)
	if endless := r.mark(head, '=') && !r.token(head).first && (r.mark(next, '(') || r.token(head).off > r.token(head-1).end); endless {
		return head
	}
	r.enter(o, o.within("method", name))
	return head - 1
}

// methodName returns the name of the method at i, which may be an operator, and the token
// after it.
func (r *ruby) methodName(i int) (string, int) {
	at := i
	switch {
	case r.token(i).form == word:
		at++
		if r.mark(at, '=') && r.token(at).off == r.token(i).end && (r.mark(at+1, '(') || r.token(at+1).form == word && !r.token(at+1).first) {
			at++
		}
	case r.token(i).form == quoted:
		at++
	case r.mark(i, '['):
		at = r.mate(i) + 1
		if r.mark(at, '=') && r.token(at).off == r.token(at-1).end {
			at++
		}
	default:
		for r.token(at).form == mark && !r.mark(at, '(') && !r.mark(at, ';') && (at == i || r.token(at).off == r.token(at-1).end) {
			at++
		}
		if r.mark(at-1, '+') || r.mark(at-1, '-') || r.mark(at-1, '!') || r.mark(at-1, '~') {
			if r.mark(at, '@') {
				at++
			}
		}
	}
	return strings.ReplaceAll(r.between(i, at), " ", ""), at
}
