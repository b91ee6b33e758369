// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package learn

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Bounds of what is learned. A node that answers all of a question by words has a score of
// about 1.
const (
	MaxWeight = 1. / 3 // of a feature: an arm counts at least two thirds and at most four thirds
	MaxGiven  = .25    // to a node
)

// How weights are fitted. Measured on LoCoMo, see doc/decisions/0151: with 3 or 30 instead of
// 10, R@10 after 300 questions differs by less than .005.
const (
	steepness = 8.   // of the chance that the better of two nodes is the useful one
	restraint = 10.  // pulls the weights to 0
	rounds    = 60   // of the descent
	pace      = .3   // of a round, as a share of the step of Newton
	grain     = 1024 // weights are multiples of its inverse
)

// What a region has to prove.
const (
	minHeld = 8    // questions of the part held back
	minGain = .005 // of nDCG, and more than its standard error
)

// Weights are those of the features.
type Weights []float64

// Of returns what features give a node, within MaxGiven.
func (w Weights) Of(features []float64) float64 {
	given := 0.0
	for k := range min(len(w), len(features)) {
		given += bounded(w[k], MaxWeight) * bounded(features[k], maxFeature)
	}
	return bounded(given, MaxGiven)
}

// Region is what was learned of the nodes of one part of a memex.
type Region struct {
	Weights Weights
	On      bool    // the weights count
	Events  int     // that tell nodes of the region apart
	Held    int     // of those, the ones by which it was decided whether the weights count
	Gain    float64 // mean gain of nDCG by the weights among them
	Error   float64 // standard error of Gain
	Why     string  // the weights do not count, "" if they do
}

// Model is what was learned, by region. It must not be changed.
type Model map[string]*Region

// Of returns the weights of a region, nil if none count.
func (m Model) Of(region string) Weights {
	if r := m[region]; r != nil && r.On {
		return r.Weights
	}
	return nil
}

// On reports whether anything that was learned counts.
func (m Model) On() bool {
	for _, r := range m {
		if r.On {
			return true
		}
	}
	return false
}

// isHeld reports whether an event belongs to the third that is held back.
func (e *Event) isHeld() bool { return e.Question[0]%3 == 2 }

// Fit returns what events teach. O(events · nodes · features).
func Fit(events []Event, features int) Model {
	fit, held := map[string][]*list{}, map[string][]*list{}
	for i := range events {
		e := &events[i]
		into := fit
		if e.isHeld() {
			into = held
		}
		for region, l := range listsOf(e, features) {
			into[region] = append(into[region], l)
		}
	}
	m := Model{}
	for _, region := range slices.Compact(slices.Sorted(maps.Keys(joined(fit, held)))) {
		r := &Region{Weights: fitted(fit[region], features), Events: len(fit[region]) + len(held[region])}
		r.prove(held[region])
		m[region] = r
	}
	return m
}

func joined(a, b map[string][]*list) map[string][]*list {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// fitted returns the weights that make what was useful the most likely: by descent along each
// weight, within the bounds.
func fitted(lists []*list, features int) Weights {
	w := make(Weights, features)
	slope, bend := make([]float64, features), make([]float64, features)
	for range rounds {
		clear(slope)
		clear(bend)
		for _, l := range lists {
			l.descend(w, slope, bend)
		}
		for k := range w {
			step := (slope[k] - restraint*w[k]) / (bend[k] + restraint)
			w[k] = bounded(w[k]+pace*step, MaxWeight)
		}
	}
	for k := range w {
		w[k] = math.Trunc(w[k]*grain) / grain
	}
	return w
}

// descend adds the slope and the bend of the likelihood of a list along each weight.
func (l *list) descend(w Weights, slope, bend []float64) {
	chances := l.chances(w)
	for k := range w {
		mean, square, useful := 0.0, 0.0, 0.0
		for i, row := range l.rows {
			mean += chances[i] * row[k]
			square += chances[i] * row[k] * row[k]
			useful += l.target[i] * row[k]
		}
		slope[k] += l.weight * steepness * (useful - mean)
		bend[k] += l.weight * steepness * steepness * max(0, square-mean*mean)
	}
}

// chances returns how likely each node is to be the useful one, by some weights.
func (l *list) chances(w Weights) []float64 {
	chances := make([]float64, len(l.rows))
	top := math.Inf(-1)
	for i, row := range l.rows {
		chances[i] = l.scores[i]
		for k, x := range row {
			chances[i] += w[k] * x
		}
		top = max(top, chances[i])
	}
	all := 0.0
	for i := range chances {
		chances[i] = l.rivals[i] * math.Exp(steepness*(chances[i]-top))
		all += chances[i]
	}
	for i := range chances {
		chances[i] /= all
	}
	return chances
}

// prove decides by the lists that were held back whether the weights of a region count. What
// agents say does not count against what the owner says.
func (r *Region) prove(held []*list) {
	var weight, gain, square, owners float64
	for _, l := range held {
		if !l.plain {
			continue
		}
		r.Held++
		g := l.quality(r.Weights) - l.quality(nil)
		weight, gain, square = weight+l.weight, gain+l.weight*g, square+l.weight*g*g
		if l.owner {
			owners += g
		}
	}
	if r.Held > 0 {
		r.Gain = gain / weight
		r.Error = math.Sqrt(max(0, square/weight-r.Gain*r.Gain) / float64(r.Held))
	}
	switch {
	case r.Held < minHeld:
		r.Why = "too few questions are held back to tell"
	case owners < 0:
		r.Why = "it does not help the owner's questions that were held back"
	case r.Gain < minGain || r.Gain <= r.Error:
		r.Why = "it does not help the questions that were held back"
	default:
		r.On = true
	}
}

// quality returns nDCG of the order by some weights, nil for that of the scores.
func (l *list) quality(w Weights) float64 {
	order := make([]int, len(l.rows))
	scores := make([]float64, len(l.rows))
	for i := range order {
		order[i], scores[i] = i, l.scores[i]+w.Of(l.rows[i])
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	gain, ideal, useful := 0.0, 0.0, 0
	for rank, i := range order {
		if l.target[i] > 0 {
			gain += 1 / math.Log2(float64(rank+2))
			ideal += 1 / math.Log2(float64(useful+2))
			useful++
		}
	}
	return gain / ideal
}
