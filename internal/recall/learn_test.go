// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/merkle"
)

// habit returns events in which the node with the second feature is useful, and a share of
// which say it of another one instead.
func habit(n int, lies float64, owner bool) []Event {
	r := rand.New(rand.NewPCG(1, 2))
	events := make([]Event, n)
	for i := range events {
		events[i] = Event{Question: merkle.SumText(strconv.Itoa(i)), Owner: owner}
		useful := r.IntN(8)
		said := useful
		if r.Float64() < lies {
			said = r.IntN(8)
		}
		for j := range 8 {
			s := Shown{Score: .8 - .02*float64(j), Features: []float64{r.Float64(), 0, r.Float64()}}
			if j == useful || r.IntN(10) == 0 {
				s.Features[1] = 1
			}
			if j == said {
				s.Verdict = Useful
			}
			events[i].Shown = append(events[i].Shown, s)
		}
	}
	return events
}

// TestFitLearnsWhatHelps: a feature that useful nodes have gets a weight, also when one label
// in five is false; the others do not.
func TestFitLearnsWhatHelps(t *testing.T) {
	for name, lies := range map[string]float64{"all labels true": 0, "a fifth false": .2} {
		t.Run(name, func(t *testing.T) {
			r := Fit(habit(300, lies, true), 3)[""]
			if !r.On || r.Weights[1] < .2 || math.Abs(r.Weights[0]) > .1 || math.Abs(r.Weights[2]) > .1 {
				t.Errorf("got %+v", r)
			}
		})
	}
}

// TestFitIsOffUntilItHelps: without enough questions held back, and with labels at random,
// nothing counts; nor does what agents say against the owner.
func TestFitIsOffUntilItHelps(t *testing.T) {
	against := habit(300, 0, true)
	for i := range against {
		for j := range against[i].Shown { // of the owner, what lacks the feature is useful
			s := &against[i].Shown[j]
			s.Verdict = Useful
			if s.Features[1] > 0 {
				s.Verdict = Against
			}
		}
	}
	var crowd []Event
	for range 5 {
		crowd = append(crowd, habit(300, 0, false)...)
	}
	for name, c := range map[string]struct {
		events []Event
		on     bool
	}{
		"nothing":                   {nil, false},
		"ten questions":             {habit(10, 0, true), false},
		"labels at random":          {habit(300, 1, true), false},
		"agents alone":              {crowd, true},
		"agents against the owner":  {append(crowd, against...), false},
		"the owner":                 {habit(300, 0, true), true},
		"one question 1,000 times":  {repeated(habit(1, 0, true)[0], 1000), false},
		"the same question refused": {repeated(against[0], 1000), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Fit(c.events, 3); got.On() != c.on {
				t.Errorf("on is %v, want %v: %+v", got.On(), c.on, got[""])
			}
		})
	}
}

func repeated(e Event, n int) []Event {
	events := make([]Event, n)
	for i := range events {
		events[i] = e
	}
	return events
}

// TestFitByRegion: a region learns from its own nodes alone.
func TestFitByRegion(t *testing.T) {
	events := habit(300, 0, true)
	m := Fit(events, 3)
	for i := range events {
		events[i].Shown = append(events[i].Shown, Shown{Region: "other", Score: 1, Features: []float64{1, -1, 1}})
	}
	if got := Fit(events, 3); !cmp.Equal(got, m, whole) || got.Of("other", 0) != nil {
		t.Errorf("nodes of another region change what was learned: %s", cmp.Diff(m, got, whole))
	}
}

var whole = cmp.AllowUnexported(Region{}, kind{})

// TestFitIsForItsKind: weights are for files like those that something useful stood in, and
// other files in the region change nothing.
func TestFitIsForItsKind(t *testing.T) {
	events := habit(300, 0, true)
	for i := range events {
		for j := range events[i].Shown {
			events[i].Shown[j].Kind = 3 + .2*float64(i%3)
		}
	}
	m := Fit(events, 3)
	for of, want := range map[float64]bool{3: true, 3.2: true, 3.4: true, 2: false, 5: false, math.Inf(1): false, math.NaN(): false} {
		if got := m.Of("", of) != nil; got != want {
			t.Errorf("for the kind %v: %v, want %v", of, got, want)
		}
	}
	for i := range events {
		events[i].Shown = append(events[i].Shown, Shown{Kind: 5, Score: 1, Features: []float64{1, -1, 1}})
	}
	if got := Fit(events, 3); !cmp.Equal(got, m, whole) {
		t.Errorf("files of another kind change what was learned: %s", cmp.Diff(m, got, whole))
	}
}

// drawnEvents draws events with any numbers, such as somebody who wants to move the ranking would
// make.
func drawnEvents(t *rapid.T) []Event {
	number := rapid.OneOf(rapid.Float64(), rapid.Float64Range(-1, 1), rapid.SampledFrom([]float64{math.Inf(1), math.Inf(-1), math.NaN(), 0, 1}))
	shown := rapid.Custom(func(t *rapid.T) Shown {
		return Shown{
			Region: rapid.SampledFrom([]string{"", "a"}).Draw(t, "region"), Kind: number.Draw(t, "kind"), Score: number.Draw(t, "score"),
			Features: rapid.SliceOfN(number, 0, 5).Draw(t, "features"), Verdict: Verdict(rapid.IntRange(-1, 1).Draw(t, "verdict")),
		}
	})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Event {
		return Event{
			Question: merkle.SumText(strconv.Itoa(rapid.IntRange(0, 100).Draw(t, "question"))), Owner: rapid.Bool().Draw(t, "owner"),
			Shown: rapid.SliceOfN(shown, 0, 6).Draw(t, "shown"),
		}
	}), 0, 60).Draw(t, "events")
}

// TestFitIsBounded: no events move a weight beyond its bound, or give a node more than it may
// get; and the same events give the same bits.
func TestFitIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := drawnEvents(t)
		m := Fit(events, 4)
		for region, r := range m {
			for k, w := range r.Weights {
				if math.IsNaN(w) || math.Abs(w) > MaxWeight {
					t.Fatalf("region %q: weight %d is %v", region, k, w)
				}
			}
			if math.IsNaN(r.Gain) || math.IsNaN(r.Error) {
				t.Fatalf("region %q: %+v", region, r)
			}
			for _, e := range events {
				for _, s := range e.Shown {
					if given := r.Weights.Of(s.Features); math.IsNaN(given) || math.Abs(given) > MaxGiven {
						t.Fatalf("%v gives %v to %v", r.Weights, given, s.Features)
					}
				}
			}
		}
		if again := Fit(events, 4); !cmp.Equal(m, again, whole) {
			t.Fatalf("the same events give another model: %s", cmp.Diff(m, again, whole))
		}
	})
}

// BenchmarkFit measures fitting 2,000 events of 16 nodes with 14 features.
func BenchmarkFit(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 4))
	events := make([]Event, 2000)
	for i := range events {
		events[i].Question = merkle.SumText(strconv.Itoa(i))
		for j := range 16 {
			s := Shown{Score: r.Float64()}
			for range 14 {
				s.Features = append(s.Features, r.Float64())
			}
			if j == 0 {
				s.Verdict = Useful
			}
			events[i].Shown = append(events[i].Shown, s)
		}
	}
	for b.Loop() {
		Fit(events, 14)
	}
}
