// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/api"
)

// completed asks for the values of an argument of a prompt, or of a template where ref
// is an address.
func completed(t *testing.T, c *mcp.ClientSession, ref, argument, text string) *mcp.CompleteResult {
	t.Helper()
	r := &mcp.CompleteReference{Type: "ref/prompt", Name: ref}
	if strings.Contains(ref, "://") {
		r = &mcp.CompleteReference{Type: "ref/resource", URI: ref}
	}
	out, err := c.Complete(t.Context(), &mcp.CompleteParams{Ref: r, Argument: mcp.CompleteParamsArgument{Name: argument, Value: text}})
	if err != nil {
		t.Fatalf("%s %s %q: %v", ref, argument, text, err)
	}
	return out
}

// TestCompletion: each argument that names something is completed with what there is,
// and a value can be put where it was asked for.
func TestCompletion(t *testing.T) {
	svc, _ := memory(t)
	if _, err := api.OpSnapshot.Call(t.Context(), svc, api.SnapshotRequest{Name: "Before the flood"}); err != nil {
		t.Fatal(err)
	}
	if _, err := api.OpRemember.Call(t.Context(), svc, api.RememberRequest{Title: "Odd", Under: "a.org", Property: []string{"ID=a?b #c/d"}}); err != nil {
		t.Fatal(err)
	}
	c := connect(t, svc, nil)
	const node = "fovea://node/{+id}"
	for _, tc := range []struct {
		name, ref, argument, text string
		want                      []string
	}{
		{"an id", node, "id", "gau", []string{"gauge"}},
		{"words of a title, not the title", node, "id", "reference w", []string{"weight"}},
		{"a path", node, "id", "a.", []string{"a.org"}},
		{"everything", node, "id", "", []string{"a.org", "gauge", "weight", "evil", "a%3Fb%20%23c/d"}},
		{"nothing", node, "id", "submarine", nil},
		{"no regular expression", node, "id", "g.*", nil},
		{"no query", node, "id", `" OR todo:`, nil},
		{"a null byte", node, "id", "\x00\n\\", nil},
		{"an id that is escaped", node, "id", "a%3Fb", []string{"a%3Fb%20%23c/d"}},
		{"a half escape", node, "id", "a%3", nil},
		{"the focus of a window", "fovea://window/{+focus}{?question,budget}", "focus", "wei", []string{"weight"}},
		{"the question of a window", "fovea://window/{+focus}{?question,budget}", "question", "w", nil},
		{"a file's outline", "fovea://outline/{+path}", "path", "A", []string{"a.org"}},
		{"a snapshot", "fovea://snapshot/{+name}", "name", "before", []string{"Before%20the%20flood"}},
		{"a skill", "fovea://skill/{+name}", "name", "state", []string{"state-persistence"}},
		{"a focus", "session-start", "focus", "gau", []string{"gauge"}},
		{"a task", "session-start", "task", "gau", nil},
		{"a moment", "review-changes", "since", "Before", []string{"Before the flood"}},
		{"an unknown prompt", "none", "focus", "gau", nil},
		{"an unknown template", "file:///{path}", "path", "a", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := completed(t, c, tc.ref, tc.argument, tc.text).Completion.Values
			if len(got) == 0 {
				got = nil
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
	uri := strings.Replace(node, "{+id}", "a%3Fb%20%23c/d", 1)
	if r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err != nil || !strings.Contains(r.Contents[0].Text, "* Odd") {
		t.Errorf("what was offered cannot be read: %+v, %v", r, err)
	}
}

// TestCompletionIsBounded: of many values there are a hundred, the same each time, and
// it is said that there are more.
func TestCompletionIsBounded(t *testing.T) {
	svc, _ := memory(t)
	for i := range 130 {
		note := api.RememberRequest{Title: fmt.Sprint("Many ", i), Property: []string{fmt.Sprintf("ID=many-%03d", i)}}
		if _, err := api.OpRemember.Call(t.Context(), svc, note); err != nil {
			t.Fatal(err)
		}
	}
	c := connect(t, svc, nil)
	first := completed(t, c, "session-start", "focus", "many").Completion
	if len(first.Values) != 100 || !first.HasMore || first.Values[0] != "many-000" {
		t.Errorf("%d values, more %v: %.40q", len(first.Values), first.HasMore, first.Values)
	}
	if d := cmp.Diff(first, completed(t, c, "session-start", "focus", "many").Completion); d != "" {
		t.Errorf("not the same twice:\n%s", d)
	}
}
