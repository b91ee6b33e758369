// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sloppy are calls of each tool in their order, as the tool wants them and as clients send them.
var sloppy = []struct {
	tool, want string
	forms      []string
}{
	{"create_entities", `{"entities":[{"name":"7","entityType":"true","observations":["a","8"]}]}`, []string{
		`{"entities":"[{\"name\":\"7\",\"entityType\":\"true\",\"observations\":[\"a\",\"8\"]}]"}`,
		`{"entities":[{"name":7,"entityType":true,"observations":"[\"a\",8]","extra":null}]}`,
		`{"entities":["{\"name\":7,\"entityType\":true,\"observations\":[\"a\",8]}"]}`}},
	{"create_relations", `{"relations":[{"from":"7","to":"B","relationType":"1"}]}`, []string{
		`{"relations":"[{\"from\":7,\"to\":\"B\",\"relationType\":1}]"}`, `{"relations":[{"from":7,"to":"B","relationType":1}]}`}},
	{"add_observations", `{"observations":[{"entityName":"7","contents":["9"]}]}`, []string{
		`{"observations":[{"entityName":7,"contents":[9]}]}`, `{"observations":[{"entityName":7,"contents":"[9]"}]}`}},
	{"read_graph", `{}`, []string{`null`, `"{}"`, `{"x":null}`}},
	{"search_nodes", `{"query":"7"}`, []string{`{"query":7}`, `"{\"query\":7}"`}},
	{"open_nodes", `{"names":["7"]}`, []string{`{"names":[7]}`, `{"names":"[7]"}`}},
	{"delete_observations", `{"deletions":[{"entityName":"7","observations":["8"]}]}`, []string{
		`{"deletions":[{"entityName":7,"observations":[8]}]}`, `{"deletions":"[{\"entityName\":7,\"observations\":[8]}]"}`}},
	{"delete_relations", `{"relations":[{"from":"7","to":"B","relationType":"1"}]}`, []string{
		`{"relations":[{"from":7,"to":"B","relationType":1}]}`}},
	{"delete_entities", `{"entityNames":["7"]}`, []string{`{"entityNames":[7]}`, `{"entityNames":"[7]"}`}},
}

// TestSloppyArguments: each tool answers the forms that clients are known to send as it answers
// the form that its schema wants, and leaves the same graph. Every field of every tool is tried
// without a value, and each is named.
func TestSloppyArguments(t *testing.T) {
	said := func(c *mcp.ClientSession, tool, args string) (string, bool) {
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
		if err != nil {
			t.Fatalf("%s %s: %v", tool, args, err)
		}
		return r.Content[0].(*mcp.TextContent).Text, r.IsError
	}
	fresh := func() *mcp.ClientSession {
		svc, _ := newPlace(t).open(t)
		return client(t, store(t, svc, ""))
	}
	var want []string
	seen := map[string]bool{}
	for form := range 4 {
		c := fresh()
		for i, row := range sloppy {
			args := row.want
			if form > 0 && form <= len(row.forms) {
				args = row.forms[form-1]
			}
			got, failed := said(c, row.tool, args)
			if form == 0 {
				want, seen[row.tool] = append(want, got), true
			}
			if failed || got != want[i] {
				t.Errorf("%s %s (-want +got):\n%s", row.tool, args, cmp.Diff(want[i], got))
			}
		}
	}
	c := fresh()
	tools, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		if !seen[tool.Name] {
			t.Errorf("no call of %s is tried", tool.Name)
		}
		fields, _ := tool.InputSchema.(map[string]any)["properties"].(map[string]any)
		for field := range fields {
			for _, bad := range []string{`null`, `{"a":{"b":1}}`, `[[[]]]`} {
				got, failed := said(c, tool.Name, `{"`+field+`":`+bad+`}`)
				if !failed || !strings.Contains(got, "the field "+field+" is") || strings.Contains(got, "json:") || strings.Contains(got, "validating") {
					t.Errorf("%s: %s %s: %s", tool.Name, field, bad, got)
				}
			}
		}
	}
}
