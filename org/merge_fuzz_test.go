// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"testing"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/org"
)

// FuzzOwn: whatever three nodes hold, what comes of them is one node of the same
// kind; a side that did not change gives way; and conflicts can all be resolved.
func FuzzOwn(f *testing.F) {
	f.Add("* A\n", "* TODO A :x:\n", "* B\n1\n")
	f.Add("* A\nSCHEDULED: <2026-01-01 Thu>\n:PROPERTIES:\n:ID: x\n:END:\n1\n", "* A\n1\n", "* A\nCLOSED: [2026-01-01 Thu]\n:PROPERTIES:\n:ID: y\n:END:\n")
	f.Add("#+TITLE: A\n", ":PROPERTIES:\n:A: 1\n:END:\n#+TITLE: B\r\n", "\uFEFF#+TITLE: C")
	f.Add("* A\n:CONFLICT:\n- title :: by x\n: -a\n:END:\n", "* B\n:CONFLICT:\n- x :: by y\n:END:", "* \n:CONFLICT:\n:END:\n")
	f.Fuzz(func(t *testing.T, base, won, lost string) {
		b, w, l := only(base), only(won), only(lost)
		if w.Type != l.Type || b.Type != w.Type {
			return
		}
		m := document.Merging{Won: "won\n* x", Lost: "lost :: by"}
		if got, conflicts := format.Merge(&m, b, b, l, l.Derived.Level); got.Content != l.Content || len(conflicts) > 0 {
			t.Errorf("against what did not change: %q, want %q", got.Content, l.Content)
		}
		if got, conflicts := format.Merge(&m, b, w, w, w.Derived.Level); got.Content != w.Content || len(conflicts) > 0 {
			t.Errorf("with itself: %q, want %q", got.Content, w.Content)
		}
		level := max(w.Derived.Level, l.Derived.Level)
		merged, conflicts := format.Merge(&m, b, w, l, level)
		text := merged.Content
		doc := org.Parse(text, nil)
		if w.Type == document.TypeHeadline && (len(doc.Headlines) != 1 || doc.Headlines[0].Level != level || doc.Headlines[0].Start != 0) ||
			w.Type == document.TypeDocument && len(doc.Headlines) > 0 {
			t.Fatalf("%q is read as %d headlines", text, len(doc.Headlines))
		}
		n := only(text)
		if len(conflicts) == 0 {
			return
		}
		kept := format.Conflicts(n)
		if len(kept) == 0 {
			t.Fatalf("%q keeps no conflict", text)
		}
		all := make([]int, len(kept))
		for i := range all {
			all[i] = i
			_, _ = format.Resolved(n, true, i)
		}
		if clear, err := format.Resolved(n, false, all...); err != nil || len(format.Conflicts(only(clear))) > 0 {
			t.Errorf("%q resolved is %q, %v", text, clear, err)
		}
	})
}
