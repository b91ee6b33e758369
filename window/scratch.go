// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"sync"

	"github.com/fovea-memory/fovea/window/choose"
)

// scratch is the working memory of a window, pooled between windows. Slices indexed by
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
	order          []int32
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
