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
