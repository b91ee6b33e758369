// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
)

// forest makes a tree of 11,111 nodes: ten children each, a text of 500 bytes, six
// attributes.
func forest(id string, depth int) *ast.Tree {
	t := &ast.Tree{Type: document.TypeHeadline, Content: strings.Repeat("rain and steel ", 34)[:500], Attrs: document.Attributes(
		document.Attr{Key: "ID", Value: document.TextValue(id)}, document.Attr{Key: "TITLE", Value: document.TextValue("Node " + id)},
		document.Attr{Key: "TODO", Value: document.TextValue("TODO")}, document.Attr{Key: "TAGS", Value: document.ListValue(document.TextValue("a"),
			document.TextValue("b"))},
		document.Attr{Key: "EFFORT", Value: document.IntValue(3)}, document.Attr{Key: "SCOPE", Value: document.BoolValue(true)})}
	if depth > 0 {
		for i := range 10 {
			t.Kids = append(t.Kids, forest(fmt.Sprint(id, "-", i), depth-1))
		}
	}
	return t
}

// BenchmarkIngestTree is a parsed tree of 11,111 nodes into an empty memory, the same
// again, and one changed leaf of it, journal and fsync included.
func BenchmarkIngestTree(b *testing.B) {
	whole := forest("n", 4)
	b.Run("empty", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			w := newWorld(b, nil)
			b.StartTimer()
			if _, _, _, err := w.m.IngestTree(b.Context(), whole, "", nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	w := newWorld(b, nil)
	if _, _, _, err := w.m.IngestTree(b.Context(), whole, "", nil); err != nil {
		b.Fatal(err)
	}
	b.Run("same", func(b *testing.B) {
		for b.Loop() {
			if _, _, c, err := w.m.IngestTree(b.Context(), whole, "", nil); err != nil || c.Seq != 0 {
				b.Fatal(c, err)
			}
		}
	})
	b.Run("leaf", func(b *testing.B) {
		leaf := forest("n-1-2-3-4", 0)
		for i := 0; b.Loop(); i++ {
			leaf := *leaf
			leaf.Content = fmt.Sprint("text ", i)
			if _, _, c, err := w.m.IngestTree(b.Context(), &leaf, "", nil); err != nil || c.Changes != 5 {
				b.Fatal(c, err)
			}
		}
	})
}

// BenchmarkOver is a view of a memex of 10,000 nodes under a session: of nothing that
// changed, and after an edit of one file.
func BenchmarkOver(b *testing.B) {
	files := map[string]string{}
	for i := range 100 {
		var text strings.Builder
		for k := range 99 {
			fmt.Fprintf(&text, "* Node\n:PROPERTIES:\n:ID: n%d-%d\n:END:\nrain and steel\n", i, k)
		}
		files[fmt.Sprintf("%02d.org", i)] = text.String()
	}
	w := newWorld(b, files)
	w.ingest()
	s, err := w.m.Scope(b.Context(), "session/s")
	if err == nil {
		_, _, _, err = s.IngestTree(b.Context(), forest("s", 1), "", nil)
	}
	if err != nil {
		b.Fatal(err)
	}
	w.over("session/s").Search("rain", 1, nil, time.Now())
	b.Run("unchanged", func(b *testing.B) {
		for b.Loop() {
			w.over("session/s")
		}
	})
	b.Run("after an edit", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			b.StopTimer()
			if _, err := w.m.Notes().Edit(b.Context(), "n5-5", nil, document.SetTitle{Title: fmt.Sprint("Title ", i)}); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			w.over("session/s")
		}
	})
}
