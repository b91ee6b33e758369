// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"slices"
	"strings"
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

// requireArgs rejects an empty argument list and empty arguments.
func requireArgs(args []string) *argError {
	if len(args) == 0 {
		return &argError{-1, "an argument is missing", "write it directly after the colon; quote text with a blank, a parenthesis or |"}
	}
	return rejectEmptyArgs(args)
}

func rejectEmptyArgs(args []string) *argError {
	if i := slices.Index(args, ""); i >= 0 {
		return &argError{i, "an argument is empty", "remove the comma or the quotes, or write the argument"}
	}
	return nil
}

// noArgs builds the test of a predicate without arguments.
func noArgs(is func(Candidate) bool) func([]string) (test, *argError) {
	return func(args []string) (test, *argError) {
		if len(args) > 0 {
			return nil, &argError{0, "this predicate takes no argument", "end it with the colon"}
		}
		return is, nil
	}
}

// equalsAny builds the test of a predicate that compares one field with each argument.
func equalsAny(field func(Candidate) string) func([]string) (test, *argError) {
	return func(args []string) (test, *argError) {
		if err := requireArgs(args); err != nil {
			return nil, err
		}
		return func(c Candidate) bool { return slices.Contains(args, field(c)) }, nil
	}
}

// option parses an argument of the form KEY=VALUE with one of the given keys.
func option(arg string, keys ...string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(arg, "=")
	return key, value, ok && slices.Contains(keys, key)
}

// parseBool parses the value of a boolean option, the argument at an index.
func parseBool(index int, key, value string) (on bool, err *argError) {
	switch value {
	case "t", "true", "yes":
		return true, nil
	case "nil", "false", "no":
		return false, nil
	}
	return false, &argError{index, key + " must be t or nil", "write " + key + "=t, or leave it out"}
}
