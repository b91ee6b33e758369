// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import "math"

// cursor walks the live documents that have one term in one part, in their order. It
// passes over blocks without reading them.
type cursor struct {
	*part
	list       string
	blocks     []block // all of the list; at least one
	queryIndex int     // its place in the query
	idf        float64 // its weight
	boundScale float64 // of a block's share to a bound
	bound      float64 // no share of a document is greater

	current int       // the block reached
	decoded bool      // whether it was read: then run holds what is left of it
	pending []posting // live
	doc     uint32    // the first of run, noDoc of none; none is before it in a block that was not read

	scoredDoc uint32  // the document that was looked at last and has the term
	termScore float64 // and what the term adds to its score

	shortBlock [1]block  // of a short list
	buf        []posting // that run lies in
}

// noDoc is behind every document.
const noDoc = math.MaxUint32

// open puts c at the beginning of the list of term t and returns how many live
// documents it has.
func (c *cursor) open(p *part, t int) int {
	*c = cursor{part: p, list: p.lists.at(t), scoredDoc: noDoc, buf: c.buf}
	if blocks, _ := p.blocks(t); blocks != nil {
		c.blocks = blocks
		return p.docFreq(t)
	}
	c.buf = p.postings(c.buf[:0], t, p.dead)
	if len(c.buf) > 0 {
		c.shortBlock[0] = p.newBlock(c.buf)
		c.blocks, c.pending, c.decoded = c.shortBlock[:], c.buf, true
		c.updateDoc()
	}
	return len(c.buf)
}

// weigh gives c the weight of its term.
func (c *cursor) setWeight(f bm25, idf float64) {
	c.idf = idf
	c.boundScale = idf * max(1, c.formula.perLength/f.perLength)
	for _, b := range c.blocks {
		c.bound = max(c.bound, c.boundScale*float64(b.maxTermScore))
	}
}

// blockBound is the greatest share that a document of the block reached can have.
func (c *cursor) blockBound() float64 {
	return c.boundScale * float64(c.blocks[c.current].maxTermScore)
}

// skip passes over the blocks that end before doc, and reads none.
func (c *cursor) skipBlocks(doc uint32) {
	for c.current < len(c.blocks) && c.blocks[c.current].last < doc {
		c.doc = c.blocks[c.current].last + 1
		c.current++
		c.decoded = false
	}
	if c.done() {
		c.doc = noDoc
	}
}

// done reports that no block is left.
func (c *cursor) done() bool { return c.current == len(c.blocks) }

// seek goes to the first document of the block reached that is not before doc.
func (c *cursor) seek(doc uint32) {
	if !c.decoded {
		from, at := blockStart(c.blocks, c.current)
		c.buf, _ = c.decodePostings(c.buf[:0], c.list, at, from, postingsPerBlock, c.dead)
		c.pending, c.decoded = c.buf, true
		c.updateDoc()
	}
	for c.doc < doc {
		c.next()
	}
}

// next passes over the first document of run.
func (c *cursor) next() {
	c.pending = c.pending[1:]
	c.updateDoc()
}

func (c *cursor) updateDoc() {
	c.doc = noDoc
	if len(c.pending) > 0 {
		c.doc = c.pending[0].doc
	}
}

// meet returns what the term adds to the score of the document that c stands at.
func (c *cursor) score(f bm25) float64 {
	c.scoredDoc, c.termScore = c.doc, f.termScore(c.idf, c.pending[0].weight, c.lengths[c.doc])
	return c.termScore
}
