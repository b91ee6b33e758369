// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import "testing"

func TestEditDistance(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"budget", "bugdet", 2}, {"log_limits", "log_limit", 1}, {"kitten", "sitting", 3}} {
		if got, back := editDistance(tc.a, tc.b), editDistance(tc.b, tc.a); got != tc.want || back != tc.want {
			t.Errorf("%q %q: got %d and %d, want %d", tc.a, tc.b, got, back, tc.want)
		}
	}
}
