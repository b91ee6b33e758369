// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/mcpserver"
)

// TestAgentsMeet: two clients hand over a task and a message; wrong uses are told so.
func TestAgentsMeet(t *testing.T) {
	svc, _ := memory(t)
	ada := attach(t, mcpserver.New(ops.Guarded(svc), &mcpserver.Options{Acting: granted("ada")}), nil, "")
	bob := attach(t, mcpserver.New(ops.Guarded(svc), &mcpserver.Options{Acting: granted("bob")}), nil, "")
	steps := []struct {
		who  string
		tool string
		args map[string]any
		want string // what the answer holds; "!" before it for a refusal
	}{
		{"ada", "history", map[string]any{"action": "tasks"}, "No such tasks; remember one under tasks.org, with the keyword TODO."},
		{"ada", "remember", map[string]any{"title": "Paint the door", "under": "tasks.org", "todo": "TODO"}, `"handle":`},
		{"ada", "edit", map[string]any{"id": "Paint the door", "task": "claim", "lease": "24h"}, `"number":`},
		{"bob", "history", map[string]any{"action": "inbox"}, "No unread messages"},
		{"bob", "edit", map[string]any{"id": "Paint the door", "task": "claim"}, "!Next: history with action tasks says what is free"},
		{"bob", "edit", map[string]any{"id": "Paint the door", "append": "x"}, "!Next: where the reason names a claim, see history with action tasks; else read"},
		{"bob", "edit", map[string]any{"id": "Paint the door", "task": "claim", "title": "x"}, "!cannot be combined"},
		{"bob", "edit", map[string]any{"id": "Paint the door", "task": "keep"}, "!claim, renew, release or done"},
		{"bob", "remember", map[string]any{"title": "I am here"}, `"handle":`},
		{"ada", "remember", map[string]any{"title": "Over to you", "body": "```\n* Go on\n", "to": "bob"}, `Sent to \"bob\"`},
		{"ada", "remember", map[string]any{"title": "Over to you", "to": "carl"}, "!Next: send it to a name that the reason has"},
		{"ada", "remember", map[string]any{"title": "Over to you", "thread": "x"}, "!thread goes with to"},
		{"ada", "remember", map[string]any{"title": "Over to you", "to": "bob", "todo": "TODO"}, "!leave the other fields out"},
		{"ada", "edit", map[string]any{"id": "Paint the door", "task": "done", "claim": 1}, "!not in force"},
		{"ada", "edit", map[string]any{"id": "Paint the door", "task": "renew", "claim": "NUMBER", "lease": "24h"}, "The task is yours until then."},
		{"ada", "edit", map[string]any{"id": "Paint the door", "task": "release", "claim": "NUMBER"}, "has ended"},
		{"bob", "history", map[string]any{"action": "inbox"}, "1 messages, now marked as read; 0 more"},
		{"bob", "history", map[string]any{"action": "inbox"}, "No unread messages"},
		{"bob", "edit", map[string]any{"id": "Paint the door", "task": "claim", "lease": "24h"}, `"number":`},
		{"ada", "history", map[string]any{"action": "tasks"}, "(bob, claim "},
		{"bob", "edit", map[string]any{"id": "Paint the door", "task": "done", "claim": "NUMBER"}, "has ended"},
	}
	number := regexp.MustCompile(`"number":(\d+)`)
	held := uint64(0)
	for _, s := range steps {
		c := ada
		if s.who == "bob" {
			c = bob
		}
		if s.args["claim"] == "NUMBER" {
			s.args["claim"] = held
		}
		got, failed := call(t, c, s.tool, s.args)
		want, refused := strings.CutPrefix(s.want, "!")
		if failed != refused || !strings.Contains(got, want) {
			t.Fatalf("%s %s %v (failed %v):\n%s\nwant %q", s.who, s.tool, s.args, failed, got, s.want)
		}
		if m := number.FindStringSubmatch(got); m != nil {
			held, _ = strconv.ParseUint(m[1], 10, 64)
		}
	}
}
