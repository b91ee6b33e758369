// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
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

// Constants of Meaning, measured with USE-lite and GloVe from npm and with made-up models, see decision 0297.
const (
	weightMeaning = .12 // of a deviation above the level
	provenLevel   = .6  // less, as a share, is the level of a model that has proven itself
	deviations    = 4   // above the level, for a similarity of 1
	maxDeviations = 6   // of a node; what is farther above chance gets no more
	maxNear       = 200 // of the nearest texts, and of the nodes with the best scores so far, may get a share
	fewRows       = 64  // with fewer, a model cannot have proven itself, and one question does not show what is chance
	cosineRows    = 16  // with fewer, the similarity is the cosine

	// The values of unrelated texts in USE-lite: the least deviation of few rows, and the median of a single one.
	minDeviation = .1
	medianOfOne  = .3
)

// Weights of the better of the two neighbouring texts. meanBeside and wideBeside keep the sum for unrelated texts at
// a mean of 0 and a deviation of 1.
const (
	weightBeside = .7
	meanBeside   = .4
	wideBeside   = .15
)

// near is the vectors of the nodes of a state. It is immutable.
type near struct {
	set   *vector.Set
	files map[*index.File][]int32 // rows by node of a file, -1 for none
	keep  vector.Bitmap           // rows of the nodes of the state
	rows  int                     // their number
	// Lists of positions by row, since several nodes may have the same text.
	first []uint32 // by row: a position plus one, 0 for none
	next  []uint32 // by position: another plus one
}

// newNear finds the vectors of the nodes of words. before, which may be nil, belongs to
// earlier words or an earlier set; its rows of unchanged files are reused. O(nodes).
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

// rowsOf returns the rows of a file, nil if they are unknown or vectors may have been added since.
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

// Meaning ranks nodes by how much nearer to the request their vectors are, together with the better of the two
// neighbours' vectors, than unrelated ones would be. A node that no other arm has found must be nearer than the nearest
// of as many unrelated ones; with a model that has not proven itself, every node must. So a model that knows nothing
// about the request adds nothing. With a filter, the nearest of the nodes that it keeps count.
type Meaning struct {
	Set   *vector.Set
	Query *vector.Query // of the text of the request; nil: of its focus
	// Trust is how well the model has proven itself, 0 to 1. It lowers the level above
	// which a node gets a share.
	Trust float64
	// Only means that there is no other ranker: then every near node counts, by its cosine.
	Only bool
}

// Rank implements Ranker.
func (m Meaning) Rank(req *Request, b *Board) {
	q := m.query(req)
	if q == nil {
		return
	}
	of := b.words.near(m.Set)
	keep := of.keep
	if req.Kept != nil {
		keep = m.rows(req.Kept)
	}
	hits := m.Set.Best(q, keep, maxNear)
	c := &comparison{b, m.Set, q, of, chanceOf(m.Set, q, of.rows), map[int]float64{}}
	arm, plain := b.Arm(ArmMeaning), m.Only || m.Query == nil && of.rows < cosineRows
	for _, pos := range c.candidates(req, hits) {
		cosine, ok := c.cosine(pos)
		if !ok {
			continue
		}
		share, isNear := float64(cosine), cosine > 0
		if !plain {
			above := c.withBeside(pos)
			share = weightMeaning * (min(above, maxDeviations) - c.level*(1-m.Trust))
			isNear = above >= c.level*(1-provenLevel*m.Trust)
		}
		if share <= 0 || !isNear && !b.seen[pos] {
			continue
		}
		arm.Add(pos, share)
		if isNear {
			b.resembles(pos, float64(cosine), c.similarity(cosine))
		}
	}
}

// comparison compares the nodes of a board with a request.
type comparison struct {
	*Board
	set   *vector.Set
	query *vector.Query
	near  *near
	chance
	open map[int]float64 // by file: how far the gate of neighbours is open
}

// candidates returns the positions of the nearest texts, and of the nodes with the best scores so far.
func (c *comparison) candidates(req *Request, hits []vector.Hit) (all []uint32) {
	for _, h := range hits {
		for pos := c.near.first[h.Row]; pos > 0; pos = c.near.next[pos-1] {
			all = append(all, pos-1)
		}
	}
	near := len(all)
	slices.Sort(all)
	for _, s := range c.top(req, maxNear) {
		if _, twice := slices.BinarySearch(all[:near], s.pos); !twice {
			all = append(all, s.pos)
		}
	}
	return all
}

// cosine compares the text at a position; false if it has no vector.
func (c *comparison) cosine(pos uint32) (float32, bool) {
	f, local := c.Order.Place(pos)
	row := int(c.near.files[c.Order.File(f)][local])
	if row < 0 || !c.set.Has(row) {
		return 0, false
	}
	return c.set.Cosine(c.query, row), true
}

// withBeside returns how far above chance the text at a position is, in deviations, together with the better of its
// neighbours as far as the gate of its file is open.
func (c *comparison) withBeside(pos uint32) float64 {
	f, _ := c.Order.Place(pos)
	gate, known := c.open[f]
	if !known && len(c.open) < maxGated {
		gate, _ = c.gates(f)
		c.open[f] = gate
	}
	own, _ := c.cosine(pos)
	first, last := c.Order.Span(f)
	beside := float32(-1)
	for _, at := range [...]uint32{max(first+1, pos) - 1, min(last, pos+1)} {
		if cosine, ok := c.cosine(at); ok && at != pos {
			beside = max(beside, cosine)
		}
	}
	if beside == -1 {
		return c.above(own)
	}
	return (c.above(own) + gate*(weightBeside*c.above(beside)-meanBeside)) / (1 + gate*wideBeside)
}

// rows returns the rows of some nodes.
func (m Meaning) rows(nodes iter.Seq[*node.Node]) (rows vector.Bitmap) {
	for n := range nodes {
		if row, ok := m.Set.Row(n.Own); ok {
			rows.Add(row)
		}
	}
	return rows
}

// chance is how near unrelated nodes are to a request: what counts must be nearer.
type chance struct {
	median, deviation float64 // of the cosines; a deviation of 0 means that all are equal
	level             float64 // of the nearest of them, in deviations above the median
	few               bool    // the similarity is the cosine
}

// chanceOf measures the cosines of a question. If there are few nodes it compares them with each
// other instead, since one question may be near to most of them.
func chanceOf(set *vector.Set, q *vector.Query, rows int) chance {
	const fromMAD = 1.4826 // the deviation of a normal distribution over its MAD
	c := chance{level: math.Sqrt(2*math.Log(float64(max(2, rows)))) - .5, few: rows < cosineRows}
	of := set.Chance(q)
	if set.Len() < fewRows {
		of = set.Between()
		c.level *= 1 - provenLevel
		c.deviation = minDeviation
	}
	if c.median = float64(of.Median); set.Len() == 1 {
		c.median = medianOfOne
	}
	c.deviation = max(c.deviation, fromMAD*float64(of.MAD))
	return c
}

// above returns how many deviations a cosine is above the median.
func (c chance) above(cosine float32) float64 {
	if c.deviation == 0 {
		return 0
	}
	return (float64(cosine) - c.median) / c.deviation
}

// similarity returns how far a cosine is above chance or, among few rows, the cosine.
func (c chance) similarity(cosine float32) float64 {
	if c.few {
		return float64(cosine)
	}
	return (c.above(cosine) - c.level) / deviations
}

// query returns the vector that nodes are compared with, nil for none.
func (m Meaning) query(req *Request) *vector.Query {
	if m.Query != nil || req.Focus == nil {
		return m.Query
	}
	if row, ok := m.Set.Row(req.Focus.Own); ok {
		return m.Set.Of(row)
	}
	return nil
}
