// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNarrow: the list of stores and the ids of a difference fit a terminal of 80 columns.
func TestNarrow(t *testing.T) {
	dir := t.TempDir()
	memex := filepath.Join(dir, strings.Repeat("long/", 8), "notes")
	if err := os.MkdirAll(memex, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(memex, "a.org"), "* Oak\n")
	env := append(os.Environ(), asCommand+"=1", "HOME="+dir, "XDG_STATE_HOME="+filepath.Join(dir, "state"), "XDG_CONFIG_HOME="+filepath.Join(dir, "config"),
		"XDG_RUNTIME_DIR="+filepath.Join(dir, "run"), "MEMORY_SNAPSHOT_PATH=", "COLUMNS=")
	run := func(words ...string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), os.Args[0], append(words, "--memex", memex)...)
		c.Env = env
		out, err := atTerminal(t, c, 80)
		if err != nil {
			t.Fatalf("fovea %q: %v\n%s", words, err, out)
		}
		return out
	}
	run("snapshot", "first")
	write(t, filepath.Join(memex, "a.org"), "* All is lost\n")
	for _, tc := range []struct {
		words []string
		want  string
	}{
		{[]string{"diff", "first"}, "\n    was ~"},
		{[]string{"status", "--all"}, "/notes\n    there, 2 commits, "},
	} {
		out := run(tc.words...)
		if !strings.Contains(out, tc.want) {
			t.Errorf("fovea %q: no %q in\n%s", tc.words, tc.want, out)
		}
		for line := range strings.Lines(out) {
			if line = strings.TrimRight(line, "\r\n"); !strings.HasPrefix(line, dir) && len([]rune(line)) > 80 {
				t.Errorf("fovea %q: a line of %d: %s", tc.words, len([]rune(line)), line)
			}
		}
	}
}
