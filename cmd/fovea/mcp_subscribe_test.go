// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// TestNodeIsToldOfChanges: a client made with the official Node SDK completes a name,
// subscribes to it, and is told when somebody else changes the note: over standard input
// and over HTTP. That of Go is in TestMCPTellsOfAnothersChange and TestMCPOverHTTP.
func TestNodeIsToldOfChanges(t *testing.T) {
	node := foveatest.Part(t, "node")
	script := besideItsPackages(t, "testdata/subscribe.mjs")
	for _, way := range []string{"standard input", "HTTP"} {
		t.Run(way, func(t *testing.T) {
			s := newServed(t)
			secret := strings.TrimSpace(s.run("token", "add", "ada"))
			if said, err := s.command("serve", "--detach", "--http").CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, said)
			}
			s.run("remember", "Gauge", "--property", "ID=gauge")
			mcp := s.command("mcp")
			c := exec.CommandContext(t.Context(), node, append([]string{script, "fovea://node/gauge"}, mcp.Args...)...)
			if way == "HTTP" {
				c.Args = []string{node, script, "fovea://node/gauge", servedAt(t, s) + "/mcp", secret}
			}
			c.Env = mcp.Env
			var said bytes.Buffer
			c.Stderr = &said
			out, err := c.StdoutPipe()
			if err == nil {
				err = c.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for lines := bufio.NewScanner(out); lines.Scan(); {
				if got = append(got, lines.Text()); lines.Text() == "subscribed" {
					s.run("edit", "gauge", "--todo", "TODO")
				}
			}
			if err := c.Wait(); err != nil || strings.Join(got, " ") != "offered gauge subscribed fovea://node/gauge" {
				t.Errorf("%q, %v\n%s", got, err, said.Bytes())
			}
		})
	}
}

// servedAt is the address of the port that a daemon has opened.
func servedAt(t *testing.T, s *served) string {
	t.Helper()
	var at struct{ URL string }
	text, err := os.ReadFile(filepath.Join(s.state, "http.json"))
	if err == nil {
		err = json.Unmarshal(text, &at)
	}
	if err != nil {
		t.Fatal(err)
	}
	return at.URL
}
