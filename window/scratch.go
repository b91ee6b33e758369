// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"sync"

	"github.com/fovea-memory/fovea/merkle"
)

// scratch is the working memory of a window, kept between windows. What it holds by
// the number of a node is 0 between them.
type scratch struct {
	evidenceSlots []int32    // by number: the place in heard, plus one
	evidence      []evidence // the nodes that something speaks for
	branchDepths  []int32    // of the nodes in the document of the focus: the depth where they leave its path

	candidateSlots []int32 // by number: the candidate, plus one
	candidates     []candidate
	details        []detail // by candidate
	pieces         []piece
	best           []ranked
	steps          stepHeap
	order          []int32
	hull           []hullStep
	descendants    []int32
	headingShares  []float64
	shownDigests   map[merkle.Digest]bool
}

// heard is what is known of a node that something speaks for.
type evidence struct {
	ref
	flags               flag    // linksTo, linkedFrom, onPath and wanted
	similarity          float64 // similarity
	neighbourSimilarity float64 // the best similarity among the parent and the children
}

var scratches = sync.Pool{New: func() any { return newScratch() }}

func newScratch() *scratch { return &scratch{shownDigests: map[merkle.Digest]bool{}} }

// fit makes room for so many nodes, and for some that the next states have more.
func (s *scratch) grow(nodes int) {
	if len(s.evidenceSlots) < nodes {
		nodes += nodes / 8
		s.evidenceSlots, s.candidateSlots = make([]int32, nodes), make([]int32, nodes)
	}
}

// clear forgets the candidates, and what they keep alive.
func (s *scratch) clearCandidates(o *Outline) {
	for i := range s.details {
		s.candidateSlots[o.number(s.details[i].ref)] = 0
	}
	clear(s.candidates)
	clear(s.details)
	clear(s.pieces)
	clear(s.shownDigests)
	s.candidates, s.details, s.pieces = s.candidates[:0], s.details[:0], s.pieces[:0]
}

// forget forgets what speaks for nodes.
func (s *scratch) clearEvidence(o *Outline) {
	for i := range s.evidence {
		s.evidenceSlots[o.number(s.evidence[i].ref)] = 0
	}
	s.evidence, s.branchDepths = s.evidence[:0], s.branchDepths[:0]
}
