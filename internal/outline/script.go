// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import "strings"

// scriptLiteral reads template literals and regular expressions of JavaScript.
func scriptLiteral(l *lexer) bool {
	switch l.at(0) {
	case '`':
		l.emit(quoted, l.templateEnd(l.i+1, "`", "${"))
		return true
	case '/':
		if c := l.at(1); c == '/' || c == '*' || !l.expectsValue() || l.i < l.failed {
			return false
		}
		end, ok := l.regexEnd(l.i + 1)
		if !ok {
			l.failed = end
			return false
		}
		l.emit(quoted, end)
		return true
	}
	return false
}

// valueWords are keywords after which a value begins.
var valueWords = words("return typeof case in of delete void throw new else do instanceof yield await default " +
	"and or not if elsif unless while until when then")

// expectsValue reports whether a value begins at the position, so that a slash begins a
// regular expression and does not divide.
func (l *lexer) expectsValue() bool {
	switch t := l.last(); {
	case t.form == word:
		return valueWords[l.lastWord()]
	case t.mark == ')' && t.mate > 0:
		before := l.tokens[t.mate-1]
		return loopWords[string(l.src[before.off:before.end])]
	default:
		return t.form == 0 || t.form == mark && strings.IndexByte(")]}", t.mark) < 0
	}
}

// loopWords are keywords with a condition in parentheses.
var loopWords = words("if while for")

// regexEnd returns the end of a regular expression from i, with its flags. If it does not
// end in its line, it returns the end of the line and false.
func (l *lexer) regexEnd(i int) (int, bool) {
	class := false
	for ; i < len(l.src) && l.src[i] != '\n'; i++ {
		switch c := l.src[i]; {
		case c == '\\' && i+1 < len(l.src) && l.src[i+1] != '\n':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			return l.wordEnd(i + 1), true
		}
	}
	return i, false
}

// Kinds of frames of a script.
const (
	frameBlock = iota
	frameClass
	frameObject
	frameOther
)

// script reads JavaScript and TypeScript in one pass over the tokens.
type script struct {
	*scanner
	frames
}

// push enters the bracket at i.
func (s *script) push(kind, i int, o scope) { s.frames = append(s.frames, frame{kind, s.mate(i), o}) }

// scanScript reads JavaScript and TypeScript.
func scanScript(sc *scanner) {
	s := &script{sc, frames{{end: len(sc.tokens)}}}
	for i := 0; i < len(s.tokens); i++ {
		switch top := s.at(i); top.kind {
		case frameClass:
			i = s.member(i, top)
		case frameObject:
			i = s.property(i, top)
		default:
			i = s.statement(i, top)
		}
	}
}

// statement reads what may be at i in a block or between other brackets, and returns the
// last token that it read.
func (s *script) statement(i int, top frame) int {
	t := s.token(i)
	switch {
	case t.mark == '(' || t.mark == '[':
		s.push(frameOther, i, top.scope)
	case t.mark == '{':
		kind := frameBlock
		if s.objectBefore(i) {
			kind = frameObject
		}
		s.push(kind, i, top.scope)
	case t.mark == '=':
		return s.assignment(i, top)
	case t.form != word || s.mark(i-1, '.'):
	case s.is(i, "import"):
		return s.scriptImport(i)
	case !declares[string(s.src[t.off:t.end])] || s.valueAt(i) || top.kind != frameBlock:
	case s.is(i, "function"):
		return s.function(i, top)
	case s.is(i, "class") && s.word(i+1) && !s.is(i+1, "extends"):
		return s.classNamed(s.text(i+1), s.start(i, prefixes), i+1, top)
	case s.is(i, "class") && s.is(i-1, "default"):
		return s.classNamed("default", s.start(i, prefixes), i+1, top)
	case s.is(i, "interface") && s.word(i+1), s.is(i, "enum") && s.word(i+1), s.is(i, "type") && s.word(i+1):
		return s.typeDeclaration(i, top)
	case (s.is(i, "namespace") || s.is(i, "module")) && !s.token(i+1).first && (s.word(i+1) || s.token(i+1).form == quoted):
		return s.namespace(i, top)
	}
	return i
}

// declares has the words that begin a declaration.
var declares = words("function class interface enum type namespace module")

// prefixes may stand before such a word.
var prefixes = words("export default async declare abstract const")

// start returns the first token of the declaration whose keyword is at i.
func (s *scanner) start(i int, prefixes map[string]bool) int {
	for s.token(i-1).form == word && prefixes[s.text(i-1)] {
		i--
	}
	return i
}

// valueAt reports whether the token i is within an expression, so that a function or
// class there is a value.
func (s *script) valueAt(i int) bool {
	i = s.start(i, prefixes)
	before := s.token(i - 1)
	if before.form == word { // the word before one that begins a line may be a type, void
		return !s.token(i).first && valueWords[s.text(i-1)] && !s.is(i-1, "else") && !s.is(i-1, "do")
	}
	return before.form == mark && strings.IndexByte("=(,:?&|![+-~<>*", before.mark) >= 0 && !s.labelBefore(i-1)
}

// labelBefore reports whether the colon at i ends a label of a switch.
func (s *script) labelBefore(i int) bool {
	return s.mark(i, ':') && (s.is(i-1, "default") || s.is(i-2, "case"))
}

// objectBefore reports whether the brace at i begins an object and not a block.
func (s *script) objectBefore(i int) bool {
	before := s.token(i - 1)
	switch {
	case before.form == word:
		return !s.is(i-1, "else") && !s.is(i-1, "do") && valueWords[s.text(i-1)]
	case before.mark == ':':
		return !s.labelBefore(i - 1)
	}
	return before.form == mark && strings.IndexByte("=(,[?&|!", before.mark) >= 0
}

// function reads the declaration of a function at i.
func (s *script) function(i int, top frame) int {
	at := i + 1
	if s.mark(at, '*') {
		at++
	}
	if !s.word(at) {
		return i
	}
	first := s.start(i, prefixes)
	head := s.head(at + 1)
	return s.define("function", s.text(at), first, head, s.bodyEnd(head), top)
}

// define records a function whose body may begin at head, and enters that.
func (s *script) define(kind, name string, first, head, end int, top frame) int {
	s.add(top.scope, kind, name, first, head, end)
	return s.enter(frameBlock, head, top.scope.within(kind, name))
}

// enter goes into the brace at i, if there is one, and returns the last token passed.
func (s *script) enter(kind, i int, o scope) int {
	if !s.mark(i, '{') || len(s.frames) > maxDepth {
		return i - 1
	}
	s.push(kind, i, o)
	return i
}

// head returns the token after the head of a function whose name ends before i: its body,
// or what follows a declaration without one. It returns i if no function is there.
func (s *script) head(i int) int {
	at := s.afterAngles(i)
	if !s.mark(at, '(') {
		return i
	}
	at = s.mate(at) + 1
	if !s.mark(at, ':') {
		return at
	}
	return s.afterType(at + 1)
}

// maxLook is how many tokens a scanner reads ahead for one definition, brackets passed.
const maxLook = 400

// typeGoesOn are words within a type after which a brace begins a type.
var typeGoesOn = words("is extends keyof readonly typeof infer asserts")

// afterType returns the token after the type at i: a brace that begins a body, an arrow,
// or the end of the declaration.
func (s *script) afterType(i int) int {
	for at := i; at < min(i+maxLook, len(s.tokens)) && s.look(); at = s.mate(at) + 1 {
		begins := at == i || s.token(at-1).form == mark && strings.IndexByte(":|&,<(=?>", s.token(at-1).mark) >= 0 &&
			(!s.mark(at-1, '>') || s.mark(at-2, '=')) || typeGoesOn[s.text(at-1)]
		switch t := s.token(at); {
		case t.mark == '<':
			at = max(at, s.afterAngles(at)-1)
		case t.mark == '{' && !begins, t.mark == ';', t.mark == ',', t.mark == ')', t.mark == '}':
			return at
		case t.mark == '=' && s.mark(at+1, '>'):
			if !s.mark(at-1, ')') || !s.typeOfFunction(i, at) {
				return at
			}
		case t.mark == '=':
			return at
		case t.first && !begins && strings.IndexByte("|&.?", t.mark) < 0 && t.mark != '{':
			return at
		}
	}
	return i
}

// typeOfFunction reports whether the arrow at belongs to a type that begins at i with its
// parameters, as in (): (x: T) => U => body.
func (s *script) typeOfFunction(i, at int) bool { return s.mark(i, '(') && s.mate(i) == at-1 }

// classNamed records a class whose heritage begins at the token at.
func (s *script) classNamed(name string, first, at int, top frame) int {
	head := s.afterTypes(at, len(s.tokens), "{;")
	s.add(top.scope, "class", name, first, head, s.bodyEnd(head))
	return s.enter(frameClass, head, top.scope.within("class", name))
}

// typeDeclaration reads an interface, an enum or an alias of a type at i.
func (s *script) typeDeclaration(i int, top frame) int {
	kind, name := s.text(i), s.text(i+1)
	at := s.afterAngles(i + 2)
	if kind == "type" {
		if !s.mark(at, '=') {
			return i
		}
		end := s.expressionEnd(at+1, "")
		s.add(top.scope, kind, name, s.start(i, prefixes), at, end-1)
		return end - 1
	}
	for at < min(i+maxLook, len(s.tokens)) && s.look() && !s.mark(at, '{') && !s.mark(at, ';') && !s.mark(at, '=') {
		at++
	}
	if !s.mark(at, '{') {
		return i
	}
	s.add(top.scope, kind, name, s.start(i, prefixes), at, s.mate(at))
	return s.mate(at)
}

func (s *script) namespace(i int, top frame) int {
	at := i + 2
	for s.mark(at, '.') {
		at += 2
	}
	if !s.mark(at, '{') {
		return i
	}
	name := strings.Trim(s.between(i+1, at), `"'`)
	s.add(top.scope, "namespace", name, s.start(i, prefixes), at, s.mate(at))
	return s.enter(frameBlock, at, top.scope.within("namespace", name))
}

// scriptImport reads an import with the name of its module.
func (s *script) scriptImport(i int) int {
	for at := i + 1; at < min(i+maxLook, len(s.tokens)) && s.look(); at = s.mate(at) + 1 {
		switch t := s.token(at); {
		case t.form == quoted:
			if len(s.frames) == 1 {
				s.add(scope{}, kindImport, strings.Trim(s.text(at), `"'`), i, at+1, at)
			}
			return at
		case t.mark == ';' || t.mark == '(' || t.mark == '.':
			return i
		}
	}
	return i
}
