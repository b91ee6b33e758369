// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/node"
)

// Ranker is one arm of the score: it ranks the nodes of one view for a request. Search
// and windows rank by the sum of all arms. An arm has a file of its own, with its
// weights as constants and the measurement behind them.
type Ranker interface {
	// Name identifies the arm in explanations.
	Name() string
	// Rank returns what the arm gives to nodes, each node once, and nothing if the arm
	// cannot judge the request. The first arm of a view scores on a scale of its own,
	// above 0. Every other arm returns shares of the best score of the first, from -1
	// to 1: what lies beyond is cut off. first holds the scores of the first arm, best
	// first, for arms that build on them, such as one for the neighbours of hits; it
	// must not be changed, and is nil for the first arm itself. The same request on the
	// same view gives the same scores.
	Rank(req Request, first []index.Hit) []index.Hit
}

// Request is what nodes are ranked for.
type Request struct {
	Text  string     // any text; may be empty
	Focus *node.Node // the node that hits should resemble, nil for none
	// Limit is the number of nodes wanted; 0 or less means all. An arm that can find its
	// best nodes quickly need not return more.
	Limit int
	// Terms is the maximum number of words used, the rarest ones; 0 means all.
	Terms int
	// Keep, if not nil, decides whether a node may be returned. It always returns the
	// same result for the same id.
	Keep func(id string) bool
}

// minPool is how many of its best nodes each of several arms is asked for, so that the
// best by the sum are among them even if no arm ranks them first.
const minPool = 500

// Contribution is what one arm adds to the score of a node.
type Contribution struct {
	Arm   string
	Score float64
}

// Ranking is the sum of the arms for one request.
type Ranking struct {
	Hits []index.Hit // best first, equal scores by id

	first         string                    // name of the first arm
	contributions map[string][]Contribution // by id; nil if only the first arm gave anything
}

// Contributions returns what each arm gave to a hit, in the order of the arms. Added in
// this order they are its score.
func (r Ranking) Contributions(h index.Hit) []Contribution {
	if r.contributions == nil {
		return []Contribution{{r.first, h.Score}}
	}
	return r.contributions[h.ID]
}

// Reason names the arms besides the first that speak for a hit, "" if there are none.
func (r Ranking) Reason(h index.Hit) string {
	if r.contributions == nil {
		return ""
	}
	var names []string
	for _, c := range r.contributions[h.ID] {
		if c.Arm != r.first && c.Score > 0 {
			names = append(names, c.Arm)
		}
	}
	return strings.Join(names, ", ")
}

// Rank returns the nodes with the best sums of the arms, if above 0, at most req.Limit.
// Arms that give nothing change nothing: if only the first arm gives anything, its
// scores are returned as they are.
func (v View) Rank(req Request) Ranking {
	limit := req.Limit
	if limit > 0 && len(v.Arms) > 1 {
		req.Limit = max(limit, minPool)
	}
	var r Ranking
	unit := 1.0 // what a share of 1 is worth
	for i, arm := range v.Arms {
		scores := arm.Rank(req, r.Hits)
		switch {
		case i == 0:
			r.first, r.Hits = arm.Name(), scores
			if len(scores) > 0 {
				unit = scores[0].Score
			}
		case len(scores) > 0:
			r.add(arm.Name(), scores, unit, req.Keep)
		}
	}
	if r.contributions != nil {
		r.sum()
	}
	if limit > 0 && len(r.Hits) > limit {
		r.Hits = r.Hits[:limit]
	}
	return r
}

// add adds the shares that an arm gives, in the given unit.
func (r *Ranking) add(arm string, shares []index.Hit, unit float64, keep func(id string) bool) {
	if r.contributions == nil {
		r.contributions = make(map[string][]Contribution, len(r.Hits)+len(shares))
		for _, h := range r.Hits {
			r.contributions[h.ID] = []Contribution{{r.first, h.Score}}
		}
	}
	for _, s := range shares {
		share := min(max(s.Score, -1), 1)
		if share == 0 || math.IsNaN(share) || keep != nil && !keep(s.ID) {
			continue
		}
		r.contributions[s.ID] = append(r.contributions[s.ID], Contribution{arm, share * unit})
	}
}

// sum sets the hits to the sums of the contributions.
func (r *Ranking) sum() {
	r.Hits = make([]index.Hit, 0, len(r.contributions))
	for id, list := range r.contributions {
		total := 0.0
		for _, c := range list {
			total += c.Score
		}
		if total > 0 {
			r.Hits = append(r.Hits, index.Hit{ID: id, Score: total})
		}
	}
	slices.SortFunc(r.Hits, func(a, b index.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.ID, b.ID))
	})
}
