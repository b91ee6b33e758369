// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/window"
)

// torn is a source whose documents name children that it has no item of.
type torn struct {
	*memory
	lost map[string][]string // by parent
}

func (s torn) Children(id string) []string { return append(s.memory.Children(id), s.lost[id]...) }

// TestMissingChildren: a child that is not found is a diagnostic of the window, which shows
// the rest; an outline that follows changes knows of those of the changed documents.
func TestMissingChildren(t *testing.T) {
	source := func(lost map[string][]string) torn {
		m := newMemory()
		for _, doc := range []string{"a", "b"} {
			m.add("", window.Item{ID: doc, Title: doc, Path: doc + ".org"})
			m.add(doc, window.Item{ID: doc + "1", Title: "Note of " + doc, Body: "It hums.\n"})
		}
		return torn{m, lost}
	}
	many := map[string][]string{}
	for i := range 50 {
		many["b"] = append(many["b"], fmt.Sprint("lost", i))
	}
	whole, hurt := source(nil), source(map[string][]string{"a": {"gone"}, "a1": {"away", "b1"}})
	o, err := window.NewOutline(t.Context(), hurt)
	if err != nil {
		t.Fatal(err)
	}
	want := build(t, whole, nil, window.Request{})
	for _, c := range []struct {
		name    string
		src     torn
		outline *window.Outline
		want    []string
	}{
		{"whole", whole, nil, nil},
		{"walked", hurt, nil, []string{"away", "gone"}},
		{"prepared", hurt, o, []string{"away", "gone"}},
		{"mended", whole, o.WithChanges(whole, []window.DocumentChange{{Path: "a.org", ID: "a"}}), nil},
		{"many", source(many), nil, many["b"][:20]},
	} {
		w := build(t, c.src, nil, window.Request{Outline: c.outline})
		if diff := cmp.Diff(c.want, w.Missing); diff != "" || w.Text != want.Text {
			t.Errorf("%s (-want +got):\n%s\n%s", c.name, diff, w.Text)
		}
	}
}
