// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import "strings"

// function values and members of classes and objects

// value is a function or class that is a value.
type value struct {
	class bool
	head  int // the token after its head: of an arrow function, after the arrow
}

// functionAt returns the function or class that the expression at i is, if it is one.
func (s *script) functionAt(i int) (value, bool) {
	if s.is(i, "async") && !s.mark(i+1, '=') {
		i++
	}
	switch {
	case s.is(i, "class"):
		return value{class: true, head: i + 1}, true
	case s.is(i, "function"):
		at := i + 1
		if s.mark(at, '*') {
			at++
		}
		if s.word(at) {
			at++
		}
		if head := s.head(at); head > at {
			return value{head: head}, true
		}
	case s.word(i) && s.mark(i+1, '=') && s.mark(i+2, '>'):
		return value{head: i + 3}, true
	case s.mark(i, '(') || s.mark(i, '<'):
		if head := s.head(i); head > i && s.mark(head, '=') && s.mark(head+1, '>') {
			return value{head: head + 2}, true
		}
	}
	return value{}, false
}

// assignment reads the equals sign at i: a function that is given a name is a definition.
func (s *script) assignment(i int, top frame) int {
	if top.kind != frameBlock || s.operatorBefore(i) || s.mark(i+1, '=') || s.mark(i+1, '>') {
		return i
	}
	v, ok := s.functionAt(i + 1)
	if !ok {
		return i
	}
	name := s.assigned(i)
	if name < 0 {
		return i
	}
	return s.named(s.text(name), s.lineStart(name), v, top)
}

// valueEnd returns the last token of the function v.
func (s *script) valueEnd(v value) int {
	if s.mark(v.head, '{') {
		return s.mate(v.head)
	}
	return s.expressionEnd(v.head, ",") - 1
}

// operatorBefore reports whether the equals sign at i is the end of an operator.
func (s *script) operatorBefore(i int) bool {
	before := s.token(i - 1)
	return before.form == mark && before.end == s.token(i).off && strings.IndexByte("=><!+-*/%&|^?", before.mark) >= 0
}

// assigned returns the word that the equals sign at i gives a value to, -1 if there is none:
// the last word before it, or before the type after a colon.
func (s *script) assigned(i int) int {
	if s.word(i - 1) {
		for at := i - 1; at > i-maxType && at > 0; at-- {
			switch {
			case s.mark(at-1, ':') && s.word(at-2) && declarators[s.text(at-3)]:
				return at - 2
			case s.mark(at-1, ';') || s.token(at).first:
				return i - 1
			}
		}
		return i - 1
	}
	for at := i - 1; at > max(i-maxType, 0); at-- {
		if declarators[s.text(at)] && s.word(at+1) && s.mark(at+2, ':') {
			return at + 1
		}
		if s.mark(at, ';') {
			break
		}
	}
	return -1
}

// maxType is the number of tokens of the longest type of a variable.
const maxType = 60

var declarators = words("const let var")

// lineStart returns the first token of the declaration of the name at i.
func (s *script) lineStart(i int) int {
	for s.mark(i-1, '.') && s.word(i-2) && !s.token(i).first {
		i -= 2
	}
	if declarators[s.text(i-1)] {
		i--
	}
	return s.start(i, prefixes)
}

// named records the function or class v under a name.
func (s *script) named(name string, first int, v value, top frame) int {
	if v.class {
		return s.classNamed(name, first, v.head, top)
	}
	return s.define("function", name, first, v.head, s.valueEnd(v), top)
}

// expressionEnd returns the token after the expression at i, which ends before one of marks
// at the latest.
func (s *script) expressionEnd(i int, marks string) int {
	at := i
	for at < min(i+maxLook, len(s.tokens)) && s.look() {
		t := s.token(at)
		if t.form == mark && strings.IndexByte(";})]"+marks, t.mark) >= 0 || at > i && t.first && s.endsBefore(at) {
			return at
		}
		at = s.mate(at) + 1
	}
	return at
}

// endsBefore reports whether an expression may end before the token i, the first of a line.
func (s *script) endsBefore(i int) bool {
	t, before := s.token(i), s.token(i-1)
	if t.form == mark && strings.IndexByte(".?:|&+-*/<>=,", t.mark) >= 0 {
		return false
	}
	if before.form == mark && strings.IndexByte(")]}>", before.mark) < 0 || typeGoesOn[s.text(i-1)] {
		return false
	}
	return !s.is(i, "extends") && !s.is(i, "instanceof") && !s.is(i, "in")
}

// modifiers may stand before the name of a member.
var modifiers = words("public private protected static abstract readonly override declare async get set accessor export")

// memberHead is what the head of a member says of it.
type memberHead struct {
	kind  string // method, or getter or setter
	name  string
	at    int // the token that the name may begin with
	after int // the token after the name, -1 if there is none
}

// memberAt reads the modifiers and the name of the member of a class or an object at i.
func (s *script) memberAt(i int) memberHead {
	m := memberHead{kind: "method", after: -1}
	for s.token(i).form == word && modifiers[s.text(i)] && s.nameAt(i+1) {
		if s.is(i, "get") || s.is(i, "set") {
			m.kind = s.text(i) + "ter"
		}
		i++
	}
	if s.mark(i, '*') {
		i++
	}
	if m.at = i; s.nameAt(i) {
		m.name, m.after = s.memberName(i)
	}
	return m
}

// member reads the member of a class at i, and returns the last token read.
func (s *script) member(i int, top frame) int {
	for s.mark(i, '@') {
		i = s.afterDecorator(i)
	}
	if s.is(i, "static") && s.mark(i+1, '{') {
		return s.enter(frameBlock, i+1, top.scope)
	}
	m := s.memberAt(i)
	if m.after < 0 || m.at >= top.end {
		return m.at
	}
	at := m.after
	for s.mark(at, '?') || s.mark(at, '!') {
		at++
	}
	if head := s.head(at); head > at {
		if m.name == "constructor" {
			m.kind = m.name
		}
		return s.define(m.kind, m.name, i, head, s.bodyEnd(head), top)
	}
	return s.field(m.name, i, at, top)
}

// field reads the rest of a field from at: it is a method if its value is a function.
func (s *script) field(name string, first, at int, top frame) int {
	if s.mark(at, ':') {
		at = s.afterType(at + 1)
	}
	if s.token(at).first && s.endsBefore(at) {
		return max(first, at-1)
	}
	if !s.mark(at, '=') {
		return max(first, min(s.expressionEnd(at, ""), top.end)-1)
	}
	if v, ok := s.functionAt(at + 1); ok && !v.class {
		s.add(top.scope, "method", name, first, v.head, s.valueEnd(v))
		if s.mark(v.head, '{') {
			return s.enter(frameBlock, v.head, top.scope.within("method", name))
		}
	}
	return max(first, min(s.expressionEnd(at+1, ""), top.end)-1)
}

// nameAt reports whether the token i may be the name of a member.
func (s *script) nameAt(i int) bool {
	t := s.token(i)
	return t.form == word || t.form == quoted || t.mark == '[' || t.mark == '*'
}

// memberName returns the name at i and the token after it.
func (s *script) memberName(i int) (string, int) {
	if s.mark(i, '[') {
		return s.between(i, s.mate(i)+1), s.mate(i) + 1
	}
	return strings.Trim(s.text(i), `"'`), i + 1
}

// afterDecorator returns the token after the decorator, or annotation, at i.
func (s *scanner) afterDecorator(i int) int {
	i++
	for s.word(i) && s.mark(i+1, '.') {
		i += 2
	}
	i++
	if s.mark(i, '(') {
		i = s.mate(i) + 1
	}
	return i
}

// property reads what may be at i in an object: a method, or a function under a name.
func (s *script) property(i int, top frame) int {
	other := frame{frameOther, top.end, top.scope}
	if !s.mark(i-1, '{') && !s.mark(i-1, ',') {
		return s.statement(i, other)
	}
	m := s.memberAt(i)
	if m.after < 0 {
		return s.statement(i, other)
	}
	if head := s.head(m.after); s.mark(head, '{') && head > m.after {
		return s.define(m.kind, m.name, i, head, s.bodyEnd(head), top)
	}
	if s.mark(m.after, ':') {
		if v, ok := s.functionAt(m.after + 1); ok && !v.class {
			return s.define("method", m.name, i, v.head, s.valueEnd(v), top)
		}
		return m.after
	}
	if strings.HasPrefix(m.name, "[") {
		return s.statement(i, other)
	}
	return m.after - 1
}
