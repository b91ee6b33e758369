// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"slices"
	"time"
)

// Matcher is a compiled query. It is immutable and safe for concurrent use.
type Matcher struct{ test test }

// Compile prepares a tree for matching many candidates: it compiles regular expressions
// once and orders the members of And and Or by cost. Relative dates count from now in
// its location. It returns a *[SyntaxError] for an unknown predicate or invalid
// arguments.
func Compile(e Expr, now time.Time) (*Matcher, error) {
	t, _, err := compile(e, now)
	if err != nil {
		return nil, err
	}
	return &Matcher{t}, nil
}

// Match reports whether c matches the query.
func (m *Matcher) Match(c Candidate) bool { return m.test(c) }

type test func(Candidate) bool

// cost orders tests that may run in any order.
type cost int

const (
	fieldCost   cost = iota // compares a short field
	inheritCost             // reads inherited values
	textCost                // reads the whole entry
	treeCost                // visits other nodes
)

func compile(e Expr, now time.Time) (test, cost, error) {
	switch e := e.(type) {
	case And:
		tests, c, err := compileAll(e.Of, now)
		return func(c Candidate) bool {
			return !slices.ContainsFunc(tests, func(t test) bool { return !t(c) })
		}, c, err
	case Or:
		tests, c, err := compileAll(e.Of, now)
		return func(c Candidate) bool {
			return slices.ContainsFunc(tests, func(t test) bool { return t(c) })
		}, c, err
	case Not:
		t, c, err := compile(e.Of, now)
		return func(c Candidate) bool { return !t(c) }, c, err
	case Pred:
		return compilePred(e, now)
	}
	return func(Candidate) bool { return true }, 0, nil
}

func compilePred(e Pred, now time.Time) (test, cost, error) {
	p, ok := lookup(e.Name)
	if !ok {
		return nil, 0, unknownPredicate(e.Name)
	}
	inner, _, err := compile(e.Of, now)
	if err != nil {
		return nil, 0, err
	}
	t, argErr := p.newTest(e, inner, now)
	if argErr != nil {
		return nil, 0, &SyntaxError{Message: argErr.message, Hint: argErr.hint}
	}
	return t, p.cost, nil
}

// compileAll compiles the members, cheapest first, and returns the highest cost.
func compileAll(of []Expr, now time.Time) ([]test, cost, error) {
	type member struct {
		test test
		cost cost
	}
	members := make([]member, len(of))
	for i, e := range of {
		t, c, err := compile(e, now)
		if err != nil {
			return nil, 0, err
		}
		members[i] = member{t, c}
	}
	slices.SortStableFunc(members, func(a, b member) int { return int(a.cost - b.cost) })
	tests := make([]test, len(of))
	maxCost := fieldCost
	for i, m := range members {
		tests[i], maxCost = m.test, max(maxCost, m.cost)
	}
	return tests, maxCost, nil
}
