// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import "math"

// cursor iterates over the live documents of one part that have one term, in document
// order. It can skip blocks without decoding them.
type cursor struct {
	*part
	list       string
	blocks     []block // blocks of the list, at least one
	queryIndex int     // index of the term in the query
	idf        float64 // weight of the term
	boundScale float64 // factor from a block's maxTermScore to a bound
	bound      float64 // upper bound of the term score of any document

	current int       // index of the current block
	decoded bool      // whether pending holds the rest of the current block
	pending []posting // live postings not yet passed
	doc     uint32    // first document of pending, or noDoc; in a block not decoded, a lower bound

	scoredDoc uint32  // last document that score was called for
	termScore float64 // score of the term in scoredDoc

	shortBlock [1]block  // the block of a short list
	buf        []posting // backing array of pending
}

// noDoc is greater than every document number.
const noDoc = math.MaxUint32

// open places c before the first posting of term t and returns the number of live
// documents that have t.
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

// setWeight sets the idf of the term and computes the bounds from it.
func (c *cursor) setWeight(f bm25, idf float64) {
	c.idf = idf
	c.boundScale = idf * max(1, c.formula.perLength/f.perLength)
	for _, b := range c.blocks {
		c.bound = max(c.bound, c.boundScale*float64(b.maxTermScore))
	}
}

// blockBound returns the highest term score possible in the current block.
func (c *cursor) blockBound() float64 {
	return c.boundScale * float64(c.blocks[c.current].maxTermScore)
}

// skipBlocks skips the blocks that end before doc without decoding any.
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

// done reports whether no block is left.
func (c *cursor) done() bool { return c.current == len(c.blocks) }

// seek moves to the first document of the current block that is not before doc.
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

// next moves past the first pending document.
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

// score returns the term's score in the current document and records it.
func (c *cursor) score(f bm25) float64 {
	c.scoredDoc, c.termScore = c.doc, f.termScore(c.idf, c.pending[0].weight, c.lengths[c.doc])
	return c.termScore
}
