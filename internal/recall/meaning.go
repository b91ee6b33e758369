// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/internal/vector"
	"github.com/fovea-memory/fovea/node"
)

// ArmMeaning is the arm of Meaning: how near a node is to the request by the vectors of a
// model.
const ArmMeaning = "meaning"

// Constants of Meaning, measured with made-up models, see BenchmarkMeaning in bench: random
// vectors cost nothing at twice the weight. Of the gain of a fusion with labels over words, a
// proven oracle gains .67 of R@10 or more, unproven .37; with the level at 0, or the weight
// doubled, one that is right in three of four questions falls below the words.
const (
	weightMeaning = .8  // of a model that has proven nothing
	provenWeight  = .5  // more, as a share, of one that has proven itself
	provenLevel   = .6  // less, as a share, is the level from which its nodes count
	deviations    = 4   // above the level, for the whole weight and a similarity of 1
	maxNear       = 200 // of the nearest texts may get a share; 1,000 gain nothing
)

// near is the vectors of the nodes of a state. It is immutable.
type near struct {
	set   *vector.Set
	files map[*index.File][]int32 // rows by node of a file, -1 for none
	keep  vector.Bitmap           // rows of the nodes of the state
	rows  int                     // how many
	// Positions by row, as lists, since several nodes may have the same text.
	first []uint32 // by row: a position plus one, 0 for none
	next  []uint32 // by position: another plus one
}

// newNear finds the vectors of the nodes of words. before, which may be nil, comes from
// earlier words or an earlier set: its data of a file is used again. O(nodes).
func newNear(set *vector.Set, words *Words, before *near) *near {
	order := words.Order()
	x := &near{set: set, files: make(map[*index.File][]int32), next: make([]uint32, order.Len())}
	for f := range order.Files() {
		file := order.File(f)
		rows := before.rowsOf(file, set)
		if rows == nil {
			rows = findRows(words.state.Nodes(file.Path), set)
		}
		x.files[file] = rows
		first, _ := order.Span(f)
		for i, row := range rows {
			if row >= 0 && set.Has(int(row)) {
				x.add(int(row), first+uint32(i))
			}
		}
	}
	return x
}

// rowsOf returns the rows of a file, nil if they are not known or one may have come since.
func (x *near) rowsOf(file *index.File, set *vector.Set) []int32 {
	if x == nil || !x.set.IsOf(set) {
		return nil
	}
	rows := x.files[file]
	if x.set != set && slices.ContainsFunc(rows, func(row int32) bool { return row < 0 || !set.Has(int(row)) }) {
		return nil
	}
	return rows
}

// findRows returns the row of each node, -1 for one without a vector.
func findRows(nodes []*node.Node, set *vector.Set) []int32 {
	rows := make([]int32, len(nodes))
	for i, n := range nodes {
		rows[i] = -1
		if row, ok := set.Row(n.Own); ok {
			rows[i] = int32(row)
		}
	}
	return rows
}

func (x *near) add(row int, pos uint32) {
	if grow := row + 1 - len(x.first); grow > 0 {
		x.first = append(x.first, make([]uint32, grow)...)
	}
	if x.first[row] == 0 {
		x.keep.Add(row)
		x.rows++
	}
	x.first[row], x.next[pos] = pos+1, x.first[row]
}

// Meaning ranks nodes by how near their vectors are to the request's. Nodes that
// are no nearer than the nearest of as many unrelated ones would be by chance get nothing,
// so that a model that knows nothing of the request adds nothing. Where a filter leaves too
// few of the nearest, the nearest of the rest count. Where too few nodes have
// vectors to tell chance, the neighbours of a focus rank by their cosine.
type Meaning struct {
	Set   *vector.Set
	Query *vector.Query // of the text of the request; nil: of its focus
	// Trust is how well the model has proven to answer questions, 0 to 1. It lowers
	// the level from which a node gets a share, and raises the weight.
	Trust float64
	// Only means that nothing else ranks: then every near node counts, by its cosine.
	Only bool
}

// Rank implements Ranker.
func (m Meaning) Rank(req *Request, b *Board) {
	q := m.query(req)
	if q == nil {
		return
	}
	of := b.words.near(m.Set)
	hits := m.Set.Best(q, of.keep, maxNear)
	if len(hits) == 0 {
		return
	}
	nearest := hits[0].Cosine
	if req.Keep != nil && of.count(hits, b, req.Keep) < cmp.Or(req.Limit, maxNear) {
		hits = m.Set.Best(q, m.rows(req.Kept), maxNear)
	}
	c := chanceOf(m.Set.Chance(q), of.rows)
	level := c.best * (1 - provenLevel*m.Trust)
	whole := max(deviations, c.above(nearest)-level)
	arm := b.Arm(ArmMeaning)
	for _, h := range hits {
		share := weightMeaning * (1 + provenWeight*m.Trust) * (c.above(h.Cosine) - level) / whole
		switch {
		case m.Only:
			share = float64(h.Cosine)
		case m.Query == nil && c.deviation == 0: // nothing tells what is chance
			share = weightMeaning * float64(h.Cosine)
		}
		for pos := of.first[h.Row]; pos > 0 && share > 0; pos = of.next[pos-1] {
			arm.Add(pos-1, share)
			b.resembles(pos-1, float64(h.Cosine), c.similarity(h.Cosine))
		}
	}
}

// count returns how many nodes of some rows are kept.
func (x *near) count(hits []vector.Hit, b *Board, keep func(id string) bool) (n int) {
	for _, h := range hits {
		for pos := x.first[h.Row]; pos > 0; pos = x.next[pos-1] {
			if keep(b.Order.ID(pos - 1)) {
				n++
			}
		}
	}
	return n
}

// rows returns the rows of nodes.
func (m Meaning) rows(nodes iter.Seq[*node.Node]) (rows vector.Bitmap) {
	for n := range nodes {
		if row, ok := m.Set.Row(n.Own); ok {
			rows.Add(row)
		}
	}
	return rows
}

// chance is how near unrelated nodes are to a request.
type chance struct {
	median, deviation float64 // of the cosines; the deviation is 0 if they are too few or too equal to tell
	best              float64 // the best of them all, in deviations above the median
}

// minRows is the least number of nodes whose cosines show the level of chance.
const minRows = 16

func chanceOf(of vector.Chance, rows int) chance {
	const fromMAD = 1.4826 // the deviation of a normal distribution over its MAD
	c := chance{median: float64(of.Median), best: math.Sqrt(2*math.Log(float64(max(2, rows)))) - .5}
	if rows >= minRows {
		c.deviation = fromMAD * float64(of.MAD)
	}
	return c
}

// above returns how many deviations a cosine is above the median.
func (c chance) above(cosine float32) float64 {
	if c.deviation == 0 {
		return 0
	}
	return (float64(cosine) - c.median) / c.deviation
}

// similarity returns how far a cosine is above chance or, if nothing tells what that is, the
// cosine.
func (c chance) similarity(cosine float32) float64 {
	if c.deviation == 0 {
		return float64(cosine)
	}
	return (c.above(cosine) - c.best) / deviations
}

// query returns what nodes are compared with, nil if nothing.
func (m Meaning) query(req *Request) *vector.Query {
	if m.Query != nil || req.Focus == nil {
		return m.Query
	}
	if row, ok := m.Set.Row(req.Focus.Own); ok {
		return m.Set.Of(row)
	}
	return nil
}
