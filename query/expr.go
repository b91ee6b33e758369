// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"slices"
	"strings"
	"unicode"
)

// Expr is a query tree: an [And], [Or], [Not] or [Pred]. It is plain data, safe for
// concurrent reads. A nil Expr is the empty query.
type Expr interface {
	// String returns the tree in the form that Parse reads.
	String() string
	isExpr()
}

// And matches if every member matches. Without members it is the empty query, which
// matches everything.
type And struct{ Of []Expr }

// Or matches if at least one member matches. Without members it matches nothing.
type Or struct{ Of []Expr }

// Not matches if its operand does not.
type Not struct{ Of Expr }

// Pred is one condition. Name is a name or alias from [Predicates]; Args are its
// arguments without quotes. Bare words are arguments of the predicate rifle, org-ql's
// name for them. Of is the query on related nodes, for the predicates that take one;
// nil is the empty query.
type Pred struct {
	Name string
	Args []string
	Of   Expr
}

func (And) isExpr()  {}
func (Or) isExpr()   {}
func (Not) isExpr()  {}
func (Pred) isExpr() {}

// String returns the members separated by blanks, or "()" if there are none.
func (e And) String() string { return join(e.Of, " ", "()") }

// String returns the members separated by OR, or "!()" if there are none.
func (e Or) String() string { return join(e.Of, " OR ", "!()") }

// String returns an exclamation mark and the operand.
func (e Not) String() string { return "!" + operand(e.Of) }

// String returns the name, a colon and the arguments, quoted where needed, or the
// nested query in parentheses. For a bare word it returns the word.
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

// operand prints e in a form that is a single operand in any context.
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

// bareWord prints a word and quotes it if it could be parsed as anything else. Names of
// predicates are quoted because after a parenthesis they would start a sexp.
func bareWord(word string) string {
	special := func(r rune) bool { return r != ',' && endsArgument(r) || r == ':' }
	if word == "" || word[0] == '!' || operators[word] || isHead(word) || strings.ContainsFunc(word, special) {
		return quote(word)
	}
	return word
}

var escaper = strings.NewReplacer("\\", "\\\\", "\"", "\\\"")

func quote(s string) string { return "\"" + escaper.Replace(s) + "\"" }

// endsArgument reports whether r cannot be part of an unquoted argument.
func endsArgument(r rune) bool {
	return strings.ContainsRune("\",()|", r) || unicode.IsSpace(r)
}

// Simplify returns the normal form of e: nested Ands and Ors are merged, those with one
// member are replaced by it, double negations removed, an empty Or becomes a negated
// empty And, an empty query on related nodes is dropped, and aliases become names. It
// is idempotent, does not change e and shares arguments with it. Linear in the tree.
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

// depth returns the nesting depth of negations, parentheses and their content in the
// printed form of a simplified tree.
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

// maxOperandDepth returns the maximum depth of the operands, at least 1.
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

// flatten simplifies the members and replaces members of the same kind by their own
// members.
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
