// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/api"
)

// TestCompatIsHeldToAgents: the graph of server-memory is written as an agent writes, beside
// a daemon and without one: not through a second name of its file, and not through a link
// that leads out of its folder. What its owner wrote there it may take away.
func TestCompatIsHeldToAgents(t *testing.T) {
	const graph = "agents/server-memory/graph-0001.org"
	for name, way := range map[string][]string{"beside a daemon": nil, "alone": {"--no-daemon"}} {
		for what, other := range map[string]string{"a file with several names": "../other.org", "a link that leads elsewhere": "elsewhere.txt"} {
			t.Run(name+"/"+what, func(t *testing.T) {
				t.Parallel()
				s := newServed(t)
				if way == nil {
					s.serve()
				}
				command := s.command(append([]string{"mcp", "--compat", "server-memory"}, way...)...)
				if refused := created(t, command, "first"); refused != "" {
					t.Fatal(refused)
				}
				at, to := filepath.Join(s.memex, graph), filepath.Join(s.memex, other)
				err := os.Link(at, to)
				if err == nil && other == "elsewhere.txt" {
					err = errors.Join(os.Remove(at), os.Symlink(filepath.Join("..", "..", other), at))
				}
				if err != nil {
					t.Fatal(err)
				}
				before, err := os.ReadFile(to)
				if err != nil {
					t.Fatal(err)
				}
				command = s.command(append([]string{"mcp", "--compat", "server-memory"}, way...)...)
				refused := created(t, command, "second")
				after, err := os.ReadFile(to)
				if err != nil || refused == "" || string(after) != string(before) {
					t.Errorf("%v, answered %q\n%s", err, refused, after)
				}
			})
		}
	}
}

// created has a server of a command create an entity, and ends it. It returns why that was
// refused, "" where it was not.
func created(t *testing.T, command *exec.Cmd, name string) string {
	t.Helper()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		return err.Error()
	}
	defer c.Close()
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "create_entities", Arguments: map[string]any{
		"entities": []map[string]any{{"name": name, "entityType": "t", "observations": []string{"of " + name}}},
	}})
	if err != nil {
		return err.Error()
	}
	if r.IsError {
		return r.Content[0].(*mcp.TextContent).Text
	}
	return ""
}

// TestAnAgentsNameIsJudged: what the owner writes in the name of an agent, with --agent, is
// checked as that of every agent, beside a daemon and without one.
func TestAnAgentsNameIsJudged(t *testing.T) {
	for name, way := range map[string][]string{"beside a daemon": nil, "alone": {"--no-daemon"}} {
		t.Run(name, func(t *testing.T) {
			s := newServed(t)
			if way == nil {
				s.serve()
			}
			for _, args := range [][]string{
				{"remember", "Acts", "--body", "[[elisp:(ding)]]", "--under", "new.org"},
				{"remember", "<%%(ding)>", "--under", "new.org"},
			} {
				out, err := s.command(append(append(args, "--agent", "mint"), way...)...).CombinedOutput()
				if err == nil {
					t.Errorf("%q: %s", args, out)
				}
			}
			s.run(append([]string{"remember", "Plain", "--under", "new.org", "--agent", "mint"}, way...)...)
			var log []api.Commit
			if err := json.Unmarshal([]byte(s.run(append([]string{"log", "--json", "--limit", "1"}, way...)...)), &log); err != nil || log[0].Author != "mint" {
				t.Errorf("%+v, %v", log, err)
			}
			if text := s.notes()["new.org"]; strings.Contains(text, "ding") {
				t.Error(text)
			}
		})
	}
}
