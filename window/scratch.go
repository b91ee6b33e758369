// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"slices"
	"sync"

	"github.com/fovea-memory/fovea/window/choose"
	"github.com/fovea-memory/fovea/working"
)

// scratch holds the buffers of a window, pooled between windows. Slices indexed by
// node number are all zero between windows.
type scratch struct {
	evidenceSlots []int32    // by node number: index in evidence plus one
	evidence      []evidence // nodes with evidence
	branchDepths  []int32    // by node of the focus's document: depth of the lowest common ancestor with the focus

	candidateSlots []int32 // by node number: index in candidates plus one
	candidates     []choose.Candidate
	details        []detail // by candidate
	pieces         []piece
	best           []ranked
	choosing       *choose.Scratch
}

// evidence is what makes a node relevant to a request.
type evidence struct {
	ref
	flags               flag    // linksTo, linkedFrom, onPath and requested
	similarity          float64 // own score, 0 to 1
	reason              string  // Scored.Reason
	neighbourSimilarity float64 // the best similarity among the parent and the children
}

var scratches = sync.Pool{New: func() any { return newScratch() }}

func newScratch() *scratch { return &scratch{choosing: choose.NewScratch()} }

// grow sizes the slices indexed by node number, with some reserve for later states.
func (s *scratch) grow(nodes int) {
	if len(s.evidenceSlots) < nodes {
		nodes += nodes / 8
		s.evidenceSlots, s.candidateSlots = make([]int32, nodes), make([]int32, nodes)
	}
}

// clearCandidates removes the candidates and releases what they reference.
func (s *scratch) clearCandidates(o *Outline) {
	for i := range s.details {
		s.candidateSlots[o.number(s.details[i].ref)] = 0
	}
	clear(s.candidates)
	clear(s.details)
	clear(s.pieces)
	s.choosing.Clear()
	s.candidates, s.details, s.pieces = s.candidates[:0], s.details[:0], s.pieces[:0]
}

// clearEvidence removes the evidence of all nodes.
func (s *scratch) clearEvidence(o *Outline) {
	for i := range s.evidence {
		s.evidenceSlots[o.number(s.evidence[i].ref)] = 0
	}
	s.evidence, s.branchDepths = s.evidence[:0], s.branchDepths[:0]
}

// class returns the class of candidate i: a block has its own, and a focus is critical. A note is
// medium if it matches the request or is near the focus, else low, whatever its level.
func (p *plan) class(i int) working.Priority {
	r := p.details[i].ref
	w := p.tree.workingOf(r)
	switch {
	case i == p.focus:
		return working.Critical
	case w != nil:
		return w.Priority
	case p.matches(r):
		return working.Medium
	}
	return working.Low
}

// matches reports whether a node is similar to the request, linked with the focus, or at most two
// steps from it in its document.
func (p *plan) matches(r ref) bool {
	e := p.tree.evidenceOf(r)
	return e != nil && (e.similarity > 0 || e.flags&(onPath|linksTo|linkedFrom) != 0) || r.block == p.tree.focus.block && p.tree.distance(r) <= 2
}

// arrayOrder returns the shown candidates in the order of a JSON array: by class, and within a class
// the best first. The focus is the last of the critical ones.
func (p *plan) arrayOrder() []int {
	keys := map[int][]float64{} // the lowest comes first
	order := p.documentOrder()
	for _, i := range order {
		last, confidence := 0.0, 0.0
		if w := p.tree.workingOf(p.details[i].ref); w != nil {
			confidence = w.Confidence
		}
		if i == p.focus {
			last = 1
		}
		keys[i] = []float64{float64(slices.Index(working.Priorities, p.class(i))), last, -p.details[i].score, -confidence}
	}
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(keys[a], keys[b]) })
	return order
}

// criticalFirst moves the critical blocks to the front of the text.
func (p *plan) criticalFirst(order []int) []int {
	critical := slices.DeleteFunc(slices.Clone(order), func(i int) bool { return !slices.Contains(p.critical, i) })
	return append(critical, slices.DeleteFunc(order, func(i int) bool { return slices.Contains(critical, i) })...)
}
