// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/window"
)

// reread lists the nodes whose items the next window reads again, compared with an
// earlier view.
func reread(v *View) (ids []string) {
	for _, d := range v.tree.gap.replaced(v.state) {
		for _, n := range v.state.Nodes(d.Path) {
			if !d.Unchanged(n.ID) {
				ids = append(ids, n.ID)
			}
		}
	}
	return ids
}

// TestWindowReadsAgainWhatChanged: after an edit the next window reads the items of the
// nodes that read otherwise, not those of their whole document.
func TestWindowReadsAgainWhatChanged(t *testing.T) {
	var text strings.Builder
	for i := range 50 {
		fmt.Fprintf(&text, "* Rivet %d\n:PROPERTIES:\n:ID: r%d\n:END:\n", i, i)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"a.org": text.String(), "b.org": "* Gauge\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m, err := Open(t.Context(), dir, &Options{StateDir: filepath.Join(t.TempDir(), "state")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	if err := m.Ingest(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := m.View().Window(t.Context(), window.Request{}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"r7", "r49"} {
		if _, err := m.Edit(t.Context(), id, nil, document.SetTitle{Title: "Rain"}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"r7", "r49"}, reread(m.View())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
