// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package working_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/working"
)

var now = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// complete completes a block that must be one.
func complete(t testing.TB, b working.Block) working.Block {
	t.Helper()
	done, err := b.Complete(now)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func TestDefaults(t *testing.T) {
	for _, tc := range []struct {
		name     string
		in       working.Block
		id       string
		priority working.Priority
		title    string
		content  string
	}{
		{"rom", working.Block{Type: working.ROM, Location: "agents/ada/ROM.md"}, "rom:agents/ada/ROM.md", working.Critical, "ROM: agents/ada/ROM.md", ""},
		{"file", working.Block{Type: working.File, Location: "a.go"}, "a.go", working.Medium, "a.go", ""},
		{"range", working.Block{Type: working.File, Location: "a.go", StartLine: 3, EndLine: 7}, "a.go:3-7", working.Medium, "a.go:3-7", ""},
		{"range to the end", working.Block{Type: working.File, Location: "code.py", StartLine: 4}, "code.py:4-", working.Medium, "code.py:4-", ""},
		{"typed range to the end", working.Block{Type: working.File}.About("code.py:4-"), "code.py:4-", working.Medium, "code.py:4-", ""},
		{"priority as a number", working.Block{Type: working.File, Location: "a.go", Priority: "1"}, "a.go", working.Critical, "a.go", ""},
		{"priority in capitals", working.Block{Type: working.File, Location: "a.go", Priority: "HIGH"}, "a.go", working.High, "a.go", ""},
		{"related", working.Block{Type: working.Context, Summary: "all well", RelatedIDs: []string{"n1", "b[2]"}}, "", working.Medium, "Context: ",
			"all well\nRelated: [[id:n1]], b[2]"},
		{"status", working.Block{Type: working.Status, StatusType: "mailbox", Value: 3}, "status:mailbox", working.High, "Status: mailbox", "3"},
		{"status text", working.Block{Type: working.Status, StatusType: "x", Value: "a\nb"}, "status:x", working.High, "Status: x", "a\nb"},
		{"task", working.Block{Type: working.Task, TaskID: "T-1", Description: "do it"}, "task:T-1", working.High, "Task T-1 (pending)", "do it"},
		{"message", working.Block{Type: working.Message, FromAgent: "bob", Subject: "s", Preview: "hi\nyou", FullPath: "m.org"}, "message:m.org",
			working.High, "Message from bob: s", "hi you"},
		{"read message", working.Block{Type: working.Message, FromAgent: "bob", FullPath: "m.org", Read: true}, "message:m.org", working.Medium,
			"Message from bob: ", ""},
		{"knowledge", working.Block{Type: working.Knowledge, Topic: "tides", Subtopic: "spring"}, "", working.Medium, "Knowledge: tides, spring", "tides: spring"},
		{"history", working.Block{Type: working.History, ActionType: "run_command", ActionDetail: "ls", Result: "a b"}, "", working.Medium,
			"Did: run_command", "run_command ls\na b"},
		{"context", working.Block{Type: working.Context, ContextType: "project_context", Summary: "all well"}, "context:project_context", working.Medium,
			"Context: project_context", "all well"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := complete(t, tc.in)
			if tc.id != "" && b.ID != tc.id || b.ID == "" {
				t.Errorf("id %q, want %q", b.ID, tc.id)
			}
			if b.Priority != tc.priority || *b.Confidence != 1 || !b.Timestamp.Equal(now) {
				t.Errorf("got priority %s, confidence %v, time %s", b.Priority, *b.Confidence, b.Timestamp)
			}
			if b.Title() != tc.title || b.Content() != tc.content {
				t.Errorf("title %q, content %q", b.Title(), b.Content())
			}
		})
	}
}

// TestCallersPriority proves that no default overrides what a caller says, except that a
// message is never critical.
func TestCallersPriority(t *testing.T) {
	full := map[working.Type]working.Block{
		working.ROM: {Location: "r"}, working.File: {Location: "f"}, working.Status: {StatusType: "s"}, working.Task: {TaskID: "t"},
		working.Message: {FromAgent: "b"}, working.Knowledge: {Topic: "k"}, working.History: {ActionType: "h"}, working.Context: {Summary: "c"},
	}
	for _, kind := range working.Types {
		for _, p := range working.Priorities {
			b := full[kind]
			b.Type, b.Priority = kind, p
			want := p
			if kind == working.Message && p == working.Critical {
				want = working.High
			}
			if got := complete(t, b).Priority; got != want {
				t.Errorf("%s given as %s is %s", kind, p, got)
			}
		}
	}
}

// TestTypeInAnyCase proves that a type may be written as Python names it.
func TestTypeInAnyCase(t *testing.T) {
	if b, err := (working.Block{Type: "FILE", Location: "a"}).Complete(time.Now()); err != nil || b.Type != working.File {
		t.Errorf("%+v, %v", b, err)
	}
}

func TestRefusals(t *testing.T) {
	nan := math.NaN()
	for _, tc := range []struct {
		in   working.Block
		want string
	}{
		{working.Block{}, `there is no type ""; use one of rom, file, status, task, message, knowledge, history, context`},
		{working.Block{Type: "blurb"}, `there is no type "blurb"`},
		{working.Block{Type: working.File}, "a block of type file needs location"},
		{working.Block{Type: working.Task, Project: "p"}, "a block of type task needs task_id or description"},
		{working.Block{Type: working.Task, TaskID: "t", Location: "x"}, "a block of type task has no location"},
		{working.Block{Type: working.Task, TaskID: "t", Priority: "urgent"}, `there is no priority "urgent"; use one of critical, high, medium, low, or 1 to 4`},
		{working.Block{Type: working.Task, TaskID: "t", Priority: "5"}, `there is no priority "5"`},
		{working.Block{Type: working.Task, TaskID: "t", Priority: "1.5"}, `there is no priority "1.5"`},
		{working.Block{Type: working.Context, Summary: "c", RelatedIDs: make([]string, 1001)}, "it has 1001 related_ids, but the limit is 1000"},
		{working.Block{Type: working.Task, TaskID: "t", Confidence: new(7.0)}, "the confidence 7 is not between 0 and 1"},
		{working.Block{Type: working.Task, TaskID: "t", Confidence: &nan}, "the confidence NaN is not between 0 and 1"},
		{working.Block{Type: working.Knowledge, Topic: "t", Relevance: new(-0.1)}, "the relevance_score -0.1 is not between 0 and 1"},
		{working.Block{Type: working.Task, TaskID: "t", Expiry: now}, "the expiry 2026-11-23T12:00:00Z has passed; it is 2026-11-23T12:00:00Z now"},
		{working.Block{Type: working.File, Location: "a", StartLine: 9, EndLine: 3}, "the lines 9-3 are not a range; start_line comes before end_line"},
		{working.Block{Type: working.File, Location: "a", EndLine: 3}, "there is no start_line 0; lines are numbered from 1"},
		{working.Block{Type: working.Task, TaskID: "t", ID: "a\nb"}, "the id is not one line of UTF-8"},
		{working.Block{Type: working.Task, TaskID: "t", ID: "a "}, "the id is not one line of UTF-8"},
		{working.Block{Type: working.Status, StatusType: "a\nb"}, `block: "status:a\nb": the id is not one line of UTF-8`},
		{working.Block{Type: working.Status, StatusType: "\x1b[31m"}, `block: "status:\x1b[31m": the id`},
		{working.Block{Type: working.File, Location: "a::b"}, "has :: in it; give another one"},
		{working.Block{Type: working.File}.About("a.go:0"), "there is no start_line 0; lines are numbered from 1"},
		{working.Block{Type: working.File}.About("a.go:0-0"), "there is no start_line 0; lines are numbered from 1"},
		{working.Block{Type: working.Task, TaskID: "t", ID: strings.Repeat("x", 513)}, "an id is at most 512 bytes long"},
		{working.Block{Type: working.Task, TaskID: "t", ID: "x" + strings.Repeat("ä", 400)}, "block: x" + strings.Repeat("ä", 15) + "…: an id is at most"},
		{working.Block{Type: working.Task, TaskID: "t", Priority: "5", ID: strings.Repeat("y", 1<<20)}, strings.Repeat("y", 512) + ": there is no priority"},
		{working.Block{Type: working.Context, Summary: strings.Repeat("x", 1<<19)}, "keep long text in a file"},
		{working.Block{Type: working.Status, StatusType: "s", Value: math.Inf(1)}, "the value or the metadata is not JSON"},
	} {
		_, err := tc.in.Complete(now)
		if err == nil || !strings.Contains(err.Error(), tc.want) || fault.KindOf(err) != fault.Invalid {
			t.Errorf("got %v, want %q", err, tc.want)
		}
	}
}

// TestOneBlockPerID proves that blocks that are about different things have different ids.
func TestOneBlockPerID(t *testing.T) {
	blocks := []working.Block{
		{Type: working.Task, TaskID: "a"}, {Type: working.Task, TaskID: "b"}, {Type: working.Task, Description: "c"}, {Type: working.Task, Description: "d"},
		{Type: working.Message, FromAgent: "a", Preview: "1"}, {Type: working.Message, FromAgent: "a", Preview: "2"},
		{Type: working.History, ActionType: "x"}, {Type: working.History, ActionType: "x", Result: "y"}, {Type: working.Status, StatusType: "a"},
		{Type: working.Knowledge, Topic: "a"}, {Type: working.Knowledge, Topic: "a", Subtopic: "b"}, {Type: working.Knowledge, Location: "a"},
		{Type: working.File, Location: "a"}, {Type: working.File, Location: "a", StartLine: 1, EndLine: 1}, {Type: working.ROM, Location: "a"},
		{Type: working.Context, Summary: "a"}, {Type: working.Context, Summary: "b"}, {Type: working.Context, Summary: "b", ContextType: "c"},
	}
	seen := map[string]bool{}
	for _, b := range blocks {
		id := complete(t, b).ID
		if seen[id] {
			t.Errorf("two blocks have the id %s", id)
		}
		seen[id] = true
	}
}

func TestEntry(t *testing.T) {
	b := complete(t, working.Block{
		Type: working.Task, TaskID: "T", Status: "in_progress",
		Metadata: map[string]any{"type": "rom", "timestamp": "never", "task_id": "other", "due": now, "depth": 3},
	})
	want := map[string]any{
		"type": working.Task, "timestamp": "2026-11-23T12:00:00Z", "task_id": "T", "status": "in_progress", "due": now, "depth": 3,
	}
	if diff := cmp.Diff(want, b.Entry()); diff != "" {
		t.Error(diff)
	}
	file := complete(t, working.Block{Type: working.File, Location: "a.go", StartLine: 2, EndLine: 4})
	if e := file.Entry(); e["source"] != "a.go" || e["lines"] != "2-4" {
		t.Errorf("got %v", e)
	}
	if _, err := json.Marshal(b.Entry()); err != nil {
		t.Error(err)
	}
}

// TestEntryFields proves that the metadata has the fields of each type that are not its content.
func TestEntryFields(t *testing.T) {
	at := "2026-11-23T12:00:00Z"
	for _, tc := range []struct {
		in   working.Block
		want map[string]any
	}{
		{working.Block{Type: working.Message, FromAgent: "ben", ToAgent: "ada", Subject: "door", Preview: "p"},
			map[string]any{"from_agent": "ben", "to_agent": "ada", "subject": "door", "read": false}},
		{working.Block{Type: working.Knowledge, Topic: "tides", Subtopic: "spring", Location: "a.org"},
			map[string]any{"topic": "tides", "subtopic": "spring", "source": "a.org", "relevance_score": 0.5}},
		{working.Block{Type: working.Task, TaskID: "T", Project: "p", Dependencies: []string{"S"}},
			map[string]any{"task_id": "T", "status": "pending", "project": "p", "dependencies": []string{"S"}}},
		{working.Block{Type: working.Context, ContextType: "project_context", Summary: "s", RelatedIDs: []string{"a"}},
			map[string]any{"context_type": "project_context", "related_ids": []string{"a"}}},
		{working.Block{Type: working.Status, StatusType: "mailbox", Value: 1}, map[string]any{"status_type": "mailbox"}},
		{working.Block{Type: working.History, ActionType: "ls", Expiry: now.Add(time.Hour)}, map[string]any{"action_type": "ls", "expiry": "2026-11-23T13:00:00Z"}},
		{working.Block{Type: working.File, Location: "a.go", StartLine: 4}, map[string]any{"source": "a.go", "lines": "4-"}},
	} {
		b := complete(t, tc.in)
		tc.want["type"], tc.want["timestamp"] = b.Type, at
		if diff := cmp.Diff(tc.want, b.Entry()); diff != "" {
			t.Errorf("%s: %s", b.Type, diff)
		}
	}
}

// TestGiven proves that blocks are read as Python writes them: times without a zone, which are local,
// names and numbers of an enumeration; and that an error names the field.
func TestGiven(t *testing.T) {
	east := time.FixedZone("east", 2*60*60)
	before := time.Local
	time.Local = east
	defer func() { time.Local = before }()
	noon := time.Date(2026, 11, 26, 12, 30, 0, 0, east)
	for text, want := range map[string]time.Time{
		`"2026-11-26T12:30:00.123456"`: noon.Add(123456 * time.Microsecond), `"2026-11-26T12:30:00"`: noon, `"2026-11-26 12:30:00"`: noon,
		`"2026-11-26T12:30"`: noon, `"2026-11-26T10:30:00Z"`: noon, `"2026-11-26T10:30:00+00:00"`: noon, `"2026-11-26 10:30:00+00:00"`: noon,
		`"2026-11-26"`: noon.Add(-12*time.Hour - 30*time.Minute), `null`: {},
	} {
		all, err := working.Decode([]byte(`{"type":"status","status_type":"s","timestamp":` + text + `}`))
		if err != nil || !all[0].Timestamp.Equal(want) {
			t.Errorf("%s: %v, %v", text, all, err)
		}
	}
	for text, want := range map[string]working.Priority{
		`1`: working.Critical, `2`: working.High, `3`: working.Medium, `4`: working.Low, `"HIGH"`: working.High, `"High"`: working.High, `"2"`: working.High,
		`""`: working.High, `"low"`: working.Low, `null`: working.High,
	} {
		all, err := working.Decode([]byte(`{"type":"status","status_type":"s","priority":` + text + `}`))
		if err != nil || complete(t, all[0]).Priority != want {
			t.Errorf("%s: %v, %v", text, all, err)
		}
	}
	for text, want := range map[string]string{
		`[{"type":"task"},{"timestamp":"noon"}]`: `1.timestamp: a string "noon" cannot stand here; it wants a time such as 2026-11-26T10:00:00, which is local, or`,
		`{"expiry":"9999-12-31T23:00:00-05:00"}`: `0.expiry: a string "9999-12-31T23:00:00-05:00" cannot stand here; it wants a time`,
		`{"timestamp":"0000-01-01T00:00:00Z"}`:   `0.timestamp: a string "0000-01-01T00:00:00Z" cannot stand here; it wants a time`,
		`{"priority":-1}`:                        "0.priority: a number cannot stand here; it wants a string",
		`{"priority":[1]}`:                       "0.priority: an array cannot stand here; it wants a string",
		`{"expiry":5}`:                           "0.expiry: a number cannot stand here; it wants a time",
		`{"priority":true}`:                      "0.priority: a bool cannot stand here; it wants a string",
		`{"start_line":"4"}`:                     "0.start_line: a string cannot stand here; it wants a whole number in range",
		`{"metadata":[]}`:                        "0.metadata: an array cannot stand here; it wants an object",
		`{"odd":1}`:                              `unknown key "odd"`,
		`[1]`:                                    "0: a number cannot stand here; it wants an object",
		`{"type":"task"`:                         "what was given is not JSON",
	} {
		if _, err := working.Decode([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

func TestLeaves(t *testing.T) {
	hour := now.Add(time.Hour)
	for _, tc := range []struct {
		in   working.Block
		at   time.Time
		want string
	}{
		{working.Block{Type: working.Task, TaskID: "t", Expiry: hour}, hour, ""},
		{working.Block{Type: working.Task, TaskID: "t", Expiry: hour}, hour.Add(1), "expired"},
		{working.Block{Type: working.Task, TaskID: "t", Expiry: hour, Priority: working.Critical}, hour.Add(1), ""},
		{working.Block{Type: working.File, Location: "f", Confidence: new(0.09), Priority: working.Low}, now, "faint"},
		{working.Block{Type: working.File, Location: "f", Confidence: new(0.1), Priority: working.Low}, now, ""},
		{working.Block{Type: working.File, Location: "f", Confidence: new(0.0)}, now, ""},
		{working.Block{Type: working.History, ActionType: "h"}, hour, ""},
		{working.Block{Type: working.History, ActionType: "h"}, hour.Add(1), "old"},
		{working.Block{Type: working.History, ActionType: "h", Priority: working.High}, hour.Add(1), ""},
		{working.Block{Type: working.History, ActionType: "h", Priority: working.Critical, Expiry: hour}, hour.Add(time.Hour), ""},
		{working.Block{Type: working.Task, TaskID: "t"}, now.AddDate(9, 0, 0), ""},
	} {
		b := complete(t, tc.in)
		if got := b.Leaves(tc.at); got != tc.want {
			t.Errorf("%s at %s: got %q, want %q", b.ID, tc.at, got, tc.want)
		}
	}
}

func TestFromAction(t *testing.T) {
	long := strings.Repeat("word ", 60)
	for _, tc := range []struct {
		name string
		in   working.Action
		want []working.Type
	}{
		{"read", working.Action{Name: "read_file", Path: "a.go", StartLine: 1, EndLine: 9}, []working.Type{working.File}},
		{"write", working.Action{Name: "write_file", Path: "a.go"}, []working.Type{working.File, working.History}},
		{"edit", working.Action{Name: "edit_file", Path: "a.go", Detail: "renamed x"}, []working.Type{working.File, working.History}},
		{"search", working.Action{Name: "search", Detail: "tides", Result: "3 hits"}, []working.Type{working.History}},
		{"command", working.Action{Name: "run_command", Detail: "ls", Result: "a"}, []working.Type{working.History}},
		{"task", working.Action{Name: "update_task", TaskID: "T", Status: "done"}, []working.Type{working.Task}},
		{"thought", working.Action{Name: "think", Detail: "it is the cache"}, []working.Type{working.Context}},
		{"unknown", working.Action{Name: "juggle", Detail: "3 balls"}, []working.Type{working.History}},
		{"nothing at all", working.Action{}, []working.Type{working.History}},
		{"read without a file", working.Action{Name: "read_file"}, []working.Type{working.History}},
		{"empty mailbox", working.Action{Name: "check_mailbox"}, []working.Type{working.Status}},
		{"mailbox", working.Action{Name: "check_mailbox", Messages: []working.Mail{
			{From: "a", Content: long, Path: "1"}, {From: "b", Content: "hi", Path: "2"}, {From: "c", Path: "3", Read: true},
		}}, []working.Type{working.Status, working.Message, working.Message}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []working.Type
			for _, b := range working.FromAction(tc.in) {
				b = complete(t, b)
				got = append(got, b.Type)
				if len([]rune(b.Preview)) > 100 {
					t.Errorf("a preview of %d characters", len([]rune(b.Preview)))
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if b := working.FromAction(working.Action{Name: "read_file", Path: "a", StartLine: 2, EndLine: 3})[0]; b.Priority != working.High || b.Lines() != "2-3" {
		t.Errorf("got %+v", b)
	}
}

// TestStored proves that a block is the same after it was kept as a node.
func TestStored(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.Rune())
		b, err := working.Block{
			Type: working.Task, TaskID: rapid.StringMatching(`[a-z]{1,9}`).Draw(t, "id"), Description: text.Draw(t, "description"),
			Priority: rapid.SampledFrom(working.Priorities).Draw(t, "priority"), Confidence: new(rapid.Float64Range(0, 1).Draw(t, "confidence")),
			Dependencies: rapid.SliceOf(text).Draw(t, "dependencies"), Metadata: map[string]any{"x": text.Draw(t, "x")},
		}.Complete(now)
		if err != nil {
			t.Fatal(err)
		}
		tree := b.Tree("ada")
		if err := tree.Check(); err != nil {
			t.Fatal(err)
		}
		path := document.MemoryPath("memory-block:ada/" + b.ID)
		n := &node.Node{ID: tree.ID(), Entry: node.Entry{Path: path}, Type: tree.Type, Attrs: tree.Attrs, Content: tree.Content}
		got, ok := working.OfNode(n)
		if !ok {
			t.Fatal("the node keeps no block")
		}
		if diff := cmp.Diff(&b, got, cmp.Transformer("JSON", func(b working.Block) string { s, _ := json.Marshal(b); return string(s) })); diff != "" {
			t.Fatal(diff)
		}
		if working.AgentOf(path) != "ada" || n.ID != working.NodeID("ada", b.ID) || document.MemoryPath(n.ID) != path {
			t.Fatalf("the block of ada is at %s, under the id %s", path, n.ID)
		}
	})
	if _, ok := working.OfNode(&node.Node{Type: "headline"}); ok || working.AgentOf("notes.org") != "" {
		t.Error("a note is taken for a block")
	}
}

// TestNodeIDs: no two blocks of an agent are kept by the same node.
func TestNodeIDs(t *testing.T) {
	seen := map[string]string{}
	for _, id := range []string{"a.org", "a.org#", "a.org##", "a.org#x", "a.ORG", "a.ORG#", "a.org_archive", "a.org_archive#", "#", "", "a"} {
		at := working.NodeID("ada", id)
		if other, twice := seen[at]; twice {
			t.Errorf("%q and %q are both %s", other, id, at)
		}
		if why := document.UnusableID(at); why != "" {
			t.Errorf("%q: %s", id, why)
		}
		seen[at] = id
	}
}

func TestDecode(t *testing.T) {
	for text, want := range map[string]int{
		`{"type":"task","task_id":"a"}`: 1, `[{"type":"task","task_id":"a"},{"type":"task","task_id":"b"}] `: 2, `[]`: 0,
		`[{"type":"task","task_id":"a"}] and more`: -1, `[{"type":"task","task_id":"a"}][{}]`: -1, `{"type":"task"} {"type":"task"}`: -1, `[{"odd":1}]`: -1, `{`: -1,
	} {
		all, err := working.Decode([]byte(text))
		if err != nil {
			all = make([]working.Block, 0)
		}
		if want < 0 && err == nil || want >= 0 && (err != nil || len(all) != want) {
			t.Errorf("%s: %d blocks, %v", text, len(all), err)
		}
	}
}
