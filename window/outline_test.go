// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/token"
	"github.com/fovea-memory/fovea/window"
)

// TestOutlineFollowsADocument: after a change of a large document its nodes are found where they have moved.
func TestOutlineFollowsADocument(t *testing.T) {
	const nodes = 100
	document := func(ids ...int) *memory {
		m := newMemory().add("", window.Item{ID: "doc", Title: "Document", Path: "a.org"})
		for _, i := range ids {
			m.add("doc", window.Item{ID: fmt.Sprint("n", i), Title: fmt.Sprint("Title ", i)})
		}
		return m
	}
	var all []int
	for i := range nodes {
		all = append(all, i)
	}
	before := document(all...)
	o, err := window.NewOutline(t.Context(), before)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"n0", "n99"} {
		build(t, before, nil, window.Request{Focus: id, Outline: o})
	}
	for name, ids := range map[string][]int{
		"all but five are gone": all[:5:5], "the last is gone": all[:99:99], "the first is gone": all[1:],
		"one in the middle is gone": append(all[:40:40], all[41:]...), "one more": append(all[:nodes:nodes], nodes),
		"one before": append([]int{nodes}, all...), "in two halves": append(all[50:nodes:nodes], all[:50]...),
	} {
		src := document(ids...)
		next := o.WithChanges(src, []window.DocumentChange{{Path: "a.org", ID: "doc"}})
		for _, focus := range []string{"", fmt.Sprint("n", ids[0]), fmt.Sprint("n", ids[len(ids)-1])} {
			req := window.Request{Budget: 1000, Focus: focus}
			want := build(t, src, nil, req)
			req.Outline = next
			if got := build(t, src, nil, req); got.Text != want.Text {
				t.Errorf("%s, focus %q: %s", name, focus, got.Text)
			}
		}
		req := window.Request{Focus: "n99", Outline: next}
		if _, err := window.Build(t.Context(), src, nil, req); (err == nil) != slices.Contains(ids, 99) {
			t.Errorf("%s: the last one: %v", name, err)
		}
	}
}

// TestSnippetsAreCountedAnew: one outline serves questions that make other snippets of the
// same bodies.
func TestSnippetsAreCountedAnew(t *testing.T) {
	m := newMemory()
	m.add("", window.Item{ID: "doc", Title: "Document", Path: "a.org"})
	short, long := "The gauge speaks LoRa.", "The harbour "+strings.Repeat("sleeps under a wide and silent sky ", 6)+"until spring."
	body := short + "\n\n" + strings.Repeat("Nothing of note happened.\n\n", 60) + long + "\n"
	for i := range 6 {
		m.add("doc", window.Item{ID: fmt.Sprint("n", i), Title: fmt.Sprint("Note ", i), Body: body})
	}
	o, err := window.NewOutline(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	for _, question := range []string{"gauge LoRa", "harbour sky", "gauge LoRa"} {
		req := window.Request{Question: question, Budget: 500, Counter: token.Estimate()}
		want := build(t, m, nil, req)
		req.Outline = o
		if got := build(t, m, nil, req); got.Text != want.Text || got.Tokens != want.Tokens {
			t.Errorf("%q: %d tokens, want %d\n%s", question, got.Tokens, want.Tokens, got.Text)
		}
		snippets := 0
		for _, p := range want.Parts {
			if p.Level == window.Snippet {
				snippets++
			}
		}
		if snippets == 0 {
			t.Errorf("%q: no snippet in\n%s", question, want.Text)
		}
	}
}
