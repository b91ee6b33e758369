// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// shim is a command that serves MCP over a memex, and what it says on standard error.
func shim(t *testing.T, dir string, words ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], append([]string{"mcp", "--no-daemon", "--memex", filepath.Join(dir, "notes")}, words...)...)
	c.Env = append(os.Environ(), asCommand+"=1", "XDG_STATE_HOME="+filepath.Join(dir, "state"), "XDG_CONFIG_HOME="+filepath.Join(dir, "config"),
		"XDG_RUNTIME_DIR="+filepath.Join(dir, "run"), "HOME="+dir)
	var said bytes.Buffer
	c.Stderr = &said
	return c, &said
}

// memexWith makes a folder whose notes hold the given files.
func memexWith(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, "notes", name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestMCPOverStandardInput: the real command serves the SDK's client in each revision;
// what the client writes is in a file of its own, by its name, and the notes of the
// person are not its to change.
func TestMCPOverStandardInput(t *testing.T) {
	dir := memexWith(t, map[string]string{"a.org": "* Gauge\n:PROPERTIES:\n:ID: gauge\n:END:\nIt drifts.\n"})
	for _, revision := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		command, said := shim(t, dir)
		client := mcp.NewClient(&mcp.Implementation{Name: "test-client", Version: "1"}, nil)
		c, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: command}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
		if err != nil {
			t.Fatalf("%s: %v\n%s", revision, err, said)
		}
		for _, step := range []struct {
			tool   string
			args   map[string]any
			failed bool
			want   string
		}{
			{"recall", map[string]any{"query": "drifts"}, false, "id dcayq"},
			{"remember", map[string]any{"title": "Noted in " + revision}, false, "agents/test-client/"},
			{"edit", map[string]any{"id": "gauge", "todo": "TODO"}, true, "denied"},
			{"history", map[string]any{"action": "log", "limit": 1}, false, "\ttest-client\tagents/test-client/"},
		} {
			r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: step.tool, Arguments: step.args})
			if err != nil {
				t.Fatalf("%s %s: %v", revision, step.tool, err)
			}
			if text := r.Content[0].(*mcp.TextContent).Text; r.IsError != step.failed || !strings.Contains(text, step.want) {
				t.Errorf("%s %s: %s", revision, step.tool, text)
			}
		}
		if err := c.Close(); err != nil {
			t.Errorf("%s: the command did not end well: %v", revision, err)
		}
		if said.Len() > 0 {
			t.Errorf("%s: it said\n%s", revision, said)
		}
	}
	found, err := filepath.Glob(filepath.Join(dir, "notes", "agents", "test-client", "*.org"))
	if err != nil || len(found) != 1 {
		t.Fatalf("files of the client: %v, %v", found, err)
	}
	text, err := os.ReadFile(found[0])
	if err != nil || strings.Count(string(text), "* Noted in ") != 3 {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestMCPGrants: an agent writes what the configuration grants to its name.
func TestMCPGrants(t *testing.T) {
	dir := memexWith(t, map[string]string{"a.org": "* Gauge\n:PROPERTIES:\n:ID: gauge\n:END:\n"})
	config := filepath.Join(dir, "config", "fovea", "config.toml")
	if err := os.MkdirAll(filepath.Dir(config), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte("[grants.mint]\npaths = [\"a.org\"]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for agent, granted := range map[string]bool{"mint": true, "you": false} {
		command, said := shim(t, dir, "--agent", agent)
		c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "edit", Arguments: map[string]any{"id": "gauge", "append": "By " + agent + "."}})
		if err != nil || r.IsError == granted {
			t.Errorf("%s: %v, %+v", agent, err, r.Content[0])
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestCompatOverStandardInput: the real command has the tools of server-memory, and what
// it acknowledged is in Org, in the file of that server, and there for the next one.
func TestCompatOverStandardInput(t *testing.T) {
	dir := memexWith(t, map[string]string{"a.org": "* A note\n"})
	file := filepath.Join(dir, "memory.jsonl")
	for round := range 2 {
		command, said := shim(t, dir, "--compat", "server-memory")
		command.Env = append(command.Env, "MEMORY_FILE_PATH="+file)
		c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "create_entities", Arguments: map[string]any{
			"entities": []map[string]any{{"name": strings.Repeat("x", round+1), "entityType": "t", "observations": []string{"seen"}}},
		}})
		if err != nil || r.IsError {
			t.Fatalf("%v, %+v\n%s", err, r, said)
		}
		if r, err = c.CallTool(t.Context(), &mcp.CallToolParams{Name: "read_graph"}); err != nil ||
			strings.Count(r.Content[0].(*mcp.TextContent).Text, "seen") != round+1 {
			t.Errorf("round %d: %v, %+v", round, err, r)
		}
		text, err := os.ReadFile(file)
		if err != nil || strings.Count(string(text), `"type":"entity"`) != round+1 {
			t.Errorf("round %d: %v\n%s", round, err, text)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
