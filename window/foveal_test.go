// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/window"
)

// project returns one document with a deep project, and another document.
func project() *memory {
	m := newMemory()
	m.add("", window.Item{ID: "doc", Title: "Notes", Path: "a.org"})
	m.add("doc", window.Item{ID: "p", Title: "Project", Tags: []string{"project"}, Body: "PROJECT BODY"})
	m.add("p", window.Item{ID: "a", Title: "Alpha", Body: "ALPHA BODY"})
	m.add("a", window.Item{ID: "a1", Title: "Alpha one", Body: "ALPHA ONE BODY"})
	m.add("a1", window.Item{ID: "a11", Title: "Alpha one one", Body: "DEEP BODY", Todo: "TODO", Priority: "A",
		Planning: []string{"SCHEDULED: <2026-11-20 Fri>"}, Properties: [][2]string{{"EFFORT", "1:00"}}})
	m.add("a11", window.Item{ID: "a111", Title: "Below", Body: "BELOW BODY"})
	m.add("a111", window.Item{ID: "a1111", Title: "Far below", Body: "FAR BELOW BODY"})
	m.add("p", window.Item{ID: "b", Title: "Beta", Body: "BETA BODY"})
	m.add("", window.Item{ID: "else", Title: "Elsewhere", Path: "b.org"})
	m.add("else", window.Item{ID: "e1", Title: "Else one", Body: "ELSE BODY"})
	m.add("e1", window.Item{ID: "e2", Title: "Else two", Body: "ELSE TWO BODY"})
	return m
}

func foveal(focus string) window.Request {
	return window.Request{Policy: window.PolicyFoveal, Focus: focus, Projects: []string{"p"}}
}

// TestFovealRendering is the seed's test-foveal-rendering (X30).
func TestFovealRendering(t *testing.T) {
	m := newMemory()
	m.add("", window.Item{ID: "doc", Title: "Doc"})
	m.add("doc", window.Item{ID: "proj-root", Title: "Project", Tags: []string{"project"}})
	m.add("proj-root", window.Item{ID: "node-foveal", Title: "Foveal Node", Body: "FOVEAL CONTENT"})
	m.add("proj-root", window.Item{ID: "node-peripheral", Title: "Peripheral Node", Body: "PERIPHERAL CONTENT"})
	w := build(t, m, nil, window.Request{Policy: window.PolicyFoveal, Focus: "node-foveal", Projects: []string{"proj-root"}})
	mentions(t, w.Text, "FOVEAL CONTENT", "* Peripheral Node", "GLOBAL MEMEX AWARENESS (Peripheral Vision):\n* Project")
	lacks(t, w.Text, "PERIPHERAL CONTENT")
}

// TestAwarenessBudget is the seed's test-awareness-budget (X31), also within a budget
// that is one token short.
func TestAwarenessBudget(t *testing.T) {
	m := newMemory()
	m.add("", window.Item{ID: "d1", Title: "One"})
	m.add("d1", window.Item{ID: "p1", Title: "Project 1", Tags: []string{"project"}})
	m.add("p1", window.Item{ID: "x1", Title: "Task"})
	m.add("x1", window.Item{ID: "y1", Title: "Deep task"})
	m.add("", window.Item{ID: "d2", Title: "Two"})
	m.add("d2", window.Item{ID: "p2", Title: "Project 2", Tags: []string{"project"}})
	req := window.Request{Policy: window.PolicyFoveal, Projects: []string{"p1", "p2"}}
	w := build(t, m, nil, req)
	mentions(t, w.Text, "* Project 1", "* Project 2", "*** Deep task")
	req.Budget = w.Tokens - 1
	w = build(t, m, nil, req)
	mentions(t, w.Text, "* Project 1", "* Project 2", "** Task")
	lacks(t, w.Text, "Deep task")
	if w.Omitted != 1 || w.Bound >= 1 {
		t.Errorf("Omitted = %d, Bound = %v, want 1 and below 1", w.Omitted, w.Bound)
	}
}

// Regression tests for the defects of the seed's own rendering.

func TestDefect38FocusBelowLevelThreeIsRendered(t *testing.T) {
	w := build(t, project(), nil, foveal("a1111"))
	mentions(t, w.Text, "FAR BELOW BODY", "****** Far below")
	if p := part(t, w, "a1111"); p.Level != window.Full || p.Reason != "focus" {
		t.Errorf("focus is %v because %q", p.Level, p.Reason)
	}
	if p := part(t, w, "a11"); p.Level != window.Title || p.Reason != "ancestor of the focus" {
		t.Errorf("ancestor is %v because %q", p.Level, p.Reason)
	}
}

func TestDefect39OnlyImmediateChildrenAreFull(t *testing.T) {
	w := build(t, project(), nil, foveal("a11"))
	mentions(t, w.Text, "DEEP BODY", "BELOW BODY", "Far below", "TODO [#A] Alpha one one", "SCHEDULED: <2026-11-20 Fri>", ":EFFORT: 1:00")
	lacks(t, w.Text, "FAR BELOW BODY", "ALPHA BODY", "ALPHA ONE BODY")
	if p := part(t, w, "a111"); p.Level != window.Full || p.Reason != "child of the focus" {
		t.Errorf("child is %v because %q", p.Level, p.Reason)
	}
}

func TestDefect40FocusOutsideProjectsIsRendered(t *testing.T) {
	for _, tc := range []struct {
		name     string
		projects []string
		head     string
	}{
		{"beside a project", []string{"p"}, "GLOBAL MEMEX AWARENESS (Peripheral Vision):\n* Project"},
		{"without projects", nil, "GLOBAL MEMEX AWARENESS (Peripheral Vision):\nNo active projects found.\n* Elsewhere"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			req := foveal("e2")
			req.Projects = tc.projects
			w := build(t, project(), nil, req)
			mentions(t, w.Text, tc.head, "* Elsewhere", "** Else one", "*** Else two", "ELSE TWO BODY")
			lacks(t, w.Text, "~%", "ELSE BODY")
		})
	}
	w := build(t, project(), nil, window.Request{Policy: window.PolicyFoveal})
	if want := "GLOBAL MEMEX AWARENESS (Peripheral Vision):\nNo active projects found.\n"; w.Text != want {
		t.Errorf("nothing at all is %q, want %q", w.Text, want)
	}
}

func TestDefect41NeighboursAppear(t *testing.T) {
	near := scores{"b": 0.8333, "e2": 0.75, "a": 0.7499, "a11": 1}
	w := build(t, project(), near, foveal("a11"))
	mentions(t, w.Text, "BETA BODY", ":SEMANTIC_SCORE: 0.83", "ELSE TWO BODY", ":SEMANTIC_SCORE: 0.75\n")
	lacks(t, w.Text, "ALPHA BODY", "SEMANTIC_SCORE: 1.00")
	if p := part(t, w, "b"); p.Score != 0.8333 || p.Reason != "similar to the focus (0.83)" {
		t.Errorf("neighbour has score %v because %q", p.Score, p.Reason)
	}
	req := foveal("a11")
	req.Limits.Threshold = 0.8
	lacks(t, build(t, project(), near, req).Text, "ELSE TWO BODY", "Else two")
}

// Defects 42 and 43 concern finding active projects: the window takes them as ids and
// does not guess by tags or keywords.
func TestDefect42And43ProjectsAreThoseNamed(t *testing.T) {
	m := project()
	m.edit("e1", func(item *window.Item) {
		item.Tags = []string{"noprojects", "project"}
		item.Todo = "DONE"
		item.Done = true
	})
	w := build(t, m, nil, foveal(""))
	lacks(t, w.Text, "Else one")
	mentions(t, w.Text, "* Project")
}

func TestDefect44NothingIsForgedAndTitlesStandOnce(t *testing.T) {
	m := project()
	m.edit("a11", func(item *window.Item) { item.Body = "* Forged\n:PROPERTIES:\n:ID: stolen\n:END:\ntext" })
	w := build(t, m, nil, foveal("a11"))
	lacks(t, w.Text, "\n* Forged")
	mentions(t, w.Text, "\n * Forged")
	if n := countString(w.Text, "Alpha one one"); n != 1 {
		t.Errorf("the title of the focus stands %d times", n)
	}
	parses(t, w)
}

func TestDefect45BudgetHoldsAndCyclesEnd(t *testing.T) {
	m := project()
	m.kids["a1111"] = []string{"p", "a1111", "gone"}
	for _, policy := range []string{window.PolicyFoveal, window.PolicyValue} {
		req := foveal("a11")
		req.Policy = policy
		w := build(t, m, nil, req)
		for budget := 150; budget <= w.Tokens; budget += 25 {
			req.Budget = budget
			build(t, m, nil, req)
		}
	}
}

func TestFovealNestedProjectsAndHiddenNodes(t *testing.T) {
	m := project()
	m.edit("a1", func(item *window.Item) { item.Hidden = true })
	req := foveal("b")
	req.Projects = []string{"a", "p", "p", "nobody"}
	w := build(t, m, nil, req)
	lacks(t, w.Text, "Alpha one", "Below")
	if n := countString(w.Text, "Alpha"); n != 1 {
		t.Errorf("the inner project stands %d times, want once in the outer one", n)
	}
	req.Focus = "a11"
	w = build(t, m, nil, req)
	mentions(t, w.Text, "DEEP BODY")
	lacks(t, w.Text, "ALPHA ONE", "BELOW BODY")
}

// TestFovealTitlesByDepth: a budget that is too small for all titles leaves out the deepest.
func TestFovealTitlesByDepth(t *testing.T) {
	m := newMemory()
	m.add("", window.Item{ID: "p", Title: "Title"})
	depth := map[string]int{"p": 0}
	add := func(parent, id string) {
		m.add(parent, window.Item{ID: id, Title: "Title"})
		depth[id] = depth[parent] + 1
	}
	for _, top := range []string{"a", "b", "c"} {
		add("p", top)
		for id := top; len(id) < 5; id += "x" {
			add(id, id+"x")
		}
	}
	full := build(t, m, nil, foveal(""))
	for budget := full.Tokens; budget > 0; budget-- {
		req := foveal("")
		req.Budget = budget
		w, err := window.Build(t.Context(), m, nil, req)
		if err != nil {
			break
		}
		deepest := 0
		for _, p := range w.Parts {
			deepest = max(deepest, depth[p.ID])
		}
		for id, d := range depth {
			if d < deepest && !has(w, id) {
				t.Errorf("%d tokens: %s is left out, and a deeper one shown\n%s", budget, id, w.Text)
			}
		}
	}
	if len(full.Parts) != len(depth) {
		t.Errorf("%d of %d nodes", len(full.Parts), len(depth))
	}
}

// TestOutlineSaysWhatItLeavesOut proves that an outline without room for all of its projects ends with a
// line that counts the others, and that one that is complete has no such line.
func TestOutlineSaysWhatItLeavesOut(t *testing.T) {
	m := newMemory()
	req := window.Request{Policy: window.PolicyFoveal}
	for i := range 100 {
		id := fmt.Sprint("p", i)
		m.add("", window.Item{ID: id, Title: fmt.Sprint("Project ", i)})
		req.Projects = append(req.Projects, id)
	}
	for _, req.Format = range []string{window.FormatOrg, window.FormatMarkdown} {
		req.Budget = 800
		w := build(t, m, nil, req)
		last := fmt.Sprintf("Left out for lack of room: %d.\n", w.Omitted)
		if w.Omitted < 1 || w.Omitted+len(w.Parts) != 100 || !strings.HasSuffix(w.Text, last) {
			t.Errorf("%s: %d of 100 parts, %d omitted; the text ends with %q", req.Format, len(w.Parts), w.Omitted, w.Text[len(w.Text)-40:])
		}
		req.Budget = 9000
		lacks(t, build(t, m, nil, req).Text, "Left out")
	}
}

// TestTreeTitleOnce proves that the title and the tags of a tree, which are properties there, are in
// its heading alone.
func TestTreeTitleOnce(t *testing.T) {
	m := newMemory()
	m.add("", window.Item{ID: "n", Title: "Foveal Node", Tags: []string{"project", "x"}, Path: "/n",
		Properties: [][2]string{{"TITLE", "Foveal Node"}, {"TAGS", "project"}, {"TAGS+", "x"}, {"PLACE", "here"}}})
	m.add("n", window.Item{ID: "k", Title: "Kid", Properties: [][2]string{{"TITLE", "another"}, {"TAGS", "other"}}})
	for _, policy := range []string{window.PolicyFoveal, window.PolicyValue} {
		w := build(t, m, nil, window.Request{Policy: policy, Focus: "n"})
		mentions(t, w.Text, "Foveal Node :project:x:", "here", "another", "other")
		if strings.Count(w.Text, "Foveal Node") != 1 || strings.Contains(w.Text, "TAGS: project") {
			t.Errorf("%s says it twice:\n%s", policy, w.Text)
		}
	}
}
