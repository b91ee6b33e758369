// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"testing"

	"github.com/fovea-memory/fovea/internal/view"
)

// TestForgedImageOfAnother: a merge with the state folder of another copy believes no image of it in what no root covers, such
// as titles and tags.
func TestForgedImageOfAnother(t *testing.T) {
	a := newMachine(t, map[string]string{"a.org": "* Alpha\ntext\n"})
	b := a.copy("b")
	b.write("a.org", "* Alpha changed\ntext\n")
	for n := range view.Of(b.m.View()).State.All() {
		if n.Parent != "" {
			n.Derived.Title, n.Derived.Tags = "FORGED", []string{"forged"}
		}
	}
	if _, _, err := b.m.History().Checkpoint(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := mergeStore(t.Context(), a.m, b.d.state.Clone(), nil); err != nil {
		t.Fatal(err)
	}
	for n := range view.Of(a.m.View()).State.All() {
		if n.Parent != "" && (n.Title() != "Alpha changed" || len(n.Derived.Tags) > 0) {
			t.Errorf("%q has the title %q and the tags %q", n.Content, n.Title(), n.Derived.Tags)
		}
	}
}
