// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/org"
)

// Pieces of logs, as Org and Fovea write them.
const (
	logState  = "- State \"DONE\"       from \"TODO\"       [2026-10-25 Sun 10:00]\n"
	logFirst  = "- State \"TODO\"       from              [2026-10-24 Sat 10:00]\n"
	logNote   = "- Note taken on [2026-10-20 Tue 09:00] \\\\\n  the can is in the shed\n\n  or was\n"
	logMoved  = "- Rescheduled from \"[2026-10-18 Sun]\" on [2026-10-19 Mon 08:00]\n"
	logClosed = "- CLOSING NOTE [2026-10-19 Mon 08:00] \\\\\n  well done\n"
	logOther  = "- Erledigt am [2026-10-19 Mon 08:01] \\\\\n  gut\n"
	logClock  = "CLOCK: [2026-01-01 Thu 10:00]--[2026-01-01 Thu 11:00] =>  1:00\n"
	logRuns   = "CLOCK: [2026-01-02 Fri 10:00]\n"
	logEnd    = "CLOCK: [2026-01-03 Sat 10:00]--[2026-01-03 Sat 11:00] =>  1:00\n- first coat\n"
	logDrawer = ":LOGBOOK:\n" + logState + logClock + ":END:\n"
	logNamed  = ":NOTES:\n" + logNote + logClock + ":END:\n"
	conflict  = ":CONFLICT:\n- title :: by anne\n: +the lost value\n:END:\n"
	metadata  = "SCHEDULED: <2026-11-01 Sun +1w>\n:PROPERTIES:\n:ID:       a\n:END:\n"
)

// replaced returns a text whose last headline has a new body.
func replaced(t testing.TB, src, body string) string {
	t.Helper()
	doc := org.Parse(src, nil)
	return edited(t, doc, document.ReplaceBody{Text: body})
}

// edited returns a text whose last headline was edited.
func edited(t testing.TB, doc *org.Document, edits ...document.Edit) string {
	t.Helper()
	splices, err := doc.Edit(len(doc.Headlines)-1, editNow, edits...)
	if err != nil {
		t.Fatalf("edit of %q: %v", doc.Source, err)
	}
	text, err := document.Apply(doc.Source, splices)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A new body replaces the text of a headline, not what was logged there.
func TestNewBodyKeepsLog(t *testing.T) {
	logs := map[string]string{
		"none": "", "state": logState, "first state": logFirst, "note": logNote, "rescheduled": logMoved, "closing note": logClosed,
		"not scheduled": "- Not scheduled, was \"[2026-10-18 Sun]\" on [2026-10-19 Mon 08:00]\n",
		"deadlines": "- New deadline from \"[2026-10-18 Sun]\" on [2026-10-19 Mon 08:00]\n" +
			"- Removed deadline, was \"[2026-10-18 Sun]\" on [2026-10-19 Mon 08:00]\n",
		"refiled": "- Refiled on [2026-10-19 Mon 08:00]\n",
		"own heading": "- Zustand \"DONE\" nach \"TODO\" [2026-10-19 Mon 08:00]\n" +
			"- Verschoben von \"<2026-10-18 Sun>\" am [2026-10-19 Mon 08:00]\n",
		"heading of another": logOther,
		"clock":              logClock, "running clock": logRuns, "clock with a note": logEnd, "duration": "CLOCK: => 2:00\n",
		"drawer": logDrawer, "named drawer": logNamed, "conflict": conflict, "drawer in small letters": ":logbook:\n" + logClock + ":end:\n",
		"drawer with words":      ":LOGBOOK:\nwords of a person\n" + logClock + ":END:\n",
		"before the drawer":      logState + logNote + logClock + logDrawer,
		"behind the drawer":      logDrawer + logClock + logState + logNote,
		"on both sides":          logState + logDrawer + logNote + logEnd,
		"clocks among the lines": logClock + logState + logRuns + logNote + logEnd + logState,
		"blank lines":            "\n" + logState + "\n" + logClock + "\n\n" + logDrawer,
	}
	for name, log := range logs {
		for _, head := range []string{"* TODO Water\n", "* TODO Water\n" + metadata,
			"#+STARTUP: logdrawer\n** Water :x:\n:PROPERTIES:\n:CLOCK_INTO_DRAWER: t\n:END:\n"} {
			for _, end := range []string{"\n", "\r\n"} {
				t.Run(name, func(t *testing.T) {
					crlf := func(text string) string { return strings.ReplaceAll(text, "\n", end) }
					src := crlf(head + log + "The old.\n- item\n\nMore.\n\n")
					check := func(body, want string) {
						t.Helper()
						if diff := cmp.Diff(crlf(head+log+want), replaced(t, src, body)); diff != "" {
							t.Errorf("body %q of %q (-want +got):\n%s", body, src, diff)
						}
					}
					check("The new.", "The new.\n\n")
					check("", "\n")
					check(log+"The new.\n", "The new.\n\n")
					check(head[strings.Index(head, "*"):]+log+"The new.\n", "The new.\n\n")
					if name != "blank lines" { // which stay where the lines between them go
						check("The new.\n"+log+"More.", "The new.\n"+"More.\n\n")
					}
					for _, same := range []string{log + "The old.\n- item\n\nMore.\n\n", "The old.\n- item\n\nMore.", src} {
						if !strings.Contains(same, "#+") {
							check(same, "The old.\n- item\n\nMore.\n\n")
						}
					}
				})
			}
		}
	}
}

// What only looks like a log is the text of its writer.
func TestNewBodyReplacesText(t *testing.T) {
	for _, text := range []string{
		"- State of the art\n", "- Note taken on a walk\n", "- called Ana [2026-10-20 Tue 09:00]\n", "- item\n", "text\n- CLOSING NOTE\n",
		"#+begin_example\n" + logClock + "#+end_example\n", ":NOTES:\nwords\n:END:\n", "CLOCK: soon\n",
	} {
		if got := replaced(t, "* a\n"+text, "new"); got != "* a\nnew\n" {
			t.Errorf("a new body in place of %q gives %q", text, got)
		}
	}
	// Further down, too, the log stays, and comes first.
	for _, c := range []struct{ src, body, want string }{
		{"* a\ntext\n" + logClock + "more\n" + logState, "new", "* a\n" + logClock + logState + "new\n"},
		{"* a\ntext\n" + logClock + "more\n", "text 2\n" + logClock + "more\n", "* a\ntext 2\n" + logClock + "more\n"},
		{"* a\n- item\n  " + logClock, "- item 2\n", "* a\n  " + logClock + "- item 2\n"},
		{"* a\n" + logState + "\ntext\n", "new", "* a\n" + logState + "\nnew\n"},
		{"* a\n" + logNote + "text\n", logNote + logMoved + "new", "* a\n" + logNote + logMoved + "new\n"},
		{"* a\n" + logEnd + "text\n", logClock + "new", "* a\n" + logEnd + logClock + "new\n"},
		{"* a\n" + logClock + "- a\n- b\n", "new", "* a\n" + logClock + "new\n"},
		// So does each entry of a drawer, with the drawer, and what else is in it.
		{"* a\nIntro\n:LOGBOOK:\n" + logClock + logRuns + ":END:\n", "New\n:LOGBOOK:\n" + logClock + ":END:\n",
			"* a\n:LOGBOOK:\n" + logRuns + ":END:\nNew\n:LOGBOOK:\n" + logClock + ":END:\n"},
		{"* a\nIntro\n:LOGBOOK:\nwords\n" + logNote + ":END:\n", "New\n:LOGBOOK:\n:END:\n",
			"* a\n:LOGBOOK:\nwords\n" + logNote + ":END:\nNew\n:LOGBOOK:\n:END:\n"},
		{"* a\nIntro\n" + logNamed + "more\n" + logDrawer, "New\n" + logClock + logClock + ":LOGBOOK:\n:END:",
			"* a\n:NOTES:\n" + logNote + ":END:\n:LOGBOOK:\n" + logState + ":END:\nNew\n" + logClock + logClock + ":LOGBOOK:\n:END:\n"},
		{"* a\nIntro\n" + logDrawer, "New\n" + logState + logClock, "* a\nNew\n" + logState + logClock},
		{"* a\n" + logDrawer + "Intro\n:LOGBOOK:\n" + logRuns + ":END:\n", "New\n:LOGBOOK:\n" + logRuns + ":END:\n",
			"* a\n" + logDrawer + "New\n:LOGBOOK:\n" + logRuns + ":END:\n"},
	} {
		if diff := cmp.Diff(c.want, replaced(t, c.src, c.body)); diff != "" {
			t.Errorf("body %q in %q (-want +got):\n%s", c.body, c.src, diff)
		}
	}
}

// However a log is put together, and however much of it a caller sends back: each line of
// it stands once after a new body, and a body sent back as read changes nothing.
func TestNewBodyModel(t *testing.T) {
	pieces := []string{logState, logFirst, logNote, logMoved, logClosed, logOther, logClock, logRuns, logEnd, logDrawer, logNamed, conflict, "\n"}
	rapid.Check(t, func(t *rapid.T) {
		drawn := rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 6).Draw(t, "log")
		log := strings.Join(drawn, "")
		head := rapid.SampledFrom([]string{"* TODO Water\n", "* TODO Water\n" + metadata}).Draw(t, "head")
		drawers := []string{":LOGBOOK:\n" + logRuns + ":END:\n", ":LOGBOOK:\nwords\n" + logNote + logClock + ":END:\n", logNamed, ":LOGBOOK:\n:END:\n"}
		further := strings.Join(rapid.SliceOfN(rapid.SampledFrom(drawers), 0, 2).Draw(t, "further"), "")
		old := rapid.SampledFrom([]string{"", "text\n", "\ntext\n\n", "text\n" + logMoved, "text\n- item\n\n", "text\n" + further,
			"text\n" + further + "text\n"}).Draw(t, "old")
		src := head + log + old + rapid.SampledFrom([]string{"", "* next\n" + logState}).Draw(t, "tail")
		doc := org.Parse(src, nil)
		replace := func(text string) string {
			splices, err := doc.Edit(0, editNow, document.ReplaceBody{Text: text})
			if err != nil {
				t.Fatalf("%v", err)
			}
			out, err := document.Apply(src, splices)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		if got := replace(log + old); got != src {
			t.Fatalf("sent back as read:\n%s", cmp.Diff(src, got))
		}
		from := rapid.IntRange(0, len(drawn)).Draw(t, "from")
		back := strings.Join(drawn[from:], "")
		body := rapid.SampledFrom([]string{back + "new\n", "new\n" + back, back, log + "new\n", "new\n",
			"new\n" + further, "new\n" + drawers[0], "new\n" + drawers[1]}).Draw(t, "body")
		got := replace(body)
		count := func(text string) map[string]int {
			lines := countLines(text)
			for _, line := range []string{"new", "text", "- item", ":LOGBOOK:", ":NOTES:", ":END:"} {
				delete(lines, line)
			}
			return lines
		}
		before, after := count(src), count(got)
		for line, n := range count(strings.ReplaceAll(body, "new\n", "")) {
			before[line] = max(n, before[line]) // what is new in it
		}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Fatalf("lines of the log (-before +after):\n%s\n%s", diff, got)
		}
	})
}

// An appended text is the headline's: not part of the footnote, and not what the keyword
// is for, that the body ends with.
func TestAppendBesideWhatTakesTextIn(t *testing.T) {
	for _, c := range []struct{ name, body, text, want string }{
		{"footnote", "knead it[fn:a]\n\n[fn:a] From the mill.\n", "new", "knead it[fn:a]\nnew\n\n[fn:a] From the mill.\n"},
		{"footnotes with blank lines behind", "x\n\n[fn:a] one\n\nmore\n[fn:b] two\n\n\n", "new", "x\nnew\n\n[fn:a] one\n\nmore\n[fn:b] two\n\n\n"},
		{"footnote directly below the text", "x\n[fn:a] one\n", "new", "x\nnew\n\n[fn:a] one\n"},
		{"footnote alone", "[fn:a] one\n", "new", "new\n\n[fn:a] one\n"},
		{"footnote below a log", logState + "[fn:a] one\n", "new", logState + "new\n\n[fn:a] one\n"},
		{"a footnote itself", "x\n\n[fn:a] one\n", "[fn:b] two", "x\n\n[fn:a] one\n[fn:b] two\n"},
		{"attribute", "#+attr_html: :width 300\n", "new", "new\n\n#+attr_html: :width 300\n"},
		{"caption and name", "x\n\n#+caption[short]: long\n#+NAME: y\n", "new", "x\nnew\n\n#+caption[short]: long\n#+NAME: y\n"},
		{"name and footnote", "x\n#+name: y\n\n[fn:a] one\n#+caption: z\n", "new", "x\nnew\n\n#+name: y\n\n[fn:a] one\n#+caption: z\n"},
		{"picture with a caption", "#+caption: a\n[[file:a.png]]\n", "new", "#+caption: a\n[[file:a.png]]\n\nnew\n"},
		{"picture with a caption and a footnote", "#+caption: a\n[[file:a.png]]\n\n[fn:a] one\n", "new", "#+caption: a\n[[file:a.png]]\n\nnew\n\n[fn:a] one\n"},
		{"results to come", "#+begin_src sh\nls\n#+end_src\n\n#+RESULTS:\n", "new", "#+begin_src sh\nls\n#+end_src\n\n#+RESULTS:\n\nnew\n"},
		{"variables", "x\n\n# Local Variables:\n# fill-column: 70\n# End:\n", "new", "x\nnew\n\n# Local Variables:\n# fill-column: 70\n# End:\n"},
		{"comment", "x\n# comment\n", "new", "x\n# comment\nnew\n"},
		{"keyword of its own", "#+toc: headlines\n", "new", "#+toc: headlines\nnew\n"},
		{"list", "- a\n\n", "- b", "- a\n- b\n\n"},
		{"list with a name", "#+name: l\n- a\n", "- b", "#+name: l\n- a\n- b\n"},
		{"table", "#+caption: t\n| a |\n", "| b |", "#+caption: t\n| a |\n| b |\n"},
		{"text below a table", "| a |\n", "new", "| a |\nnew\n"},
		{"block", "#+begin_quote\na\n#+end_quote\n", "new", "#+begin_quote\na\n#+end_quote\nnew\n"},
		{"drawer", logDrawer, "new", logDrawer + "new\n"},
		{"text", "a\n\n\n", "new\n", "a\nnew\n\n\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, head := range []string{"* a\n", "* a\n" + metadata, ""} {
				if head == "" && strings.Contains(c.name, "log") {
					continue // a document has none
				}
				doc := org.Parse(head+c.body, nil)
				if diff := cmp.Diff(head+c.want, edited(t, doc, document.AppendBody{Text: c.text})); diff != "" {
					t.Errorf("append to %q (-want +got):\n%s", head+c.body, diff)
				}
			}
		})
	}
}
