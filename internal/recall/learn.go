// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"cmp"
	"math"
	"slices"
)

// Bounds of learning. A node whose words cover the whole question has a score of about 1.
const (
	MaxWeight = 1. / 3 // of a feature: an arm counts at least two thirds and at most four thirds
	MaxGiven  = .25    // to a node
)

// How weights are fitted. Measured on LoCoMo, see doc/decisions/0151: with 3 or 30 instead of
// 10, R@10 after 300 questions differs by less than .005.
const (
	steepness = 8.   // of the chance that the better of two nodes is the useful one
	restraint = 10.  // pulls the weights to 0
	rounds    = 20   // of the descent
	pace      = .5   // of a round, as a share of the step of Newton
	grain     = 1024 // weights are multiples of its inverse
)

// What a region must show before its weights count.
const (
	minHeld   = 20   // questions
	minGain   = .005 // of nDCG
	minErrors = 1.5  // standard errors of the gain
)

// Weights are the weights of the features.
type Weights []float64

// Of returns what features give a node, within MaxGiven.
func (w Weights) Of(features []float64) float64 {
	given := 0.0
	for k := range min(len(w), len(features)) {
		given += bounded(w[k], MaxWeight) * bounded(features[k], maxFeature)
	}
	return bounded(given, MaxGiven)
}

// Region is what was learned about the nodes of one part of a memex.
type Region struct {
	Evidence
	Weights Weights

	kind kind // of the files that the weights apply to
}

// Evidence is why the weights of a region are used, or not.
type Evidence struct {
	On     bool    `json:"on" jsonschema:"its learned weights are used for ranking"`
	Why    string  `json:"why,omitempty" jsonschema:"why they are not used"`
	Events int     `json:"events" jsonschema:"number of questions whose feedback distinguishes its notes"`
	Held   int     `json:"held" jsonschema:"number of these that were held back, to decide whether the weights are used"`
	Owner  int     `json:"owner" jsonschema:"number of those held back that are of the owner; 0 means that only agents gave feedback"`
	Gain   float64 `json:"gain" jsonschema:"gain of nDCG on the questions held back"`
	Error  float64 `json:"error" jsonschema:"standard error of the gain"`
}

// Model is what was learned from feedback, by region. It must not be changed.
type Model map[string]*Region

// Of returns the weights of a region for files of a kind, nil if none are used.
func (m Model) Of(region string, of float64) Weights {
	if r := m[region]; r != nil && r.On && r.kind.holds(of) {
		return r.Weights
	}
	return nil
}

// On reports whether any region's weights are used.
func (m Model) On() bool {
	for _, r := range m {
		if r.On {
			return true
		}
	}
	return false
}

// parts is the number of parts that questions are split into. Each is held back once.
const parts = 3

// part is the part of a question.
func (e *Event) part() int { return int(e.Question[0]) % parts }

// Fit learns from events: the weights are the mean of those fitted without one part each. Whether
// they are used depends on how each does on the part that was left out. O(events · nodes ·
// features).
func Fit(events []Event, features int) Model {
	regions, kinds := map[string]*[parts][]*list{}, kindsOf(events)
	for i := range events {
		for region, l := range listsOf(&events[i], kinds, features) {
			if regions[region] == nil {
				regions[region] = new([parts][]*list)
			}
			of := &regions[region][events[i].part()]
			*of = append(*of, l)
		}
	}
	m := Model{}
	for name, lists := range regions {
		m[name] = learned(lists, features)
		m[name].kind = *kinds[name]
	}
	return m
}

// learned learns from the lists of a region.
func learned(lists *[parts][]*list, features int) *Region {
	r, sums := &Region{}, make(Weights, features)
	var held trial
	for part, of := range lists {
		r.Events += len(of)
		w := fitted(slices.Concat(lists[(part+1)%parts], lists[(part+2)%parts]), features)
		for k := range w {
			sums[k] += w[k]
		}
		for _, l := range of {
			held.add(l, w)
		}
	}
	r.Weights = sums
	for k := range sums {
		sums[k] = math.Trunc(sums[k]/parts*grain) / grain
	}
	held.decide(r)
	return r
}

// fitted returns the weights that make the useful nodes most likely: by descent along each
// weight, within the bounds.
func fitted(lists []*list, features int) Weights {
	w, d := make(Weights, features), newDescent(features)
	for range rounds {
		clear(d.slope)
		clear(d.bend)
		for _, l := range lists {
			d.add(l, w)
		}
		for k := range w {
			step := (d.slope[k] - restraint*w[k]) / (d.bend[k] + restraint)
			w[k] = bounded(w[k]+pace*step, MaxWeight)
		}
	}
	return w
}

// descent is the slope and the bend of the likelihood along each weight.
type descent struct {
	slope, bend          []float64
	mean, square, useful []float64 // of the features of a list
	chances              []float64
}

func newDescent(features int) *descent {
	of := func() []float64 { return make([]float64, features) }
	return &descent{of(), of(), of(), of(), of(), nil}
}

// add adds the gradients of a list.
func (d *descent) add(l *list, w Weights) {
	clear(d.mean)
	clear(d.square)
	clear(d.useful)
	d.weigh(l, w)
	for i, row := range l.rows {
		chance, target := d.chances[i], l.target[i]
		for k, x := range row {
			d.mean[k] += chance * x
			d.square[k] += chance * x * x
			d.useful[k] += target * x
		}
	}
	for k := range w {
		d.slope[k] += l.weight * steepness * (d.useful[k] - d.mean[k])
		d.bend[k] += l.weight * steepness * steepness * max(0, d.square[k]-d.mean[k]*d.mean[k])
	}
}

// weigh sets the chance of each node of a list to be the useful one under some weights.
func (d *descent) weigh(l *list, w Weights) {
	d.chances = d.chances[:0]
	top := math.Inf(-1)
	for i, row := range l.rows {
		score := l.scores[i]
		for k, x := range row {
			score += w[k] * x
		}
		d.chances = append(d.chances, score)
		top = max(top, score)
	}
	all := 0.0
	for i, score := range d.chances {
		d.chances[i] = l.rivals[i] * math.Exp(steepness*(score-top))
		all += d.chances[i]
	}
	for i := range d.chances {
		d.chances[i] /= all
	}
}

// trial measures weights on lists that they were not fitted to.
type trial struct {
	lists, byOwner               int
	weight, gain, square, owners float64
}

// add tries weights on a list, unless the list has only refusals.
func (t *trial) add(l *list, w Weights) {
	if !l.plain {
		return
	}
	t.lists++
	if l.owner {
		t.byOwner++
	}
	g := l.quality(w) - l.quality(nil)
	t.weight, t.gain, t.square = t.weight+l.weight, t.gain+l.weight*g, t.square+l.weight*g*g
	if l.owner {
		t.owners += g
	}
}

// decide sets whether the weights of a region are used. They are not if they harm the owner's
// questions, whatever agents report.
func (t *trial) decide(r *Region) {
	if r.Held, r.Owner = t.lists, t.byOwner; r.Held > 0 {
		r.Gain = t.gain / t.weight
		r.Error = math.Sqrt(max(0, t.square/t.weight-r.Gain*r.Gain) / float64(r.Held))
	}
	switch {
	case r.Held < minHeld:
		r.Why = "there are too few questions to decide"
	case t.owners < 0:
		r.Why = "it does not help the owner's questions that were held back"
	case r.Gain < minGain || r.Gain < minErrors*r.Error:
		r.Why = "it does not help the questions that were held back"
	default:
		r.On = true
	}
}

// quality returns nDCG of the order by some weights, or by the scores if nil.
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
