// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/window"
)

// TestBacklinks: links by id, by title, by CUSTOM_ID and by file lead to a node, those of the
// node itself and of others of the same name do not; an outline that follows changes has those
// of the changed documents.
func TestBacklinks(t *testing.T) {
	linking := func(more ...string) *memory {
		m := newMemory()
		m.add("", window.Item{ID: "a", Title: "A", Path: "a.org"})
		m.add("a", window.Item{ID: "gauge", Title: "Water  Gauge", Level: 1, Path: "a.org",
			Properties: [][2]string{{"CUSTOM_ID", "wg"}}, Links: []string{"id:gauge", "*water gauge"}})
		m.add("a", window.Item{ID: "inside", Title: "Inside", Level: 1, Path: "a.org", Links: []string{"*Water gauge", "#wg"}})
		m.add("", window.Item{ID: "b", Title: "B", Path: "sub/b.org"})
		m.add("b", window.Item{ID: "by-id", Title: "By id", Level: 1, Path: "sub/b.org", Links: []string{"id:other", "id:gauge"}})
		m.add("b", window.Item{ID: "by-file", Title: "By file", Level: 1, Path: "sub/b.org", Links: []string{"file:../a.org::*water gauge"}})
		m.add("b", window.Item{ID: "to-file", Title: "To the file", Level: 1, Path: "sub/b.org", Links: []string{"file:../a.org"}})
		m.add("b", window.Item{ID: "elsewhere", Title: "Elsewhere", Level: 1, Path: "sub/b.org", Links: []string{"*Water gauge", "file:a.org"}})
		m.add("", window.Item{ID: "c", Title: "C", Path: "sub/c.org"})
		for _, id := range more {
			m.add("c", window.Item{ID: id, Title: id, Level: 1, Path: "sub/c.org", Links: []string{"id:gauge"}})
		}
		return m
	}
	m := linking()
	o, err := window.NewOutline(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		outline *window.Outline
		of      string
		limit   int
		want    []string
		count   int
	}{
		{o, "gauge", 9, []string{"inside", "by-id", "by-file"}, 3},
		{o, "gauge", 9, []string{"inside", "by-id", "by-file"}, 3}, // by the index
		{o, "gauge", 2, []string{"inside", "by-id"}, 3},
		{o, "gauge", 0, nil, 3},
		{o, "a", 9, []string{"to-file"}, 1},
		{o, "inside", 9, nil, 0},
		{o.WithChanges(linking("new"), []window.DocumentChange{{Path: "sub/c.org", ID: "c"}}), "gauge", 9, []string{"inside", "by-id", "by-file", "new"}, 4},
		{o.WithChanges(linking(), []window.DocumentChange{{Path: "sub/b.org"}}), "gauge", 9, []string{"inside"}, 1},
	} {
		item, _ := m.Item(c.of)
		got, count := c.outline.Backlinks(&item, c.limit)
		if diff := cmp.Diff(c.want, got); diff != "" || count != c.count {
			t.Errorf("of %s, at most %d: %d (-want +got):\n%s", c.of, c.limit, count, diff)
		}
	}
}
