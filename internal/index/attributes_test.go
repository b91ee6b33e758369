// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// triple is one fact of an attribute index.
type triple struct{ key, value, id string }

// checkAttributes compares all answers of a with a plain set.
func checkAttributes(t *rapid.T, a Attributes, want map[triple]bool) {
	type pair struct{ key, value string }
	ids := map[pair][]string{}
	values := map[string]map[string]int{}
	for f := range want {
		ids[pair{f.key, f.value}] = append(ids[pair{f.key, f.value}], f.id)
		if values[f.key] == nil {
			values[f.key] = map[string]int{}
		}
		values[f.key][f.value]++
		if !a.Has(f.key, f.value, f.id) {
			t.Fatalf("%v is missing", f)
		}
	}
	for p, list := range ids {
		slices.Sort(list)
		if diff := cmp.Diff(list, slices.Sorted(a.Lookup(p.key, p.value))); diff != "" {
			t.Fatalf("%v (-want +got):\n%s", p, diff)
		}
		if a.Count(p.key, p.value) != len(list) {
			t.Fatalf("%v: Count is %d, want %d", p, a.Count(p.key, p.value), len(list))
		}
	}
	for _, key := range []string{"todo", "tag", "none"} {
		if diff := cmp.Diff(values[key], maps.Collect(a.Values(key)), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("values of %s (-want +got):\n%s", key, diff)
		}
		var order []string
		for v := range a.Values(key) {
			order = append(order, v)
		}
		if !slices.IsSorted(order) {
			t.Fatalf("values of %s out of order: %v", key, order)
		}
	}
}

// TestAttributesModel edits random versions and compares each version with a set.
func TestAttributesModel(t *testing.T) {
	fact := rapid.Custom(func(t *rapid.T) triple {
		return triple{
			rapid.SampledFrom([]string{"todo", "tag"}).Draw(t, "key"),
			rapid.SampledFrom([]string{"", "DONE", "TODO"}).Draw(t, "value"),
			fmt.Sprintf("n%04d", rapid.IntRange(0, 1500).Draw(t, "id")),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		type version struct {
			index Attributes
			facts map[triple]bool
		}
		versions := []version{{}}
		for range rapid.IntRange(1, 6).Draw(t, "edits") {
			from := rapid.SampledFrom(versions).Draw(t, "from")
			facts := maps.Clone(from.facts)
			if facts == nil {
				facts = map[triple]bool{}
			}
			e := from.index.Edit()
			if first := rapid.IntRange(-1500, 1500).Draw(t, "run"); first >= 0 {
				for i := first; i < first+700; i++ {
					f := triple{"tag", "DONE", fmt.Sprintf("n%04d", i)}
					e.Set(f.key, f.value, f.id)
					facts[f] = true
				}
			}
			for _, f := range rapid.SliceOfN(fact, 0, 40).Draw(t, "set") {
				e.Set(f.key, f.value, f.id)
				facts[f] = true
			}
			for _, f := range rapid.SliceOfN(fact, 0, 40).Draw(t, "remove") {
				e.Remove(f.key, f.value, f.id)
				delete(facts, f)
			}
			if rapid.Bool().Draw(t, "all of one") {
				for f := range facts {
					if f.value == "DONE" {
						e.Remove(f.key, f.value, f.id)
						delete(facts, f)
					}
				}
			}
			versions = append(versions, version{e.Attributes(), facts})
		}
		for _, v := range versions {
			checkAttributes(t, v.index, v.facts)
			for _, values := range v.index.keys.All() {
				for value, ids := range values.All() {
					if ids.Len() == 0 {
						t.Fatalf("%q has no ids", value)
					}
				}
			}
		}
	})
}

func TestAttributesLastChangeCounts(t *testing.T) {
	var none Attributes
	e := none.Edit()
	e.Set("tag", "work", "a")
	e.Remove("tag", "work", "a")
	e.Remove("tag", "home", "b")
	e.Set("tag", "home", "b")
	a := e.Attributes()
	if diff := cmp.Diff(map[string]int{"home": 1}, maps.Collect(a.Values("tag"))); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	if none.Count("tag", "home") != 0 {
		t.Errorf("the edited version changed the original")
	}
}

func TestAttributesStopEarly(t *testing.T) {
	e := Attributes{}.Edit()
	for i := range 1000 {
		e.Set("tag", fmt.Sprint(i%2), fmt.Sprint(i))
	}
	a := e.Attributes()
	for range a.Lookup("tag", "0") {
		break
	}
	for range a.Values("tag") {
		break
	}
}
