// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fovea-memory/fovea/api"
)

// TestJoin: differences that follow one another add up, each node in one list; of many nodes the
// work is that of looking each up.
func TestJoin(t *testing.T) {
	named := func(ids ...string) (out []api.Changed) {
		for _, id := range ids {
			out = append(out, api.Changed{ID: id, Text: id})
		}
		return out
	}
	j := joined{at: map[string]*joinedNode{}}
	j.join(&api.Difference{Added: named("came", "went"), Changed: named("old"), Removed: named("back", "gone", "twice", "put"), Moved: named("far", "last")})
	j.join(&api.Difference{Added: named("back"), Changed: named("came", "old", "far"), Removed: named("went", "last", "twice"),
		Moved: named("came", "near", "near", "put")})
	ids := func(list []api.Changed) string {
		var out []string
		for _, n := range list {
			out = append(out, n.ID+" "+n.Text)
		}
		return fmt.Sprintf("%q", out)
	}
	d := j.difference()
	for got, want := range map[string]string{
		ids(d.Added): `["came camecame"]`, ids(d.Changed): `["back backback" "old oldold" "far far" "put putput"]`,
		ids(d.Removed): `["gone gone" "last last" "twice twicetwice"]`, ids(d.Moved): `["near near"]`,
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	var many []api.Changed
	for i := range 200_000 { // which a search of lists would need minutes for
		many = append(many, api.Changed{ID: fmt.Sprint(i)})
	}
	all := joined{at: map[string]*joinedNode{}}
	all.join(&api.Difference{Added: many})
	slices.Reverse(many)
	all.join(&api.Difference{Removed: many})
	if all.join(&api.Difference{Moved: many}); len(all.difference().Moved) != len(many) || len(all.difference().Added) != 0 {
		t.Error("many nodes do not add up")
	}
}
