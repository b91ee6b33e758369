// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"slices"

	"github.com/fovea-memory/fovea/merkle"
)

// candidate is a node that may be shown, as the selection sees it.
type candidate struct {
	worth  float64         // what the whole node would be worth
	plan   [Full + 1]int32 // guessed tokens by level; 0 where the level is not offered
	parent int32           // candidate whose heading must stand above; -1 for none
	kid    int32           // a candidate below this one, plus one
	beside int32           // another one below the same, plus one
	spent  int32           // tokens at level, exactly
	paid   int32           // tokens of what was pinned of it
	agent  int32           // index of the untrusted agent, -1 for the owner
	level  Level           // shown so far
	says   *merkle.Digest  // of candidates with equal ones, zero aside, one is shown; nil for none
}

// selection spends a budget on candidates. It is used by one goroutine.
type selection struct {
	all   []candidate
	left  int                          // tokens
	least int                          // tokens of the smallest piece
	price func(i int, level Level) int // exact tokens of a candidate at a level
	quota []int                        // tokens left by untrusted agent
	*scratch
}

// agentShare is the part of a budget that one untrusted agent may fill.
const agentShare = 0.3

func newSelection(all []candidate, left int, price func(int, Level) int, agents, budget int, room *scratch) *selection {
	s := &selection{all: all, left: left, price: price, quota: make([]int, agents), scratch: room}
	for i := range s.quota {
		s.quota[i] = int(agentShare * float64(budget))
	}
	return s
}

// pin shows a candidate whatever it costs; left may fall below 0.
func (s *selection) pin(i int, level Level) {
	s.show(i, level, s.price(i, level))
}

func (s *selection) show(i int, level Level, tokens int) {
	c := &s.all[i]
	more := tokens - int(c.spent)
	s.left -= more
	if c.agent >= 0 {
		s.quota[c.agent] -= more
	}
	if c.distinct() {
		s.taken[*c.says] = true
	}
	c.level, c.spent = level, int32(tokens)
}

// distinct reports whether only one candidate that says the same may be shown.
func (c *candidate) distinct() bool { return c.says != nil && !c.says.IsZero() }

// missing returns the ancestors of i that are not shown, the nearest first.
func (s *selection) missing(i int) []int {
	var up []int
	for p := s.all[i].parent; p >= 0 && s.all[p].level == Absent; p = s.all[p].parent {
		up = append(up, int(p))
	}
	return up
}

// take shows candidate i at a level with the headings above it, where all of it
// fits, and reports whether it did. slack is how far the guessed tokens may
// exceed the room before the exact count is not worth its time.
func (s *selection) take(i int, level Level, slack float64) bool {
	c := &s.all[i]
	if c.level >= level || c.plan[level] == 0 || !s.near(c, level, slack) {
		return false
	}
	if c.level == Absent && c.distinct() && s.taken[*c.says] {
		return false
	}
	up := s.missing(i)
	tokens := s.price(i, level)
	total := tokens - int(c.spent)
	for _, p := range up {
		total += s.price(p, Title)
	}
	if total > s.left || !s.allowed(i, tokens, up) {
		return false
	}
	s.show(i, level, tokens)
	for _, p := range up {
		s.show(p, Title, s.price(p, Title))
	}
	return true
}

// near reports whether the guessed tokens of a level exceed the room by no more than slack.
func (s *selection) near(c *candidate, level Level, slack float64) bool {
	return float64(c.plan[level]-c.spent) <= slack*float64(s.left)
}

// allowed reports whether the untrusted agents concerned stay within their part.
func (s *selection) allowed(i, tokens int, up []int) bool {
	if len(s.quota) == 0 {
		return true
	}
	need := map[int32]int{}
	if a := s.all[i].agent; a >= 0 {
		need[a] += tokens - int(s.all[i].spent)
	}
	for _, p := range up {
		if a := s.all[p].agent; a >= 0 {
			need[a] += s.price(p, Title)
		}
	}
	for a, tokens := range need {
		if tokens > s.quota[a] {
			return false
		}
	}
	return true
}

// next returns the first step of candidate i on the convex hull of its levels:
// the one that gains most for each guessed token, headings above it included.
func (s *selection) next(i int) (step, bool) {
	c := &s.all[i]
	above, gained := int32(0), 0.0
	if c.level == Absent {
		for p := c.parent; p >= 0 && s.all[p].level == Absent; p = s.all[p].parent {
			above += s.all[p].plan[Title]
			gained += s.all[p].worth * levelValues[Title]
		}
	}
	best, slope := Absent, 0.0
	for to := c.level + 1; to <= Full; to++ {
		if c.plan[to] == 0 {
			continue
		}
		dc := float64(max(1, c.plan[to]-c.spent+above))
		dv := c.worth*(levelValues[to]-levelValues[c.level]) + gained
		if dv/dc >= slope {
			best, slope = to, dv/dc
		}
	}
	return step{slope, int32(i), c.level, best}, best != Absent
}

// greedy takes the best steps while they fit, skips those that do not, and then
// fills what is left in the order of worth. O(n log n + n depth) for n candidates.
func (s *selection) greedy() {
	s.steps = s.steps[:0]
	for i := range s.all {
		c := &s.all[i]
		if c.kid = 0; c.parent >= 0 { // which stands before it
			up := &s.all[c.parent]
			c.beside, up.kid = up.kid, int32(i)+1
		}
		if st, ok := s.next(i); ok {
			s.steps = append(s.steps, st)
		}
	}
	s.steps.init()
	for len(s.steps) > 0 && s.left >= s.least {
		st := s.steps.pop()
		i := int(st.i)
		if s.all[i].level != st.from || !s.near(&s.all[i], st.to, slack) {
			continue
		}
		up := s.missing(i)
		if !s.take(i, st.to, slack) {
			continue
		}
		s.renew(i)
		for _, p := range up {
			s.renew(p)
			s.cheapen(p)
		}
	}
	s.fill()
}

// slack is that of the policy value.
const slack = 1.25

// renew puts the next step of i on the heap.
func (s *selection) renew(i int) {
	if st, ok := s.next(i); ok {
		s.steps.push(st)
	}
}

// cheapen renews the steps of what lies below i and is absent: i is paid now.
// Older entries of the same step stay behind it and are passed over.
func (s *selection) cheapen(i int) {
	for k := s.all[i].kid; k > 0; k = s.all[k-1].beside {
		if s.all[k-1].level == Absent {
			s.renew(int(k - 1))
			s.cheapen(int(k - 1))
		}
	}
}

// fill goes once through the candidates by worth and takes what still fits.
func (s *selection) fill() {
	s.order = s.order[:0]
	for i := range s.all {
		if s.mayFit(&s.all[i]) {
			s.order = append(s.order, int32(i))
		}
	}
	slices.SortStableFunc(s.order, func(a, b int32) int { return cmp.Compare(s.all[b].worth, s.all[a].worth) })
	for _, i := range s.order {
		if s.left < s.least {
			return
		}
		for to := Full; to > s.all[i].level; to-- {
			if s.take(int(i), to, slack) {
				break
			}
		}
	}
}

// mayFit reports whether a level of c is within the room, by what it is guessed to cost.
func (s *selection) mayFit(c *candidate) bool {
	for to := Full; to > c.level; to-- {
		if c.plan[to] > 0 && s.near(c, to, slack) {
			return true
		}
	}
	return false
}

// value is the worth of what is shown.
func (s *selection) value() float64 {
	sum := 0.0
	for i := range s.all {
		sum += s.all[i].worth * levelValues[s.all[i].level]
	}
	return sum
}
