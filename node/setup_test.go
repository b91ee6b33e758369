// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/document"
)

// TestEncrypted: of what bears or inherits the tag crypt, only the own line is read.
func TestEncrypted(t *testing.T) {
	text := "[[id:a]]\n* Plain\n[[id:b]]\n* Diary [[id:c]] :crypt:\n[[id:d]]\n** Below :x:\n:PROPERTIES:\n:ID: e\n:END:\n[[id:f]]\n* Encrypt :crypts:\n[[id:g]]\n"
	type seen struct {
		Title     string
		Encrypted bool
		Links     []string
		Body      string
	}
	look := func(text string) (out []seen) {
		nodes, _ := split(t, "a.org", text)
		for _, n := range nodes {
			out = append(out, seen{n.Derived.Title, n.Derived.Encrypted, n.Derived.Links, n.Body()})
		}
		return out
	}
	want := []seen{
		{"", false, []string{"id:a"}, "[[id:a]]\n"},
		{"Plain", false, []string{"id:b"}, "[[id:b]]\n"},
		{"Diary [[id:c]]", true, []string{"id:c"}, ""},
		{"Below", true, nil, ""},
		{"Encrypt", false, []string{"id:g"}, "[[id:g]]\n"},
	}
	if diff := cmp.Diff(want, look(text)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	want = []seen{{"", true, nil, ""}, {"H", true, nil, ""}}
	if diff := cmp.Diff(want, look("#+FILETAGS: :crypt:\n[[id:a]]\n* H\n[[id:b]]\n")); diff != "" {
		t.Errorf("by FILETAGS (-want +got)\n%s", diff)
	}
}

func TestDerivedEqual(t *testing.T) {
	fresh := func() *document.Derived {
		return &document.Derived{Tags: []string{"a"}, Properties: []document.Property{{Key: "k", Value: "v"}}, Links: []string{"l"}, Setup: []string{"s"},
			TagGroups: []document.TagGroup{{Name: "g", Members: []string{"m"}}}}
	}
	for name, change := range map[string]func(*document.Derived){
		"title": func(d *document.Derived) { d.Title = "x" }, "todo": func(d *document.Derived) { d.Todo = "x" },
		"done":     func(d *document.Derived) { d.Done = true },
		"priority": func(d *document.Derived) { d.Priority = "x" }, "level": func(d *document.Derived) { d.Level = 1 },
		"tags":       func(d *document.Derived) { d.Tags = nil },
		"properties": func(d *document.Derived) { d.Properties[0].Value = "x" }, "links": func(d *document.Derived) { d.Links[0] = "x" },
		"scheduled": func(d *document.Derived) { d.Scheduled = "x" }, "deadline": func(d *document.Derived) { d.Deadline = "x" },
		"closed":   func(d *document.Derived) { d.Closed = "x" },
		"category": func(d *document.Derived) { d.Category = "x" }, "id": func(d *document.Derived) { d.DeclaredID = "x" },
		"body":      func(d *document.Derived) { d.BodyStart = 1 },
		"commented": func(d *document.Derived) { d.Commented = true }, "archived": func(d *document.Derived) { d.Archived = true },
		"opaque": func(d *document.Derived) { d.Opaque = true }, "encrypted": func(d *document.Derived) { d.Encrypted = true },
		"group": func(d *document.Derived) { d.TagGroups[0].Members[0] = "x" }, "setup": func(d *document.Derived) { d.Setup[0] = "x" },
	} {
		other := fresh()
		change(other)
		if fresh().Equal(other) {
			t.Errorf("%s: the difference is not seen", name)
		}
	}
	if !fresh().Equal(fresh()) {
		t.Error("equal ones are told apart")
	}
}
