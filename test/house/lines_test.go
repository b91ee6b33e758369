// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxColumns is the length of the longest line of Go; a tab is one column.
const maxColumns = 160

// linesAreShort finds the files with longer lines.
func linesAreShort(sources []*source) []breach {
	var found []breach
	for _, s := range sources {
		n := 0
		for line := range strings.Lines(s.text) {
			n++
			if w := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); w > maxColumns {
				found = append(found, breach{s.path, fmt.Sprintf("%s:%d: %d columns, the limit is %d; break the line", s.path, n, w, maxColumns)})
			}
		}
	}
	return found
}

func TestLinesAreShort(t *testing.T) { holdButDebts(t, "long lines", linesAreShort) }

func TestLineRulesCatch(t *testing.T) {
	catches(t, asRule(linesAreShort), map[string]string{"org/a_test.go": "package org\n// " + strings.Repeat("é", maxColumns-3) + "\n"}, "")
	catches(t, asRule(linesAreShort), map[string]string{"org/a_test.go": "package org\n// " + strings.Repeat("é", maxColumns-2) + "\n"},
		"a_test.go:2: 161 columns")
}
