// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea_test

import (
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/org"
)

// TestEncodingsAreNotMixed: what Fovea writes is UTF-8, so a file in another
// encoding is edited only where the bytes are the same.
func TestEncodingsAreNotMixed(t *testing.T) {
	leaf := "* Leaf\n:PROPERTIES:\n:ID: leaf\n:END:\n"
	utf16 := strings.Join(strings.Split("* TODO wide\n", ""), "\x00") + "\x00"
	for name, c := range map[string]struct {
		text string
		edit org.Edit
		ok   bool
	}{
		"UTF-8":                    {leaf + "é\n", org.AppendBody{Text: "ü\n"}, true},
		"declared, ASCII":          {"# -*- coding: latin-1 -*-\n" + leaf + "\xe9\n", org.AppendBody{Text: "plain\n"}, true},
		"declared, beyond ASCII":   {"# -*- coding: latin-1 -*-\n" + leaf, org.AppendBody{Text: "ü\n"}, false},
		"declared UTF-8":           {"# -*- mode: org; coding: utf-8-unix -*-\n" + leaf, org.AppendBody{Text: "ü\n"}, true},
		"invalid, beyond ASCII":    {leaf + "\xe9\n", org.AppendBody{Text: "ü\n"}, false},
		"invalid, a keyword":       {leaf + "\xe9\n", org.SetTodo{Keyword: "DONE"}, true},
		"UTF-16, with an edit":     {leaf + strings.Repeat("x\x00", 200), org.AppendBody{Text: "plain\n"}, true}, // not at the beginning
		"UTF-16 with a mark of it": {"\xff\xfe" + leaf, org.AppendBody{Text: "x\n"}, false},
	} {
		w := newWorld(t, map[string]string{"a.org": c.text})
		v := w.ingest()
		id := "leaf"
		if _, ok := v.Get(id); !ok {
			for d := range v.Documents() {
				id = d.ID
			}
		}
		_, err := w.m.Edit(t.Context(), id, merkle.Digest{}, c.edit)
		if c.ok != (err == nil) || !c.ok && fovea.KindOf(err) != fovea.Invalid {
			t.Errorf("%s: %v", name, err)
		}
		if got := w.onDisk()["a.org"]; !c.ok && got != c.text {
			t.Errorf("%s: a refused edit left %q", name, got)
		}
	}
	w := newWorld(t, map[string]string{"u.org": utf16})
	w.ingest()
	if _, _, err := w.m.Insert(t.Context(), "u.org", org.InsertHeadline{Title: "x"}); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("a headline in a file of UTF-16: %v", err)
	}
	found, err := w.m.Diagnostics(t.Context())
	if err != nil || len(found) == 0 || found[0].Kind != "encoding" {
		t.Errorf("diagnostics: %v, %v", found, err)
	}
}
