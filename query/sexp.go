// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// beginsSexp reports whether a text is a sexp: a parenthesis directly followed by and,
// or, not or the name of a predicate as a whole symbol. In the plain syntax a predicate
// is followed by a colon, and a word that equals a name is quoted.
func beginsSexp(text string) bool {
	rest, ok := strings.CutPrefix(text, "(")
	if !ok {
		return false
	}
	end := strings.IndexFunc(rest, endsSymbol)
	return end > 0 && isHead(rest[:end])
}

// endsSymbol reports whether r cannot be part of a symbol of a sexp.
func endsSymbol(r rune) bool { return strings.ContainsRune("()\"';`,", r) || unicode.IsSpace(r) }

// sexp parses org-ql's query lists. They are data; nothing is evaluated.
func (p *parser) sexp() (Expr, error) {
	p.skipSpace()
	f, err := p.sexpForm()
	if err != nil {
		return nil, err
	}
	if p.skipSpace(); p.at < len(p.text) {
		return nil, p.errorAt(p.at, "text after the list", "a sexp is one list; join several with (and ...)")
	}
	return p.expr(f)
}

func (p *parser) sexpForm() (form, error) {
	start := p.at
	if p.depth++; p.depth > maxFormDepth {
		return form{}, p.tooDeep(start)
	}
	defer func() { p.depth-- }()
	p.accept("'") // org-ql writes (level '> 2); the quote has no meaning here
	switch c := p.peek(); {
	case c == '(':
		return p.sexpList()
	case c == '"':
		text, err := p.sexpString()
		return form{kind: stringForm, text: text, at: start}, err
	}
	rest := p.text[p.at:]
	end := strings.IndexFunc(rest, endsSymbol)
	if end < 0 {
		end = len(rest)
	}
	if end == 0 {
		r, _ := utf8.DecodeRuneInString(rest)
		return form{}, p.errorAt(p.at, fmt.Sprintf("%c in a sexp", r), "a sexp holds lists, texts in quotes, numbers, names and keys such as :from")
	}
	p.at += end
	if key, ok := strings.CutPrefix(rest[:end], ":"); ok {
		return form{kind: keyForm, text: key, at: start}, nil
	}
	return form{kind: wordForm, text: rest[:end], at: start}, nil
}

func (p *parser) sexpList() (form, error) {
	f := form{kind: listForm, at: p.at}
	p.accept("(")
	for p.skipSpace(); !p.accept(")"); p.skipSpace() {
		if p.at == len(p.text) {
			return f, p.errorAt(f.at, "no ) for this (", "close it")
		}
		member, err := p.sexpForm()
		if err != nil {
			return f, err
		}
		f.list = append(f.list, member)
	}
	return f, nil
}

// sexpString reads a string. As in Lisp, a backslash makes the next character literal,
// except n and t.
func (p *parser) sexpString() (string, error) {
	start := p.at
	var b strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		c := p.text[p.at]
		if c == '"' {
			p.at++
			return b.String(), nil
		}
		if c == '\\' && p.at+1 < len(p.text) {
			p.at++
			switch c = p.text[p.at]; c {
			case 'n':
				c = '\n'
			case 't':
				c = '\t'
			}
		}
		b.WriteByte(c)
	}
	return "", p.errorAt(start, "no closing quote", "add one; inside quotes write \\\" for a quote")
}
