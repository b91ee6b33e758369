// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
)

// TestTreeAgain: what is there already makes no commit and is answered as before.
func TestTreeAgain(t *testing.T) {
	const inner = `{"type":"paragraph","properties":{"ID":"in"},"contents":[{"type":"item","raw-content":"x"}]}`
	for _, tc := range []struct{ name, tree, parent string }{
		{"with an id", `{"type":"headline","properties":{"ID":"t"},"contents":[` + inner + `]}`, ""},
		{"with a title", `{"type":"headline","properties":{"TITLE":"T"},"contents":[` + inner + `]}`, ""},
		{"with neither", `{"type":"headline","contents":[` + inner + `]}`, ""},
		{"below a parent", `{"type":"headline","properties":{"ID":"t"},"contents":[` + inner + `]}`, "top"},
		{"with a title below a parent", `{"type":"headline","properties":{"TITLE":"T"},"contents":[` + inner + `]}`, "top"},
		{"with neither below a parent", `{"type":"paragraph","contents":[` + inner + `]}`, "top"},
		{"with neither, of several", `{"type":"item","contents":[` + inner + `,{"type":"item"},{"type":"item"}]}`, "top"},
		{"with a CUSTOM_ID that another has", `{"type":"item","properties":{"CUSTOM_ID":"c"},"contents":[` + inner + `]}`, "top"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.org": "* A\n"})
			w.ingest()
			w.take(w.m, `{"type":"headline","properties":{"ID":"top"},"contents":[{"type":"headline","properties":{"TITLE":"Other","CUSTOM_ID":"c"}}]}`, "")
			w.take(w.m, `{"type":"headline","properties":{"ID":"in","TITLE":"It stood here"}}`, "")
			id, _ := w.take(w.m, tc.tree, tc.parent)
			before := w.m.View()
			if again, c := w.take(w.m, tc.tree, tc.parent); c.Seq != 0 || again != id || w.m.View().Root() != before.Root() {
				t.Errorf("%s, and again %s by commit %d", id, again, c.Seq)
			}
		})
	}
}

// TestTreeTakesRivals: what history has left twice is, once a tree names it, what the
// tree says, and not the other one of them.
func TestTreeTakesRivals(t *testing.T) {
	w := newWorld(t, nil)
	tree := func(id string) string {
		return fmt.Sprintf(`{"type":"headline","properties":{"ID":%q},"contents":[{"type":"item","properties":{"ID":"x"},"raw-content":"of %s"}]}`, id, id)
	}
	w.take(w.m, tree("b"), "")
	_, c := w.take(w.m, tree("a"), "")
	w.edit("ann", "x", document.AppendBody{Text: "more"})
	if _, _, _, err := w.m.History().Revert(t.Context(), []uint64{c.Seq}, nil); err != nil {
		t.Fatal(err)
	}
	if x, _ := w.m.View().Get("x"); x.Path != "/a" || w.m.View().Len() != 4 {
		t.Fatalf("the test shows nothing: x is in %s, %d nodes", x.Path, w.m.View().Len())
	}
	w.take(w.m, tree("z"), "")
	if x, _ := w.m.View().Get("x"); x.Content != "of z" {
		t.Errorf("x is %q of %s", x.Content, x.Path)
	}
	if _, c := w.take(w.m, tree("z"), ""); c.Seq != 0 {
		t.Errorf("again it makes commit %d", c.Seq)
	}
}

// TestTreeBelowAnEarlierID: a parent may be named by the id it had, when that is
// derived and follows from what a file has taken since.
func TestTreeBelowAnEarlierID(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* A\n"})
	w.ingest()
	w.take(w.m, `{"type":"headline","properties":{"ID":"x"},"contents":[{"type":"headline","properties":{"TITLE":"Below"}}]}`, "")
	x, _ := w.m.View().Get("x")
	below := x.Kids[0]
	w.save("a.org", "* A\n:PROPERTIES:\n:ID: x\n:END:\n")
	if _, ok := w.m.View().Get(below); ok {
		t.Fatal("the id is what it was; the test shows nothing")
	}
	id, _ := w.take(w.m, `{"type":"paragraph","raw-content":"p"}`, below)
	n, _ := w.m.View().Get(id)
	if up, ok := w.m.View().Get(n.Parent); !ok || up.Title() != "Below" {
		t.Errorf("it hangs below %v", up)
	}
	if _, _, _, err := w.m.IngestTree(t.Context(), parsed(t, `{"type":"item"}`), "~aaaaaaaaaaaaaaaaaaaaaaaaaa", nil); fovea.KindOf(err) != fovea.NotFound {
		t.Errorf("an id that nothing ever had: %v", err)
	}
}

// TestTreeOfManyMoves: that a large and deep tree takes over what stands in it costs
// a look at each node, not at each node's ancestors.
func TestTreeOfManyMoves(t *testing.T) {
	const depth, wide = 2_000, 20_000
	var b strings.Builder
	for i := range depth {
		fmt.Fprintf(&b, `{"type":"headline","properties":{"ID":"d%d"},"contents":[`, i)
	}
	for i := range wide {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"type":"item","properties":{"ID":"w%d"}}`, i)
	}
	b.WriteString(strings.Repeat("]}", depth))
	w := newWorld(t, nil)
	w.take(w.m, b.String(), "")
	if _, c := w.take(w.m, b.String(), ""); c.Seq != 0 {
		t.Errorf("again it makes commit %d", c.Seq)
	}
	if n, _ := w.m.View().Get("w7"); len(w.m.View().Ancestors(n)) != depth {
		t.Error("it is not that deep")
	}
}

// TestBufferEndsWithTheWrite: a buffer ends when the memory itself writes the file,
// and does not begin again when that is taken back.
func TestBufferEndsWithTheWrite(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* A\n:PROPERTIES:\n:ID: a\n:END:\n"})
	w.ingest()
	s := w.scope("session/s")
	w.take(s, `{"type":"org-data","properties":{"PATH":"a.org"},"contents":[{"type":"headline","properties":{"ID":"a","TITLE":"Draft"}}]}`, "")
	if _, err := w.m.Notes().Edit(t.Context(), "a", nil, document.SetTitle{Title: "Edited"}); err != nil {
		t.Fatal(err)
	}
	if s.View().Len() != 0 {
		t.Errorf("the session holds %v", documentsOf(s.View()))
	}
	if _, _, err := w.m.History().Rollback(t.Context(), "0", nil); err != nil {
		t.Fatal(err)
	}
	if n, _ := w.over("session/s").Get("a"); n.Title() != "A" {
		t.Errorf("the session sees %s", n.Title())
	}
	if head := s.View().Head(); head.Author != byFile || head.Kind != "ingest" {
		t.Errorf("%+v", head)
	}
}
