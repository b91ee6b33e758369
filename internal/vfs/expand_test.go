// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vfs

import "testing"

// environmentOf turns a map into what os.Getenv is.
func environmentOf(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

func TestExpand(t *testing.T) {
	env := environmentOf(map[string]string{"HOME": "/home/noor", "A": "one", "AB": "two", "D": "$A", "T": "~/x", "E": ""})
	for _, tc := range []struct{ in, want string }{
		{"", ""},
		{"plain/path", "plain/path"},
		{"$HOME/notes", "/home/noor/notes"},
		{"/x/$A/y/$AB.org", "/x/one/y/two.org"},
		{"${A}B", "oneB"},
		{"$AB$A", "twoone"},
		{"$UNKNOWN/x", "$UNKNOWN/x"},
		{"${UNKNOWN}/x", "${UNKNOWN}/x"},
		{"$E/x", "$E/x"},
		{"$D/$A", "$A/one"},
		{"$T", "~/x"},
		{"5$ and $$A ${A", "5$ and $one ${A"},
		{"~", "/home/noor"},
		{"~/notes", "/home/noor/notes"},
		{"~noor/notes", "~noor/notes"},
		{"/a/~/b", "/a/~/b"},
		{` "$HOME/my notes" `, "/home/noor/my notes"},
		{"'~/x'\n", "/home/noor/x"},
		{"it's", "it's"},
	} {
		if got := Expand(tc.in, env); got != tc.want {
			t.Errorf("%q: got %q, want %q", tc.in, got, tc.want)
		}
	}
	if got := Expand("~/x", environmentOf(nil)); got != "~/x" {
		t.Errorf("without HOME: got %q", got)
	}
}
