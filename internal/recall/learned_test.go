// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/org"
)

// learnable returns a view of notes in two folders.
func learnable() View {
	draft := graph.Empty(document.Formats{org.Format{}}).Edit(1)
	for i := range 8 {
		var text strings.Builder
		for j := range 6 {
			text.WriteString(fmt.Sprintf("* note %d\nWhere is the kettle of house %d?\n* note %d\nThe kettle %d stands there, kettle and all.\n", j, j, j+10, i*j))
		}
		draft.Put(fmt.Sprintf("%s/f%d.org", []string{"chats", "diary"}[i%2], i), document.File(text.String(), false))
	}
	state, _ := draft.Seal()
	words := IndexWords(state)
	return View{State: state, Words: func() *Words { return words }, Rankers: Rankers([]string{"me"})}
}

// taughtBy returns the view that ranks also by weights of a region.
func (v View) taughtBy(m Model) View {
	v.Rankers = append(slices.Clip(v.Rankers), Learned{m})
	return v
}

// TestLearnedStaysInItsRegion: whatever was learned of a region, nodes of others keep their
// places and scores; those of the region have the scores of before among themselves, and the
// arm gives each at most twice what it may give.
func TestLearnedStaysInItsRegion(t *testing.T) {
	v := learnable()
	region := func(h Ranked) string {
		n, _ := v.State.Get(h.ID)
		return RegionOf(n.Path)
	}
	req := Request{Text: "where is the kettle of house 3"}
	before := v.Rank(req)
	rapid.Check(t, func(t *rapid.T) {
		weights := Weights(rapid.SliceOfN(rapid.Float64(), len(FeatureNames), len(FeatureNames)).Draw(t, "weights"))
		taught := v.taughtBy(Model{"chats": {Evidence: Evidence{On: true}, Weights: weights}})
		after := taught.Rank(req)
		if len(after) != len(before) {
			t.Fatalf("%d hits, before %d", len(after), len(before))
		}
		for i, h := range after {
			if math.Abs(h.Score-before[i].Score) > 1e-9 {
				t.Fatalf("the hit at %d has %v, before it was %v", i, h.Score, before[i].Score)
			}
			for _, c := range h.Arms {
				if c.Arm == ArmLearned && (math.Abs(c.Score) > 2*MaxGiven || region(h) != "chats") {
					t.Fatalf("%s gets %v", h.ID, c.Score)
				}
			}
		}
		for i, h := range before {
			j := slices.IndexFunc(after, func(o Ranked) bool { return o.ID == h.ID })
			if region(h) == "diary" && (j < 0 || math.Abs(after[j].Score-h.Score) > 1e-9) {
				t.Fatalf("%s was at %d and is at %d", h.ID, i, j)
			}
		}
		if again := taught.Rank(req); !gocmp.Equal(again, after) {
			t.Fatal("the same request gives another ranking")
		}
	})
}

// TestLearnedIsOff: what does not count, an unknown region, and a request without text change
// nothing.
func TestLearnedIsOff(t *testing.T) {
	v := learnable()
	weights := make(Weights, len(FeatureNames))
	for i := range weights {
		weights[i] = MaxWeight
	}
	focus := slices.Collect(v.State.All())[1]
	for name, m := range map[string]Model{
		"off": {"chats": {Weights: weights}}, "another region": {"else": {Evidence: Evidence{On: true}, Weights: weights}}, "nothing": nil,
	} {
		for _, req := range []Request{{Text: "kettle"}, {Focus: focus}} {
			if diff := gocmp.Diff(v.Rank(req), v.taughtBy(m).Rank(req)); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
	on := Model{"chats": {Evidence: Evidence{On: true}, Weights: weights}}
	if diff := gocmp.Diff(v.Rank(Request{Focus: focus}), v.taughtBy(on).Rank(Request{Focus: focus})); diff != "" {
		t.Errorf("a request without text: %s", diff)
	}
}

// TestRanks: learning uses the ranking without the learned part.
func TestRanks(t *testing.T) {
	v := learnable()
	weights := make(Weights, len(FeatureNames))
	for i := range weights {
		weights[i] = -MaxWeight
	}
	const question = "where is the kettle of house 3"
	ranks := v.taughtBy(Model{"chats": {Evidence: Evidence{On: true}, Weights: weights}}).Ranks(question)
	hits := v.Rank(Request{Text: question, Limit: maxLearned})
	if len(ranks) != len(hits) {
		t.Fatalf("%d nodes, want %d", len(ranks), len(hits))
	}
	for i, r := range ranks {
		if r.Score != hits[i].Score || len(r.Features) != len(FeatureNames) || r.Region != "chats" && r.Region != "diary" {
			t.Errorf("%d: %+v, want the score %v", i, r, hits[i].Score)
		}
	}
	follows, asks := slices.Index(FeatureNames, "follows"), slices.Index(FeatureNames, "asks")
	for _, r := range ranks {
		n, _ := v.State.Get(r.ID)
		if asking := strings.HasPrefix(n.Body(), "Where"); asking != (r.Features[asks] == 1) || asking && r.Features[follows] > 0 {
			t.Errorf("%q asks: %v, follows: %v", n.Body(), r.Features[asks], r.Features[follows])
		}
	}
}

// TestRegionOf: a region is a top folder.
func TestRegionOf(t *testing.T) {
	for path, want := range map[string]string{
		"a.org": "", "talks/a.org": "talks", "talks/deep/a.org": "talks", "talks": "", document.MemoryPath("x/y"): regionMemory,
	} {
		if got := RegionOf(path); got != want {
			t.Errorf("%q is of %q, want %q", path, got, want)
		}
	}
}

// TestAsksAtTheEnd: a text asks if its last line has a word with a question mark.
func TestAsksAtTheEnd(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "Where?": true, "Where? \n": true, "Where?\nThere.": false, "Where? I ask.": true, "a?b=c": false, "Yes.\nAnd when?\n\n": true,
	} {
		if got := asks(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}
