// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import "strings"

// notNames are words of C and C++ before a parenthesis that name no function.
var notNames = words("if while for switch return sizeof do else case goto alignas decltype noexcept throw typeof __typeof__ " +
	"__attribute__ __attribute __declspec __asm__ asm __asm _Alignas alignof static_assert _Static_assert defined requires " +
	"void int char short long float double signed unsigned bool auto const volatile catch new delete explicit __nonnull __extension__ co_await")

// qualifiers are words before a declaration that are no type.
var qualifiers = words("static extern inline const volatile register virtual explicit constexpr consteval constinit friend typedef " +
	"mutable thread_local __inline __inline__ _Noreturn return goto else delete new throw case using default")

var aggregates = words("class struct union enum")

var access = words("public private protected signals slots Q_SIGNALS Q_SLOTS")

// cScanner reads C and C++, declaration by declaration.
type cScanner struct {
	*scanner
	cpp bool
}

func scanC(s *scanner)         { (&cScanner{s, false}).file() }
func scanCPlusPlus(s *scanner) { (&cScanner{s, true}).file() }

func (c *cScanner) file() {
	for _, t := range c.directives {
		c.directive(t)
	}
	c.body(0, len(c.tokens), scope{})
}

// directive records a macro or the name of a file that is included.
func (c *cScanner) directive(t lexeme) {
	text := c.src[t.off:t.end]
	name, rest := directiveName(text)
	d := Definition{Line: int(t.line), EndLine: int(t.line) + strings.Count(string(text), "\n")}
	if name == "define" {
		d.Kind, d.Signature = "macro", "#define "+macroHead(string(text))
		d.Name, _, _ = strings.Cut(rest, "(")
	} else {
		d.Kind, d.Name, d.Signature = kindImport, strings.Trim(rest, `<>"`), "#include "+rest
	}
	if d.Name = shorten(d.Name); d.Name != "" {
		c.found = append(c.found, d)
	}
}

// macroHead returns the name of a macro with its parameters.
func macroHead(text string) string {
	_, text, _ = strings.Cut(text, "define")
	text = strings.TrimLeft(text, " \t")
	for i := range len(text) {
		switch {
		case wordByte[text[i]]:
		case text[i] == '(' && strings.IndexByte(text, ')') > 0:
			return shorten(strings.Join(strings.Fields(text[:strings.IndexByte(text, ')')+1]), " "))
		default:
			return shorten(text[:i])
		}
	}
	return shorten(text)
}

// body reads the declarations from the token i to end.
func (c *cScanner) body(i, end int, o scope) { c.eachIn(i, end, o, c.declaration) }

// declaration reads the declaration at i, and returns the token after it.
func (c *cScanner) declaration(i, end int, o scope) int {
	first, typedef := i, false
	for i < end {
		switch {
		case c.mark(i, ';') || c.mark(i, '}'):
			return i + 1
		case c.mark(i, '['):
			i = c.mate(i) + 1
		case c.mark(i, '{'):
			return c.mate(i) + 1
		case c.is(i, "template") && c.mark(i+1, '<'):
			i = max(i+2, c.afterAngles(i+1))
		case c.is(i, "extern") && c.token(i+1).form == quoted:
			if c.mark(i+2, '{') {
				return i + 3
			}
			i += 2
		case access[c.text(i)] && (c.mark(i+1, ':') || access[c.text(i+1)] && c.mark(i+2, ':')) && !c.mark(i+2, ':'),
			i == first && c.cpp && isUpper(c.text(i)) && c.mark(i+1, ':') && !c.mark(i+2, ':'):
			return i + 2
		case c.is(i, "namespace"):
			return c.namespace(first, i, end, o)
		case c.is(i, "using"):
			return c.using(i, end, o)
		case c.is(i, "typedef"):
			typedef = true
			i++
		case aggregates[c.text(i)]:
			after, defined := c.aggregate(first, i, end, o)
			if !defined {
				return c.declarator(first, i+1, end, o, typedef)
			}
			if typedef {
				return c.typedefs(first, after, end, o)
			}
			if c.cpp || c.mark(after, ';') || c.token(after).first {
				return c.after(after, end)
			}
			i = after
		case i == first && isUpper(c.text(i)) && c.token(i).first && c.token(i+1).first: // a macro alone in its line
			return i + 1
		case qualifiers[c.text(i)] || c.is(i, "__extension__"):
			i++
		default:
			return c.declarator(first, i, end, o, typedef)
		}
	}
	return i
}

// after returns the token after the semicolon that follows i in the same declaration.
func (c *cScanner) after(i, end int) int {
	for at := i; at < end; at = c.mate(at) + 1 {
		if c.mark(at, ';') {
			return at + 1
		}
		if c.token(at).first || c.mark(at, '}') {
			return at
		}
	}
	return end
}

func (c *cScanner) namespace(first, i, end int, o scope) int {
	at := c.firstOf(i+1, end, "{;=")
	if !c.mark(at, '{') {
		return c.firstOf(at, end, ";") + 1
	}
	name := -1
	for n := i + 1; n < at; n = c.mate(n) + 1 {
		if c.word(n) && !c.is(n, "inline") && !notNames[c.text(n)] {
			name = n
		}
	}
	inner := o
	if name > 0 {
		c.add(o, "namespace", c.text(name), first, at, c.mate(at))
		inner = o.within("namespace", c.text(name))
	} else {
		inner.level++
	}
	c.body(at+1, c.mate(at), inner)
	return c.mate(at) + 1
}

func (c *cScanner) using(i, end int, o scope) int {
	at := c.firstOf(i, end, ";")
	if c.word(i+1) && c.mark(c.afterAttributes(i+2), '=') {
		c.add(o, "alias", c.text(i+1), i, at, at)
	}
	return at + 1
}

// afterAttributes returns the first token from i that begins no attribute.
func (c *cScanner) afterAttributes(i int) int {
	for c.look() {
		switch {
		case c.mark(i, '[') && c.mark(i+1, '['):
			i = c.mate(i) + 1
		case c.mark(i+1, '(') && (notNames[c.text(i)] || isUpper(c.text(i))):
			i = c.mate(i+1) + 1
		default:
			return i
		}
	}
	return i
}

// aggregate reads the class, struct, union or enum whose keyword is at i. It returns the
// token after its body, and whether there is one.
func (c *cScanner) aggregate(first, i, end int, o scope) (int, bool) {
	kind, name, at := c.text(i), -1, i+1
	if kind == "enum" && aggregates[c.text(at)] {
		at++
	}
	for at = c.afterAttributes(at); at < end; {
		switch {
		case c.word(at):
			if !c.is(at, "final") {
				name = at
			}
			at = c.afterAttributes(at + 1)
		case c.mark(at, ':') && c.mark(at+1, ':'):
			at += 2
		case c.mark(at, '<') && c.cpp:
			after := c.afterAngles(at)
			if after == at {
				return i, false
			}
			at = after
		case c.mark(at, ':'):
			if at = c.afterTypes(at, end, "{;}="); !c.mark(at, '{') {
				return i, false
			}
		case c.mark(at, '{'):
			return c.members(first, kind, name, at, o), true
		default:
			return i, false
		}
	}
	return i, false
}

// members records an aggregate whose body is at, with its members, and returns the token
// after it.
func (c *cScanner) members(first int, kind string, name, at int, o scope) int {
	inner := o
	if name > 0 {
		c.add(o, kind, c.text(name), first, at, c.mate(at))
		inner = o.within(kind, c.text(name))
	} else {
		inner.kind = kind
		inner.level++
	}
	if kind != "enum" {
		c.body(at+1, c.mate(at), inner)
	}
	return min(c.mate(at)+1, len(c.tokens))
}

// typedefs records the names that a typedef gives, in the declarators from i.
func (c *cScanner) typedefs(first, i, end int, o scope) int {
	semicolon := c.firstOf(i, end, ";")
	name := -1
	record := func() {
		if name > 0 {
			head := c.firstOf(first, semicolon, "{")
			c.add(o, "typedef", c.text(name), first, head, semicolon)
			if head < semicolon {
				c.found[len(c.found)-1].Signature += " … " + c.text(name)
			}
		}
		name = -1
	}
	for at, fixed := i, false; at <= semicolon; at++ {
		switch {
		case at == semicolon || c.mark(at, ','):
			record()
			fixed = false
		case c.mark(at, '('):
			if inner := c.pointerName(at); inner > 0 && !fixed {
				name = inner
			}
			fixed = name > 0
			at = c.mate(at)
		case c.mark(at, '[') || c.mark(at, '{'):
			at = c.mate(at)
		case c.mark(at, '<'):
			at = max(at, c.afterAngles(at)-1)
		case c.word(at) && !fixed:
			if notNames[c.text(at)] && c.mark(at+1, '(') {
				if c.pointerName(at+1) < 0 {
					at = c.mate(at + 1)
				}
				continue
			}
			name = at
		}
	}
	return semicolon + 1
}

// pointerName returns the name in a declarator such as (*name), (WINAPI *name) or (A::*name)
// at i, -1 if it is none.
func (c *cScanner) pointerName(i int) int {
	star, name := false, -1
	for at := i + 1; at < min(c.mate(i), i+12); at = c.mate(at) + 1 {
		switch {
		case c.mark(at, '*') || c.mark(at, '&') || c.mark(at, '^'):
			star = true
		case c.word(at) && star:
			name = at
		case c.word(at) || c.mark(at, ':'):
		default:
			if !c.mark(at, '[') && !c.mark(at, '(') {
				return -1
			}
		}
	}
	return name
}

// isUpper reports whether name is written as macros are.
func isUpper(name string) bool {
	return len(name) > 1 && name == strings.ToUpper(name) && name != strings.ToLower(name)
}
