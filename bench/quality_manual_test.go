// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bench

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/window"
)

// manual is the Org manual with the cross-references of some of its nodes, which say
// what a reader of a node needs.
type manual struct {
	File  string
	Nodes []struct{ N int }
	Cases []struct {
		Focus   int
		Targets []int
		Mask    [][2]int // bytes of the links of the focus, which are blanked
	}
	text []byte
}

func readManual(t testing.TB) *manual {
	t.Helper()
	dir := filepath.Join(foveatest.Testdata(t), "data", "org-manual")
	m := &manual{}
	foveatest.DecodeJSON(t, filepath.Join(dir, "cases.json"), m)
	var err error
	if m.text, err = os.ReadFile(filepath.Join(dir, m.File)); err != nil {
		t.Fatal(err)
	}
	return m
}

// masked returns the manual without the links of a case.
func (m *manual) masked(mask [][2]int) []byte {
	out := bytes.Clone(m.text)
	for _, r := range mask {
		for i := r[0]; i < r[1]; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	return out
}

// realID is the length of an id that a folder without declared ids has. Windows over the
// manual may not profit from shorter ones.
const realID = 27

// graded measures windows on each focus: a target counts 1 in full, 0.5 as a snippet and
// 0.2 as a title.
func (m *manual) graded(t testing.TB, c chooser, budgets []int) *figures {
	t.Helper()
	dir, f := t.TempDir(), newFigures()
	path := filepath.Join(dir, m.File)
	var o opened
	memory := ingestFolder(t, dir)
	for _, x := range m.Cases {
		if err := os.WriteFile(path, m.masked(x.Mask), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := memory.Ingest(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		o.view = view.Of(memory.View())
		nodes := headlinesOf(o.view, m.File)
		if len(nodes) != len(m.Nodes) {
			t.Fatalf("the manual has %d headlines, want %d", len(nodes), len(m.Nodes))
		}
		for _, n := range nodes {
			if len(n.ID) < realID {
				t.Fatalf("the id %s has fewer than the %d signs of a derived one", n.ID, realID)
			}
		}
		for _, budget := range budgets {
			w := c.choose(t, &o, window.Request{Focus: nodes[x.Focus].ID, Budget: budget})
			levels := map[string]window.Level{}
			for _, p := range w.Parts {
				levels[p.ID] = p.Level
			}
			for _, target := range x.Targets {
				worth := map[window.Level]float64{window.Title: .2, window.Snippet: .5, window.Full: 1}
				f.add(fmt.Sprintf("graded@%d", budget), worth[levels[nodes[target].ID]])
			}
		}
	}
	return f
}
