// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package face

import (
	"strings"
	"testing"

	"github.com/rivo/uniseg"
)

// TestFold: what is said to a person fits the terminal, but for a word that no line
// holds, and says the same.
func TestFold(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"fits", "fovea: one two", "fovea: one two"},
		{"between words", "fovea: one two three four", "fovea: one two\n  three four"},
		{"a list keeps its indent", "fovea: none:\n  one two three four", "fovea: none:\n  one two\n    three four"},
		{"columns stay", "fov  one  two three", "fov  one  two\n  three"},
		{"a long word", "fovea: /a/very/long/path/to/a/file", "fovea:\n  /a/very/long/path/to/a/file"},
		{"wide letters", "fovea: 記憶の木 ok fine", "fovea:\n  記憶の木 ok\n  fine"},
		{"nothing", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			const wide = 16
			got := fold(tc.text, 2, wide)
			if got != tc.want {
				t.Errorf("fold(%q) =\n%s\nwant\n%s", tc.text, got, tc.want)
			}
			for line := range strings.Lines(got) {
				if len(strings.Fields(line)) > 1 && uniseg.StringWidth(strings.TrimSpace(line)) > wide {
					t.Errorf("%q is too wide", line)
				}
			}
		})
	}
}
