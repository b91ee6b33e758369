// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// TestRecordedSession: the session in doc/mcp.md is what the example prints, with the
// official SDK of Go and with that of Node.
func TestRecordedSession(t *testing.T) {
	doc, err := os.ReadFile("../../doc/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	_, want, found := strings.Cut(string(doc), "\n````\n")
	want, _, closed := strings.Cut(want, "````\n")
	if !found || !closed {
		t.Fatal("doc/mcp.md has no session between fences of four backticks")
	}
	// What depends on the day and on the path that is named after it.
	varies := regexp.MustCompile(`\d+ of 200 tokens|bafyrei[a-z2-7]+|~[a-z2-7]{26}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\[20\d\d-\d\d-\d\d \w+ ` +
		`\d\d:\d\d\]|20\d\d-\d\d-\d\d \d\d:\d\d:\d\d|20\d\d-\d\d(\.org|-\d\d)|` +
		`handle"?: ?"[a-z]{5,}"|id [a-z]{5,}\t|\* (?:TODO )?[a-z]{5,} `)
	for _, tc := range []struct {
		name    string
		example func(*testing.T) []string
	}{
		{"Go", func(*testing.T) []string { return []string{"go", "run", "../../examples/mcp/client.go"} }},
		{"Node", func(t *testing.T) []string {
			return []string{foveatest.Part(t, "node"), besideItsPackages(t, "../../examples/mcp/client.mjs")}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := runExample(t, tc.example(t))
			if d := cmp.Diff(varies.ReplaceAllString(want, "…"), varies.ReplaceAllString(got, "…")); d != "" {
				t.Error(d)
			}
		})
	}
}

// besideItsPackages copies a script of Node to where it finds the SDK, as npm install
// leaves it, and returns the copy.
func besideItsPackages(t *testing.T, script string) string {
	t.Helper()
	dir := t.TempDir()
	moved := filepath.Join(dir, filepath.Base(script))
	text, err := os.ReadFile(script)
	if err == nil {
		err = os.WriteFile(moved, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	linkPackages(t, dir)
	return moved
}

// linkPackages lets scripts of Node in a folder find the SDK.
func linkPackages(t *testing.T, dir string) {
	t.Helper()
	if err := os.Symlink(foveatest.NodePackages(t, "@modelcontextprotocol/sdk"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
}

// runExample runs an example as the agent guide in an empty memex, and returns what it
// prints.
func runExample(t *testing.T, example []string) string {
	t.Helper()
	dir := memexWith(t, map[string]string{"empty.txt": ""})
	like, _ := shim(t, dir)
	c := exec.CommandContext(t.Context(), example[0], append(example[1:], os.Args[0], "mcp", "--memex", filepath.Join(dir, "notes"), "--agent", "guide")...)
	for _, v := range like.Env {
		if !strings.HasPrefix(v, "HOME=") { // where go keeps its caches
			c.Env = append(c.Env, v)
		}
	}
	c.Env = append(c.Env, "HOME="+os.Getenv("HOME"))
	t.Cleanup(func() { // the daemon that the session started
		stop := exec.Command(os.Args[0], "serve", "--stop", "--memex", filepath.Join(dir, "notes"))
		stop.Env = c.Env
		if said, err := stop.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, said)
		}
	})
	var said bytes.Buffer
	c.Stderr = &said
	got, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	return string(got)
}
