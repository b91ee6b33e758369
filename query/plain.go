// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// operators are the words that are searched for only if quoted.
var operators = map[string]bool{"AND": true, "OR": true, "NOT": true}

func (p *parser) plain() (Expr, error) {
	e, err := p.or()
	if err != nil {
		return nil, err
	}
	if p.at < len(p.text) {
		return nil, p.errorAt(p.at, "no ( for this )", "remove it, or quote the text")
	}
	return e, nil
}

// accept consumes the operator if it comes next. A word is an operator only if a
// blank or a parenthesis follows.
func (p *parser) accept(operator string) bool {
	rest, ok := strings.CutPrefix(p.text[p.at:], operator)
	if !ok {
		return false
	}
	if operators[operator] && rest != "" {
		if r, _ := utf8.DecodeRuneInString(rest); r != '(' && r != ')' && !unicode.IsSpace(r) {
			return false
		}
	}
	p.at += len(operator)
	return true
}

func (p *parser) or() (Expr, error) {
	var of []Expr
	for {
		start := p.at
		e, err := p.and()
		if err != nil {
			return nil, err
		}
		empty := len(e.Of) == 0
		operatorAt := p.at
		hasMore := p.accept("OR") || p.accept("|")
		switch {
		case empty && hasMore:
			return nil, p.errorAt(operatorAt, "nothing before OR", "write a query on both sides, or quote it to search for the word")
		case empty && len(of) > 0:
			return nil, p.errorAt(start, "nothing after OR", "write a query on both sides")
		}
		of = append(of, e)
		if !hasMore {
			return Or{of}, nil
		}
	}
}

func (p *parser) and() (And, error) {
	var e And
	for {
		p.skipSpace()
		operatorAt := p.at
		if p.accept("AND") {
			if len(e.Of) == 0 {
				return And{}, p.errorAt(operatorAt, "nothing before AND", "write a query on both sides, or quote it to search for the word")
			}
			p.skipSpace()
			if p.atAndEnd() {
				return And{}, p.errorAt(p.at, "nothing after AND", "write a query on both sides")
			}
		} else if p.atAndEnd() {
			return e, nil
		}
		member, err := p.unary()
		if err != nil {
			return And{}, err
		}
		e.Of = append(e.Of, member)
	}
}

// atAndEnd reports whether the current And has no further member.
func (p *parser) atAndEnd() bool {
	if p.at == len(p.text) || p.peek() == ')' || p.peek() == '|' {
		return true
	}
	before := p.at
	defer func() { p.at = before }()
	return p.accept("OR")
}

func (p *parser) unary() (Expr, error) {
	start := p.at
	if p.depth++; p.depth > MaxDepth {
		return nil, p.tooDeep(start)
	}
	defer func() { p.depth-- }()
	switch {
	case p.accept("!") || p.accept("NOT"):
		p.skipSpace()
		if p.atAndEnd() {
			return nil, p.errorAt(start, "nothing to negate", "write what must not match, or quote it to search for it")
		}
		e, err := p.unary()
		return Not{e}, err
	case p.peek() == '(':
		return p.group()
	}
	return p.term()
}

// group parses a query in parentheses.
func (p *parser) group() (Expr, error) {
	start := p.at
	p.accept("(")
	e, err := p.or()
	if err != nil {
		return nil, err
	}
	if !p.accept(")") {
		return nil, p.errorAt(start, "no ) for this (", "close it, or quote the text")
	}
	return e, nil
}

// term parses a predicate or a bare word.
func (p *parser) term() (Expr, error) {
	start := p.at
	var err error
	name, ok := p.predicateName()
	if !ok {
		word, err := p.argument(false)
		if err != nil {
			return nil, err
		}
		return p.validated(Pred{Name: rifle, Args: []string{word}}, start, []int{start})
	}
	pred := Pred{Name: canonical(name)}
	if entry, _ := lookup(name); entry.relation != nil && p.peek() == '(' {
		if pred.Of, err = p.group(); err != nil {
			return nil, err
		}
		return p.validated(pred, start, nil)
	}
	var offsets []int
	for more := !p.atArgumentEnd(); more; {
		offsets = append(offsets, p.at)
		arg, err := p.argument(true)
		if err != nil {
			return nil, err
		}
		pred.Args = append(pred.Args, arg)
		more = p.accept(",")
	}
	return p.validated(pred, start, offsets)
}

// predicateName consumes a name and its colon if they come next.
func (p *parser) predicateName() (string, bool) {
	rest := p.text[p.at:]
	for i, r := range rest {
		switch {
		case r == ':' && i > 0:
			p.at += i + 1
			return rest[:i], true
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', i > 0 && ('0' <= r && r <= '9' || strings.ContainsRune("-_*&", r)):
		default:
			return "", false
		}
	}
	return "", false
}

func (p *parser) atArgumentEnd() bool {
	r, _ := utf8.DecodeRuneInString(p.text[p.at:])
	return p.at == len(p.text) || r == ')' || unicode.IsSpace(r)
}

// argument reads up to a blank, a closing parenthesis or, in a list, a comma. Parts of
// it may be quoted.
func (p *parser) argument(inList bool) (string, error) {
	var b strings.Builder
	for !p.atArgumentEnd() {
		r, size := utf8.DecodeRuneInString(p.text[p.at:])
		switch {
		case r == ',' && inList:
			return b.String(), nil
		case r == '"':
			if err := p.quoted(&b); err != nil {
				return "", err
			}
			continue
		case r == '(' || r == '|':
			return "", p.errorAt(p.at, fmt.Sprintf("%c inside a word", r), "quote the text, or put a blank before it")
		}
		b.WriteRune(r)
		p.at += size
	}
	return b.String(), nil
}

func (p *parser) quoted(b *strings.Builder) error {
	start := p.at
	for p.at++; p.at < len(p.text); p.at++ {
		c := p.text[p.at]
		switch {
		case c == '"':
			p.at++
			return nil
		case c == '\\' && p.at+1 < len(p.text) && strings.IndexByte("\"\\", p.text[p.at+1]) >= 0:
			p.at++
			c = p.text[p.at]
		}
		b.WriteByte(c)
	}
	return p.errorAt(start, "no closing quote", "add one; inside quotes write \\\" for a quote")
}
