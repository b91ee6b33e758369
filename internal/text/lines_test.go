// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package text

import (
	"strings"
	"testing"
)

// TestRareCharacters: what is asked of the bytes of a text first holds for each that matters.
func TestRareCharacters(t *testing.T) {
	for _, end := range lineEnds {
		for _, before := range []string{"", "plain\n\t", "größer "} {
			if got := Lines(before + "a" + string(end) + "b"); got[len(got)-1] != "b" {
				t.Errorf("%q ends no line: %q", end, got)
			}
		}
	}
	if got := Lines("a\tb é"); len(got) != 1 {
		t.Errorf("lines %q", got)
	}
	for _, action := range orgActions {
		if !actsInOrg("see " + action) {
			t.Errorf("%q does not act", action)
		}
	}
	for _, title := range []string{"TODO x", "DONE", "COMMENT x", "[#A] x", "** x"} {
		if !strings.HasPrefix(OrgTitle(title), zeroWidthSpace) {
			t.Errorf("%q is not escaped", title)
		}
	}
}
