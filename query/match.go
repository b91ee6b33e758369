// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import "slices"

// Candidate is one node as a query sees it. What its methods return is read
// and not kept. A Matcher asks only what the query needs, the cheap first.
type Candidate interface {
	// ID returns the node's stable identity.
	ID() string
	// Type returns what the node is: document, headline, or an element's type.
	Type() string
	// Todo returns the keyword, or "" when it has none.
	Todo() string
	// Done reports whether the keyword is one of the finished states.
	Done() bool
	// Tags returns the node's own tags and those it inherits.
	Tags() []string
	// LocalTags returns the node's own tags.
	LocalTags() []string
	// Property returns the node's own values of a property, none when it is
	// absent. How keys compare is up to the candidate; in Org case is ignored.
	Property(key string) []string
	// Heading returns the title without keyword, priority and tags.
	Heading() string
	// Text returns the whole entry, from the start of its heading to the next
	// heading.
	Text() string
	// Level returns the number of stars, 0 for a document.
	Level() int
	// Priority returns the letter or number of the cookie, or "" without one.
	Priority() string
	// Path returns the path of the node's document inside the memex, or "" when
	// no file holds it.
	Path() string
}

// Matcher is a compiled query. It is immutable and safe for concurrent use.
type Matcher struct{ test test }

// Compile prepares a tree for many candidates: regular expressions are compiled
// once, and the members of And and Or are put in the order of their cost. It
// returns a *[SyntaxError] for an unknown predicate or wrong arguments.
func Compile(e Expr) (*Matcher, error) {
	t, _, err := compile(e)
	if err != nil {
		return nil, err
	}
	return &Matcher{t}, nil
}

// Match reports whether c matches the query.
func (m *Matcher) Match(c Candidate) bool { return m.test(c) }

// Match reports whether c matches e. A tree that [Compile] refuses matches
// nothing. For more than one candidate compile the tree once.
func Match(e Expr, c Candidate) bool {
	m, err := Compile(e)
	return err == nil && m.Match(c)
}

type test func(Candidate) bool

// cost orders tests that may be run in any order.
type cost int

const (
	fieldCost   cost = iota // compares a short field
	inheritCost             // asks for what other nodes hold
	textCost                // reads the whole entry
)

func compile(e Expr) (test, cost, error) {
	switch e := e.(type) {
	case And:
		tests, c, err := compileAll(e.Of)
		return func(c Candidate) bool {
			for _, t := range tests {
				if !t(c) {
					return false
				}
			}
			return true
		}, c, err
	case Or:
		tests, c, err := compileAll(e.Of)
		return func(c Candidate) bool {
			return slices.ContainsFunc(tests, func(t test) bool { return t(c) })
		}, c, err
	case Not:
		t, c, err := compile(e.Of)
		return func(c Candidate) bool { return !t(c) }, c, err
	case Pred:
		p, ok := lookup(e.Name)
		if !ok {
			return nil, 0, unknown(e.Name)
		}
		t, err := p.test(e.Args)
		if err != nil {
			return nil, 0, &SyntaxError{Message: err.message, Hint: err.hint}
		}
		return t, p.cost, nil
	}
	return func(Candidate) bool { return true }, 0, nil
}

// compileAll compiles the members, cheapest first. The cost is the dearest's.
func compileAll(of []Expr) ([]test, cost, error) {
	type member struct {
		test test
		cost cost
	}
	members := make([]member, len(of))
	for i, e := range of {
		t, c, err := compile(e)
		if err != nil {
			return nil, 0, err
		}
		members[i] = member{t, c}
	}
	slices.SortStableFunc(members, func(a, b member) int { return int(a.cost - b.cost) })
	tests := make([]test, len(of))
	highest := fieldCost
	for i, m := range members {
		tests[i], highest = m.test, max(highest, m.cost)
	}
	return tests, highest, nil
}
