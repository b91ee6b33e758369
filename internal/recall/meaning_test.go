// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/vector"
)

const meaningDim = 64

// randomVector returns a vector that depends on its name alone.
func randomVector(name string) []float32 {
	var seed [32]byte
	copy(seed[:], name)
	r := rand.New(rand.NewChaCha8(seed))
	v := make([]float32, meaningDim)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

// meant returns a view of 200 notes with vectors, and the set of these. Two of the notes
// have the same text, and one has no vector.
func meant(t *testing.T) (View, *vector.Set) {
	t.Helper()
	var text strings.Builder
	for i := range 200 {
		fmt.Fprintf(&text, "* note %d\nabout the matter %d\n", i, i)
	}
	text.WriteString("* twin\nsame\n* twin\nsame\n* bare\nno vector\n")
	v := view(map[string]string{"notes.org": text.String()})
	store, err := vector.Open(faultfs.New(), vector.Model{Fingerprint: "random", Dim: meaningDim})
	if err != nil {
		t.Fatal(err)
	}
	var items []vector.Item
	for n := range v.State.All() {
		if n.Title() != "bare" {
			items = append(items, vector.Item{Digest: n.Own, Vector: randomVector(n.Title())})
		}
	}
	if err := store.Put(items); err != nil {
		t.Fatal(err)
	}
	return v, store.View()
}

func askMeaning(t *testing.T, v View, set *vector.Set, trust float64, asked []float32, req Request) (titles []string, hits []Ranked) {
	t.Helper()
	m := Meaning{Set: set, Trust: trust}
	if asked != nil {
		var err error
		if m.Query, err = set.Prepare(asked); err != nil {
			t.Fatal(err)
		}
	}
	v.Rankers = []Ranker{Text{}, m}
	hits = v.Rank(req)
	for _, h := range hits {
		n, _ := v.State.Get(h.ID)
		titles = append(titles, n.Title())
	}
	return titles, hits
}

// TestMeaning: near nodes come first, once for each node with the text; a node no
// nearer than by chance gets nothing.
func TestMeaning(t *testing.T) {
	v, set := meant(t)
	titles, hits := askMeaning(t, v, set, 0, randomVector("twin"), Request{Text: "unheard"})
	if !slices.Equal(titles, []string{"twin", "twin"}) {
		t.Fatalf("found %q", titles)
	}
	for _, h := range hits {
		if h.Score < 3*weightMeaning || h.Similarity != 1 || h.Cosine < .999 || h.Reason() != ArmMeaning {
			t.Errorf("%+v", h)
		}
	}
	if titles, hits := askMeaning(t, v, set, 0, randomVector("of nothing"), Request{Text: "unheard"}); len(titles) > 2 || len(titles) > 0 && hits[0].Score > .2 {
		t.Errorf("an unrelated request found %q, %+v", titles, hits)
	}
	titles, hits = askMeaning(t, v, set, 1, randomVector("note 7"), Request{Text: "unheard"})
	if len(titles) < 5 || titles[0] != "note 7" || math.Abs(hits[0].Score-maxDeviations*weightMeaning) > 1e-9 {
		t.Errorf("a trusted model found %q", titles[:min(3, len(titles))])
	}
	titles, _ = askMeaning(t, v, set, 0, randomVector("note 7"), Request{Text: "matter 9"})
	if !slices.Contains(titles, "note 9") || !slices.Contains(titles, "note 7") {
		t.Errorf("words and meaning found %q", titles[:min(3, len(titles))])
	}
}

// TestMeaningOfFocus compares with the vector of the focus, if it has one.
func TestMeaningOfFocus(t *testing.T) {
	v, set := meant(t)
	for n := range v.State.All() {
		titles, _ := askMeaning(t, v, set, 0, nil, Request{Focus: n})
		if want := n.Title() != "bare"; want != (len(titles) > 0 && titles[0] == n.Title()) {
			t.Fatalf("the focus %q found %q", n.Title(), titles)
		}
	}
	if titles, _ := askMeaning(t, v, set, 0, nil, Request{Text: "unheard"}); len(titles) > 0 {
		t.Errorf("without a vector of the request %q was found", titles)
	}
}
