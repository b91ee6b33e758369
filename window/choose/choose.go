// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package choose

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/merkle"
)

// Candidate is a node that may be shown. Index -1 means no candidate.
type Candidate struct {
	Value      float64         // of the node at level full
	Estimates  [Full + 1]int32 // tokens by level; 0 if the level is not available
	Parent     int32           // its heading must be shown above; it precedes the candidate
	Cost       int32           // exact tokens at Level
	PinnedCost int32           // tokens that Bound counts as spent
	Agent      int32           // index of the untrusted agent, -1 for the owner
	Level      Level           // at which it is shown
	Capped     bool            // the share of its agent keeps it out
	Digest     *merkle.Digest  // only one of the candidates with equal non-zero digests is shown; nil: not deduplicated

	firstChild  int32   // index plus one of a candidate below; 0 for none
	nextSibling int32   // index plus one of another below the same parent; 0 for none
	next        Level   // of its step in the queue; Absent for none
	gain        float64 // of that step, per token
}

// Selection spends a budget on candidates, whose levels and costs it sets. It is not safe for
// concurrent use.
type Selection struct {
	Remaining int // tokens
	MinPiece  int // tokens of the smallest piece; with less than that left, Spend ends

	candidates []Candidate
	price      func(i int, level Level) int // exact tokens of a candidate at a level
	quota      []int                        // tokens left by untrusted agent; nil: unlimited
	refused    bool                         // a quota has kept a candidate out
	*Scratch
}

// Scratch holds the buffers of a selection. It may be reused after Clear, and is not safe for concurrent
// use.
type Scratch struct {
	steps         bound.Heap[step]
	order         []int32
	hull          []hullStep
	descendants   []int32
	headingShares []float64
	shownDigests  map[merkle.Digest]bool
}

// NewScratch returns empty buffers.
func NewScratch() *Scratch {
	return &Scratch{shownDigests: map[merkle.Digest]bool{}, steps: bound.Heap[step]{Before: step.before}}
}

// step is a level that a candidate may be shown at next. One whose gain is no longer the candidate's is stale.
type step struct {
	gain      float64
	candidate int32
}

// before orders steps: the highest gain first, then the first candidate.
func (s step) before(o step) bool {
	return s.gain > o.gain || s.gain == o.gain && s.candidate < o.candidate
}

// Clear forgets what the previous selection showed.
func (s *Scratch) Clear() { clear(s.shownDigests) }

// agentShare is the maximum share of a budget for one untrusted agent while others compete for space.
const agentShare = 0.3

// New returns a selection with nothing to spend yet. price returns the exact tokens of a candidate at a
// level; agents is the number of untrusted agents, and budget is the total from which the share of each
// is computed. The selection keeps candidates and buf.
func New(candidates []Candidate, price func(i int, level Level) int, agents, budget int, buf *Scratch) *Selection {
	s := &Selection{candidates: candidates, price: price, quota: make([]int, agents), Scratch: buf}
	for i := range s.quota {
		s.quota[i] = int(agentShare * float64(budget))
	}
	return s
}

// Pin shows a candidate at any cost; Remaining may become negative.
func (s *Selection) Pin(i int, level Level) {
	s.SetLevel(i, level, s.price(i, level))
}

// SetLevel shows candidate i at a level that costs tokens.
func (s *Selection) SetLevel(i int, level Level, tokens int) {
	c := &s.candidates[i]
	added := tokens - int(c.Cost)
	s.Remaining -= added
	if c.Agent >= 0 && s.quota != nil {
		s.quota[c.Agent] -= added
	}
	if c.isUnique() {
		s.shownDigests[*c.Digest] = true
	}
	c.Level, c.Cost = level, int32(tokens)
}

// isUnique reports whether only one candidate with this digest may be shown.
func (c *Candidate) isUnique() bool { return c.Digest != nil && !c.Digest.IsZero() }

// IsRepeated reports whether a candidate with the digest of candidate i is shown.
func (s *Selection) IsRepeated(i int) bool {
	c := &s.candidates[i]
	return c.isUnique() && s.shownDigests[*c.Digest]
}

// Affordable returns the maximum tokens of candidate i after the absent headings above it are paid for.
func (s *Selection) Affordable(i int) int {
	c := &s.candidates[i]
	most := s.Remaining + int(c.Cost)
	for _, a := range s.absentAncestors(i) {
		if a != i {
			most -= s.price(a, Title)
		}
	}
	if c.Agent >= 0 && s.quota != nil {
		most = min(most, s.quota[c.Agent]+int(c.Cost))
	}
	return most
}

// absentAncestors returns the ancestors of i that are not shown, the nearest first.
func (s *Selection) absentAncestors(i int) []int {
	var ancestors []int
	for p := s.candidates[i].Parent; p >= 0 && s.candidates[p].Level == Absent; p = s.candidates[p].Parent {
		ancestors = append(ancestors, int(p))
	}
	return ancestors
}

// Show shows candidate i at a level, with the absent headings above it, if all of this fits, and reports
// whether it did. slack is the factor by which the estimated tokens may exceed the remaining budget:
// beyond it, Show does not count exactly.
func (s *Selection) Show(i int, level Level, slack float64) bool {
	c := &s.candidates[i]
	if c.Level >= level || c.Estimates[level] == 0 || !s.Fits(c, level, slack) {
		return false
	}
	if c.Level == Absent && s.IsRepeated(i) {
		return false
	}
	ancestors := s.absentAncestors(i)
	tokens := s.price(i, level)
	total := tokens - int(c.Cost)
	for _, p := range ancestors {
		total += s.price(p, Title)
	}
	if total > s.Remaining || !s.withinQuota(i, tokens, ancestors) {
		return false
	}
	s.SetLevel(i, level, tokens)
	for _, p := range ancestors {
		s.SetLevel(p, Title, s.price(p, Title))
	}
	return true
}

// Fits reports whether the estimated tokens of a level are within slack times the
// remaining budget.
func (s *Selection) Fits(c *Candidate, level Level, slack float64) bool {
	return float64(c.Estimates[level]-c.Cost) <= slack*float64(s.Remaining)
}

// withinQuota reports whether the untrusted agents involved stay within their quotas.
func (s *Selection) withinQuota(i, tokens int, ancestors []int) bool {
	if len(s.quota) == 0 {
		return true
	}
	need := map[int32]int{}
	if a := s.candidates[i].Agent; a >= 0 {
		need[a] += tokens - int(s.candidates[i].Cost)
	}
	for _, p := range ancestors {
		if a := s.candidates[p].Agent; a >= 0 {
			need[a] += s.price(p, Title)
		}
	}
	for a, tokens := range need {
		if tokens > s.quota[a] {
			s.refused, s.candidates[i].Capped = true, true
			return false
		}
	}
	return true
}

// nextStep returns the first step of candidate i on the convex hull of its levels up to most: the one
// with the highest gain per estimated token, including absent headings above it.
func (s *Selection) nextStep(i int, most Level) (next step, ok bool) {
	c := &s.candidates[i]
	ancestorCost, ancestorValue := int32(0), 0.0
	if c.Level == Absent {
		for p := c.Parent; p >= 0 && s.candidates[p].Level == Absent; p = s.candidates[p].Parent {
			ancestorCost += s.candidates[p].Estimates[Title]
			ancestorValue += s.candidates[p].Value * levelValues[Title]
		}
	}
	c.next, c.gain = Absent, 0
	for to := c.Level + 1; to <= most; to++ {
		if c.Estimates[to] == 0 {
			continue
		}
		dc := float64(max(1, c.Estimates[to]-c.Cost+ancestorCost))
		dv := c.Value*(levelValues[to]-levelValues[c.Level]) + ancestorValue
		if dv/dc >= c.gain {
			c.next, c.gain = to, dv/dc
		}
	}
	return step{c.gain, int32(i)}, c.next != Absent
}

// greedy takes the best steps while they fit, and smaller steps of a candidate if one does not fit. Then it
// fills the remaining budget in the order of value. O(n depth (depth + log n)) for n candidates.
func (s *Selection) greedy() {
	s.steps.Items = s.steps.Items[:0]
	for i := range s.candidates {
		c := &s.candidates[i]
		if c.firstChild = 0; c.Parent >= 0 { // a parent precedes its children
			parent := &s.candidates[c.Parent]
			c.nextSibling, parent.firstChild = parent.firstChild, int32(i)+1
		}
		if next, ok := s.nextStep(i, Full); ok {
			s.steps.Items = append(s.steps.Items, next)
		}
	}
	s.steps.Init()
	for len(s.steps.Items) > 0 && s.Remaining >= s.MinPiece {
		top := s.steps.Pop()
		i, c := int(top.candidate), &s.candidates[top.candidate]
		if c.next == Absent || c.gain != top.gain {
			continue
		}
		ancestors := s.absentAncestors(i)
		if !s.Show(i, c.next, Slack) {
			s.updateStep(i, c.next-1)
			continue
		}
		s.updateStep(i, Full)
		for _, p := range ancestors {
			s.updateStep(p, Full)
			s.updateChildren(p)
		}
	}
	s.fillRemaining()
}

// Spend shows the best of the candidates. Tokens that no other candidate needs go to agents that exceed
// their quotas.
func (s *Selection) Spend() {
	s.greedy()
	if !s.refused || s.Remaining < s.MinPiece {
		return
	}
	s.quota = nil
	for i := range s.candidates {
		if c := &s.candidates[i]; c.Capped && s.Fits(c, Full, 1) {
			c.Capped = false // what keeps it out now is the space that other notes of its agent take
		}
	}
	s.greedy()
}

// Slack is the slack of Spend, see Selection.Show.
const Slack = 1.25

// updateStep queues the next step of i, to a level of at most most; the previous one becomes stale.
func (s *Selection) updateStep(i int, most Level) {
	if next, ok := s.nextStep(i, most); ok {
		s.steps.Push(next)
	}
}

// updateChildren updates the steps of the absent candidates below i, which no longer pay for i.
func (s *Selection) updateChildren(i int) {
	for child := s.candidates[i].firstChild; child > 0; child = s.candidates[child-1].nextSibling {
		if s.candidates[child-1].Level == Absent {
			s.updateStep(int(child-1), Full)
			s.updateChildren(int(child - 1))
		}
	}
}

// fillRemaining makes one pass over the candidates by value and shows what still fits.
func (s *Selection) fillRemaining() {
	s.order = s.order[:0]
	for i := range s.candidates {
		if s.couldFit(&s.candidates[i]) {
			s.order = append(s.order, int32(i))
		}
	}
	slices.SortStableFunc(s.order, func(a, b int32) int { return cmp.Compare(s.candidates[b].Value, s.candidates[a].Value) })
	for _, i := range s.order {
		if s.Remaining < s.MinPiece {
			return
		}
		for to := Full; to > s.candidates[i].Level; to-- {
			if s.Show(int(i), to, Slack) {
				break
			}
		}
	}
}

// couldFit reports whether a higher level of c fits by its estimate.
func (s *Selection) couldFit(c *Candidate) bool {
	for to := Full; to > c.Level; to-- {
		if c.Estimates[to] > 0 && s.Fits(c, to, Slack) {
			return true
		}
	}
	return false
}

// Value returns the total value of the shown levels.
func (s *Selection) Value() float64 {
	sum := 0.0
	for i := range s.candidates {
		sum += s.candidates[i].Value * levelValues[s.candidates[i].Level]
	}
	return sum
}

// Level is how much of a node is shown. The zero Level is "absent".
type Level uint8

// The levels, each showing more than the one before.
const (
	Absent  Level = iota
	Title         // heading line and id
	Snippet       // plus the paragraph that matches the request best
	Full          // plus planning, properties and the whole body
)

var levelNames = [...]string{Absent: "absent", Title: "title", Snippet: "snippet", Full: "full"}

// String returns the level's name: absent, title, snippet or full.
func (l Level) String() string {
	if int(l) < len(levelNames) {
		return levelNames[l]
	}
	return fmt.Sprintf("level(%d)", uint8(l))
}

// MarshalText returns the level's name; the error is always nil. It implements
// encoding.TextMarshaler.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText sets l to the named level. The error for an unknown name lists the
// known ones. It implements encoding.TextUnmarshaler.
func (l *Level) UnmarshalText(text []byte) error {
	for i, name := range levelNames {
		if name == string(text) {
			*l = Level(i)
			return nil
		}
	}
	return fmt.Errorf("level %q: use one of %v", text, levelNames)
}

// levelValues is the value of each level as a share of the full node: a convention of the
// cross-reference measurement.
var levelValues = [...]float64{Absent: 0, Title: 0.2, Snippet: 0.5, Full: 1}

// Worth returns the value of a level as a share of the full node.
func Worth(level Level) float64 { return levelValues[level] }
