// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"slices"

	"github.com/fovea-memory/fovea/merkle"
)

// candidate is a node that may be shown, as the selection sees it.
type candidate struct {
	value       float64         // what the whole node would be worth
	estimates   [Full + 1]int32 // guessed tokens by level; 0 where the level is not offered
	parent      int32           // candidate whose heading must stand above; -1 for none
	firstChild  int32           // a candidate below this one, plus one
	nextSibling int32           // another one below the same, plus one
	cost        int32           // tokens at level, exactly
	pinnedCost  int32           // tokens of what was pinned of it
	agent       int32           // index of the untrusted agent, -1 for the owner
	level       Level           // shown so far
	digest      *merkle.Digest  // of candidates with equal ones, zero aside, one is shown; nil for none
}

// selection spends a budget on candidates. It is used by one goroutine.
type selection struct {
	candidates []candidate
	remaining  int                          // tokens
	minPiece   int                          // tokens of the smallest piece
	price      func(i int, level Level) int // exact tokens of a candidate at a level
	quota      []int                        // tokens left by untrusted agent
	*scratch
}

// agentShare is the part of a budget that one untrusted agent may fill.
const agentShare = 0.3

func newSelection(candidates []candidate, remaining int, price func(int, Level) int, agents, budget int, buf *scratch) *selection {
	s := &selection{candidates: candidates, remaining: remaining, price: price, quota: make([]int, agents), scratch: buf}
	for i := range s.quota {
		s.quota[i] = int(agentShare * float64(budget))
	}
	return s
}

// pin shows a candidate whatever it costs; left may fall below 0.
func (s *selection) pin(i int, level Level) {
	s.setLevel(i, level, s.price(i, level))
}

func (s *selection) setLevel(i int, level Level, tokens int) {
	c := &s.candidates[i]
	added := tokens - int(c.cost)
	s.remaining -= added
	if c.agent >= 0 {
		s.quota[c.agent] -= added
	}
	if c.isUnique() {
		s.shownDigests[*c.digest] = true
	}
	c.level, c.cost = level, int32(tokens)
}

// distinct reports whether only one candidate that says the same may be shown.
func (c *candidate) isUnique() bool { return c.digest != nil && !c.digest.IsZero() }

// missing returns the ancestors of i that are not shown, the nearest first.
func (s *selection) absentAncestors(i int) []int {
	var ancestors []int
	for p := s.candidates[i].parent; p >= 0 && s.candidates[p].level == Absent; p = s.candidates[p].parent {
		ancestors = append(ancestors, int(p))
	}
	return ancestors
}

// take shows candidate i at a level with the headings above it, where all of it
// fits, and reports whether it did. slack is how far the guessed tokens may
// exceed the room before the exact count is not worth its time.
func (s *selection) show(i int, level Level, slack float64) bool {
	c := &s.candidates[i]
	if c.level >= level || c.estimates[level] == 0 || !s.fits(c, level, slack) {
		return false
	}
	if c.level == Absent && c.isUnique() && s.shownDigests[*c.digest] {
		return false
	}
	ancestors := s.absentAncestors(i)
	tokens := s.price(i, level)
	total := tokens - int(c.cost)
	for _, p := range ancestors {
		total += s.price(p, Title)
	}
	if total > s.remaining || !s.withinQuota(i, tokens, ancestors) {
		return false
	}
	s.setLevel(i, level, tokens)
	for _, p := range ancestors {
		s.setLevel(p, Title, s.price(p, Title))
	}
	return true
}

// near reports whether the guessed tokens of a level exceed the room by no more than slack.
func (s *selection) fits(c *candidate, level Level, slack float64) bool {
	return float64(c.estimates[level]-c.cost) <= slack*float64(s.remaining)
}

// allowed reports whether the untrusted agents concerned stay within their part.
func (s *selection) withinQuota(i, tokens int, ancestors []int) bool {
	if len(s.quota) == 0 {
		return true
	}
	need := map[int32]int{}
	if a := s.candidates[i].agent; a >= 0 {
		need[a] += tokens - int(s.candidates[i].cost)
	}
	for _, p := range ancestors {
		if a := s.candidates[p].agent; a >= 0 {
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
func (s *selection) nextStep(i int) (step, bool) {
	c := &s.candidates[i]
	ancestorCost, ancestorValue := int32(0), 0.0
	if c.level == Absent {
		for p := c.parent; p >= 0 && s.candidates[p].level == Absent; p = s.candidates[p].parent {
			ancestorCost += s.candidates[p].estimates[Title]
			ancestorValue += s.candidates[p].value * levelValues[Title]
		}
	}
	best, slope := Absent, 0.0
	for to := c.level + 1; to <= Full; to++ {
		if c.estimates[to] == 0 {
			continue
		}
		dc := float64(max(1, c.estimates[to]-c.cost+ancestorCost))
		dv := c.value*(levelValues[to]-levelValues[c.level]) + ancestorValue
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
	for i := range s.candidates {
		c := &s.candidates[i]
		if c.firstChild = 0; c.parent >= 0 { // which stands before it
			parent := &s.candidates[c.parent]
			c.nextSibling, parent.firstChild = parent.firstChild, int32(i)+1
		}
		if step, ok := s.nextStep(i); ok {
			s.steps = append(s.steps, step)
		}
	}
	s.steps.init()
	for len(s.steps) > 0 && s.remaining >= s.minPiece {
		step := s.steps.pop()
		i := int(step.i)
		if s.candidates[i].level != step.from || !s.fits(&s.candidates[i], step.to, valueSlack) {
			continue
		}
		parent := s.absentAncestors(i)
		if !s.show(i, step.to, valueSlack) {
			continue
		}
		s.pushStep(i)
		for _, p := range parent {
			s.pushStep(p)
			s.refreshChildren(p)
		}
	}
	s.fillRemaining()
}

// slack is that of the policy value.
const valueSlack = 1.25

// renew puts the next step of i on the heap.
func (s *selection) pushStep(i int) {
	if step, ok := s.nextStep(i); ok {
		s.steps.push(step)
	}
}

// cheapen renews the steps of what lies below i and is absent: i is paid now.
// Older entries of the same step stay behind it and are passed over.
func (s *selection) refreshChildren(i int) {
	for child := s.candidates[i].firstChild; child > 0; child = s.candidates[child-1].nextSibling {
		if s.candidates[child-1].level == Absent {
			s.pushStep(int(child - 1))
			s.refreshChildren(int(child - 1))
		}
	}
}

// fill goes once through the candidates by worth and takes what still fits.
func (s *selection) fillRemaining() {
	s.order = s.order[:0]
	for i := range s.candidates {
		if s.couldFit(&s.candidates[i]) {
			s.order = append(s.order, int32(i))
		}
	}
	slices.SortStableFunc(s.order, func(a, b int32) int { return cmp.Compare(s.candidates[b].value, s.candidates[a].value) })
	for _, i := range s.order {
		if s.remaining < s.minPiece {
			return
		}
		for to := Full; to > s.candidates[i].level; to-- {
			if s.show(int(i), to, valueSlack) {
				break
			}
		}
	}
}

// mayFit reports whether a level of c is within the room, by what it is guessed to cost.
func (s *selection) couldFit(c *candidate) bool {
	for to := Full; to > c.level; to-- {
		if c.estimates[to] > 0 && s.fits(c, to, valueSlack) {
			return true
		}
	}
	return false
}

// value is the worth of what is shown.
func (s *selection) value() float64 {
	sum := 0.0
	for i := range s.candidates {
		sum += s.candidates[i].value * levelValues[s.candidates[i].level]
	}
	return sum
}
