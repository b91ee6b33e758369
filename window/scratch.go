// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"sync"

	"github.com/fovea-memory/fovea/merkle"
)

// scratch is the working memory of a window, kept between windows. What it holds by
// the number of a node is 0 between them.
type scratch struct {
	slots    []int32 // by number: the place in heard, plus one
	heard    []heard // the nodes that something speaks for
	branches []int32 // of the nodes in the document of the focus: the depth where they leave its path

	at     []int32 // by number: the candidate, plus one
	all    []candidate
	nodes  []node // by candidate
	pieces []piece
	best   []ranked
	steps  steps
	order  []int32
	hull   []relaxed
	below  []int32
	shared []float64
	taken  map[merkle.Digest]bool
}

// heard is what is known of a node that something speaks for.
type heard struct {
	ref
	flags  flag    // linksTo, linkedFrom, onPath and wanted
	own    float64 // similarity
	around float64 // the best similarity among the parent and the children
}

var scratches = sync.Pool{New: func() any { return newScratch() }}

func newScratch() *scratch { return &scratch{taken: map[merkle.Digest]bool{}} }

// fit makes room for so many nodes, and for some that the next states have more.
func (s *scratch) fit(nodes int) {
	if len(s.slots) < nodes {
		nodes += nodes / 8
		s.slots, s.at = make([]int32, nodes), make([]int32, nodes)
	}
}

// clear forgets the candidates, and what they keep alive.
func (s *scratch) clear(o *Outline) {
	for i := range s.nodes {
		s.at[o.number(s.nodes[i].ref)] = 0
	}
	clear(s.all)
	clear(s.nodes)
	clear(s.pieces)
	clear(s.taken)
	s.all, s.nodes, s.pieces = s.all[:0], s.nodes[:0], s.pieces[:0]
}

// forget forgets what speaks for nodes.
func (s *scratch) forget(o *Outline) {
	for i := range s.heard {
		s.slots[o.number(s.heard[i].ref)] = 0
	}
	s.heard, s.branches = s.heard[:0], s.branches[:0]
}
