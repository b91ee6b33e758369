// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"container/heap"
	"slices"
)

// candidate is a node that may be shown, as the selection sees it.
type candidate struct {
	parent int           // candidate whose heading must stand above; -1 for none
	worth  float64       // what the whole node would be worth
	plan   [Full + 1]int // guessed tokens by level; 0 where the level is not offered
	level  Level         // shown so far
	spent  int           // tokens at level, exactly
	paid   int           // tokens of what was pinned of it
	agent  int           // index of the untrusted agent, -1 for the owner
	group  int           // candidates with equal digests share a number; -1 for none
}

// selection spends a budget on candidates. It is used by one goroutine.
type selection struct {
	all   []candidate
	left  int                          // tokens
	least int                          // tokens of the smallest piece
	price func(i int, level Level) int // exact tokens of a candidate at a level
	quota []int                        // tokens left by untrusted agent
	taken map[int]bool                 // groups of which one is shown
	steps steps
	kids  [][]int
}

// agentShare is the part of a budget that one untrusted agent may fill.
const agentShare = 0.3

func newSelection(all []candidate, left int, price func(int, Level) int, agents, budget int) *selection {
	s := &selection{all: all, left: left, price: price, taken: map[int]bool{}, quota: make([]int, agents)}
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
	s.left -= tokens - c.spent
	if c.agent >= 0 {
		s.quota[c.agent] -= tokens - c.spent
	}
	if c.group >= 0 {
		s.taken[c.group] = true
	}
	c.level, c.spent = level, tokens
}

// missing returns the ancestors of i that are not shown, the nearest first.
func (s *selection) missing(i int) []int {
	var up []int
	for p := s.all[i].parent; p >= 0 && s.all[p].level == Absent; p = s.all[p].parent {
		up = append(up, p)
	}
	return up
}

// take shows candidate i at a level with the headings above it, where all of it
// fits, and reports whether it did. slack is how far the guessed tokens may
// exceed the room before the exact count is not worth its time.
func (s *selection) take(i int, level Level, slack float64) bool {
	c := &s.all[i]
	if c.level >= level || c.plan[level] == 0 || c.level == Absent && c.group >= 0 && s.taken[c.group] {
		return false
	}
	if float64(c.plan[level]-c.spent) > slack*float64(s.left) {
		return false
	}
	up := s.missing(i)
	tokens := s.price(i, level)
	total := tokens - c.spent
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

// allowed reports whether the untrusted agents concerned stay within their part.
func (s *selection) allowed(i, tokens int, up []int) bool {
	if len(s.quota) == 0 {
		return true
	}
	need := map[int]int{}
	if a := s.all[i].agent; a >= 0 {
		need[a] += tokens - s.all[i].spent
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

// step is an upgrade of one candidate.
type step struct {
	gain float64 // for each guessed token
	i    int
	from Level
	to   Level
}

// steps is a heap with the best step on top; equal ones by index.
type steps []step

func (h steps) Len() int { return len(h) }
func (h steps) Less(a, b int) bool {
	if h[a].gain != h[b].gain {
		return h[a].gain > h[b].gain
	}
	return h[a].i < h[b].i
}
func (h steps) Swap(a, b int) { h[a], h[b] = h[b], h[a] }

// Push and Pop implement heap.Interface.
func (h *steps) Push(x any) { *h = append(*h, x.(step)) }

// Pop removes the last step.
func (h *steps) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// next returns the first step of candidate i on the convex hull of its levels:
// the one that gains most for each guessed token, headings above it included.
func (s *selection) next(i int) (step, bool) {
	c := &s.all[i]
	above, gained := 0, 0.0
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
	return step{slope, i, c.level, best}, best != Absent
}

// greedy takes the best steps while they fit, skips those that do not, and then
// fills what is left in the order of worth. O(n log n + n depth) for n candidates.
func (s *selection) greedy() {
	s.kids = make([][]int, len(s.all))
	s.steps = make(steps, 0, 2*len(s.all))
	for i, c := range s.all {
		if c.parent >= 0 {
			s.kids[c.parent] = append(s.kids[c.parent], i)
		}
		if st, ok := s.next(i); ok {
			s.steps = append(s.steps, st)
		}
	}
	heap.Init(&s.steps)
	for len(s.steps) > 0 && s.left >= s.least {
		st := heap.Pop(&s.steps).(step)
		if s.all[st.i].level != st.from {
			continue
		}
		up := s.missing(st.i)
		if !s.take(st.i, st.to, 1.25) {
			continue
		}
		s.renew(st.i)
		for _, p := range up {
			s.renew(p)
			s.cheapen(p)
		}
	}
	s.fill()
}

// renew puts the next step of i on the heap.
func (s *selection) renew(i int) {
	if st, ok := s.next(i); ok {
		heap.Push(&s.steps, st)
	}
}

// cheapen renews the steps of what lies below i and is absent: i is paid now.
// Older entries of the same step stay behind it and are passed over.
func (s *selection) cheapen(i int) {
	for _, k := range s.kids[i] {
		if s.all[k].level == Absent {
			s.renew(k)
			s.cheapen(k)
		}
	}
}

// fill goes once through the candidates by worth and takes what still fits.
func (s *selection) fill() {
	order := make([]int, len(s.all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.all[b].worth, s.all[a].worth) })
	for _, i := range order {
		if s.left < s.least {
			return
		}
		for to := Full; to > s.all[i].level; to-- {
			if s.take(i, to, 1.25) {
				break
			}
		}
	}
}

// value is the worth of what is shown.
func (s *selection) value() float64 {
	sum := 0.0
	for i := range s.all {
		sum += s.all[i].worth * levelValues[s.all[i].level]
	}
	return sum
}
