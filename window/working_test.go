// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/window"
	"github.com/fovea-memory/fovea/working"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// desk is a memory with blocks of working memory, and a note.
func desk(blocks ...window.Item) *memory {
	m := newMemory()
	for _, b := range blocks {
		m.add("", b)
	}
	return m.add("", window.Item{ID: "note", Path: "note.org", Title: "Tides", Body: "The tide of spring is high.\n"})
}

// piece is a block of working memory with a body of that many words.
func piece(id string, class working.Priority, words int, change ...func(*window.Working)) window.Item {
	w := &window.Working{ID: id, Priority: class, Confidence: 1, Time: noon}
	for _, f := range change {
		f(w)
	}
	return window.Item{ID: id, Path: "/" + id, Title: id, Body: strings.Repeat("word ", words) + "\n", Working: w}
}

func confident(c float64) func(*window.Working) { return func(w *window.Working) { w.Confidence = c } }
func made(at time.Time) func(*window.Working)   { return func(w *window.Working) { w.Time = at } }
func deferred(size int) func(*window.Working) {
	return func(w *window.Working) { w.Deferred, w.Size = true, size }
}
func about(file string) func(*window.Working) {
	return func(w *window.Working) { w.Path, w.Whole = file, true }
}
func entry(m map[string]any) func(*window.Working) { return func(w *window.Working) { w.Entry = m } }

// shown lists the ids of the parts that are shown in full.
func shown(w *window.Window) []string {
	var ids []string
	for _, p := range w.Parts {
		if p.Level == window.Full {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// TestCritical proves that critical blocks are in every window, and that a budget that does
// not hold them is an error that names one that does.
func TestCritical(t *testing.T) {
	m := desk(piece("rom", working.Critical, 40, confident(0)), piece("rule", working.Critical, 30), piece("big", working.High, 400))
	for _, policy := range []string{window.PolicyValue, window.PolicyShares, window.PolicyFoveal} {
		req := window.Request{Policy: policy, Budget: 150, Focus: "note"}
		w := build(t, m, nil, req)
		if got := shown(w); !slices.Contains(got, "rom") || !slices.Contains(got, "rule") || !slices.Contains(got, "note") {
			t.Errorf("%s: shown %v", policy, got)
		}
		req.Budget = 60
		_, err := window.Build(t.Context(), m, nil, req)
		small, ok := errors.AsType[*window.BudgetError](err)
		if !ok || !strings.Contains(err.Error(), "the focus and its ancestors' titles, with 2 critical blocks need") {
			t.Fatalf("%s: got %v", policy, err)
		}
		req.Budget = small.Needed
		build(t, m, nil, req)
		req.Budget--
		if _, err := window.Build(t.Context(), m, nil, req); err == nil {
			t.Errorf("%s: a budget of %d works, which is less than the smallest", policy, req.Budget)
		}
		req.Degrade = true
		w = build(t, m, nil, req)
		one := window.BudgetError{Needed: small.Needed, Budget: req.Budget, Critical: 1}
		want := fmt.Sprintf(": a critical block needs %d; the smallest budget that works is %[1]d (or use --degrade)", small.Needed)
		if !strings.HasSuffix(one.Error(), want) {
			t.Errorf("got %q", one.Error())
		}
		for _, p := range w.Parts {
			if want := fmt.Sprintf("the whole needs a budget of %d", small.Needed); p.ID != "big" && (p.Level == window.Full) == strings.Contains(p.Reason, want) {
				t.Errorf("%s: %+v", policy, p)
			}
		}
		if len(shown(w)) != 2 {
			t.Errorf("%s: with one token less than all need, %v are whole", policy, shown(w))
		}
	}
}

// TestShares proves that classes fill a window up to their shares and leave the rest free, that a
// reserve sets how much of it stays free, and that with an empty reserve nothing is refused
// while there is room for it.
func TestShares(t *testing.T) {
	var all []window.Item
	for i := range 30 {
		all = append(all, piece(fmt.Sprintf("h%02d", i), working.High, 20), piece(fmt.Sprintf("m%02d", i), working.Medium, 20),
			piece(fmt.Sprintf("l%02d", i), working.Low, 20))
	}
	one := build(t, desk(all[0]), nil, window.Request{Policy: window.PolicyShares})
	each := part(t, one, "h00").Tokens
	// Of 20 places, the frame of the text takes a part of one: 15 high ones are below 80 %,
	// two medium ones below 90 %, one low one below 95 %.
	for _, tc := range []struct {
		name    string
		reserve *int
		want    map[byte]int
	}{
		{"by the shares", nil, map[byte]int{'h': 15, 'm': 2, 'l': 1}},
		{"nothing: one more high one", new(0), map[byte]int{'h': 16, 'm': 2, 'l': 1}},
		{"half", new(50), map[byte]int{'h': 9}},
		{"more than low ones leave", new(8), map[byte]int{'h': 15, 'm': 2, 'l': 1}},
		{"everything", new(100), map[byte]int{}},
	} {
		w := build(t, desk(all...), nil, window.Request{Policy: window.PolicyShares, Budget: 20 * each, Limits: window.Limits{Reserve: tc.reserve}})
		count := map[byte]int{}
		for _, id := range shown(w) {
			count[id[0]]++
		}
		if !cmp.Equal(count, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.name, count, tc.want)
		}
		if tc.reserve != nil && w.Tokens > w.Budget-*tc.reserve*w.Budget/100 && *tc.reserve < 100 {
			t.Errorf("%s: %d of %d tokens", tc.name, w.Tokens, w.Budget)
		}
	}
	for _, class := range []working.Priority{working.High, working.Medium, working.Low} {
		req := window.Request{Policy: window.PolicyShares, Budget: 265}
		for _, req.Limits.Reserve = range []*int{nil, new(0)} {
			// It takes about 85 % of the budget.
			isShown := slices.Contains(shown(build(t, desk(piece("alone", class, 200)), nil, req)), "alone")
			if want := class != working.High || req.Limits.Reserve != nil; isShown != want {
				t.Errorf("%s with the reserve %v: shown %t", class, req.Limits.Reserve, isShown)
			}
		}
	}
}

// TestReserve proves which reserves are none.
func TestReserve(t *testing.T) {
	for _, tc := range []struct {
		policy  string
		reserve int
	}{{window.PolicyShares, -1}, {window.PolicyShares, 101}, {"", 20}, {window.PolicyFoveal, 0}} {
		req := window.Request{Policy: tc.policy, Limits: window.Limits{Reserve: &tc.reserve}}
		if _, err := window.Build(t.Context(), desk(), nil, req); !errors.Is(err, window.ErrReserve) {
			t.Errorf("%s, %d: got %v", tc.policy, tc.reserve, err)
		}
	}
}

// TestCompressedByShares proves that a compressed block alone fills what its class leaves free, and
// no more.
func TestCompressedByShares(t *testing.T) {
	long := piece("long", working.Medium, 0)
	long.Working.Type, long.Body = working.Knowledge, ""
	for i := range 400 {
		long.Body += fmt.Sprintf("Sentence %d says that the tide of day %d was high.\n\n", i, i)
	}
	w := build(t, desk(long), nil, window.Request{Policy: window.PolicyShares, Budget: 2000, Question: "tide"})
	if share := float64(w.Tokens) / 2000; share < 0.6 || share > 0.95 {
		t.Errorf("%.0f %% of the budget", 100*share)
	}
}

// TestDeferred proves that files are read for what is chosen and for nothing else, and that
// one that cannot be read concerns its own block alone.
func TestDeferred(t *testing.T) {
	var all []window.Item
	for i := range 200 {
		all = append(all, piece(fmt.Sprintf("f%03d", i), working.Medium, 0, deferred(400), confident(1-float64(i)/1000)))
	}
	var read []string
	ahead := 0
	req := window.Request{Policy: window.PolicyShares, Budget: 1000, Caller: window.Caller{
		Prefetch: func(items []*window.Item) { ahead += len(items) }, Load: func(item *window.Item) (string, error) {
			read = append(read, item.ID)
			if item.ID == "f001" {
				return "", errors.New("there is no such file")
			}
			return strings.Repeat("word ", 80), nil
		}}}
	w := build(t, desk(all...), nil, req)
	chosen := shown(w)
	if ahead == 0 || ahead > len(chosen)+2 {
		t.Errorf("%d files are read ahead for %d parts", ahead, len(chosen))
	}
	if len(read) > len(chosen)+2 || len(chosen) < 8 {
		t.Errorf("read %d files for %d parts", len(read), len(chosen))
	}
	if p := part(t, w, "f001"); p.Problem != "there is no such file" || !strings.Contains(w.Text, "(cannot be read: there is no such file)") {
		t.Errorf("problem %q in\n%s", p.Problem, w.Text)
	}
	if p := part(t, w, "f000"); p.Problem != "" {
		t.Errorf("f000 has the problem %q", p.Problem)
	}
}

// TestBlocksJSON proves the form of the array for a model.
func TestBlocksJSON(t *testing.T) {
	m := desk(piece("b", working.High, 2, confident(0.8), entry(map[string]any{"type": "file", "source": "a.go", "lines": "2-4", "due": noon})))
	w := build(t, m, nil, window.Request{Format: window.FormatJSON, Policy: window.PolicyShares})
	var got []map[string]any
	if err := json.Unmarshal([]byte(w.Text), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"id": "b", "content": "word word", "confidence": 0.8, "priority": "high",
		"metadata": map[string]any{"type": "file", "source": "a.go", "lines": "2-4", "due": "2026-11-23T12:00:00Z"},
	}
	if diff := cmp.Diff(want, got[0]); diff != "" {
		t.Error(diff)
	}
	if !strings.HasPrefix(w.Text, "[\n{\"id\":\"b\",\"content\":\"word word\",\"confidence\":0.8,\"priority\":\"high\",\"metadata\":{\"due\":") {
		t.Errorf("the keys are in another order: %s", w.Text)
	}
	bad := desk(piece("b", working.High, 2, entry(map[string]any{"f": func() {}})))
	if w := build(t, bad, nil, window.Request{Format: window.FormatJSON}); !json.Valid([]byte(w.Text)) {
		t.Errorf("no JSON: %s", w.Text)
	}
}

// TestBlockOrder proves that blocks of a class are ranked by confidence and words, that time
// only orders what is about equal, and that the order of adding counts for nothing.
func TestBlockOrder(t *testing.T) {
	for _, tc := range []struct {
		name          string
		better, worse window.Item
		question      scores
	}{
		{"confidence", piece("x", working.Medium, 9, confident(0.9)), piece("a", working.Medium, 9, confident(0.7)), nil},
		{"newer", piece("x", working.Medium, 9, made(noon)), piece("a", working.Medium, 9, made(noon.Add(-2*time.Hour))), nil},
		{"time is bounded", piece("x", working.Medium, 9, made(noon.AddDate(-5, 0, 0))), piece("a", working.Medium, 9, confident(0.8)), nil},
		{"words", piece("x", working.Medium, 9, confident(0.2)), piece("a", working.Medium, 9), scores{"x": 0.9}},
		{"the future is now", piece("x", working.Medium, 9, made(noon.AddDate(5, 0, 0))), piece("y", working.Medium, 9, made(noon)), nil},
		{"hot and cold", piece("x", working.Medium, 9, confident(1)), piece("a", working.Medium, 9, confident(0.99)), scores{"x": 1, "a": 1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var texts []string
			for _, m := range []*memory{desk(tc.better, tc.worse), desk(tc.worse, tc.better)} {
				all := build(t, m, tc.question, window.Request{Policy: window.PolicyShares, Question: "q", Caller: window.Caller{Now: noon}})
				rank := func(id string) float64 { return part(t, all, id).Score }
				if rank(tc.better.ID) < rank(tc.worse.ID) {
					t.Errorf("%s has %v, %s has %v", tc.better.ID, rank(tc.better.ID), tc.worse.ID, rank(tc.worse.ID))
				}
				texts = append(texts, all.Text)
			}
			if texts[0] != texts[1] {
				t.Errorf("the order of adding counts:\n%s\n%s", texts[0], texts[1])
			}
		})
	}
}

// TestCoveredFile proves that a file is not shown twice: as a block and as notes.
func TestCoveredFile(t *testing.T) {
	m := desk(piece("b", working.High, 9, about("note.org")))
	for _, p := range build(t, m, nil, window.Request{}).Parts {
		if p.ID == "note" {
			t.Error("the notes of a file are shown beside its block")
		}
	}
	recent := desk(piece("b", working.Low, 9, about("note.org")))
	recent.add("", window.Item{ID: "other", Path: "0.org", Title: "Tides", Body: "The tide of spring is high.\n"})
	w := build(t, recent, scores{"note": 0.5, "other": 0.5}, window.Request{Question: "tide", Caller: window.Caller{Now: noon}})
	if part(t, w, "note").Score <= part(t, w, "other").Score {
		t.Error("a note in a recent file is not ahead of an equal one")
	}
}

// TestSessionOfBlocks proves that a session is not told of an unchanged block twice, but of
// critical ones in each window.
func TestSessionOfBlocks(t *testing.T) {
	m := desk(piece("rom", working.Critical, 9), piece("f", working.High, 0, deferred(50)))
	load := func(*window.Item) (string, error) { return "the text of the file\n", nil }
	first := build(t, m, nil, window.Request{Session: &window.Session{}, Caller: window.Caller{Load: load}})
	second := build(t, m, nil, window.Request{Session: &window.Session{Shown: first.Shown}, Caller: window.Caller{Load: load}})
	if got := shown(second); !slices.Equal(got, []string{"rom"}) {
		t.Errorf("the second window shows %v", got)
	}
}
