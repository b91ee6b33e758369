// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"slices"

	"github.com/fovea-memory/fovea/merkle"
)

// candidate is a node that may be shown, as the selection sees it.
type candidate struct {
	value       float64         // value of the node at level full
	estimates   [Full + 1]int32 // tokens by level; 0 if the level is not available
	parent      int32           // candidate whose heading must be shown above; -1 for none
	firstChild  int32           // index plus one of a candidate below; 0 for none
	nextSibling int32           // index plus one of another below the same parent; 0 for none
	cost        int32           // exact tokens at level
	pinnedCost  int32           // tokens of its pinned level
	agent       int32           // index of the untrusted agent, -1 for the owner
	level       Level           // current level
	capped      bool            // a quota has kept it out
	digest      *merkle.Digest  // of candidates with equal non-zero digests one is shown; nil: not deduplicated
}

// selection spends a budget on candidates. It is not safe for concurrent use.
type selection struct {
	candidates []candidate
	remaining  int                          // tokens
	minPiece   int                          // tokens of the smallest piece
	price      func(i int, level Level) int // exact tokens of a candidate at a level
	quota      []int                        // tokens left by untrusted agent; nil: unlimited
	refused    bool                         // a quota has kept a candidate out
	*scratch
}

// agentShare is the maximum share of a budget for one untrusted agent while others want
// the room.
const agentShare = 0.3

func newSelection(candidates []candidate, remaining int, price func(int, Level) int, agents, budget int, buf *scratch) *selection {
	s := &selection{candidates: candidates, remaining: remaining, price: price, quota: make([]int, agents), scratch: buf}
	for i := range s.quota {
		s.quota[i] = int(agentShare * float64(budget))
	}
	return s
}

// pin shows a candidate at any cost; remaining may become negative.
func (s *selection) pin(i int, level Level) {
	s.setLevel(i, level, s.price(i, level))
}

// setLevel shows candidate i at a level that costs tokens.
func (s *selection) setLevel(i int, level Level, tokens int) {
	c := &s.candidates[i]
	added := tokens - int(c.cost)
	s.remaining -= added
	if c.agent >= 0 && s.quota != nil {
		s.quota[c.agent] -= added
	}
	if c.isUnique() {
		s.shownDigests[*c.digest] = true
	}
	c.level, c.cost = level, int32(tokens)
}

// isUnique reports whether only one candidate with this digest may be shown.
func (c *candidate) isUnique() bool { return c.digest != nil && !c.digest.IsZero() }

// absentAncestors returns the ancestors of i that are not shown, the nearest first.
func (s *selection) absentAncestors(i int) []int {
	var ancestors []int
	for p := s.candidates[i].parent; p >= 0 && s.candidates[p].level == Absent; p = s.candidates[p].parent {
		ancestors = append(ancestors, int(p))
	}
	return ancestors
}

// show shows candidate i at a level, with the absent headings above it, if all of it
// fits, and reports whether it did. slack is the factor by which the estimated tokens
// may exceed the remaining budget before the exact count is skipped.
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

// fits reports whether the estimated tokens of a level are within slack times the
// remaining budget.
func (s *selection) fits(c *candidate, level Level, slack float64) bool {
	return float64(c.estimates[level]-c.cost) <= slack*float64(s.remaining)
}

// withinQuota reports whether the untrusted agents involved stay within their quotas.
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
			s.refused, s.candidates[i].capped = true, true
			return false
		}
	}
	return true
}

// nextStep returns the first step of candidate i on the convex hull of its levels: the
// one with the highest gain per estimated token, absent headings above it included.
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

// greedy takes the best steps while they fit, skips those that do not, and then fills
// the remaining budget in the order of value. O(n log n + n depth) for n candidates.
func (s *selection) greedy() {
	s.steps.Items, s.steps.Before, s.firstSteps = s.steps.Items[:0], betterStep, s.firstSteps[:0]
	for i := range s.candidates {
		c := &s.candidates[i]
		if c.firstChild = 0; c.parent >= 0 { // a parent precedes its children
			parent := &s.candidates[c.parent]
			c.nextSibling, parent.firstChild = parent.firstChild, int32(i)+1
		}
		if step, ok := s.nextStep(i); ok {
			s.firstSteps = append(s.firstSteps, step)
		}
	}
	slices.SortFunc(s.firstSteps, compareSteps)
	for first := s.firstSteps; len(first)+len(s.steps.Items) > 0 && s.remaining >= s.minPiece; {
		var step step // of the sorted first ones, and of those that came since
		if len(first) > 0 && (len(s.steps.Items) == 0 || !betterStep(s.steps.Items[0], first[0])) {
			step, first = first[0], first[1:]
		} else {
			step = s.steps.Pop()
		}
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

// spend shows the best of the candidates. What nobody else wants goes to the agents that
// their quotas kept out.
func (s *selection) spend() {
	s.greedy()
	if !s.refused || s.remaining < s.minPiece {
		return
	}
	s.quota = nil
	for i := range s.candidates {
		if c := &s.candidates[i]; c.capped && s.fits(c, Full, 1) {
			c.capped = false // what keeps it out now is the room that others of its agent take
		}
	}
	s.greedy()
}

// valueSlack is the slack of PolicyValue.
const valueSlack = 1.25

// pushStep pushes the next step of i onto the heap.
func (s *selection) pushStep(i int) {
	if step, ok := s.nextStep(i); ok {
		s.steps.Push(step)
	}
}

// refreshChildren pushes new steps for the absent candidates below i, which no longer
// have to pay for i. Their older, more expensive entries stay on the heap and are
// skipped.
func (s *selection) refreshChildren(i int) {
	for child := s.candidates[i].firstChild; child > 0; child = s.candidates[child-1].nextSibling {
		if s.candidates[child-1].level == Absent {
			s.pushStep(int(child - 1))
			s.refreshChildren(int(child - 1))
		}
	}
}

// fillRemaining makes one pass over the candidates by value and shows what still fits.
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

// couldFit reports whether a higher level of c fits by its estimate.
func (s *selection) couldFit(c *candidate) bool {
	for to := Full; to > c.level; to-- {
		if c.estimates[to] > 0 && s.fits(c, to, valueSlack) {
			return true
		}
	}
	return false
}

// value returns the total value of what is shown.
func (s *selection) value() float64 {
	sum := 0.0
	for i := range s.candidates {
		sum += s.candidates[i].value * levelValues[s.candidates[i].level]
	}
	return sum
}
