// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"cmp"
	"strings"
)

// candidate is a name before parentheses, which may be that of a function.
type candidate struct {
	name   int // its last lexeme, -1 for none
	text   string
	first  int // the first token of the name with its qualification
	params int // the parenthesis
	head   int // the colon before the initializers of a constructor, 0 if there is none
}

// declarator reads the rest of a declaration from i: it records a function or a prototype,
// and passes over a variable. It returns the token after the declaration.
func (c *cScanner) declarator(first, i, end int, o scope, typedef bool) int {
	if typedef {
		return c.typedefs(first, i, end, o)
	}
	f := candidate{name: -1}
	for at := i; at < end; at++ {
		t := c.token(at)
		switch {
		case t.mark == ';':
			c.prototype(f, first, at, o)
			return at + 1
		case t.mark == '}':
			return at
		case t.mark == '{':
			if f.name >= 0 {
				return c.functionBody(f, first, at, o)
			}
			if at = c.mate(at); !c.mark(at+1, ';') && !c.mark(at+1, ',') {
				return at + 1
			}
		case t.mark == '(':
			next, ok := c.parameters(&f, i, at, end)
			if ok {
				return next
			}
			at = next
		case t.mark == '[':
			at = c.mate(at)
		case t.mark == '<' && c.cpp && c.word(at-1):
			at = max(at, c.afterAngles(at)-1)
		case t.mark == '=' && !(f.name >= 0 && (c.is(at+1, "0") || c.is(at+1, "default") || c.is(at+1, "delete"))):
			return c.firstOf(at, end, ";") + 1
		case t.mark == ':' && c.mark(at+1, ':'):
			at++
		case t.mark == ':' && f.name >= 0:
			f.head = at
			at = c.initializers(at+1, end) - 1
		case t.mark == ':' && c.mark(at-1, ':'):
		case c.is(at, "operator") && c.cpp:
			at = c.operator(&f, at, end)
		case f.name >= 0 && c.word(at) && !c.cpp && c.oldStyle(f, at):
			at = c.oldStyleBody(at, end) - 1
		}
	}
	return end
}

// parameters reads the parentheses at, and returns the token that closes them. If they are
// those of a macro that stands alone in its line, it returns the token after and true.
func (c *cScanner) parameters(f *candidate, i, at, end int) (int, bool) {
	closing := min(c.mate(at), end)
	name := at - 1
	if c.cpp && c.mark(name, '>') {
		name = c.beforeAngles(name, i)
	}
	if !c.word(name) || name < i || notNames[c.text(name)] {
		return closing, false
	}
	if c.pointerName(at) >= 0 && c.mark(closing+1, '(') || f.name >= 0 && !isUpper(f.text) {
		return closing, false
	}
	next := c.token(closing + 1)
	if name == i && next.first && next.form == word && !c.knownAfter(closing+1) && (c.cpp || isUpper(c.text(name)) || !c.identifiers(at)) {
		return closing + 1, true
	}
	first, text := c.qualified(name, i)
	*f = candidate{name: name, text: text, first: first, params: at}
	return closing, false
}

// knownAfter reports whether the word at i may stand after the parameters of a function.
func (c *cScanner) knownAfter(i int) bool {
	return c.is(i, "const") || c.is(i, "noexcept") || c.is(i, "override") || c.is(i, "final") || c.is(i, "try") || c.is(i, "throw")
}

// beforeAngles returns the token before the template arguments that end at i.
func (c *cScanner) beforeAngles(i, first int) int {
	depth := 0
	for at := i; at >= max(first, i-maxType) && c.look(); at-- {
		switch c.token(at).mark {
		case '>':
			depth++
		case '<':
			if depth--; depth == 0 {
				return at - 1
			}
		}
	}
	return i
}

// qualified returns the first token of the name that ends at the token name, with all
// before ::, and the name alone, of a destructor with its tilde.
func (c *cScanner) qualified(name, first int) (int, string) {
	text := c.text(name)
	if c.mark(name-1, '~') && name > first {
		text = "~" + text
		name--
	}
	for name-2 > first && c.mark(name-1, ':') && c.mark(name-2, ':') {
		at := name - 3
		if c.mark(at, '>') {
			at = c.beforeAngles(at, first)
		}
		if at < first || !c.word(at) {
			return name - 2, text
		}
		name = at
	}
	return name, text
}

// operator reads the name of an operator at i, and returns the last token of its parameters.
func (c *cScanner) operator(f *candidate, i, end int) int {
	at := i + 1
	if c.mark(at, '(') && c.mark(at+1, ')') {
		at += 2
	}
	if at = c.firstOf(at, end, "(;{"); !c.mark(at, '(') {
		return at - 1
	}
	first, _ := c.qualified(i, 0)
	*f = candidate{name: i, text: c.between(i, at), first: first, params: at}
	return min(c.mate(at), end)
}

// initializers returns the token after the initializers of a constructor from i: its body.
func (c *cScanner) initializers(i, end int) int {
	for i < end {
		switch {
		case c.mark(i, ';'):
			return i
		case c.mark(i, '<'):
			i = max(i+1, c.afterAngles(i))
		case c.mark(i, '{') && !c.word(i-1) && !c.mark(i-1, '>'):
			return i
		default:
			i = c.mate(i) + 1
		}
	}
	return end
}

// identifiers reports whether the parentheses at i hold names and commas alone, and some.
func (c *cScanner) identifiers(i int) bool {
	closing := c.mate(i)
	for at := i + 1; at < min(closing, i+maxType) && c.look(); at++ {
		if notNames[c.text(at)] || !c.word(at) && !c.mark(at, ',') || c.word(at) && c.word(at-1) {
			return false
		}
	}
	return closing > i+1
}

// oldStyle reports whether the declarations of parameters begin at i, between those
// parentheses and the body, as in int f(a) int a; {}.
func (c *cScanner) oldStyle(f candidate, i int) bool {
	return c.mark(i-1, ')') && c.mate(f.params) == i-1 && c.identifiers(f.params) && c.oldStyleBody(i, len(c.tokens)) > i
}

// oldStyleBody returns the body after such declarations, or i if there is none.
func (c *cScanner) oldStyleBody(i, end int) int {
	semicolon := false
	for at := i; at < min(end, i+4*maxType) && c.look(); at = c.mate(at) + 1 {
		t := c.token(at)
		switch {
		case t.mark == '{':
			if semicolon {
				return at
			}
			return i
		case t.form == word || t.mark == ',' || t.mark == '*' || t.mark == '[' || t.mark == '(':
		case t.mark == ';':
			semicolon = true
		default:
			return i
		}
	}
	return i
}

// functionBody records a function whose body is at, and returns the token after it.
func (c *cScanner) functionBody(f candidate, first, at int, o scope) int {
	kind := "function"
	if aggregates[o.kind] {
		kind = "method"
	}
	c.function(f, kind, first, cmp.Or(f.head, at), c.mate(at), o)
	return c.mate(at) + 1
}

// prototype records f if it declares a function, and not a friend, which is declared elsewhere.
func (c *cScanner) prototype(f candidate, first, at int, o scope) {
	if f.name < 0 || c.value(f.params+1) || c.is(first, "friend") {
		return
	}
	typed := c.cpp && (strings.HasPrefix(f.text, "operator") || strings.HasPrefix(f.text, "~") || strings.HasSuffix("."+o.name, "."+f.text))
	for i := first; i < f.first && !typed; i++ {
		typed = c.word(i) && !qualifiers[c.text(i)]
	}
	if typed {
		c.function(f, "prototype", first, at, at, o)
	}
}

// value reports whether the token i begins a value, so that it is no parameter.
func (c *cScanner) value(i int) bool {
	t := c.token(i)
	return t.form == quoted || t.form == word && c.src[t.off] >= '0' && c.src[t.off] <= '9' || t.mark == '&' || t.mark == '-' || t.mark == '*'
}

// function records f with the names before :: as its parent.
func (c *cScanner) function(f candidate, kind string, first, head, end int, o scope) {
	c.add(o, kind, f.text, first, head, end)
	if f.first < f.name {
		var names []string
		for i := f.first; i < f.name; i++ {
			if c.mark(i, '<') {
				i = max(i, c.afterAngles(i)-1)
			} else if c.word(i) {
				names = append(names, c.text(i))
			}
		}
		if len(names) == 0 {
			return
		}
		d := &c.found[len(c.found)-1]
		d.Parent = strings.TrimPrefix(d.Parent+"."+strings.Join(names, "."), ".")
	}
}
