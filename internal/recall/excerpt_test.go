// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/node"
)

// lastNode returns the last node of an Org file.
func lastNode(text string) (last *node.Node) {
	for n := range view(map[string]string{"a.org": text}).State.All() {
		last = n
	}
	return last
}

func TestExcerpt(t *testing.T) {
	ends := func(text string) string { return text + "…" }
	for name, c := range map[string]struct{ content, want string }{
		"nothing":         {"", ""},
		"a headline":      {"* Title\nBody  of\n\tit.\n", "Body of it."},
		"drawers":         {"* T\nSCHEDULED: <2026-11-22>\n:PROPERTIES:\n:ID: x\n:END:\nBody\n:LOGBOOK:\nCLOCK\n:END:\nend\n", "Body end"},
		"settings":        {"#+title: x\nBody\n", "Body"},
		"so many runes":   {strings.Repeat("ü", 160), strings.Repeat("ü", 160)},
		"one rune more":   {strings.Repeat("ü", 161), ends(strings.Repeat("ü", 160))},
		"cut at a blank":  {strings.Repeat("a", 159) + " b", ends(strings.Repeat("a", 159))},
		"four bytes each": {strings.Repeat("🙂", 100) + " " + strings.Repeat("🙂", 59), strings.Repeat("🙂", 100) + " " + strings.Repeat("🙂", 59)},
		"lines":           {strings.Repeat("🙂\n", 200), ends(strings.TrimSpace(strings.Repeat("🙂 ", 80)))},
		"one long word":   {strings.Repeat("x", 1<<20), ends(strings.Repeat("x", 160))},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Excerpt(lastNode(c.content), 160); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestClip(t *testing.T) {
	long := strings.Repeat("before ", 20) + "here " + strings.Repeat("after ", 20)
	for name, c := range map[string]struct {
		line       string
		characters int
		want       string
	}{
		"short":        {"it is here", 40, "it is here"},
		"at the top":   {"here " + strings.Repeat("after ", 20), 20, "here after after af…"},
		"inside":       {long, 40, "…before before here after after after a…"},
		"past the end": {strings.Repeat("x ", 19) + "here", 40, "…x x x x x here"},
		"at the end":   {strings.Repeat("before ", 20) + "here", 40, "…before before here"},
		"very short":   {long, 3, "be…"},
		"no blanks":    {strings.Repeat("ü", 100) + "here", 40, strings.Repeat("ü", 39) + "…"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Clip(c.line, max(strings.Index(c.line, "here"), 0), c.characters)
			if got != c.want || utf8.RuneCountInString(got) > c.characters {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
