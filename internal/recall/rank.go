// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"iter"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/node"
)

// Ranker gives scores to the nodes of one view, in one or more arms. Search and windows
// rank by the sum of all arms. A Ranker has a file of its own, with its weights as
// constants and their measurement.
type Ranker interface {
	// Rank adds scores of nodes to the board, positive or negative. It adds nothing if it
	// cannot judge the request. It may build on the scores of earlier rankers. The same
	// request on the same view gives the same scores.
	Rank(req *Request, b *Board)
}

// Rankers returns the rankers that need only the view. caller are the names that notes may use for the caller.
func Rankers(caller []string) []Ranker {
	return []Ranker{Text{}, People{caller}, Dates{}, Statements{}, Focus{}}
}

// maxQuestion is the number of bytes of a question, or of a title with its dates, that
// are read for anything but words.
const maxQuestion = 4096

// Request is what nodes are ranked for.
type Request struct {
	Text  string     // any text; may be empty
	Focus *node.Node // the node that hits should resemble, nil for none
	// Limit is the maximum number of hits; 0 or less means all.
	Limit int
	// Terms is the maximum number of words of the focus that are used, the rarest ones; 0
	// means all.
	Terms int
	// Keep, if not nil, reports whether a node may be returned. It always returns the
	// same result for the same id.
	Keep func(id string) bool
	// Kept yields the nodes that Keep keeps, at a lower cost than calling it for all. It is
	// nil if Keep is.
	Kept iter.Seq[*node.Node]
}

// Board collects the scores of one request. Nodes are named by their positions in
// Order. It belongs to one goroutine.
type Board struct {
	State *graph.State
	Words *index.Lexical
	Order *index.Order

	arms    []*Arm
	touched []uint32 // positions with a share
	seen    []bool   // by position

	// ideal is the score of a node that has each word of the request once, on the scale of
	// covered; 0 if the request has no words.
	ideal   float64
	covered []float64 // by position: the part of the request that the node's words cover
	alike   map[uint32]likeness

	words  *Words
	scores index.Scores
	spare  [][]float64 // columns to reuse
}

// Arm is a column of a board.
type Arm struct {
	Name   string
	board  *Board
	shares []float64 // by position
}

// boards are reused, since their columns are long.
var boards = sync.Pool{New: func() any { return new(Board) }}

// Arm returns the column of that name.
func (b *Board) Arm(name string) *Arm {
	for _, a := range b.arms {
		if a.Name == name {
			return a
		}
	}
	var column []float64
	if n := len(b.spare); n > 0 {
		column, b.spare = b.spare[n-1], b.spare[:n-1]
	}
	if len(column) < b.Order.Len() {
		column = make([]float64, b.Order.Len())
	}
	a := &Arm{name, b, column}
	b.arms = append(b.arms, a)
	return a
}

// addOnce adds a share to a position that another arm has found, unless this arm already did.
func (a *Arm) addOnce(pos uint32, share float64) {
	if a.board.seen[pos] && a.shares[pos] == 0 {
		a.Add(pos, share)
	}
}

// Add adds a share to what the arm gives to a position. A node whose words cover the whole
// request gets about 1. NaN is ignored, and a share is limited to the range from -2 to 2.
func (a *Arm) Add(pos uint32, share float64) {
	if share == 0 || math.IsNaN(share) {
		return
	}
	if !a.board.seen[pos] {
		a.board.seen[pos] = true
		a.board.touched = append(a.board.touched, pos)
	}
	a.shares[pos] += min(max(share, -maxShareOfArm), maxShareOfArm)
}

const maxShareOfArm = 2

// Sum returns the sum of all arms at a position so far.
func (b *Board) Sum(pos uint32) float64 {
	sum := 0.0
	for _, a := range b.arms {
		sum += a.shares[pos]
	}
	return sum
}

// release clears the board and keeps its memory for the next request.
func (b *Board) release() {
	for _, a := range b.arms {
		for _, pos := range b.touched {
			a.shares[pos] = 0
		}
		b.spare = append(b.spare, a.shares)
	}
	for _, pos := range b.touched {
		b.seen[pos], b.covered[pos] = false, 0
	}
	b.scores.Reset()
	b.arms, b.touched, b.ideal = b.arms[:0], b.touched[:0], 0
	clear(b.alike)
	b.State, b.Words, b.Order, b.words = nil, nil, nil, nil
	boards.Put(b)
}

// What a search reports about a node, see package search.
type (
	// Contribution is what one arm adds to a score.
	Contribution = node.Contribution
	// Ranked is a node with the sum of its arms.
	Ranked = node.Ranked
	// Hit is a node that a search found.
	Hit = node.Hit
)

// Rank returns the nodes with the best sums of the arms, if above 0, best first, equal
// scores by id, at most req.Limit.
func (v View) Rank(req Request) []Ranked {
	b := v.board()
	defer b.release()
	for _, r := range v.Rankers {
		r.Rank(&req, b)
	}
	return b.best(&req)
}

// board returns an empty board for the view; release gives it back.
func (v View) board() *Board {
	b := boards.Get().(*Board)
	words := v.Words()
	b.State, b.Words, b.Order, b.words = v.State, words.Lexical, words.Order(), words
	if n := b.Order.Len(); len(b.seen) < n {
		b.seen, b.covered = make([]bool, n), make([]float64, n)
	}
	return b
}

// total is the sum of all arms at a position.
type total struct {
	pos   uint32
	score float64
}

// top returns the positions that may be hits with the best sums above 0, best first; limit 0 means all.
func (b *Board) top(req *Request, limit int) []total {
	if limit <= 0 || limit > len(b.touched) {
		limit = len(b.touched)
	}
	worse := func(x, y total) bool {
		return x.score < y.score || x.score == y.score && b.Order.ID(x.pos) > b.Order.ID(y.pos)
	}
	top := bound.NewTop(limit, worse, nil)
	copies := maps.Collect(b.State.Copies()) // usually none, and then no node is looked up
	isCopy := func(pos uint32) bool {
		n, _ := b.State.Get(b.Order.ID(pos))
		return n != nil && copies[n.Path] != ""
	}
	for _, pos := range b.touched {
		s := total{pos, b.Sum(pos)}
		if s.score > 0 && top.Accepts(s) && (len(copies) == 0 || !isCopy(pos)) && (req.Keep == nil || req.Keep(b.Order.ID(pos))) {
			top.Add(s)
		}
	}
	return top.Sorted()
}

// best returns the hits.
func (b *Board) best(req *Request) []Ranked {
	sums := b.top(req, req.Limit)
	hits, arms := make([]Ranked, len(sums)), make([]Contribution, 0, len(sums)*len(b.arms))
	for i, s := range sums {
		near := b.alike[s.pos]
		similarity := min(1, max(b.coverage(s.pos), near.similarity))
		hits[i] = Ranked{ID: b.Order.ID(s.pos), Near: min(1, near.similarity)}
		hits[i].Relevance = node.Relevance{Score: s.score, Similarity: similarity, Cosine: near.cosine}
		first := len(arms)
		for _, a := range b.arms {
			if share := a.shares[s.pos]; share != 0 {
				arms = append(arms, Contribution{Arm: a.Name, Score: share})
			}
		}
		if len(arms) > first {
			hits[i].Arms = slices.Clip(arms[first:])
		}
	}
	return hits
}

// coverage returns the share of the request that the words of a node cover.
func (b *Board) coverage(pos uint32) float64 {
	if b.ideal == 0 {
		return 0
	}
	return b.covered[pos] / b.ideal
}

// likeness is how near the vectors of a node and of the request are.
type likeness struct{ cosine, similarity float64 }

// resembles records the likeness of a node.
func (b *Board) resembles(pos uint32, cosine, similarity float64) {
	if b.alike == nil {
		b.alike = map[uint32]likeness{}
	}
	b.alike[pos] = likeness{cosine, max(0, similarity)}
}
