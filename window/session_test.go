// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/token"
	"github.com/fovea-memory/fovea/window"
)

// workshop is a document with three notes, one of them long.
func workshop() *memory {
	m := newMemory()
	m.add("", window.Item{ID: "shop", Title: "Workshop", Path: "shop.org"})
	for _, name := range []string{"pump", "gauge"} {
		m.add("shop", window.Item{ID: name, Title: "The " + name, Body: "The " + name + " hums at night.\n", Digest: merkle.Sum([]byte(name))})
	}
	var log strings.Builder
	for i := range 80 {
		fmt.Fprintf(&log, "- day %d: the pump ran for %d hours\n", i, i*7%24)
	}
	m.add("shop", window.Item{ID: "log", Title: "Log of the pump", Body: log.String(), Digest: merkle.Sum([]byte("log"))})
	return m
}

// change replaces a body, and the digest with it.
func (m *memory) change(id, old, replacement string) {
	m.edit(id, func(i *window.Item) {
		i.Body = strings.ReplaceAll(i.Body, old, replacement)
		i.Digest = merkle.Sum([]byte(i.Body))
	})
}

// remembered returns the lines of a window that are text of notes.
func remembered(w *window.Window) (lines []string) {
	for line := range strings.Lines(w.Text) {
		if !strings.HasPrefix(line, "# ") && !strings.HasPrefix(line, "#+") && strings.Trim(line, "* \n") != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// follow returns the session after a window.
func follow(w *window.Window) *window.Session { return &window.Session{Shown: w.Shown} }

// TestSessionIsNotToldTwice: the same request again has nothing, and another one only
// what is new.
func TestSessionIsNotToldTwice(t *testing.T) {
	m, near := workshop(), scores{"pump": 1, "log": .9}
	req := window.Request{Question: "How long did the pump run?", Budget: 400, Session: &window.Session{}}
	first := build(t, m, near, req)
	mentions(t, first.Text, "hums at night", "hours")
	req.Session = follow(first)
	second := build(t, m, near, req)
	if lines := remembered(second); len(lines) > 0 || len(second.Parts) > 0 {
		t.Errorf("told twice: %q", lines)
	}
	mentions(t, second.Text, "Nothing new")
	req.Session, req.Budget = follow(second), 4000
	third := build(t, m, near, req)
	old := map[string]bool{}
	for _, line := range remembered(first) {
		old[strings.TrimLeft(line, ": ")] = true
	}
	if len(third.Parts) == 0 {
		t.Fatal("a larger window has no part that is new")
	}
	for _, line := range remembered(third) {
		if old[strings.TrimLeft(line, ": ")] {
			t.Errorf("told twice: %q", line)
		}
	}
	if lacks(t, third.Text, "Log of the pump"); !strings.Contains(third.Text, "…") {
		t.Errorf("the heading seen before is not shortened:\n%s", third.Text)
	}
	parses(t, third)
}

// TestSessionIsCorrected: later changes are marked, even if nobody asks for
// it, and what is gone is named.
func TestSessionIsCorrected(t *testing.T) {
	m := workshop()
	req := window.Request{Question: "pump", Budget: 4000, Session: &window.Session{}}
	req.Session = follow(build(t, m, scores{"pump": 1, "gauge": .5}, req))
	m.change("gauge", "hums at night", "is silent")
	delete(m.items, "log")
	for _, format := range allFormats {
		req.Format, req.Question = format, "rain"
		w := build(t, m, nil, req)
		if got, want := len(w.Parts), 1; got != want || w.Parts[0].ID != "gauge" {
			t.Fatalf("parts %+v, want the gauge alone", w.Parts)
		}
		mentions(t, w.Text, "is silent")
		lacks(t, w.Text, "hums at night")
		if diff := cmp.Diff([]string{"log"}, w.Gone); diff != "" {
			t.Errorf("gone (-want +got):\n%s", diff)
		}
		if !strings.HasSuffix(w.Parts[0].Reason, "corrected since you saw it") {
			t.Errorf("reason %q", w.Parts[0].Reason)
		}
		if format == window.FormatJSON {
			mentions(t, w.Text, `"corrected":true`)
		} else {
			mentions(t, w.Text, "Corrected since you saw it.", "No longer there since you saw it: log")
		}
		req.Session, req.Format = follow(w), ""
		if again := build(t, m, nil, req); len(again.Parts) > 0 || len(again.Gone) > 0 {
			t.Errorf("corrected twice: %+v, gone %q", again.Parts, again.Gone)
		}
		req.Session = follow(build(t, workshop(), scores{"pump": 1, "gauge": .5}, window.Request{Question: "pump", Budget: 4000, Session: &window.Session{}}))
	}
}

// TestWhatIsAddedIsNoCorrection: a note that grew has only its new lines.
func TestWhatIsAddedIsNoCorrection(t *testing.T) {
	m, near := workshop(), scores{"pump": 1}
	req := window.Request{Question: "pump", Budget: 4000, Session: &window.Session{}}
	req.Session = follow(build(t, m, near, req))
	m.change("pump", "at night.\n", "at night.\n\nIts seal is new.\n")
	w := build(t, m, near, req)
	mentions(t, w.Text, "Its seal is new.")
	lacks(t, w.Text, "hums", "Corrected")
}

// TestStickyWindows: each text begins with the one before, until the budget is full.
func TestStickyWindows(t *testing.T) {
	for _, format := range allFormats {
		t.Run(format, func(t *testing.T) {
			m, _ := large()
			r := rand.New(rand.NewPCG(1, 1))
			req := window.Request{Budget: 8000, Format: format, Session: &window.Session{Layout: window.LayoutSticky}, Cache: token.NewCache(1 << 16)}
			before, restarts := "", 0
			for turn := range 40 {
				near := scores{}
				for range 20 {
					near[fmt.Sprintf("doc%d-%d", r.IntN(4), 1+r.IntN(100))] = r.Float64()
				}
				req.Question = fmt.Sprint("gauge ", turn)
				w := build(t, m, near, req)
				tail := ""
				if format == window.FormatJSON {
					tail = "]\n"
				}
				if !strings.HasPrefix(w.Text, strings.TrimSuffix(before, tail)) {
					restarts++
				}
				if format == window.FormatJSON && !json.Valid([]byte(w.Text)) {
					t.Fatalf("the text is no JSON:\n%s", w.Text)
				}
				before, req.Session = w.Text, &window.Session{Shown: w.Shown, Layout: window.LayoutSticky}
			}
			if restarts == 0 || restarts > 10 {
				t.Errorf("%d of 40 windows begin anew", restarts)
			}
		})
	}
}

// TestShownRoundTrip: what a session was shown reads back as it was, and nothing else is
// read at all.
func TestShownRoundTrip(t *testing.T) {
	m, near := workshop(), scores{"pump": 1, "log": .9}
	req := window.Request{Question: "pump", Budget: 8000, Session: &window.Session{Layout: window.LayoutSticky}}
	req.Session = &window.Session{Shown: build(t, m, near, req).Shown, Layout: window.LayoutSticky}
	data, err := req.Session.Shown.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	var back window.Shown
	if err := back.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	m.change("gauge", "hums", "sings")
	want := build(t, m, near, req)
	req.Session = &window.Session{Shown: &back, Layout: window.LayoutSticky}
	if diff := cmp.Diff(want.Text, build(t, m, near, req).Text); diff != "" {
		t.Errorf("after reading it back (-want +got):\n%s", diff)
	}
	for i := range data {
		var damaged window.Shown
		if err := damaged.UnmarshalBinary(data[:i]); err == nil {
			t.Fatalf("%d of %d bytes are accepted", i, len(data))
		}
	}
}

func FuzzShown(f *testing.F) {
	req := window.Request{Question: "pump", Session: &window.Session{}}
	w, err := window.Build(f.Context(), workshop(), scores{"pump": 1}, req)
	if err != nil {
		f.Fatal(err)
	}
	data, _ := w.Shown.AppendBinary(nil)
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		var s window.Shown
		if s.UnmarshalBinary(data) != nil {
			return
		}
		req.Session = &window.Session{Shown: &s}
		build(t, workshop(), scores{"pump": 1}, req)
	})
}
