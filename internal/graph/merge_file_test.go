// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"strings"
	"testing"
)

// FuzzMergeFile: any three texts are merged, to the same in either order; what one
// side alone changed is the result; and it merges with what it came from to itself.
func FuzzMergeFile(f *testing.F) {
	f.Add("* A\n** B\n", "* A\n* B\n", "* B\n** A\n")
	f.Add("* A\n:PROPERTIES:\n:ID: a\n:END:\n", ":PROPERTIES:\n:ID: a\n:END:\n* A\n", "* A\n*** B\n:PROPERTIES:\n:ID: a\n:END:\n** C")
	f.Add("#+TODO: A | B\n* A x\n", "#+TODO: C | D\n* C x\r\n", "\uFEFF* B x :t:\n")
	f.Fuzz(func(t *testing.T, base, a, b string) {
		who := func(string) string { return "who" }
		ab, conflicts := MergeFile(orgFiles, "merge.org", base, a, b, who)
		if ba, _ := MergeFile(orgFiles, "merge.org", base, b, a, who); ab != ba {
			t.Fatalf("%q in one order, %q in the other", ab, ba)
		}
		for _, x := range []string{a, b} {
			if got, c := MergeFile(orgFiles, "merge.org", base, x, base, who); got != x || len(c) > 0 {
				t.Errorf("%q against what did not change: %q", x, got)
			}
			if got, c := MergeFile(orgFiles, "merge.org", x, ab, x, who); got != ab || len(c) > 0 {
				t.Errorf("%q again: %q", ab, got)
			}
		}
		if kept := strings.Contains(ab, ":CONFLICT:"); len(conflicts) > 0 && !kept {
			t.Errorf("%q keeps nothing of %v", ab, conflicts)
		}
	})
}
