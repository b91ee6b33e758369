// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMCPCallsAreCarriedOutOnce: a call that comes again under its key, in a process of
// its own and after a restart of what keeps the memory open, is answered as the first
// time, with a daemon and without; the note that it was about is gone since.
func TestMCPCallsAreCarriedOutOnce(t *testing.T) {
	for _, tc := range []struct {
		name string
		set  func(*testing.T) (start func() *exec.Cmd, restart func())
	}{
		{"daemon", func(t *testing.T) (func() *exec.Cmd, func()) {
			s := newServed(t)
			daemon := s.serve()
			go func() { _ = daemon.Wait() }() // it is stopped
			return func() *exec.Cmd { return s.command("mcp", "--agent", "ada") }, func() { s.run("serve", "--stop") }
		}},
		{"no daemon", func(t *testing.T) (func() *exec.Cmd, func()) {
			dir := memexWith(t, map[string]string{"a.org": "* A note\n"})
			return func() *exec.Cmd {
				c, _ := shim(t, dir, "--agent", "ada")
				return c
			}, func() {}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			start, restart := tc.set(t)
			var answers []string
			for range 2 {
				c := connected(t, start(), nil)
				var said strings.Builder
				for i, call := range []*mcp.CallToolParams{
					{Name: "remember", Arguments: map[string]any{"title": "Gauge", "properties": map[string]string{"ID": "gauge"}}},
					{Name: "edit", Arguments: map[string]any{"id": "gauge", "append": "It drifts."}},
					{Name: "edit", Arguments: map[string]any{"id": "Gauge", "title": "Weight"}},
					{Name: "forget", Arguments: map[string]any{"id": "gauge"}},
				} {
					call.Meta = mcp.Meta{"io.github.fovea-memory/idempotency-key": fmt.Sprint("key-", i)}
					r, err := c.CallTool(t.Context(), call)
					if err != nil {
						t.Fatal(err)
					}
					text := r.Content[0].(*mcp.TextContent).Text
					said.WriteString(fmt.Sprint(r.IsError, " ", regexp.MustCompile(`"seq":\d+`).FindString(text), "\n")) // of a note that is gone there is no more to say
				}
				r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "history", Arguments: map[string]any{"action": "log"}})
				if err != nil {
					t.Fatal(err)
				}
				_, log, _ := strings.Cut(r.Content[0].(*mcp.TextContent).Text, "\n")
				answers = append(answers, said.String()+log)
				if err := c.Close(); err != nil {
					t.Error(err)
				}
				restart()
			}
			if answers[0] != answers[1] || strings.Contains(answers[0], "true") || strings.Count(answers[0], "\tedit\tada\t") != 4 {
				t.Errorf("first:\n%s\nand again:\n%s", answers[0], answers[1])
			}
		})
	}
}
