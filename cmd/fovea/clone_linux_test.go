// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCloneAsksForAFingerprint: at a terminal, clone asks once for the fingerprint of the other
// machine's key, and protected files are trusted only if it is that of the key.
func TestCloneAsksForAFingerprint(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"notes/inbox.org": "* Inbox\n", "notes/skills/plan.org": "* Plan\n"} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	on := func(machine string, words ...string) *exec.Cmd {
		c := exec.CommandContext(t.Context(), os.Args[0], words...)
		c.Env = append(os.Environ(), asCommand+"=1", "HOME="+dir,
			"XDG_CONFIG_HOME="+filepath.Join(dir, machine), "XDG_STATE_HOME="+filepath.Join(dir, machine, "state"),
			"XDG_RUNTIME_DIR="+filepath.Join(dir, machine, "run"), "MEMORY_SNAPSHOT_PATH=")
		c.Dir = dir
		return c
	}
	run := func(c *exec.Cmd) string {
		t.Helper()
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", c.Args, err, out)
		}
		return string(out)
	}
	run(on("one", "ingest", "--memex", "notes"))
	run(on("one", "bundle", "write", "b.fovea", "--plain", "--memex", "notes"))
	_, rest, _ := strings.Cut(run(on("one", "guard", "adopt-key", "--memex", "notes")), "fingerprint  ")
	print, _, _ := strings.Cut(rest, "\n")
	for _, tt := range []struct{ name, answer, want string }{
		{"the fingerprint", print, "as trusted"},
		{"another one", "SHA256:x", "unvouched"},
		{"nothing", "", "unvouched"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			machine := "at " + tt.name
			c := on(machine, "clone", "b.fovea", machine+" notes")
			screen, terminal := openTerminal(t, 80)
			c.Stdin, c.Stdout, c.Stderr = terminal, terminal, terminal
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			terminal.Close()
			if _, err := io.WriteString(screen, tt.answer+"\n"); err != nil {
				t.Fatal(err)
			}
			shown, _ := io.ReadAll(screen) // ends with an error when the command has ended
			if err := c.Wait(); err != nil {
				t.Fatalf("%v\n%s", err, shown)
			}
			if !strings.Contains(string(shown), "Enter it, or nothing") {
				t.Errorf("nobody was asked:\n%s", shown)
			}
			if got := run(on(machine, "guard", "list", "--memex", machine+" notes")); !strings.Contains(got, tt.want) {
				t.Errorf("want %q:\n%s", tt.want, got)
			}
		})
	}
}
