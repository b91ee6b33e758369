// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/org"
	"github.com/fovea-memory/fovea/token"
	"github.com/fovea-memory/fovea/window"
)

// memory is a Source backed by maps.
type memory struct {
	docs   []string
	items  map[string]window.Item
	kids   map[string][]string
	parent map[string]string
}

func newMemory() *memory {
	return &memory{items: map[string]window.Item{}, kids: map[string][]string{}, parent: map[string]string{}}
}

// add puts item below parent, "" for a document.
func (m *memory) add(parent string, item window.Item) *memory {
	if parent == "" {
		m.docs = append(m.docs, item.ID)
	} else {
		above := m.items[parent]
		item.Level = above.Level + 1
		if item.Path == "" {
			item.Path = above.Path
		}
		m.kids[parent] = append(m.kids[parent], item.ID)
	}
	m.items[item.ID] = item
	m.parent[item.ID] = parent
	return m
}

// edit changes one item.
func (m *memory) edit(id string, change func(*window.Item)) {
	item := m.items[id]
	change(&item)
	m.items[id] = item
}

func (m *memory) Root() merkle.Digest                { return merkle.Sum([]byte("state")) }
func (m *memory) Children(id string) []string        { return m.kids[id] }
func (m *memory) Parent(id string) string            { return m.parent[id] }
func (m *memory) Item(id string) (window.Item, bool) { item, ok := m.items[id]; return item, ok }

func (m *memory) Document(id string) (doc, path string) {
	if _, ok := m.items[id]; !ok {
		return "", ""
	}
	for m.parent[id] != "" {
		id = m.parent[id]
	}
	return id, m.items[id].Path
}

// Documents lists blocks of working memory first, as their paths demand.
func (m *memory) Documents() []string {
	key := func(id string) string {
		if path := m.items[id].Path; strings.HasPrefix(path, "/") {
			return path
		}
		return "1"
	}
	return slices.SortedStableFunc(slices.Values(m.docs), func(a, b string) int { return strings.Compare(key(a), key(b)) })
}

// hidden reports whether a node or one of its ancestors is hidden.
func (m *memory) hidden(id string) bool {
	return id != "" && (m.items[id].Hidden || m.hidden(m.parent[id]))
}

// scores is a Similarity with fixed scores.
type scores map[string]float64

func (s scores) Scores(string, string) []window.Scored {
	var all []window.Scored
	for id, score := range s {
		all = append(all, window.Scored{ID: id, Score: score})
	}
	return all
}

// exact returns the exact counter.
func exact(tb testing.TB) token.Counter {
	tb.Helper()
	counter, err := token.Exact()
	if err != nil {
		tb.Fatalf("Exact: %v", err)
	}
	return counter
}

// build builds a window, checks the invariants of every window, and fails the test on
// an error.
func build(tb testing.TB, src window.Source, sim window.Similarity, req window.Request) *window.Window {
	tb.Helper()
	w, err := window.Build(context.Background(), src, sim, req)
	if err != nil {
		tb.Fatalf("Build(%+v): %v", req, err)
	}
	check(tb, w, req)
	return w
}

// check asserts the invariants of a window.
func check(tb testing.TB, w *window.Window, req window.Request) {
	tb.Helper()
	counter := req.Counter
	if counter == nil {
		counter = exact(tb)
	}
	if n := counter.Count(w.Text); n != w.Tokens {
		tb.Errorf("Tokens = %d, the text counts %d", w.Tokens, n)
	}
	if w.Tokens > w.Budget {
		tb.Errorf("%d tokens exceed the budget of %d", w.Tokens, w.Budget)
	}
	if w.Bound < 0 || w.Bound > 1 {
		tb.Errorf("Bound = %v, want 0 to 1", w.Bound)
	}
	if !utf8.ValidString(w.Text) {
		tb.Errorf("the text is not UTF-8: %q", w.Text)
	}
	met := map[string]bool{}
	for _, p := range w.Parts {
		if met[p.ID] {
			tb.Errorf("part %q is there twice", p.ID)
		}
		met[p.ID] = true
	}
}

// part returns the part with this id.
func part(tb testing.TB, w *window.Window, id string) window.Part {
	tb.Helper()
	i := slices.IndexFunc(w.Parts, func(p window.Part) bool { return p.ID == id })
	if i < 0 {
		tb.Fatalf("no part %q in\n%s", id, w.Text)
	}
	return w.Parts[i]
}

// has reports whether a window has a part with this id.
func has(w *window.Window, id string) bool {
	return slices.ContainsFunc(w.Parts, func(p window.Part) bool { return p.ID == id })
}

// mentions fails unless text contains all of want.
func mentions(tb testing.TB, text string, want ...string) {
	tb.Helper()
	for _, s := range want {
		if !strings.Contains(text, s) {
			tb.Errorf("the text lacks %q:\n%s", s, text)
		}
	}
}

func lacks(tb testing.TB, text string, absent ...string) {
	tb.Helper()
	for _, s := range absent {
		if strings.Contains(text, s) {
			tb.Errorf("the text holds %q:\n%s", s, text)
		}
	}
}

func countString(text, sub string) int { return strings.Count(text, sub) }

// parses fails unless Org reads exactly the parts of a window as headlines.
func parses(tb testing.TB, w *window.Window) *org.Document {
	tb.Helper()
	doc := org.Parse(w.Text, nil)
	if len(doc.Headlines) != len(w.Parts) {
		tb.Fatalf("Org reads %d headlines, there are %d parts:\n%s", len(doc.Headlines), len(w.Parts), w.Text)
	}
	return doc
}
