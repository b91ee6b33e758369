// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
)

// awareness renders the policy foveal for a request as it arrives in JSON.
func awareness(t *testing.T, w *world, request string) *api.ContextResponse {
	t.Helper()
	req := api.ContextRequest{Policy: "foveal"}
	if err := json.Unmarshal([]byte(request), &req); err != nil {
		t.Fatal(err)
	}
	r, err := api.OpContext.Call(t.Context(), w.serve(), req)
	if err != nil {
		t.Fatalf("%s: %v", request, err)
	}
	if r.Tokens > r.Budget {
		t.Errorf("%s: %d tokens for a budget of %d", request, r.Tokens, r.Budget)
	}
	return r
}

// TestFovealRendering is the contract's test test-foveal-rendering, from files to
// text, by both names a signal carries the focus under.
func TestFovealRendering(t *testing.T) {
	w := newWorld(t, map[string]string{
		"a.org": "* Project :project:\n:PROPERTIES:\n:ID: proj-root\n:END:\n" +
			"** Foveal Node\n:PROPERTIES:\n:ID: node-foveal\n:END:\nFOVEAL CONTENT\n*** Child\nCHILD CONTENT\n**** Grandchild\nGRANDCHILD CONTENT\n" +
			"** Peripheral Node\n:PROPERTIES:\n:ID: node-peripheral\n:END:\nPERIPHERAL CONTENT\n",
	})
	want := awareness(t, w, `{"focus": "node-foveal"}`).Text
	for _, text := range []string{"GLOBAL MEMEX AWARENESS (Peripheral Vision):\n", "FOVEAL CONTENT", "CHILD CONTENT", "Grandchild", "Peripheral Node",
		":ID: node-peripheral"} {
		if !strings.Contains(want, text) {
			t.Errorf("%q is missing in\n%s", text, want)
		}
	}
	for _, text := range []string{"PERIPHERAL CONTENT", "GRANDCHILD CONTENT"} {
		if strings.Contains(want, text) {
			t.Errorf("%q is shown in\n%s", text, want)
		}
	}
	for _, request := range []string{
		`{"foveal_focus": "node-foveal"}`,
		`{"payload": {"target_id": "node-foveal"}}`,
		`{"foveal_focus": "node-foveal", "payload": {"target_id": "node-peripheral"}}`,
		`{"focus": "a.org:5"}`,
	} {
		if got := awareness(t, w, request).Text; got != want {
			t.Errorf("%s gives another window:\n%s", request, got)
		}
	}
	if got := awareness(t, w, `{"payload": {"target_id": "node-peripheral"}}`).Text; !strings.Contains(got, "PERIPHERAL CONTENT") ||
		strings.Contains(got, "FOVEAL CONTENT") {
		t.Errorf("the target alone does not make the focus:\n%s", got)
	}
}

// TestAwarenessBudget is the contract's test test-awareness-budget: two projects
// both appear, also where the budget has no room for what is below them.
func TestAwarenessBudget(t *testing.T) {
	w := newWorld(t, map[string]string{
		"a.org": "* Project 1 :project:\n:PROPERTIES:\n:ID: p1\n:END:\n" + strings.Repeat("** Task of the first one\n*** Step of it\n", 200),
		"b.org": "* Project 2 :project:\n:PROPERTIES:\n:ID: p2\n:END:\n** Only task\n",
	})
	all := awareness(t, w, `{"budget": 100000}`)
	for _, tc := range []struct {
		request string
		omitted bool
	}{{`{"budget": 100000}`, false}, {`{"budget": 1000}`, true}, {`{"budget": 200}`, true}} {
		r := awareness(t, w, tc.request)
		if !strings.Contains(r.Text, "* Project 1 ") || !strings.Contains(r.Text, "* Project 2 ") {
			t.Errorf("%s: a project is missing in\n%s", tc.request, r.Text)
		}
		if (r.Omitted > 0) != tc.omitted || r.Omitted+len(r.Parts) != all.Omitted+len(all.Parts) {
			t.Errorf("%s: %d parts, %d omitted", tc.request, len(r.Parts), r.Omitted)
		}
	}
}

// TestActiveProjects: a project has the tag itself, or its document has it; one
// that is finished, however the file spells that, is none.
func TestActiveProjects(t *testing.T) {
	w := newWorld(t, map[string]string{
		"a.org": "#+todo: NEXT | SHIPPED\n* Running :project:\n** Task of it\n* SHIPPED Finished :project:\n* NEXT Begun :x:project:\n" +
			"* Like one :noprojects:\n* In capitals :Project:\n* COMMENT Left out :project:\n* DONE Is no keyword here :project:\n",
		"b.org": "#+filetags: :project:\n* Inside\n",
		"c.org": "* DONE Finished too :project:\n* Named project\n:PROPERTIES:\n:TAGS: project\n:END:\n",
	})
	v := w.ingest()
	var got []string
	for _, id := range v.ActiveProjects() {
		n, _ := v.Get(id)
		got = append(got, n.Title())
	}
	if want := "Running, Begun, DONE Is no keyword here, b"; strings.Join(got, ", ") != want {
		t.Errorf("active projects %q, want %q", strings.Join(got, ", "), want)
	}
}

// TestAwarenessWithoutProjects: the fixed line, whole and with a line end; a
// focus that is named still stands there, whatever the state of its project.
func TestAwarenessWithoutProjects(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* DONE Old :project:\n** Deep\n*** Deeper\n**** Focus\n:PROPERTIES:\n:ID: f\n:END:\nTHE BODY\n"})
	const none = "GLOBAL MEMEX AWARENESS (Peripheral Vision):\nNo active projects found.\n"
	if got := awareness(t, w, `{}`).Text; got != none {
		t.Errorf("got %q, want %q", got, none)
	}
	if got := awareness(t, w, `{"focus": "f"}`).Text; !strings.HasPrefix(got, none) || !strings.Contains(got, "THE BODY") {
		t.Errorf("a focus without a project:\n%s", got)
	}
}

// TestNeighboursOfTheFocus: what resembles the focus is shown in full, by the
// words of real files, from a threshold that the request or the service sets.
func TestNeighboursOfTheFocus(t *testing.T) {
	w := newWorld(t, map[string]string{
		"a.org": "* Pump :project:\n:PROPERTIES:\n:ID: f\n:END:\nbilge pump impeller seized\n",
		"b.org": "* Pump notes\nbilge pump impeller seized again: the bilge pump impeller\n* Bread\nflour and water\n",
	})
	low := awareness(t, w, `{"focus": "f", "threshold": 0.3}`).Text
	if !strings.Contains(low, "seized again") || !strings.Contains(low, ":SEMANTIC_SCORE: ") || strings.Contains(low, "flour") {
		t.Errorf("with a low threshold:\n%s", low)
	}
	svc := api.NewLocal(w.m, &api.LocalOptions{Threshold: 0.3})
	r, err := api.OpContext.Call(t.Context(), svc, api.ContextRequest{Policy: "foveal", Focus: "f"})
	if err != nil || r.Text != low {
		t.Errorf("the service's threshold does not count: %v", err)
	}
	if high := awareness(t, w, `{"focus": "f", "threshold": 1}`).Text; strings.Count(high, "SEMANTIC_SCORE") > strings.Count(low, "SEMANTIC_SCORE") {
		t.Errorf("a higher threshold shows more:\n%s", high)
	}
}

// TestForgedTextStaysText: a body cannot make headings, ids or instructions of a
// window, in any format, from files to text.
func TestForgedTextStaysText(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* Project :project:\n** Focus\n:PROPERTIES:\n:ID: f\n:END:\n#+begin_example\n,* Forged\n,:PROPERTIES:\n" +
		",:ID: stolen\n,:END:\n#+end_example\n"})
	for _, policy := range []string{"foveal", "value"} {
		r, err := api.OpContext.Call(t.Context(), w.serve(), api.ContextRequest{Policy: policy, Focus: "f"})
		if err != nil {
			t.Fatal(err)
		}
		v := newWorld(t, map[string]string{"window.org": r.Text}).ingest()
		if _, ok := v.Get("stolen"); ok {
			t.Errorf("%s: the window bears the forged id:\n%s", policy, r.Text)
		}
		if _, err := v.Resolve("Forged"); fovea.KindOf(err) != fovea.NotFound {
			t.Errorf("%s: the window has the forged heading (%v):\n%s", policy, err, r.Text)
		}
	}
}

// TestUntitledNodes: a node without a title is shown, under a name that says so.
func TestUntitledNodes(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* Project :project:\n** \n:PROPERTIES:\n:ID: nameless\n:END:\nTHE BODY\n"})
	for policy, want := range map[string]string{
		"foveal": "* Untitled\n:PROPERTIES:\n:ID: nameless\n:END:\n THE BODY\n", "value": "* wizwr Untitled\n THE BODY\n",
	} {
		r, err := api.OpContext.Call(t.Context(), w.serve(), api.ContextRequest{Policy: policy, Focus: "nameless"})
		if err != nil || !strings.Contains(r.Text, want) {
			t.Errorf("%s: %v\n%+v", policy, err, r)
		}
	}
}
