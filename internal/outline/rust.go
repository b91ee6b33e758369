// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

// rustLiteral reads raw strings, characters, and lifetimes, which are words.
func rustLiteral(l *lexer) bool {
	switch c := l.at(0); {
	case c == '\'':
		if end, ok := l.characterEnd(); ok {
			l.emit(quoted, end)
		} else {
			l.emit(word, l.wordEnd(l.i+1))
		}
		return true
	case c == 'r' || c == 'b' && l.at(1) == 'r' || c == 'c' && l.at(1) == 'r':
		i := l.i + 1
		if c != 'r' {
			i++
		}
		start := i
		for i < len(l.src) && l.src[i] == '#' {
			i++
		}
		if i == l.i+2 && i < len(l.src) && wordByte[l.src[i]] && l.src[i-1] == '#' { // r#type is a name
			l.emit(word, l.wordEnd(i))
			return true
		}
		if i >= len(l.src) || l.src[i] != '"' {
			return false
		}
		l.emit(quoted, l.after(i+1, `"`+string(l.src[start:i]), false))
		return true
	}
	return false
}

// characterEnd returns the end of the character at the position, false if it is a lifetime.
func (l *lexer) characterEnd() (int, bool) {
	if l.at(1) == '\\' {
		return l.stringEnd(l.i+1, '\'', false), true
	}
	if l.at(1) == '\'' || l.at(1) == '\n' {
		return 0, false
	}
	n := 2
	for n < 5 && l.at(n)&0xC0 == 0x80 {
		n++
	}
	return l.i + n + 1, l.at(n) == '\''
}

// rustPrefixes may stand before the keyword of an item.
var rustPrefixes = words("pub const async unsafe extern default auto crate")

// rust reads items by their keywords.
type rust struct{ *scanner }

func scanRust(s *scanner) { rust{s}.body(0, len(s.tokens), scope{}) }

func (s rust) body(i, end int, o scope) { s.eachIn(i, end, o, s.item) }

// item reads the item at i, and returns the token after it.
func (s rust) item(i, end int, o scope) int {
	first := i
	for s.token(i).form == word && rustPrefixes[s.text(i)] || s.token(i).form == quoted {
		if i++; s.mark(i, '(') { // pub(crate)
			i = s.mate(i) + 1
		}
	}
	if !s.word(i) {
		if s.mark(i, '{') && i > first { // extern "C" {, unsafe {
			return i + 1
		}
		return s.mate(i) + 1
	}
	switch kind := s.text(i); kind {
	case "fn":
		if aggregate := o.kind == "impl" || o.kind == "trait"; aggregate {
			kind = "method"
		}
		return s.named(kind, first, i+1, end, o)
	case "struct", "enum", "union", "trait", "mod":
		if s.word(i+1) && !s.mark(i+2, '.') {
			return s.named(kind, first, i+1, end, o)
		}
	case "type", "static":
		at := i + 1
		if s.is(at, "mut") {
			at++
		}
		if s.word(at) {
			s.add(o, kind, s.text(at), first, s.afterTypes(at, end, "=;"), s.firstOf(at, end, ";"))
			return s.firstOf(at, end, ";") + 1
		}
	case "impl":
		return s.implementation(first, i, end, o)
	case "use":
		if !s.mark(s.firstOf(i, end, ";}"), ';') {
			return i + 1
		}
		at := s.firstOf(i, end, ";")
		if o.depth == 0 {
			s.add(o, kindImport, s.between(i+1, at), first, at, at)
		}
		return at + 1
	case "macro_rules":
		if s.mark(i+1, '!') && s.word(i+2) {
			s.add(o, "macro", s.text(i+2), first, i+3, s.mate(i+3))
			return s.mate(i+3) + 1
		}
	}
	if s.mark(i+1, '!') { // a macro is called
		return s.mate(i+2) + 1
	}
	if s.token(first).form == word && rustPrefixes[s.text(first)] { // a constant
		return s.firstOf(i, end, ";{") + 1
	}
	return i + 1
}

// named records an item whose name is at, with what is in its body.
func (s rust) named(kind string, first, at, end int, o scope) int {
	if !s.word(at) {
		return at
	}
	head := s.firstOf(at, end, "{;")
	s.add(o, kind, s.text(at), first, head, s.mate(head))
	if s.mark(head, '{') && (kind == "trait" || kind == "mod" || kind == "fn" || kind == "method") {
		s.body(head+1, s.mate(head), o.within(kind, s.text(at)))
	}
	return s.mate(head) + 1
}

// implementation reads an impl block. Its name is that of the type.
func (s rust) implementation(first, i, end int, o scope) int {
	at := i + 1
	if s.mark(at, '<') {
		at = max(at+1, s.afterAngles(at))
	}
	head := s.firstOf(at, end, "{;")
	name, of, where := "", at, head
	for n := at; n < head && s.look(); n = s.next(n) {
		if s.is(n, "where") {
			where = n
			break
		}
		if s.is(n, "for") && !s.mark(n+1, '<') {
			name, of = "", n+1
		} else if s.word(n) && s.src[s.token(n).off] != '\'' && !s.is(n, "dyn") && !s.is(n, "mut") && !s.is(n, "const") {
			name = s.text(n)
		}
	}
	if name == "" { // of a tuple, a slice, a function
		name = s.between(of, where)
	}
	s.add(o, "impl", name, first, head, s.mate(head))
	s.body(head+1, s.mate(head), o.within("impl", name))
	return s.mate(head) + 1
}
