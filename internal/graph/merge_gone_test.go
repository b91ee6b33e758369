// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
)

// TestPurgedBase: a merge goes on where the common state lacks content that was taken out for
// good: what both sides removed is gone, what one changed stays, and what both changed is merged.
func TestPurgedBase(t *testing.T) {
	of := func(f folder) *State {
		d := Empty(orgFiles).Edit(1)
		for _, p := range sorted(f) {
			d.Put(p, document.File(f[p], false))
		}
		s, _ := d.Seal()
		return s
	}
	note := func(id, text string) string {
		return "* " + id + "\n:PROPERTIES:\n:ID: " + id + "\n:END:\n" + text + "\n"
	}
	files := folder{
		"a.org": "before\n" + note("gone", "secret") + note("kept", "secret") + note("both", "secret") + note("same", "open"),
		"b.org": "secret\n* plain\n",
	}
	d := Empty(orgFiles).Edit(1)
	for _, p := range sorted(files) {
		d.Put(p, document.File(files[p], false))
	}
	whole, delta := d.Seal()
	store := blocks{}
	for _, c := range delta.Changes {
		if err := c.New.Blocks(store.emit); err != nil {
			t.Fatal(err)
		}
	}
	c := &Commit{Seq: 1, State: whole.Root(), Delta: delta.Records(), Kind: KindEdit, Time: 1}
	base, err := Empty(orgFiles).Apply(c, func(d merkle.Digest) ([]byte, error) {
		b, err := store.get(d)
		if strings.Contains(string(b), "secret") {
			return nil, ErrGone
		}
		return b, err
	})
	if err != nil || len(base.Gone()) != 4 {
		t.Fatal(len(base.Gone()), err)
	}
	ours := of(folder{"a.org": "before\n" + note("kept", "ours") + note("both", "ours") + note("same", "open"), "b.org": "* plain\n"})
	theirs := of(folder{"a.org": "before\n" + note("both", "theirs") + note("same", "changed"), "b.org": "theirs\n* plain\n"})
	var texts [2]string
	for i, sides := range [][2]*State{{ours, theirs}, {theirs, ours}} {
		who := map[*State]Side{ours: {State: ours, Who: "ours", Time: 1}, theirs: {State: theirs, Who: "theirs", Time: 2}}
		draft, _ := Merge(base, who[sides[0]], who[sides[1]], 3)
		merged, _ := draft.Seal()
		a, _ := merged.Text("a.org")
		b, _ := merged.Text("b.org")
		texts[i] = a + "\f" + b
	}
	if texts[0] != texts[1] {
		t.Errorf("the order of the sides shows:\n%s\n---\n%s", texts[0], texts[1])
	}
	for _, want := range []string{"before\n", "* kept", "ours", "* both", "theirs", "changed", "* plain"} {
		if !strings.Contains(texts[0], want) {
			t.Errorf("%q is not in\n%s", want, texts[0])
		}
	}
	if strings.Contains(texts[0], "* gone") || strings.Contains(texts[0], "secret") || strings.Count(texts[0], "* both") != 1 {
		t.Errorf("%s", texts[0])
	}
}
