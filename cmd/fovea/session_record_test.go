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
)

// TestRecordedSession: the session in doc/mcp.md is what the example prints.
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
	dir := memexWith(t, map[string]string{"empty.txt": ""})
	like, _ := shim(t, dir)
	c := exec.CommandContext(t.Context(), "go", "run", "../../examples/mcp/client.go", os.Args[0], "mcp", "--memex", filepath.Join(dir, "notes"), "--agent", "guide")
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
	// What depends on the day and on the path that is named after it.
	varies := regexp.MustCompile(`\d+ of 200 tokens|bafyrei[a-z2-7]+|~[a-z2-7]{26}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\[20\d\d-\d\d-\d\d \w+ \d\d:\d\d\]|20\d\d-\d\d-\d\d \d\d:\d\d:\d\d|20\d\d-\d\d(\.org| <<)`)
	if d := cmp.Diff(varies.ReplaceAllString(want, "…"), varies.ReplaceAllString(string(got), "…")); d != "" {
		t.Error(d)
	}
}
