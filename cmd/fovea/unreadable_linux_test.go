// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestUnreadableFile: a file and a folder that may not be read are told; the
// rest is taken, and what was known of them stays. Root may read everything,
// so there the command runs as nobody.
func TestUnreadableFile(t *testing.T) {
	root, err := os.MkdirTemp("", "fovea-unreadable") // t.TempDir is closed to nobody
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	memex, state := filepath.Join(root, "memex"), filepath.Join(root, "state")
	for name, text := range map[string]string{"a.org": "* A\n", "b.org": "* B\n", "sub/c.org": "* C\n"} {
		path := filepath.Join(memex, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const nobody = 65534
	own := func(mode os.FileMode) {
		for path, m := range map[string]os.FileMode{root: 0o777, filepath.Join(memex, "b.org"): mode &^ 0o111, filepath.Join(memex, "sub"): mode} {
			if err := os.Chmod(path, m); err != nil {
				t.Fatal(err)
			}
		}
	}
	run := func() string {
		c := process(t, state, "status", "--diagnostics", "--memex", memex)
		if os.Getuid() == 0 {
			c.Path = readable(t, root)
			c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
			c.Env = append(c.Env, "HOME="+root, "XDG_CONFIG_HOME="+root)
		}
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	own(0o755)
	if out := run(); !strings.Contains(out, "6 nodes in 3 documents") {
		t.Fatalf("before:\n%s", out)
	}
	own(0)
	out := run()
	own(0o755)
	for _, want := range []string{"6 nodes in 3 documents", "b.org\tunreadable", "sub\tunreadable"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

// readable copies the test binary to where nobody can run it.
func readable(t *testing.T, dir string) string {
	t.Helper()
	b, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "fovea.test")
	if err := os.WriteFile(path, b, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}
