// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bench

import (
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/window"
)

// stickyFigures asks the questions of a library in one session, whose windows append to
// the text before: the share of each text that the one before begins with, and the share of
// the evidence in it.
func stickyFigures(t testing.TB, l library) *figures {
	t.Helper()
	const budget = 16_000 // of which a window adds at most a tenth
	o, f := openLibrary(t, l), newFigures()
	session, before := &window.Session{Layout: window.LayoutSticky}, ""
	for _, q := range l.questions {
		w := o.window(t, window.Request{Question: q.text, Budget: budget, Session: session})
		if before != "" {
			f.add("prefix", float64(commonPrefix(before, w.Text))/float64(len(w.Text)))
		}
		f.add("evidence", o.shown(w, q.gold))
		session, before = &window.Session{Layout: window.LayoutSticky, Shown: w.Shown}, w.Text
	}
	return f
}

// newLines asks each question twice in a session of its own: the share of the second
// window's lines that the first did not have.
func newLines(t testing.TB, l library) *figures {
	t.Helper()
	o, f := openLibrary(t, l), newFigures()
	for _, q := range l.questions {
		first := o.window(t, window.Request{Question: q.text, Budget: 2000, Session: &window.Session{}})
		second := o.window(t, window.Request{Question: q.text, Budget: 4000, Session: &window.Session{Shown: first.Shown}})
		seen, again, all := map[string]bool{}, 0, 0
		for line := range strings.Lines(first.Text) {
			seen[normalized(line)] = true
		}
		for line := range strings.Lines(second.Text) {
			if text := normalized(line); text != "" && !strings.HasPrefix(text, "*") && !strings.HasPrefix(text, "#") && !strings.HasPrefix(text, ":") {
				if all++; seen[text] {
					again++
				}
			}
		}
		if all > 0 {
			f.add("new lines", 1-float64(again)/float64(all))
		}
	}
	return f
}

func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
