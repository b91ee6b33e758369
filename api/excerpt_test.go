// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"strings"
	"testing"
)

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
			if got := excerpt(c.content, 160); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
