// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
)

// TestKey: the key is a line or the file that has it; anything else is refused with what to
// give instead.
func TestKey(t *testing.T) {
	_, key, err := note.GenerateKey(rand.Reader, "machine")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file, empty := filepath.Join(dir, "key.pub"), filepath.Join(dir, "note.proof")
	for name, text := range map[string]string{file: key + "\n", empty: "{}\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{empty, key}, 1, "not a fovea proof 1"},
		{[]string{empty, file}, 1, "not a fovea proof 1"},
		{[]string{empty, empty}, 2, "give key.pub"},
		{[]string{empty, "none"}, 2, "give key.pub"},
		{[]string{filepath.Join(dir, "none"), file}, 1, "no such file"},
		{[]string{empty}, 2, "usage: verify FILE KEY"},
	} {
		var out, problems strings.Builder
		code := verify(tc.args, &out, &problems)
		if code != tc.code || !strings.Contains(problems.String(), tc.want) || out.Len() > 0 {
			t.Errorf("%q: exit %d, %q, %q", tc.args, code, out.String(), problems.String())
		}
		for line := range strings.Lines(strings.ReplaceAll(problems.String(), dir, "")) {
			if len(line) > 81 && !strings.Contains(line, key) {
				t.Errorf("%q: a line of %d: %s", tc.args, len(line), line)
			}
		}
	}
}
