// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/window"
)

// household is a small memory with one node of each kind that a window treats in a way
// of its own: tasks open and done, properties, links of each form, equal nodes, an
// agent's notes, hidden nodes, a long body.
func household() *memory {
	m := newMemory()
	defer func() {
		for id := range m.items { // all but one have a handle, a garbled id
			if id != "key" {
				m.edit(id, func(item *window.Item) {
					item.Handle = strings.NewReplacer("0", "q", "1", "w", "2", "x", "3", "y", "4", "z", "5", "v").Replace(id + "abcde")[:5]
				})
			}
		}
	}()
	m.add("", window.Item{ID: "house", Title: "House", Path: "house.org", Type: "document", Body: "What breaks and who mends it.\n"})
	m.add("house", window.Item{ID: "boiler", Title: "Boiler", Todo: "NEXT", Priority: "A", Tags: []string{"heating"}, Project: true, Type: "headline",
		Planning: []string{"DEADLINE: <2026-12-01 Tue>"}, Properties: [][2]string{{"ID", "boiler"}, {"CUSTOM_ID", "boiler"}, {"PHONE", "555-0100"}},
		Body: "Service is due each winter.\n", Links: []string{"id:plumber", "*Radiators", "file:garden.org::#shed"}})
	m.add("boiler", window.Item{ID: "pump", Title: "Replace the pump", Todo: "TODO", Tags: []string{"heating"}, Body: "It hums at night.\n",
		Digest: merkle.Sum([]byte("pump"))})
	m.add("boiler", window.Item{ID: "valve", Title: "Bleed the valve", Todo: "DONE", Done: true, Tags: []string{"heating", "quick"},
		Planning: []string{"CLOSED: [2026-11-02 Mon]"}})
	m.add("valve", window.Item{ID: "key", Title: "The key hangs behind the door"})
	m.add("house", window.Item{ID: "radiators", Title: "Radiators",
		Body: "Seven of them.\n\nThe one in the hall leaks when the boiler restarts; put a bowl below it. " +
			strings.Repeat("Turn the knob a quarter at a time and wait for the hiss to end. ", 9) + "\n\n* not a heading\n#+end_src\n```\n"})
	m.add("house", window.Item{ID: "old", Title: "COMMENT Old stove", Hidden: true, Body: "boiler boiler\n"})
	m.add("old", window.Item{ID: "ash", Title: "Ash", Body: "below a hidden one\n"})
	m.add("", window.Item{ID: "garden", Title: "Garden", Path: "garden.org", Type: "document"})
	m.add("garden", window.Item{ID: "shed", Title: "Shed", Properties: [][2]string{{"CUSTOM_ID", "shed"}}, Body: "Spare pump on the second shelf.\n",
		Links: []string{"file:house.org::#boiler"}})
	m.add("garden", window.Item{ID: "twin", Title: "Replace the pump", Todo: "TODO", Body: "It hums at night.\n", Digest: merkle.Sum([]byte("pump"))})
	m.add("garden", window.Item{ID: "roses", Title: strings.Repeat("Roses ", 50), Project: true, Body: "Cut in March.\n"})
	m.add("", window.Item{ID: "people", Title: "People", Path: "people.org", Type: "document"})
	m.add("people", window.Item{ID: "plumber", Title: "Ms Okafor, plumber", Body: "Knows the boiler. Comes on Tuesdays.\n", Links: []string{"id:boiler"}})
	m.add("", window.Item{ID: "notes", Title: "Notes of robot", Path: "agents/robot/notes.org", Agent: "robot", Author: "robot"})
	for i := range 6 {
		m.add("notes", window.Item{ID: fmt.Sprint("note", i), Title: fmt.Sprintf("Boiler reading %d", i), Agent: "robot", Author: "robot",
			Date: fmt.Sprintf("2026-11-%02d", 20+i/5), Properties: [][2]string{{"AUTHOR", "robot"}, {"TRUST", "unreviewed"}},
			Links: []string{"id:boiler"}[:i/5], Body: "The boiler shows " + strings.Repeat("one bar and ", 4+i) + "no fault.\n"})
	}
	return m
}

// TestGoldenWindows fixes whole windows: the text, and of each part its level, tokens,
// score and reason. A change of ranking, selection or rendering shows here first. It
// also checks that an outline, with the indexes and prices that later windows reuse,
// changes nothing.
func TestGoldenWindows(t *testing.T) {
	near := scores{"boiler": 1, "pump": .8, "twin": .8, "plumber": .6, "radiators": .5, "shed": .3, "note1": .9, "note2": .85, "note3": .7, "old": .9, "ash": .9}
	outline, err := window.NewOutline(t.Context(), household())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := outline.Projects(), []string{"boiler", "roses"}; !slices.Equal(got, want) {
		t.Errorf("projects %q, want %q", got, want)
	}
	question := "When is the boiler due for service?"
	for name, req := range map[string]window.Request{
		"question":          {Question: question, Budget: 600},
		"question-tight":    {Question: question, Task: "bowl below the leak", Budget: 230},
		"question-markdown": {Question: question, Budget: 500, Format: window.FormatMarkdown},
		"question-json":     {Question: question, Budget: 700, Format: window.FormatJSON},
		"focus":             {Focus: "boiler", Budget: 900},
		"focus-tight":       {Focus: "pump", Budget: 160},
		"focus-json":        {Focus: "key", Budget: 400, Format: window.FormatJSON},
		"focus-hidden":      {Focus: "ash", Budget: 250},
		"focus-degraded":    {Focus: "radiators", Question: "hall leaks", Budget: 170, Degrade: true},
		"overview":          {Budget: 130},
		"everything":        {Budget: 8000, Format: window.FormatMarkdown},
		"foveal":            {Policy: window.PolicyFoveal, Focus: "boiler", Projects: []string{"roses", "boiler"}, Budget: 700, Limits: window.Limits{Threshold: .5}},
		"foveal-tight":      {Policy: window.PolicyFoveal, Focus: "pump", Projects: []string{"boiler", "garden"}, Budget: 260, Limits: window.Limits{Threshold: .5}},
		"foveal-outside":    {Policy: window.PolicyFoveal, Focus: "boiler", Projects: []string{"garden"}, Budget: 600},
		"foveal-json":       {Policy: window.PolicyFoveal, Focus: "shed", Projects: []string{"boiler"}, Budget: 900, Format: window.FormatJSON},
		"foveal-markdown":   {Policy: window.PolicyFoveal, Projects: []string{"house"}, Budget: 600, Format: window.FormatMarkdown},
	} {
		t.Run(name, func(t *testing.T) {
			req.Explain = true
			w := build(t, household(), near, req)
			var omitted []string
			for _, o := range w.OmittedTop {
				omitted = append(omitted, fmt.Sprintf("%s (%s)", o.ID, o.Why))
			}
			var b strings.Builder
			fmt.Fprintf(&b, "%s%d of %d tokens by %s, policy %s, bound %.4f, %d omitted: %s\n", w.Text, w.Tokens, w.Budget, w.Counter, w.Policy, w.Bound, w.Omitted,
				strings.Join(omitted, ", "))
			for _, p := range w.Parts {
				fmt.Fprintf(&b, "%s: %s, %d tokens, score %.4f: %s\n", p.ID, p.Level, p.Tokens, p.Score, p.Reason)
			}
			for range 3 {
				req.Outline = outline
				if diff := cmp.Diff(w, build(t, household(), near, req)); diff != "" {
					t.Errorf("with an outline (-without +with)\n%s", diff)
				}
			}
			foveatest.Golden(t, "windows/"+name+".golden", []byte(b.String()))
		})
	}
}
