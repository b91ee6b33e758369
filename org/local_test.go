// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/org"
)

func TestLocal(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       bool
	}{
		{"a note", "* A\nIt speaks of #+TODO: in a line.\n", true},
		{"a setting", "* A\n  #+todo: X | Y\n", false},
		{"a setting in a block", "* A\n#+begin_src org\n#+TODO: X | Y\n#+end_src\n", true},
		{"a setting in a block that nothing ends", "* A\n#+begin_src org\n#+TODO: X | Y\n", false},
		{"a keyword that sets nothing", "* A\n#+NAME: a\n", true},
		{"a target", "* A\n<<a>>\n", true},
		{"a radio target", "* A\n<<<a>>>\n", false},
	} {
		if got := (org.Format{}).IsLocal(tc.text); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}

// TestLocalParts: a document has the settings that it has without the headlines that
// are local.
func TestLocalParts(t *testing.T) {
	lines := rapid.SliceOf(rapid.SampledFrom([]string{
		"* A\n", "** B\n", "#+TODO: X | Y\n", "#+begin_src org\n", "#+end_src\n", "#+begin_example\n", "#+end_example\n", "\\begin{x}\n", "\\end{x}\n",
		"text\r\n", "* C", "\n",
	}))
	keys := func(d *org.Document) (out []string) {
		for _, k := range d.Keywords {
			out = append(out, k.Key+" "+k.Value)
		}
		return out
	}
	rapid.Check(t, func(t *rapid.T) {
		whole := org.Parse(strings.Join(lines.Draw(t, "lines"), ""), nil)
		rest := []string{whole.Text(-1)}
		for i := range whole.Headlines {
			if own := whole.Text(i); !(org.Format{}).IsLocal(own) {
				rest = append(rest, own)
			}
		}
		if diff := cmp.Diff(keys(whole), keys(org.Parse(strings.Join(rest, ""), nil))); diff != "" {
			t.Fatalf("settings (-whole +without what is local):\n%s", diff)
		}
	})
}
