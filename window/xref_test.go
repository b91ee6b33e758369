// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/token"
	"github.com/fovea-memory/fovea/window"
)

// xrefs are the cross-reference cases. The links of a node say which other nodes its
// reader needs; they are blanked before the text is used.
type xrefs struct {
	File  string
	Nodes []struct {
		N, Level   int
		Parent     *int
		Title      string
		B, H, E, S int
	}
	Cases []struct {
		Focus   int
		Targets []int
		Mask    [][2]int
	}
	text []byte
}

func loadXrefs(tb testing.TB) *xrefs {
	tb.Helper()
	dir := filepath.Join(foveatest.Testdata(tb), "data", "org-manual")
	raw, err := os.ReadFile(filepath.Join(dir, "cases.json"))
	if err != nil {
		tb.Fatal(err)
	}
	x := new(xrefs)
	if err := json.Unmarshal(raw, x); err != nil {
		tb.Fatal(err)
	}
	if x.text, err = os.ReadFile(filepath.Join(dir, x.File)); err != nil {
		tb.Fatal(err)
	}
	return x
}

var notBody = regexp.MustCompile(`(?ms)\A:PROPERTIES:\n.*?^:END:\n|^#\+[cvkf]index:[^\n]*\n`)

// source returns the manual as a source with a lexical index, with the links of one
// case blanked.
func (x *xrefs) source(mask [][2]int) lexical {
	blank := bytes.Clone(x.text)
	for _, m := range mask {
		for i := m[0]; i < m[1]; i++ {
			if blank[i] != '\n' {
				blank[i] = ' '
			}
		}
	}
	m := newMemory()
	m.add("", window.Item{ID: "doc", Title: "The Org Manual", Path: x.File})
	var docs []index.Doc
	for _, n := range x.Nodes {
		parent := "doc"
		if n.Parent != nil {
			parent = strconv.Itoa(*n.Parent)
		}
		body := notBody.ReplaceAllString(string(blank[n.H:n.E]), "")
		m.add(parent, window.Item{ID: strconv.Itoa(n.N), Title: n.Title, Body: body})
		docs = append(docs, index.Doc{ID: strconv.Itoa(n.N), Title: n.Title, Body: body})
	}
	return lexical{m, index.Build(docs)}
}

// lexical is BM25 over title and body of the focus.
type lexical struct {
	memory *memory
	index  *index.Lexical
}

func (l lexical) Scores(focus, text string) []window.Scored {
	item := l.memory.items[focus]
	hits := l.index.Search(index.Query{Text: item.Title + "\n" + item.Body + "\n" + text, Terms: 32, Limit: 500})
	var scored []window.Scored
	best := 0.0
	for _, h := range hits {
		if h.ID != focus {
			best = max(best, h.Score)
		}
	}
	for _, h := range hits {
		scored = append(scored, window.Scored{ID: h.ID, Score: min(1, h.Score/best)})
	}
	return scored
}

// TestCrossReferences measures the graded score: the share of the nodes that a node
// refers to that a window on it shows, where a title counts 0.2 and a paragraph 0.5.
// All links are blanked. The minimum scores are slightly below the measured ones, so
// that only a regression fails.
func TestCrossReferences(t *testing.T) {
	x := loadXrefs(t)
	sources := make([]lexical, len(x.Cases))
	for i, c := range x.Cases {
		sources[i] = x.source(c.Mask)
	}
	cache := token.NewCache(1 << 16)
	for _, tc := range []struct {
		budget int
		least  float64
	}{{1000, .235}, {2000, .335}, {4000, .455}, {8000, .585}} {
		t.Run(strconv.Itoa(tc.budget), func(t *testing.T) {
			targets, bound := 0, 0.0
			var at [window.Full + 1]int
			for i, c := range x.Cases {
				w, err := window.Build(t.Context(), sources[i].memory, sources[i], window.Request{
					Focus: strconv.Itoa(c.Focus), Budget: tc.budget, Cache: cache, Degrade: true,
				})
				if err != nil {
					t.Fatal(err)
				}
				bound += w.Bound
				levels := map[string]window.Level{}
				for _, p := range w.Parts {
					levels[p.ID] = p.Level
				}
				for _, target := range c.Targets {
					targets++
					at[levels[strconv.Itoa(target)]]++
				}
			}
			share := func(n int) float64 { return float64(n) / float64(targets) }
			graded := share(at[window.Full]) + .5*share(at[window.Snippet]) + .2*share(at[window.Title])
			t.Logf("graded %.3f: full %.3f, snippet %.3f, title %.3f; bound %.3f", graded,
				share(at[window.Full]), share(at[window.Snippet]), share(at[window.Title]), bound/float64(len(x.Cases)))
			if graded < tc.least {
				t.Errorf("graded %.3f, want at least %.3f", graded, tc.least)
			}
		})
	}
}
