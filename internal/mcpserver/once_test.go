// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"context"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/mcpserver"
)

// TestCallsAreCarriedOutOnce: a tool that writes does so once for each key without a daemon, too (test/faces asks
// one); a key is a text.
func TestCallsAreCarriedOutOnce(t *testing.T) {
	svc, _ := memory(t)
	c := attach(t, mcpserver.New(ops.Guarded(svc), &mcpserver.Options{Acting: granted("here")}), nil, "")
	callOnce(t, c, svc)
}

// granted is how everybody acts as one agent.
func granted(agent string) func(context.Context, string) context.Context {
	return func(ctx context.Context, _ string) context.Context {
		return author.WithGrant(ctx, api.Grant{Agent: agent, Role: api.Agent})
	}
}

func callOnce(t *testing.T, c *mcp.ClientSession, svc api.Service) {
	keyed := func(key any, tool string, args map[string]any) (string, bool) {
		t.Helper()
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Meta: mcp.Meta{"io.github.fovea-memory/idempotency-key": key}, Name: tool, Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		return r.Content[0].(*mcp.TextContent).Text, r.IsError
	}
	seq := func() uint64 {
		t.Helper()
		log, err := api.OpLog.Call(t.Context(), svc, api.LogRequest{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		return log[0].Seq
	}
	for _, step := range []struct {
		key, tool string
		args      map[string]any
	}{
		{"1", "remember", map[string]any{"title": "Once", "properties": map[string]string{"ID": "once"}}},
		{"2", "edit", map[string]any{"id": "once", "append": "More."}},
		{"3", "edit", map[string]any{"id": "Once", "title": "Called otherwise"}},
		{"4", "forget", map[string]any{"id": "once"}},
	} {
		first, failed := keyed(step.key, step.tool, step.args)
		at := seq()
		again, failedAgain := keyed(step.key, step.tool, step.args)
		if failed || failedAgain || first != again || seq() != at {
			t.Errorf("%s: %s\nand again, %d commits later: %s", step.tool, first, seq()-at, again)
		}
	}
	for name, key := range map[string]any{"a number": 7, "nothing": "", "two lines": "a\nb", "other letters": "ключ", "too long": strings.Repeat("k", 300)} {
		if text, failed := keyed(key, "remember", map[string]any{"title": "Never"}); !failed || !strings.Contains(text, "remember failed (invalid)") {
			t.Errorf("%s as a key: %s", name, text)
		}
	}
}
