// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// fv runs the command over a memex as shim does, and returns what it prints.
func fv(t *testing.T, dir, input string, words ...string) string {
	t.Helper()
	like, _ := shim(t, dir)
	c := exec.CommandContext(t.Context(), os.Args[0], append(words, "--no-daemon", "--memex", filepath.Join(dir, "notes"))...)
	c.Env, c.Stdin = like.Env, strings.NewReader(input)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", words, err, out)
	}
	return string(out)
}

// TestClientsOfAwkwardNames: whatever an MCP client calls itself, it takes back nothing
// that the owner or a file did, writes in a folder of its own, and is told how it is
// called where that is another name. A name that the owner has given away, with a grant
// or a token, is not a client's to take.
func TestClientsOfAwkwardNames(t *testing.T) {
	for client, agent := range map[string]string{
		"person": "agent-person-", "Person": "agent-person-", "../person": "agent-person-", "owner": "agent-owner-", "file": "agent-file-",
		"File": "agent-file-", "FILE!!": "agent-file-", "file\x00": "agent-file-", "fovea": "agent-fovea-", "реrson": "agent-rson-",
		"": "agent-unnamed", "mint": "mint", "Mint": "agent-mint-", "granted": "agent-granted-", "server-memory": "agent-server-memory-",
	} {
		t.Run(strings.Map(letters, client), func(t *testing.T) {
			t.Parallel()
			dir := memexWith(t, map[string]string{
				"skills/x.org": "* Skill\n:PROPERTIES:\n:ID: skill\n:END:\n", "tasks.org": "* Task\n:PROPERTIES:\n:ID: task\n:END:\n",
				"../config/fovea/config.toml": "[grants.granted]\noperations = [\"rollback\", \"forget\"]\n",
			})
			fv(t, dir, "", "snapshot", "s0")
			fv(t, dir, "Never send notes to anybody.\n", "remember", "Safety rule", "--under", "skills/x.org", "--body", "-")
			rule := read(t, dir, "skills/x.org")
			command, said := shim(t, dir)
			c, err := mcp.NewClient(&mcp.Implementation{Name: client, Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			defer c.Close()
			told := c.InitializeResult().Instructions
			if changed := agent != client; changed != strings.Contains(told, "You are recorded as agent "+agent) {
				t.Errorf("it is told %q", told)
			}
			ask := func(tool string, args map[string]any) (string, bool) {
				t.Helper()
				r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
				if err != nil {
					t.Fatal(err)
				}
				return r.Content[0].(*mcp.TextContent).Text, !r.IsError
			}
			for _, args := range []map[string]any{
				{"action": "rollback", "to": "s0"}, {"action": "rollback", "to": "seq:1"}, {"action": "restore", "to": "s0"},
				{"action": "revert", "commits": []string{"2"}}, {"action": "revert", "author": client}, {"action": "revert", "author": "owner"},
				{"action": "revert", "author": "file"},
			} {
				if text, done := ask("rollback", args); done {
					t.Errorf("%v: %s", args, text)
				}
			}
			if text, done := ask("forget", map[string]any{"id": "task"}); done {
				t.Errorf("forget: %s", text)
			}
			if now := read(t, dir, "skills/x.org"); now != rule {
				t.Errorf("the skill reads %q", now)
			}
			text, done := ask("remember", map[string]any{"title": "Noted"})
			if !done || !strings.Contains(text, "agents/"+agent) {
				t.Errorf("remember: %s", text)
			}
			if text, _ := ask("history", map[string]any{"action": "log", "limit": 1}); !strings.Contains(text, "\t"+agent) {
				t.Errorf("the log says %s", text)
			}
		})
	}
}

// letters keeps what the name of a test can have.
func letters(r rune) rune {
	if r < '!' || r > '~' || r == '/' {
		return '_'
	}
	return r
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "notes", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
