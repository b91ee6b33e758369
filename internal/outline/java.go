// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

// javaTypes are the words that begin a type in Java; an annotation is @interface.
var javaTypes = words("class interface enum record")

// javaText reads a text block of Java.
func javaText(l *lexer) bool {
	const quotes = `"""`
	if !hasPrefix(l.src[l.i:], quotes) {
		return false
	}
	i := l.i + len(quotes)
	for i < len(l.src) && !hasPrefix(l.src[i:], quotes) {
		if l.src[i] == '\\' {
			i++
		}
		i++
	}
	l.emit(quoted, i+len(quotes))
	return true
}

func scanJava(s *scanner) { s.javaBody(0, len(s.tokens), scope{}) }

// javaBody reads the declarations from the token i to end.
func (s *scanner) javaBody(i, end int, o scope) {
	if o.level > maxDepth {
		return
	}
	for end = min(end, len(s.tokens)); i < end; {
		i = max(i+1, s.javaDeclaration(i, end, o))
	}
}

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
			for at < end && !s.mark(at, ';') {
				at = s.mate(at) + 1
			}
			return at + 1
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
	at := i + 1
	for at < end && !s.mark(at, ';') {
		at++
	}
	name := i + 1
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
	at := i + 2
	for at < end && !s.mark(at, '{') && !s.mark(at, ';') {
		at = s.mate(at) + 1
	}
	s.add(o, kind, name, first, at, s.mate(at))
	body, closing := at+1, min(s.mate(at), end)
	if kind == "enum" {
		for body < closing && !s.mark(body, ';') {
			body = s.mate(body) + 1
		}
	}
	s.javaBody(body, closing, o.within(kind, name))
	return closing + 1
}

// javaMethod reads the method whose parameters are at i.
func (s *scanner) javaMethod(first, i, end int, o scope) int {
	at := s.mate(i) + 1
	for at < end && !s.mark(at, '{') && !s.mark(at, ';') && !s.mark(at, '}') {
		at = s.mate(at) + 1
	}
	if s.word(i-1) && o.depth > 0 {
		kind := "method"
		if i-1 == first || s.text(i-1) == lastName(o.name) {
			kind = "constructor"
		}
		s.add(o, kind, s.text(i-1), first, at, s.mate(at))
	}
	return s.mate(at) + 1
}
