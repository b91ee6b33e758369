// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/org"
	"github.com/fovea-memory/fovea/query"
)

// TestSearchableTypes checks that a query may name every type that can be found,
// including those only in trees, and no other.
func TestSearchableTypes(t *testing.T) {
	for kind := org.TypeDocument; kind.String() != "none"; kind++ {
		_, err := query.Parse("type:" + kind.String())
		_, element := elementNames[kind.String()]
		switch {
		case element || kind == org.TypeHeadline:
			if err != nil {
				t.Errorf("%s can be found, but %v", kind, err)
			}
		case kind.IsObject():
			if err == nil || !strings.Contains(err.Error(), "is an inline object") {
				t.Errorf("%s is an object, but the error is %v", kind, err)
			}
		case err != nil:
			t.Errorf("a node of a tree may be a %s, but %v", kind, err)
		}
	}
}

// nested returns a list of depth items, each inside the one before.
func nested(depth int) string {
	var b strings.Builder
	for i := range depth {
		fmt.Fprintf(&b, "%s- item %d\n", strings.Repeat("  ", i), i)
	}
	return b.String()
}

// TestElementsAreHashedOnDemand checks that elements beyond the limit are not built and
// that found ones have the digests that their ids resolve to.
func TestElementsAreHashedOnDemand(t *testing.T) {
	v := view(map[string]string{"a.org": nested(50)})
	made := 0
	for s := range spans(v.State.Nodes("a.org")[0], map[org.Type]bool{org.TypeItem: true}) {
		if made++; !s.node.Own.IsZero() {
			t.Fatalf("%s is hashed before it is found", s.node.ID)
		}
		if made == 2 {
			break
		}
	}
	e, err := query.Parse("type:item")
	if err != nil {
		t.Fatal(err)
	}
	all, err := v.Query(e, 0, now)
	if err != nil || len(all) != 50 {
		t.Fatalf("%d items, %v", len(all), err)
	}
	for _, limit := range []int{1, 2, 50, 51} {
		some, err := v.Query(e, limit, now)
		if diff := cmp.Diff(ids(all[:min(limit, 50)]), ids(some)); diff != "" || err != nil {
			t.Errorf("limit %d: %v (-want +got)\n%s", limit, err, diff)
		}
	}
	for _, n := range []int{0, 49} {
		found, err := v.Resolve(all[n].ID)
		if err != nil || found.Own != all[n].Own || found.Own.IsZero() || found.Version != found.Own {
			t.Errorf("%s resolves to %v, %v", all[n].ID, found, err)
		}
		if got := titles(t, v, "type:item hash:"+all[n].Own.String()); got != all[n].Title() {
			t.Errorf("by its digest: %q", got)
		}
	}
}

// BenchmarkNestedItems queries for two of 2,000 nested items, and for all.
func BenchmarkNestedItems(b *testing.B) {
	v := view(map[string]string{"a.org": nested(2000)})
	for _, limit := range []int{2, 0} {
		b.Run(fmt.Sprint("limit ", limit), func(b *testing.B) {
			for b.Loop() {
				if _, err := v.Query(query.Pred{Name: "type", Args: []string{"item"}}, limit, now); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
