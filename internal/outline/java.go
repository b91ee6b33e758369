// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import "strings"

// javaTypes are the words that begin a type in Java; an annotation is @interface.
var javaTypes = words("class interface enum record")

func scanJava(s *scanner) { s.eachIn(0, len(s.tokens), scope{}, s.javaDeclaration) }

// javaDeclaration reads the declaration at i, and returns the token after it.
func (s *scanner) javaDeclaration(i, end int, o scope) int {
	for s.mark(i, '@') && !s.is(i+1, "interface") {
		i = s.afterDecorator(i)
	}
	first := i
	if s.is(i, "package") || s.is(i, "import") {
		return s.javaName(i, end)
	}
	for at := i; at < end; at++ {
		t := s.token(at)
		switch {
		case javaTypes[s.text(at)] && s.word(at+1) && (s.text(at) != "record" || s.mark(s.afterAngles(at+2), '(')):
			return s.javaType(first, at, end, o)
		case t.mark == '(':
			return s.javaMethod(first, at, end, o)
		case t.mark == '<':
			at = max(at, s.afterAngles(at)-1)
		case t.mark == '=':
			return s.firstOf(at, end, ";") + 1
		case t.mark == ';' || t.mark == '}':
			return at + 1
		case t.mark == '{':
			if s.word(at-1) && o.kind == "record" { // a compact constructor
				s.add(o, "constructor", s.text(at-1), first, at, s.mate(at))
			}
			return s.mate(at) + 1
		case t.mark == '@' && !s.is(at+1, "interface"):
			at = s.afterDecorator(at) - 1
		case t.mark == '[':
			at = s.mate(at)
		}
	}
	return end
}

// javaName reads the name of the package or import at i.
func (s *scanner) javaName(i, end int) int {
	at, name := s.firstOf(i+1, end, ";"), i+1
	if s.is(name, "static") {
		name++
	}
	s.add(scope{}, s.text(i), s.between(name, at), i, at, at)
	return at + 1
}

// javaType reads the type whose keyword is at i.
func (s *scanner) javaType(first, i, end int, o scope) int {
	kind, name := s.text(i), s.text(i+1)
	if s.mark(i-1, '@') {
		kind = "annotation"
	}
	at := s.firstOf(i+2, end, "{;")
	s.add(o, kind, name, first, at, s.mate(at))
	body, closing := at+1, min(s.mate(at), end)
	if kind == "enum" {
		body = s.firstOf(body, closing, ";")
	}
	s.eachIn(body, closing, o.within(kind, name), s.javaDeclaration)
	return closing + 1
}

// javaMethod reads the method whose parameters are at i.
func (s *scanner) javaMethod(first, i, end int, o scope) int {
	at := s.firstOf(s.mate(i)+1, end, "{;}")
	if s.word(i-1) && o.depth > 0 {
		kind := "method"
		if i-1 == first || strings.HasSuffix("."+o.name, "."+s.text(i-1)) {
			kind = "constructor"
		}
		s.add(o, kind, s.text(i-1), first, at, s.mate(at))
	}
	return s.mate(at) + 1
}
