// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/window"
)

// scored is a Similarity with fixed results.
type scored []window.Scored

func (s scored) Scores(string, string) []window.Scored { return s }

// TestReasonsBySimilarity checks that a part names the words and whatever else it was found by.
func TestReasonsBySimilarity(t *testing.T) {
	m := newMemory()
	m.add("", window.Item{ID: "a", Title: "Cat", Body: "purrs\n"})
	m.add("", window.Item{ID: "b", Title: "Kitten", Body: "plays\n"})
	m.add("", window.Item{ID: "c", Title: "Puppy", Body: "sleeps near the cat\n"})
	m.add("", window.Item{ID: "d", Title: "Tax", Body: "return\n"})
	m.add("", window.Item{ID: "e", Title: "Rain", Body: "falls\n"})
	found := scored{
		{ID: "a", Score: 1}, {ID: "b", Score: .8, Reason: "vectors"}, {ID: "c", Score: .6, Reason: "vectors, people"}, {ID: "d", Score: .4},
	}
	w := build(t, m, found, window.Request{Question: "cat"})
	want := map[string]string{
		"a": "words: cat (rank 1)", "b": "vectors (rank 2)", "c": "words: cat; vectors, people (rank 3)", "d": "similar (rank 4)", "e": "outline",
	}
	for _, p := range w.Parts {
		if p.Reason != want[p.ID] {
			t.Errorf("%s: reason %q, want %q", p.ID, p.Reason, want[p.ID])
		}
		delete(want, p.ID)
	}
	if len(want) > 0 {
		t.Errorf("not shown: %v", want)
	}
}

// TestReasonsByFocus: without a question a part names the words that it shares with the title
// of the focus, which may be the first node.
func TestReasonsByFocus(t *testing.T) {
	m := newMemory()
	m.add("", window.Item{ID: "a", Title: "Winter coat", Body: "warm\n"})
	m.add("", window.Item{ID: "b", Title: "Shop", Body: "sells a coat\n"})
	w := build(t, m, scored{{ID: "b", Score: .9}}, window.Request{Focus: "a"})
	if got, want := part(t, w, "b").Reason, "words: coat (rank 1)"; got != want {
		t.Errorf("reason %q, want %q", got, want)
	}
}

// TestWhyNodesAreLeftOut: each of the best nodes that is left out has a reason.
func TestWhyNodesAreLeftOut(t *testing.T) {
	m, near := newMemory(), scores{}
	m.add("", window.Item{ID: "d", Title: "Diary", Path: "d.org"})
	add := func(score float64, item window.Item) {
		m.add("d", item)
		near[item.ID] = score
	}
	long := strings.Repeat("the cat sleeps ", 100)
	add(1, window.Item{ID: "first", Title: "Cat", Body: long, Digest: merkle.Sum([]byte("cat"))})
	add(.9, window.Item{ID: "twin", Title: "Cat", Body: long, Digest: merkle.Sum([]byte("cat"))})
	add(.8, window.Item{ID: "archived", Title: "Old cat", Body: long, Hidden: true})
	for i := range 30 {
		add(.5-float64(i)/100, window.Item{ID: fmt.Sprint("rest", i), Title: strings.Repeat("A long title ", 15), Body: long})
	}
	w := build(t, m, near, window.Request{Question: "cat", Budget: 700, Explain: true})
	var got []string
	for _, o := range w.OmittedTop {
		if o.Path != "d.org" {
			t.Errorf("%s is in %q", o.ID, o.Path)
		}
		got = append(got, o.ID+": "+o.Why)
	}
	if len(got) != 20 {
		t.Fatalf("%d nodes are named: %q", len(got), got)
	}
	if diff := cmp.Diff([]string{"twin: said already", "archived: hidden"}, got[:2]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, why := range got[2:] {
		if !strings.HasPrefix(why, "rest") || !strings.HasSuffix(why, ": no room") {
			t.Errorf("left out: %s", why)
		}
	}
	if w := build(t, m, near, window.Request{Question: "cat", Budget: 700}); w.OmittedTop != nil {
		t.Errorf("unasked: %v", w.OmittedTop)
	}
}
