// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/org"
	"github.com/fovea-memory/fovea/token"
	"github.com/fovea-memory/fovea/window"
)

// sameWindow asks two views of one state for a window and the active projects: what one
// of them has kept from earlier windows and states changes no byte.
func sameWindow(t *rapid.T, want, got *fovea.View) {
	focuses := []string{""}
	for n := range want.All() {
		focuses = append(focuses, n.ID)
	}
	req := window.Request{
		Focus:    rapid.SampledFrom(focuses).Draw(t, "focus"),
		Question: rapid.SampledFrom([]string{"", "steel gauge"}).Draw(t, "question"),
		Policy:   rapid.SampledFrom([]string{window.PolicyValue, window.PolicyValue, window.PolicyFoveal}).Draw(t, "policy"),
		Format:   rapid.SampledFrom([]string{window.FormatOrg, window.FormatMarkdown, window.FormatJSON}).Draw(t, "format"),
		Budget:   rapid.SampledFrom([]int{60, 120, 4000}).Draw(t, "budget"),
		Counter:  rapid.SampledFrom([]token.Counter{nil, token.Estimate()}).Draw(t, "counter"),
		Degrade:  true, Explain: true,
	}
	a, errA := want.Window(t.Context(), req)
	b, errB := got.Window(t.Context(), req)
	if diff := cmp.Diff(a, b); diff != "" || fmt.Sprint(errA) != fmt.Sprint(errB) {
		t.Fatalf("window %+v: %v, %v (-want +got):\n%s", req, errA, errB, diff)
	}
	if diff := cmp.Diff(want.ActiveProjects(), got.ActiveProjects()); diff != "" {
		t.Fatalf("projects (-want +got):\n%s", diff)
	}
}

// TestWindowReadsAgainWhatChanged: after an edit the next window reads the items of the
// nodes that read otherwise, not those of their whole document.
func TestWindowReadsAgainWhatChanged(t *testing.T) {
	var text strings.Builder
	for i := range 50 {
		fmt.Fprintf(&text, "* Rivet %d\n:PROPERTIES:\n:ID: r%d\n:END:\n", i, i)
	}
	w := newWorld(t, map[string]string{"a.org": text.String(), "b.org": "* Gauge\n"})
	if _, err := w.ingest().Window(t.Context(), window.Request{}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"r7", "r49"} {
		if _, err := w.m.Edit(t.Context(), id, merkle.Digest{}, org.SetTitle{Title: "Rain"}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"r7", "r49"}, w.m.View().Reread()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
