// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/org"
	"github.com/fovea-memory/fovea/window"
)

// reread lists the nodes whose items the next window reads again, compared with an
// earlier view.
func reread(v *View) (ids []string) {
	for _, d := range gapOf(v.tree.since, v.State).replaced(v.State) {
		for _, n := range v.Nodes(d.Path) {
			if !d.Unchanged(n.ID) {
				ids = append(ids, n.ID)
			}
		}
	}
	return ids
}

// TestWindowReadsAgainWhatChanged: after an edit the next window reads the items of the
// nodes that read otherwise, not those of their whole document.
func TestWindowReadsAgainWhatChanged(t *testing.T) {
	var text strings.Builder
	for i := range 50 {
		fmt.Fprintf(&text, "* Rivet %d\n:PROPERTIES:\n:ID: r%d\n:END:\n", i, i)
	}
	files := graph.Empty(document.Formats{org.Format{}}).Edit(1)
	files.Put("a.org", document.File(text.String(), false))
	files.Put("b.org", document.File("* Gauge\n", false))
	state, _ := files.Seal()
	v := New(state, chain.Commit{}, "memex")
	if _, err := v.Window(t.Context(), window.Request{}); err != nil {
		t.Fatal(err)
	}
	now := text.String()
	for _, title := range []string{"Rivet 7", "Rivet 49"} {
		now = strings.Replace(now, "* "+title+"\n", "* Rain\n", 1)
		d := v.Edit(2)
		d.Put("a.org", document.File(now, false))
		next, delta := d.Seal()
		v = v.follow(next, &delta, chain.Commit{})
	}
	if diff := cmp.Diff([]string{"r7", "r49"}, reread(v)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
