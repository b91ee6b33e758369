// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/mcpserver"
)

// TestNoFaceTellsWhatIsWithheld: tools, resources, prompts and completions say no word
// of a protected file that another program changed, and none after it was rejected.
func TestNoFaceTellsWhatIsWithheld(t *testing.T) {
	svc, dir := memory(t)
	if _, err := api.OpSnapshot.Call(t.Context(), svc, api.SnapshotRequest{Name: "before"}); err != nil {
		t.Fatal(err)
	}
	const evil = "* Zy9title :zy9tag:\n:PROPERTIES:\n:ID: zy9-id\n:END:\nzy9body\n"
	at := filepath.Join(dir, "skills/plan.org")
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(evil), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := api.OpIngest.Call(t.Context(), svc, api.IngestRequest{}); err != nil {
		t.Fatal(err)
	}
	if _, err := api.OpSnapshot.Call(t.Context(), svc, api.SnapshotRequest{Name: "amid"}); err != nil {
		t.Fatal(err)
	}
	c := attach(t, mcpserver.New(ops.Guarded(svc), &mcpserver.Options{Acting: granted("mint")}), nil, "")
	clean := func(when, what string, answer any, err error) {
		t.Helper()
		text, _ := json.Marshal(answer)
		if told := strings.ToLower(string(text) + fmt.Sprint(err)); strings.Contains(told, "zy9") {
			t.Errorf("%s, %s: %s", when, what, told)
		}
	}
	for _, when := range []string{"locked down", "rejected"} {
		for _, moment := range []string{"before", "amid", "seq:1", "seq:2", "0"} {
			r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "fovea://snapshot/" + moment})
			clean(when, "snapshot "+moment, r, err)
			p, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "review-changes", Arguments: map[string]string{"since": moment}})
			clean(when, "review of "+moment, p, err)
			for _, text := range []bool{false, true} {
				d, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "history", Arguments: map[string]any{"action": "diff", "from": moment, "to": "seq:2",
					"text": text}})
				clean(when, "diff of "+moment, d, err)
			}
		}
		for _, uri := range []string{"status", "verify", "outline", "snapshots", "skills", "node/plan", "outline/skills/plan.org", "skill/plan",
			"window/skills/plan.org"} {
			r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "fovea://" + uri})
			clean(when, uri, r, err)
		}
		for ref, argument := range map[string]string{"session-start": "focus", "review-changes": "since", "fovea://node/{+id}": "id",
			"fovea://skill/{+name}": "name"} {
			clean(when, "completion of "+ref, completed(t, c, ref, argument, "z"), nil)
			clean(when, "completion of "+ref, completed(t, c, ref, argument, ""), nil)
		}
		p, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "session-start", Arguments: map[string]string{"task": "plan"}})
		clean(when, "session-start", p, err)
		if when == "locked down" {
			if _, err := api.OpGuardReject.Call(t.Context(), svc, api.GuardRequest{Path: "skills/plan.org"}); err != nil {
				t.Fatal(err)
			}
		}
	}
}
