// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/document"
)

// TestMergedReferees: a claim of a referee stays rather than a provisional one, of two of a referee the
// greater number, of two provisional ones the smaller, whichever side wins.
func TestMergedReferees(t *testing.T) {
	claim := func(by, number, until, ticket string) string {
		text := "* TODO A\n:PROPERTIES:\n:CLAIMED_BY: " + by + "\n:CLAIM: " + number + "\n:LEASE_UNTIL: " + until + "\n"
		if ticket != "" {
			text += ":CLAIM_GRANTED: " + ticket + "\n"
		}
		return text + ":END:\n"
	}
	for _, tt := range []struct{ name, stays, goes string }{
		{"a referee and none, earlier", claim("ada", "9", "t", "t"), claim("bob", "5", "t", "")},
		{"a referee and none, later", claim("ada", "5", "t", "t"), claim("bob", "9", "t", "")},
		{"two of a referee", claim("ada", "9", "t", "t"), claim("bob", "5", "t", "t")},
		{"a referee and one that did not answer", claim("ada", "9", "t", "t"), claim("bob", "5", "t", "nil")},
		{"two provisional", claim("ada", "5", "t", ""), claim("bob", "9", "t", "")},
		{"a provisional one and one without an answer", claim("ada", "5", "t", ""), claim("bob", "9", "t", "nil")},
		{"one claim renewed on both sides", claim("ada", "5", "u", "t"), claim("ada", "5", "t", "t")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, sides := range [][2]string{{tt.stays, tt.goes}, {tt.goes, tt.stays}} {
				m := document.Merging{Won: "won", Lost: "lost"}
				merged, _ := format.Merge(&m, only("* TODO A\n"), only(sides[0]), only(sides[1]), 1)
				drawer, _, _ := strings.Cut(merged.Content, ":CONFLICT:")
				_, lines, _ := strings.Cut(tt.stays, "* TODO A\n")
				for line := range strings.Lines(lines) {
					if !strings.Contains(drawer, line) {
						t.Errorf("without %q:\n%s", line, merged.Content)
					}
				}
				if !strings.Contains(tt.stays, "CLAIM_GRANTED") && strings.Contains(drawer, "CLAIM_GRANTED") {
					t.Errorf("a ticket of the other claim:\n%s", merged.Content)
				}
			}
		})
	}
}
