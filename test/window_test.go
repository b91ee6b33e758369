// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/token"
	"github.com/fovea-memory/fovea/window"
)

// sameWindow asks two views of one state for a window and the active projects: what one
// of them has kept from earlier windows and states changes no byte.
func sameWindow(t *rapid.T, want, got fovea.View) {
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
