// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package minds

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/recall"
	"github.com/fovea-memory/fovea/merkle"
)

// TestJudge: an entry keeps everything of which something is said, and the best of the rest.
func TestJudge(t *testing.T) {
	var found []recall.Rankable
	for i := range 100 {
		found = append(found, recall.Rankable{ID: fmt.Sprint(i), Score: 1 - float64(i)/100, Features: []float64{float64(i)}})
	}
	e := Entry{ID: 1, By: Owner, Question: merkle.SumText("q")}
	e.Judge(found, map[string]recall.Verdict{"99": recall.Useful, "50": recall.Against, "elsewhere": recall.Useful})
	if len(e.Shown) != MaxShown || e.Useful() != 1 || e.Against() != 1 || e.Shown[MaxShown-1].ID != "99" || e.Shown[MaxShown-3].ID != "21" {
		t.Errorf("got %+v", e)
	}
	all := map[string]recall.Verdict{}
	for _, r := range found {
		all[r.ID] = recall.Useful
	}
	many := Entry{}
	if many.Judge(found, all); len(many.Shown) != MaxShown {
		t.Errorf("%d nodes are kept, want %d", len(many.Shown), MaxShown)
	}
}

// TestEvents: of an agent the newest entries teach, of the owner all, in their order, and of
// another version of the features none.
func TestEvents(t *testing.T) {
	var all []*Entry
	for i := range MaxOfAgent + 10 {
		for _, by := range []string{Owner, "ada"} {
			all = append(all, &Entry{ID: uint64(len(all) + 1), By: by, Version: recall.FeatureVersion, Question: merkle.SumText(fmt.Sprint(by, i))})
		}
	}
	all[0].Version = 0
	got := events(all)
	if len(got) != 2*MaxOfAgent+10-1 || !got[0].Owner || got[0].Question != all[2].Question || got[len(got)-1].Question != all[len(all)-1].Question {
		t.Errorf("%d events, the first %+v", len(got), got[0])
	}
}

// FuzzDecode: any text is an entry or refused, and an entry that is read is fitted within the
// bounds.
func FuzzDecode(f *testing.F) {
	f.Add(`{"id":1,"by":"ada","question":"` + merkle.SumText("q").String() + `","features":1,` +
		`"shown":[{"id":"a","region":"","score":1,"values":[1e308,-2],"verdict":1}]}`)
	f.Add(`{"id":1,"by":"ada","shown":[{"verdict":3}]}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, text string) {
		e := decodeEntry(text)
		if e == nil {
			return
		}
		tree, err := e.tree()
		if err != nil || tree == nil {
			t.Fatal(err)
		}
		if again := decodeEntry(document.Lookup(tree.Attrs, entryAttr).String()); !cmp.Equal(again, e) {
			t.Fatalf("read back: %s", cmp.Diff(e, again))
		}
		for _, r := range recall.Fit([]recall.Event{e.event()}, len(recall.FeatureNames)) {
			for _, w := range r.Weights {
				if !(w >= -recall.MaxWeight && w <= recall.MaxWeight) {
					t.Fatalf("a weight of %v", w)
				}
			}
		}
	})
}

// TestAgentsEvictNoOwner: however much agents say, what the owner said still teaches.
func TestAgentsEvictNoOwner(t *testing.T) {
	all := []*Entry{{ID: 1, By: Owner, Version: recall.FeatureVersion}}
	for i := range MaxEntries + 10 {
		all = append(all, &Entry{ID: uint64(i + 2), By: fmt.Sprint("agent", i%5), Version: recall.FeatureVersion})
	}
	got := events(all)
	if !got[0].Owner {
		t.Errorf("of %d entries %d teach, and the owner's does not", len(all), len(got))
	}
	if gone := surplusEntries(all, 11); len(gone) != 11 || gone[all[0]] || !gone[all[1]] || !surplusEntries(all[:1], 1)[all[0]] {
		t.Errorf("%d make room, the owner's %t", len(gone), gone[all[0]])
	}
}
