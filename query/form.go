// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"fmt"
	"slices"
	"strings"
)

// form is one value of the machine syntaxes, JSON and sexps.
type form struct {
	kind formKind
	text string // of a string, word or key
	list []form
	at   int // offset in the query
}

// maxFormDepth is the maximum nesting of lists, which is enough for a query within MaxDepth.
const maxFormDepth = 2*MaxDepth + 2

type formKind int

const (
	stringForm formKind = iota
	wordForm            // a number or a bare word
	keyForm             // :from in a sexp; the next form is its value
	listForm
)

// isHead reports whether word may be the first element of a list in the machine
// syntaxes.
func isHead(word string) bool {
	_, ok := lookup(word)
	return ok || word == "and" || word == "or" || word == "not"
}

// expr converts a form to a tree. The form's depth was checked when it was read.
func (p *parser) expr(f form) (Expr, error) {
	switch {
	case f.kind == stringForm:
		return p.validated(Pred{Name: rifle, Args: []string{f.text}}, f.at, []int{f.at})
	case f.kind != listForm:
		return nil, p.errorAt(f.at, fmt.Sprintf("%q is not a query", f.text), "put the text in quotes, or write a list")
	case len(f.list) == 0 || f.list[0].kind == listForm || f.list[0].kind == keyForm:
		return nil, p.errorAt(f.at, "a list must start with and, or, not or a predicate's name", "write it first")
	}
	head, rest := f.list[0], f.list[1:]
	switch head.text {
	case "and":
		of, err := p.exprs(rest)
		return And{of}, err
	case "or":
		of, err := p.exprs(rest)
		return Or{of}, err
	case "not":
		if len(rest) != 1 {
			return nil, p.errorAt(head.at, "not takes one query", "put several in an and")
		}
		e, err := p.expr(rest[0])
		return Not{e}, err
	}
	return p.predicate(head, rest)
}

func (p *parser) exprs(forms []form) ([]Expr, error) {
	var of []Expr
	for _, f := range forms {
		e, err := p.expr(f)
		if err != nil {
			return nil, err
		}
		of = append(of, e)
	}
	return of, nil
}

// predicate converts the name and the rest of a list to a predicate.
func (p *parser) predicate(head form, rest []form) (Expr, error) {
	pred := Pred{Name: canonical(head.text)}
	entry, _ := lookup(head.text)
	if entry.relation != nil && len(rest) == 1 && (rest[0].kind == listForm || rest[0].kind == stringForm) {
		of, err := p.expr(rest[0])
		if err != nil {
			return nil, err
		}
		pred.Of = of
		return p.validated(pred, head.at, nil)
	}
	args, err := p.arguments(rest, entry.comparable)
	if err != nil {
		return nil, err
	}
	var offsets []int
	for _, a := range args {
		pred.Args, offsets = append(pred.Args, a.text), append(offsets, a.at)
	}
	return p.validated(pred, head.at, offsets)
}

var comparators = []string{"<", "<=", ">", ">=", "="}

// arguments joins keys with their values and, for comparable predicates, comparators
// with their operands, as in the plain syntax.
func (p *parser) arguments(forms []form, compared bool) ([]form, error) {
	var args []form
	for i := 0; i < len(forms); i++ {
		f := forms[i]
		switch {
		case f.kind == keyForm:
			if i++; i == len(forms) {
				return nil, p.errorAt(f.at, fmt.Sprintf("no value for :%s", f.text), "write it after the key")
			}
			values := []form{forms[i]}
			if forms[i].kind == listForm {
				values = forms[i].list
			}
			for _, v := range values {
				if v.kind == listForm || v.kind == keyForm {
					return nil, p.errorAt(v.at, fmt.Sprintf("no value for :%s", f.text), "a value is a text, a number or a list of these")
				}
				args = append(args, form{text: f.text + "=" + v.text, at: v.at})
			}
		case f.kind == listForm:
			return nil, p.errorAt(f.at, "a list is not an argument", "only ancestors, parent, children and descendants take a query")
		case compared && slices.Contains(comparators, f.text) && i+1 < len(forms):
			i++
			args = append(args, form{text: f.text + forms[i].text, at: f.at})
		case f.kind == wordForm && !isArgumentWord(f.text):
			return nil, p.errorAt(f.at, fmt.Sprintf("the bare word %s in a list", f.text),
				"put it in quotes; for the plain syntax, do not start with a parenthesis and a predicate's name")
		default:
			args = append(args, f)
		}
	}
	return args, nil
}

// isArgumentWord reports whether a bare word may be an argument in a sexp: a number or
// one of org-ql's symbols. Any other word suggests that the text was meant as a plain
// query.
func isArgumentWord(word string) bool {
	return word == "today" || word == "auto" || strings.ContainsAny(word[:1], "0123456789+-<>=")
}
