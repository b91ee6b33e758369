// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import "math"

// cursor walks the live documents that have one term in one part, in their order. It
// passes over blocks without reading them.
type cursor struct {
	*part
	list   string
	blocks []block // all of the list; at least one
	term   int     // its place in the query
	idf    float64 // its weight
	scale  float64 // of a block's share to a bound
	bound  float64 // no share of a document is greater

	at   int       // the block reached
	isIn bool      // whether it was read: then run holds what is left of it
	run  []posting // live
	doc  uint32    // the first of run, noDoc of none; none is before it in a block that was not read

	met   uint32  // the document that was looked at last and has the term
	share float64 // and what the term adds to its score

	only [1]block  // of a short list
	room []posting // that run lies in
}

// noDoc is behind every document.
const noDoc = math.MaxUint32

// open puts c at the beginning of the list of term t and returns how many live
// documents it has.
func (c *cursor) open(p *part, t int) int {
	*c = cursor{part: p, list: p.lists.at(t), met: noDoc, room: c.room}
	if blocks, _ := p.blocks(t); blocks != nil {
		c.blocks = blocks
		return p.count(t)
	}
	c.room = p.postings(c.room[:0], t, p.dead)
	if len(c.room) > 0 {
		c.only[0] = p.bound(c.room)
		c.blocks, c.run, c.isIn = c.only[:], c.room, true
		c.settle()
	}
	return len(c.room)
}

// weigh gives c the weight of its term.
func (c *cursor) weigh(f bm25, idf float64) {
	c.idf = idf
	c.scale = idf * max(1, c.formula.perLength/f.perLength)
	for _, b := range c.blocks {
		c.bound = max(c.bound, c.scale*float64(b.share))
	}
}

// blockBound is the greatest share that a document of the block reached can have.
func (c *cursor) blockBound() float64 { return c.scale * float64(c.blocks[c.at].share) }

// skip passes over the blocks that end before doc, and reads none.
func (c *cursor) skip(doc uint32) {
	for c.at < len(c.blocks) && c.blocks[c.at].last < doc {
		c.doc = c.blocks[c.at].last + 1
		c.at++
		c.isIn = false
	}
	if c.done() {
		c.doc = noDoc
	}
}

// done reports that no block is left.
func (c *cursor) done() bool { return c.at == len(c.blocks) }

// seek goes to the first document of the block reached that is not before doc.
func (c *cursor) seek(doc uint32) {
	if !c.isIn {
		from, at := begin(c.blocks, c.at)
		c.room, _ = c.read(c.room[:0], c.list, at, from, blockPostings, c.dead)
		c.run, c.isIn = c.room, true
		c.settle()
	}
	for c.doc < doc {
		c.next()
	}
}

// next passes over the first document of run.
func (c *cursor) next() {
	c.run = c.run[1:]
	c.settle()
}

func (c *cursor) settle() {
	c.doc = noDoc
	if len(c.run) > 0 {
		c.doc = c.run[0].doc
	}
}

// meet returns what the term adds to the score of the document that c stands at.
func (c *cursor) meet(f bm25) float64 {
	c.met, c.share = c.doc, f.share(c.idf, c.run[0].weight, c.lengths[c.doc])
	return c.share
}
