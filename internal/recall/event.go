// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"math"

	"github.com/fovea-memory/fovea/merkle"
)

// Verdict is a judgement about a node that was shown.
type Verdict int8

// The verdicts.
const (
	Against Verdict = -1 // judged not useful
	Unsaid  Verdict = 0  // not judged, though others were
	Useful  Verdict = 1
)

// Event is feedback about the nodes that were shown for one question.
type Event struct {
	Question merkle.Digest
	Owner    bool // it is the owner's, not an agent's
	Shown    []Shown
}

// Shown is a node that was shown.
type Shown struct {
	Region   string    `json:"region"`
	Kind     float64   `json:"kind"`   // of its file, a number that is similar for files with similar notes
	Score    float64   `json:"score"`  // without what was learned
	Features []float64 `json:"values"` // in the order of the ranker
	Verdict  Verdict   `json:"verdict"`
}

// Weights of events and of verdicts.
const (
	weightOwner = 1
	weightAgent = .5
	refused     = .25 // of an event that calls nothing useful: unjudged nodes may have been
	unsaid      = .5  // of an unjudged node, as a rival of the useful ones
)

// bounds of what events may hold; the scores of a ranking are far within them.
const (
	maxScore   = 20
	maxFeature = 2
)

// bounded limits a number to [-bound, bound]. NaN becomes 0.
func bounded(x, bound float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return min(max(x, -bound), bound)
}

// list is the part of an event that is about one region.
type list struct {
	weight float64
	owner  bool
	plain  bool // something was called useful
	scores []float64
	rows   [][]float64
	rivals []float64 // by node: how much it counts as a rival
	target []float64 // by node: its share of usefulness; they add up to 1
}

// listsOf returns the lists of an event by region. It leaves out lists that treat all nodes
// alike.
func listsOf(e *Event, kinds map[string]*kind, features int) map[string]*list {
	lists := map[string]*list{}
	for i := range e.Shown {
		s := &e.Shown[i]
		if k := kinds[s.Region]; k == nil || !k.holds(s.Kind) {
			continue
		}
		l := lists[s.Region]
		if l == nil {
			l = &list{weight: weightAgent, owner: e.Owner}
			if e.Owner {
				l.weight = weightOwner
			}
			lists[s.Region] = l
		}
		row := make([]float64, features)
		for k := range min(features, len(s.Features)) {
			row[k] = bounded(s.Features[k], maxFeature)
		}
		rival, target := 1.0, 0.0
		switch s.Verdict {
		case Useful:
			target = 1
		case Unsaid:
			rival = unsaid
		}
		l.scores, l.rows = append(l.scores, bounded(s.Score, maxScore)), append(l.rows, row)
		l.rivals, l.target = append(l.rivals, rival), append(l.target, target)
	}
	for region, l := range lists {
		if !l.complete() {
			delete(lists, region)
		}
	}
	return lists
}

// complete scales the target to a sum of 1. It returns false if all nodes are alike.
func (l *list) complete() bool {
	useful := sum(l.target)
	l.plain = useful > 0
	if !l.plain { // nodes that were not refused may have been useful
		l.weight *= refused
		for i, rival := range l.rivals {
			if rival < 1 {
				l.target[i] = 1
			}
		}
		useful = sum(l.target)
	}
	if useful == 0 || useful == float64(len(l.target)) {
		return false
	}
	for i := range l.target {
		l.target[i] /= useful
	}
	return true
}

func sum(list []float64) (all float64) {
	for _, x := range list {
		all += x
	}
	return all
}

// How far from the mean kind of the useful files a file may be to count as one of that kind.
// Without a limit, feedback on chats costs talks in the same folder 20 points of R@10.
const (
	kindErrors = 2.5 // standard deviations
	minKind    = .2
)

// kind is the range of kinds of the files that contained something useful.
type kind struct{ count, mean, square float64 }

func (k *kind) add(of float64) {
	of = bounded(of, maxScore)
	k.count++
	k.mean += (of - k.mean) / k.count
	k.square += (of*of - k.square) / k.count
}

// holds reports whether a file is of the kind. If nothing was useful, any file is.
func (k *kind) holds(of float64) bool {
	deviation := math.Sqrt(max(0, k.square-k.mean*k.mean))
	return k.count == 0 || math.Abs(bounded(of, maxScore)-k.mean) <= kindErrors*deviation+minKind
}

// kindsOf returns the kinds of what events call useful, by region.
func kindsOf(events []Event) map[string]*kind {
	kinds := map[string]*kind{}
	for i := range events {
		for _, s := range events[i].Shown {
			if s.Verdict != Useful {
				continue
			}
			if kinds[s.Region] == nil {
				kinds[s.Region] = &kind{}
			}
			kinds[s.Region].add(s.Kind)
		}
	}
	return kinds
}
