// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package minds

import "testing"

// TestCut: the lines of a text are cut out of it without a copy.
func TestCut(t *testing.T) {
	for _, tc := range []struct {
		text        string
		first, last int
		want        string // "-" for an error
	}{
		{"a\nb\nc\n", 0, 0, "a\nb\nc\n"}, {"a\nb\nc\n", 1, 1, "a\n"}, {"a\nb\nc\n", 2, 3, "b\nc\n"}, {"a\nb\nc", 3, 9, "c"},
		{"a\nb\nc", 2, 0, "b\nc"}, {"a\nb\nc", 2, 1, "b\nc"}, {"a\n", 2, 0, "-"}, {"a\n", 2, 2, "-"}, {"", 1, 1, ""}, {"", 2, 2, "-"},
	} {
		got, err := cut(tc.text, tc.first, tc.last)
		if err != nil {
			got = "-"
		} else if n := testing.AllocsPerRun(1, func() { _, _ = cut(tc.text, tc.first, tc.last) }); n > 0 {
			t.Errorf("%+v: %v allocations", tc, n)
		}
		if got != tc.want {
			t.Errorf("%+v: %q", tc, got)
		}
	}
}
