// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/mcpserver"
)

// presentation are the words of answers that tell a model nothing.
var presentation = strings.Fields("done known already kept as for of")

var oneWord = regexp.MustCompile(`[\pL\pN]+`)

// untold returns the words of an answer's text that its data lacks, none if it has no data.
func untold(t *testing.T, text string, data any) (lost []string) {
	t.Helper()
	if data == nil {
		return nil
	}
	all, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	told := strings.ToLower(string(all))
	for _, word := range oneWord.FindAllString(strings.ToLower(text), -1) {
		if !strings.Contains(told, word) && !slices.Contains(presentation, word) {
			lost = append(lost, word)
		}
	}
	return lost
}

// TestUntoldCatches shows the rule a breach.
func TestUntoldCatches(t *testing.T) {
	for _, tc := range []struct {
		text string
		data any
		want int
	}{
		{"Similar notes: a, b", nil, 0},
		{"Done: id \"a\", seq 7.", map[string]any{"id": "a", "seq": 7}, 0},
		{"Done: id \"a\", seq 7. Nothing was written.", map[string]any{"id": "a", "seq": 7}, 3},
	} {
		if got := untold(t, tc.text, tc.data); len(got) != tc.want {
			t.Errorf("%s: %q", tc.text, got)
		}
	}
}

// TestDataTellsAll: clients such as Claude Code and Codex show their model the structured
// content of an answer and not its text, so what a model must read stands there, too, or there
// is none.
func TestDataTellsAll(t *testing.T) {
	svc, _ := memory(t)
	owner := connect(t, svc, nil)
	agent := attach(t, mcpserver.New(ops.Guarded(svc), &mcpserver.Options{Acting: granted("ada")}), nil, "")
	other := attach(t, mcpserver.New(ops.Guarded(svc), &mcpserver.Options{Acting: granted("bob")}), nil, "")
	if _, failed := call(t, other, "remember", map[string]any{"title": "Here"}); failed {
		t.Fatal("bob remembers nothing")
	}
	const note, body = "The ferry leaves at nine from the northern pier", "On Sundays it leaves at ten, said the harbour master."
	for _, step := range []struct {
		by   *mcp.ClientSession
		tool string
		args map[string]any
		want string // what a model reads; after "text:" where there is to be no data
	}{
		{agent, "recall", map[string]any{"query": "submarine"}, "text:Nothing was found"},
		{agent, "recall", map[string]any{"query": "river", "mode": "semantic"}, "text:answered by words"},
		{agent, "semantic-search", map[string]any{"query": "river gauge"}, "text:drifts"},
		{agent, "remember", map[string]any{"title": note, "body": body}, "agents/ada/"},
		{agent, "remember", map[string]any{"title": note, "body": body}, "Known already, nothing was written."},
		{agent, "remember", map[string]any{"title": note + " now", "body": body}, "Similar, at least 60% of the words in common"},
		{agent, "edit", map[string]any{"id": note, "todo": ""}, "Nothing to change."},
		{agent, "edit", map[string]any{"id": note, "append": "Twice."}, "bafy"},
		{agent, "forget", map[string]any{"id": note}, "rollback brings it back"},
		{owner, "checkpoint-memory", nil, "no IPFS is set up"},
		{owner, "restore-memory", map[string]any{"source": "LOCAL"}, `"restored_files":`},
	} {
		r, err := step.by.CallTool(t.Context(), &mcp.CallToolParams{Name: step.tool, Arguments: step.args})
		if err != nil {
			t.Fatal(err)
		}
		text := r.Content[0].(*mcp.TextContent).Text
		want, none := strings.CutPrefix(step.want, "text:")
		read := text
		if r.StructuredContent != nil {
			all, err := json.Marshal(r.StructuredContent)
			if err != nil {
				t.Fatal(err)
			}
			read = string(all)
		}
		if r.IsError || none == (r.StructuredContent != nil) || !strings.Contains(read, want) {
			t.Errorf("%s %v: no %q in what a model reads:\n%s\nof\n%s", step.tool, step.args, want, read, text)
		}
		if lost := untold(t, text, r.StructuredContent); len(lost) > 0 {
			t.Errorf("%s %v: lost are %q of\n%s", step.tool, step.args, lost, text)
		}
	}
}

// TestDataOfRareAnswers: likewise for a proposal, a note that is gone, and a revert with
// conflicts, which quote notes.
func TestDataOfRareAnswers(t *testing.T) {
	for _, tc := range []struct {
		name, tool string
		args       map[string]any
		answer     any
		want       string
	}{
		{"a proposal", "remember", map[string]any{"title": "x"}, &api.EditResponse{Proposal: "p1", Path: "a.org"}, "Nothing is written until the owner accepts it"},
		{"a proposed edit", "edit", map[string]any{"id": "x", "todo": "DONE"}, &api.EditResponse{Proposal: "p1", Path: "a.org"}, "fovea://review"},
		{"a proposal to forget", "forget", map[string]any{"id": "x"}, &api.EditResponse{Proposal: "p1", Path: "a.org"}, "Nothing is written"},
		{"gone", "edit", map[string]any{"id": "x", "todo": "DONE"}, &api.EditResponse{ID: "x", Seq: 7}, "The note is not there any more."},
		{"conflicts", "rollback", map[string]any{"action": "revert"},
			&api.RevertResponse{Merged: api.Merged{Seq: 7, Conflicts: []api.Conflict{{Field: "body", Kept: "theirs"}}}}, "stands \"theirs\""},
	} {
		svc := api.Service(func(context.Context, api.Call) (any, error) { return tc.answer, nil })
		c := connect(t, svc, nil)
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tc.tool, Arguments: tc.args})
		if err != nil || r.IsError {
			t.Fatalf("%s: %v, %+v", tc.name, err, r)
		}
		read := r.Content[0].(*mcp.TextContent).Text
		if lost := untold(t, read, r.StructuredContent); len(lost) > 0 {
			t.Errorf("%s: lost are %q of\n%s", tc.name, lost, read)
		}
		if data, ok := r.StructuredContent.(map[string]any); ok {
			read, _ = data["remark"].(string)
		}
		if !strings.Contains(read, tc.want) {
			t.Errorf("%s: no %q in %s", tc.name, tc.want, read)
		}
	}
}
