// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"slices"
	"strings"
	"unicode"
)

// Expr is a query tree: an [And], an [Or], a [Not] or a [Pred]. A tree is plain
// data; it is safe for concurrent use while nobody changes it. A nil Expr
// stands for the empty query.
type Expr interface {
	// String returns the tree in the form that Parse reads.
	String() string
	isExpr()
}

// And matches when each of its members does. Without members it matches
// everything: it is the empty query.
type And struct{ Of []Expr }

// Or matches when at least one of its members does. Without members it matches
// nothing.
type Or struct{ Of []Expr }

// Not matches when its operand does not.
type Not struct{ Of Expr }

// Pred asks one thing of a candidate. Name is a name or alias of [Predicates];
// Args are its arguments as they were written, without their quotes. Bare words
// of a query are the predicate rifle, after org-ql's name for them. Of is the
// query that relatives are asked, for the predicates that take one; nil is the
// empty query.
type Pred struct {
	Name string
	Args []string
	Of   Expr
}

func (And) isExpr()  {}
func (Or) isExpr()   {}
func (Not) isExpr()  {}
func (Pred) isExpr() {}

// String returns the members separated by blanks, and "()" for none.
func (e And) String() string { return join(e.Of, " ", "()") }

// String returns the members separated by OR, and "!()" for none.
func (e Or) String() string { return join(e.Of, " OR ", "!()") }

// String returns the operand after an exclamation mark.
func (e Not) String() string { return "!" + operand(e.Of) }

// String returns the name, a colon and the arguments, quoted where they must
// be, or the query in parentheses; or the bare word.
func (e Pred) String() string {
	if e.Of != nil {
		return e.Name + ":(" + e.Of.String() + ")"
	}
	if canonical(e.Name) == rifle && len(e.Args) == 1 {
		return bareWord(e.Args[0])
	}
	quoted := make([]string, len(e.Args))
	for i, arg := range e.Args {
		quoted[i] = arg
		if arg == "" || strings.ContainsFunc(arg, endsArgument) {
			quoted[i] = quote(arg)
		}
	}
	return e.Name + ":" + strings.Join(quoted, ",")
}

func join(of []Expr, separator, empty string) string {
	switch len(of) {
	case 0:
		return empty
	case 1:
		return operand(of[0])
	}
	members := make([]string, len(of))
	for i, e := range of {
		members[i] = operand(e)
	}
	return strings.Join(members, separator)
}

// operand prints e so that it stays one operand wherever it is put.
func operand(e Expr) string {
	switch e := e.(type) {
	case nil:
		return "()"
	case And:
		if len(e.Of) > 0 {
			return "(" + e.String() + ")"
		}
	case Or:
		if len(e.Of) > 0 {
			return "(" + e.String() + ")"
		}
	}
	return e.String()
}

// bareWord quotes what could be read otherwise. The name of a predicate is, for
// behind a parenthesis it would begin a sexp.
func bareWord(word string) string {
	special := func(r rune) bool { return r != ',' && endsArgument(r) || r == ':' }
	if word == "" || word[0] == '!' || operators[word] || isHead(word) || strings.ContainsFunc(word, special) {
		return quote(word)
	}
	return word
}

var escaper = strings.NewReplacer("\\", "\\\\", "\"", "\\\"")

func quote(s string) string { return "\"" + escaper.Replace(s) + "\"" }

// endsArgument reports whether r cannot be part of an argument without quotes.
func endsArgument(r rune) bool {
	return strings.ContainsRune("\",()|", r) || unicode.IsSpace(r)
}

// Simplify returns the smallest tree of the same shape that means the same: an
// And inside an And and an Or inside an Or are merged, an And or Or of one is
// that one, a double negation is gone, an empty Or is the negated empty And,
// relatives are not asked the empty query, and names are no aliases. It is idempotent and leaves e unchanged; arguments
// are shared with e. Complexity is linear in the tree.
func Simplify(e Expr) Expr {
	switch e := e.(type) {
	case And:
		return And{flatten(e.Of, func(e Expr) ([]Expr, bool) { a, ok := e.(And); return a.Of, ok })}.unwrap()
	case Or:
		return Or{flatten(e.Of, func(e Expr) ([]Expr, bool) { o, ok := e.(Or); return o.Of, ok })}.unwrap()
	case Not:
		inner := Simplify(e.Of)
		if n, ok := inner.(Not); ok {
			return n.Of
		}
		return Not{inner}
	case Pred:
		p := Pred{Name: canonical(e.Name)}
		if len(e.Args) > 0 {
			p.Args = e.Args
		}
		if of := Simplify(e.Of); !isEmpty(of) {
			p.Of = of
		}
		return p
	}
	return And{}
}

// depth is how deep negations, parentheses and what they hold nest where a
// simplified tree is printed.
func depth(e Expr) int {
	switch e := e.(type) {
	case And:
		return maxOperandDepth(e.Of)
	case Or:
		return maxOperandDepth(e.Of)
	case Not:
		return 1 + maxOperandDepth([]Expr{e.Of})
	case Pred:
		if e.Of != nil {
			return 1 + depth(e.Of)
		}
	}
	return 1
}

// deepest is the greatest depth of operands, at least 1.
func maxOperandDepth(of []Expr) int {
	deepest := 1
	for _, e := range of {
		d := depth(e)
		switch e.(type) {
		case And, Or: // in parentheses
			if !isEmpty(e) {
				d++
			}
		}
		deepest = max(deepest, d)
	}
	return deepest
}

// isEmpty reports whether a simplified tree is the empty query.
func isEmpty(e Expr) bool {
	a, ok := e.(And)
	return ok && len(a.Of) == 0
}

// flatten simplifies the members and puts in the place of a member of the same
// kind the members of that.
func flatten(of []Expr, same func(Expr) ([]Expr, bool)) []Expr {
	var flat []Expr
	for _, e := range of {
		e = Simplify(e)
		if inner, ok := same(e); ok {
			flat = append(flat, inner...)
		} else {
			flat = append(flat, e)
		}
	}
	return slices.Clip(flat)
}

func (e And) unwrap() Expr {
	if len(e.Of) == 1 {
		return e.Of[0]
	}
	return e
}

func (e Or) unwrap() Expr {
	switch len(e.Of) {
	case 0:
		return Not{And{}}
	case 1:
		return e.Of[0]
	}
	return e
}
