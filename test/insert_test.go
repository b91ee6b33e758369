// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
)

func TestInsert(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* Top\ntext\n", "b.org": "* Other\n:PROPERTIES:\n:ID: taken\n:END:\n"})
	top := get(t, w.ingest(), "Top")
	_, id, err := w.m.Notes().Insert(t.Context(), top.ID, document.InsertHeadline{Title: "Below", Body: "words"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if u, err := uuid.Parse(id); err != nil || u.Version() != 4 || id != strings.ToLower(id) {
		t.Errorf("the new id is %q, want a lower-case UUIDv4", id)
	}
	if n := get(t, w.m.View(), id); n.Parent != top.ID || !strings.HasSuffix(n.Content, "words\n") {
		t.Errorf("the new node is %q below %s", n.Content, n.Parent)
	}
	if got := w.onDisk()["a.org"]; !strings.HasPrefix(got, "* Top\ntext\n** Below\n") {
		t.Errorf("the file holds %q", got)
	}
	if _, id, err = w.m.Notes().Insert(t.Context(), "new/c.org", document.InsertHeadline{Title: "First"}, nil); err != nil {
		t.Fatal(err)
	}
	if n := get(t, w.m.View(), id); n.Path != "new/c.org" {
		t.Errorf("the node of a new file lies in %s", n.Path)
	}

	before := w.onDisk()
	for name, c := range map[string]struct {
		under string
		h     document.InsertHeadline
		want  fovea.Kind
	}{
		"an id that is taken":    {top.ID, document.InsertHeadline{Title: "x", Properties: []document.Property{{Key: "ID", Value: "taken"}}}, fovea.Conflict},
		"no node":                {"nobody", document.InsertHeadline{Title: "x"}, fovea.NotFound},
		"outside":                {"../c.org", document.InsertHeadline{Title: "x"}, fovea.Invalid},
		"hidden":                 {".git/c.org", document.InsertHeadline{Title: "x"}, fovea.Invalid},
		"a title of two lines":   {top.ID, document.InsertHeadline{Title: "x\n* y"}, fovea.Invalid},
		"a keyword not declared": {top.ID, document.InsertHeadline{Title: "x", Todo: "FOO"}, fovea.Invalid},
	} {
		if _, _, err := w.m.Notes().Insert(t.Context(), c.under, c.h, nil); fovea.KindOf(err) != c.want || err == nil {
			t.Errorf("%s: %v, want kind %v", name, err, c.want)
		}
	}
	for path, text := range w.onDisk() {
		if before[path] != text {
			t.Errorf("a refused insertion changed %s", path)
		}
	}
}
