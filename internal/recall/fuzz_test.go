// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/query"
)

// FuzzQuery runs all kinds of queries over any text: none may panic, an index must not
// change an answer, and each result must be at its position.
func FuzzQuery(f *testing.F) {
	for _, s := range []string{
		"", "\ufeff* a :b:\r\n", "#+TAGS: [ g : a {b\\|c\\>} {[} ]\n* a :a:\n", "* t\nSCHEDULED: <2026-11-18 Wed 9:00-10:00>--<2026-11-19>\n[2026-13-45]<%%(x)>",
		"CLOCK: [2026-11-18]--[2026-11-1\n", "#+begin_src\n#+end_src\n#+name:\n#+begin_src go\n", ":PROPERTIES:\n:P+: \n:EFFORT: 1:00\n:END:\n* x\n** y\n",
	} {
		f.Add(s)
	}
	var trees []query.Expr
	for _, q := range append(queries, "type:item,paragraph,src-block,keyword,clock,planning,property-drawer,special-block") {
		e, err := query.Parse(q)
		if err != nil {
			f.Fatal(err)
		}
		trees = append(trees, e)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v := view(map[string]string{"a.org": s})
		walk := v
		walk.Attributes = nil
		for _, e := range trees {
			got, err := v.Query(e, 0, now)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := walk.Query(e, 0, now)
			if diff := cmp.Diff(ids(want), ids(got)); diff != "" {
				t.Fatalf("%v (-walk +indexed):\n%s", e, diff)
			}
			for _, n := range got {
				offset, line := v.Position(n)
				if line < 1 || s[offset:offset+len(n.Content)] != n.Content {
					t.Fatalf("%v finds %s at %d, line %d", e, n.ID, offset, line)
				}
			}
		}
	})
}
