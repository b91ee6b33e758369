// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/embed"
	"github.com/fovea-memory/fovea/internal/meaning"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/window"
)

// passage is a headline of a memory that a question may ask for.
type passage struct {
	key  string
	text string // what a window must hold to show it
}

// file is an Org file and its passages, in the order of its headlines. A headline
// without passages of its own has an empty list; one may have several.
type file struct {
	path, text string
	headlines  [][]passage
}

// question is a question with the keys of the passages that answer it.
type question struct {
	text, kind string
	gold       []string
}

// library is a memory with questions about it.
type library struct {
	documents []file
	questions []question
	asker     string // the agent that asks, "" for the owner
}

// opened is a library in an open memory.
type opened struct {
	library
	view    *view.View
	keys    map[string][]string // keys of passages by the id of their node
	texts   map[string]string   // of passages, normalized, by key
	meaning *meaning.Vectors    // what questions are ranked by too; nil for words alone
}

var qualityTime = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// openLibrary writes the documents into a folder and reads them, and makes their vectors if
// the flags name an embedder.
func openLibrary(t testing.TB, l library) *opened {
	t.Helper()
	if *embedURL != "" {
		return openMeaning(t, l, func(context.Context) (embed.Embedder, error) { return flagged() })
	}
	o, _ := openWith(t, l, nil)
	return o
}

// openMeaning is openLibrary with an embedder, by which its questions are ranked too.
func openMeaning(t testing.TB, l library, e embedder) *opened {
	t.Helper()
	o, m := openWith(t, l, e)
	o.meaning = m.Meaning()
	if err := o.meaning.Fill(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return o
}

// embedder connects to an embedder.
type embedder = func(context.Context) (embed.Embedder, error)

// openWith is openLibrary with an embedder, nil for none.
func openWith(t testing.TB, l library, e embedder) (*opened, *fovea.Memory) {
	t.Helper()
	dir := t.TempDir()
	for _, d := range l.documents {
		path := filepath.Join(dir, filepath.FromSlash(d.path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(d.text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m := ingestWith(t, dir, e)
	o := &opened{library: l, view: view.Of(m.View()), keys: map[string][]string{}, texts: map[string]string{}}
	for _, d := range l.documents {
		nodes := headlinesOf(o.view, d.path)
		if len(nodes) != len(d.headlines) {
			t.Fatalf("%s has %d headlines, want %d", d.path, len(nodes), len(d.headlines))
		}
		for i, passages := range d.headlines {
			for _, p := range passages {
				o.keys[nodes[i].ID] = append(o.keys[nodes[i].ID], p.key)
				o.texts[p.key] = normalized(p.text)
			}
		}
	}
	return o, m
}

// ingestFolder opens the memory of a folder and reads it.
func ingestFolder(t testing.TB, dir string) *fovea.Memory {
	t.Helper()
	return ingestWith(t, dir, nil)
}

func ingestWith(t testing.TB, dir string, e embedder) *fovea.Memory {
	t.Helper()
	m, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: t.TempDir(), Now: func() time.Time { return qualityTime }, Embedder: e})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	if err := m.Ingest(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return m
}

// headlinesOf returns the headlines of a document in its order.
func headlinesOf(v fovea.View, path string) (nodes []*node.Node) {
	for n := range v.Document(path) {
		if n.Parent != "" {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// normalized returns a text as its words in a row, without what a window puts before
// the lines of a body.
func normalized(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, mark := range []string{": ", ",", "> "} {
			line = strings.TrimPrefix(line, mark)
		}
		for word := range strings.FieldsSeq(line) {
			b.WriteString(word)
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// found returns the keys of passages that a search finds, best first.
func (o *opened) found(t testing.TB, text string, limit int) (keys []string) {
	t.Helper()
	hits, err := o.ranked(t, text).Search(text, limit, nil, qualityTime)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hits {
		keys = append(keys, o.keys[h.Node.ID]...)
	}
	return keys
}

// window returns a window of the library. It fails if the window is over its budget.
func (o *opened) window(t testing.TB, req window.Request) *window.Window {
	t.Helper()
	ctx := t.Context()
	if o.asker != "" {
		ctx = fovea.WithActor(ctx, author.Actor{Author: author.Named(o.asker)})
	}
	req.Degrade = true
	w, err := o.ranked(t, req.Question).Window(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	if w.Tokens > req.Budget {
		t.Fatalf("a window of %d tokens is over its budget of %d", w.Tokens, req.Budget)
	}
	return w
}

// shown returns the share of some passages whose whole text is in a window.
func (o *opened) shown(w *window.Window, gold []string) float64 {
	text, count := normalized(w.Text), 0
	for _, key := range gold {
		if strings.Contains(text, o.texts[key]) {
			count++
		}
	}
	return float64(count) / float64(len(gold))
}
