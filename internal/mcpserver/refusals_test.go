// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
)

// refusedBy calls a tool that must fail, and returns what it says.
func refusedBy(t *testing.T, c *mcp.ClientSession, tool string, args any) string {
	t.Helper()
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return err.Error()
	}
	text := r.Content[0].(*mcp.TextContent).Text
	if !r.IsError {
		t.Errorf("%s %v did not fail: %s", tool, args, text)
	}
	return text
}

// calls are calls of every tool that reach the service.
var calls = []struct {
	tool string
	args map[string]any
}{
	{"context", map[string]any{}},
	{"recall", map[string]any{"query": "x"}},
	{"recall", map[string]any{"query": "todo:TODO", "mode": "query"}},
	{"read", map[string]any{"id": "x"}},
	{"remember", map[string]any{"title": "x"}},
	{"edit", map[string]any{"id": "x", "todo": "DONE"}},
	{"edit", map[string]any{"id": "x", "refile_to": "y"}},
	{"forget", map[string]any{"id": "x"}},
	{"history", map[string]any{"action": "log"}},
	{"history", map[string]any{"action": "diff"}},
	{"history", map[string]any{"action": "blame", "id": "x"}},
	{"history", map[string]any{"action": "snapshots"}},
	{"history", map[string]any{"action": "checkpoint"}},
	{"history", map[string]any{"action": "feedback", "answer": "x"}},
	{"rollback", map[string]any{"action": "rollback"}},
	{"rollback", map[string]any{"action": "restore"}},
	{"rollback", map[string]any{"action": "revert"}},
	{"rollback", map[string]any{"action": "resolve"}},
	{"semantic-search", map[string]any{"query": "x"}},
	{"checkpoint-memory", map[string]any{}},
	{"restore-memory", map[string]any{}},
}

// TestRefusalOfRestoreNamesTheWay: a client that is denied restore-memory is told what makes a grant count.
func TestRefusalOfRestoreNamesTheWay(t *testing.T) {
	c := connect(t, api.Service(func(_ context.Context, c api.Call) (any, error) {
		return nil, &fovea.Error{Op: c.Op.Name, Kind: fovea.Denied, Err: errors.New("so it is")}
	}), nil)
	if text := refusedBy(t, c, "restore-memory", map[string]any{"source": "LOCAL"}); !strings.Contains(text, "fovea mcp --agent NAME") {
		t.Error(text)
	}
}

// TestRefusalsFitTheirKinds: whatever a tool, a prompt or a resource is refused for,
// the answer has a next step, and one that fits the kind.
func TestRefusalsFitTheirKinds(t *testing.T) {
	for kind, fits := range map[fovea.Kind][]string{
		fovea.NotFound: {"recall"}, fovea.Ambiguous: {"by its id"}, fovea.Conflict: {"read the node again"}, fovea.Invalid: {"correct the arguments"},
		fovea.Budget: {"at least that budget"}, fovea.Denied: {"ask the owner"}, fovea.Busy: {"call again"}, fovea.Held: {"restore --missing", "accept-deletions"},
		fovea.ReadOnly: {"fovea status"}, fovea.Locked: {"guard diff"}, fovea.Corrupt: {"fovea verify"}, fovea.Other: {"call again", "fovea status"},
	} {
		t.Run(kind.String(), func(t *testing.T) {
			c := connect(t, api.Service(func(_ context.Context, c api.Call) (any, error) {
				return nil, &fovea.Error{Op: c.Op.Name, What: "x", Kind: kind, Err: errors.New("so it is")}
			}), nil)
			check := func(what, text string) {
				t.Helper()
				_, next, found := strings.Cut(text, "Next: ")
				if !found {
					t.Errorf("%s names no next step: %s", what, text)
				}
				for _, part := range fits {
					if !strings.Contains(next, part) {
						t.Errorf("%s: the next step does not fit: %s", what, next)
					}
				}
				if strings.Contains(text, "person") {
					t.Errorf("%s: who owns the notes is called the owner: %s", what, text)
				}
				if strings.Contains(text, "failed") && !strings.Contains(text, kind.String()) {
					t.Errorf("%s does not name the kind: %s", what, text)
				}
			}
			for _, one := range calls {
				check(one.tool, refusedBy(t, c, one.tool, one.args))
			}
			for _, prompt := range []string{"session-start", "review-changes"} {
				_, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: prompt})
				if err == nil {
					t.Fatalf("%s was given", prompt)
				}
				check(prompt, err.Error())
			}
			_, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "fovea://node/x"})
			if err == nil || !strings.Contains(err.Error(), "Next: ") {
				t.Errorf("a resource: %v", err)
			}
		})
	}
}

// TestWrongArgumentsAreNamed: a call with a field that its tool has not, without one that
// it needs, or with a value of another type, is told which, and which fields there are.
func TestWrongArgumentsAreNamed(t *testing.T) {
	svc, _ := memory(t)
	c := connect(t, svc, nil)
	for _, tc := range []struct {
		tool string
		args any
		want []string
	}{
		{"remember", map[string]any{"title": "x", "colour": "red"}, []string{`"colour"`, "use the fields body, deadline,", "needed: title"}},
		{"remember", map[string]any{}, []string{"title is missing", "needed: title"}},
		{"remember", nil, []string{"title is missing"}},
		{"remember", map[string]any{"title": nil}, []string{"title is missing; it is a text"}},
		{"remember", map[string]any{"title": "x", "tags": "home"}, []string{"tags is a list"}},
		{"remember", map[string]any{"title": "x", "tags": "a,b"}, []string{`tags is a list, such as ["a", "b"]`}},
		{"remember", map[string]any{"title": "x", "tags": []any{[]any{}}}, []string{"each part of which is a text"}},
		{"remember", map[string]any{"title": "x", "tags": []any{nil}}, []string{"each part of which is a text"}},
		{"remember", map[string]any{"title": "x", "properties": map[string]any{"K": []any{}}}, []string{"each value of which is a text"}},
		{"edit", map[string]any{"id": "x", "properties": map[string]any{"K": nil}}, []string{`leave "K" out`, "unset"}},
		{"context", map[string]any{"budget": "many"}, []string{"budget is a whole number, such as 500"}},
		{"edit", map[string]any{"id": "x", "claim": -1}, []string{"claim is a number from 0 on"}},
		{"edit", map[string]any{"id": "x", "check": "1"}, []string{"check is a list, such as [1, 2]"}},
		{"semantic-search", json.RawMessage(`{"query":"x","min-similarity":1e400}`), []string{"min-similarity is a number, such as 0.5"}},
		{"recall", json.RawMessage(`"no JSON"`), []string{"not a JSON object"}},
		{"recall", json.RawMessage(`[1]`), []string{"not a JSON object"}},
		{"recall", map[string]any{"query": "x", "limit": 1.5}, []string{"limit is a whole number"}},
		{"recall", map[string]any{"query": "x", "mode": "psychic"}, []string{"mode is lexical or query"}},
		{"history", map[string]any{"action": "undo"}, []string{"one of log", "blame"}},
		{"rollback", map[string]any{}, []string{"action is missing"}},
		{"checkpoint-memory", map[string]any{"x": 1}, []string{"without arguments"}},
		{"destroy", map[string]any{}, []string{"unknown tool", "call one of context, edit,"}},
	} {
		text := refusedBy(t, c, tc.tool, tc.args)
		for _, want := range append(tc.want, "Next: ") {
			if !strings.Contains(text, want) {
				t.Errorf("%s %v: no %q in %s", tc.tool, tc.args, want, text)
			}
		}
	}
	if _, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "none"}); err == nil || !strings.Contains(err.Error(), "Next: prompts/list") {
		t.Errorf("a prompt that is none: %v", err)
	}
	if _, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "fovea://x"}); err == nil || !strings.Contains(err.Error(), "Next: resources/list") {
		t.Errorf("a resource that is none: %v", err)
	}
	if text, _ := call(t, c, "recall", map[string]any{"query": "tasks due this week", "mode": "query"}); !strings.Contains(text, "todo:TODO") {
		t.Errorf("a question as a query: %s", text)
	}
	call(t, c, "remember", map[string]any{"title": "Taken back"})
	if text, _ := call(t, c, "rollback", map[string]any{"action": "revert", "commits": []string{"seq:2"}, "dry_run": true}); strings.Contains(text, "seq 0") {
		t.Errorf("a revert that is tried: %s", text)
	}
	tools, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		text, err := json.Marshal(tool)
		if err != nil || strings.Contains(string(text), "semantic") || strings.Contains(string(text), "hybrid") {
			t.Errorf("%s names a mode that does not work", tool.Name)
		}
	}
}
