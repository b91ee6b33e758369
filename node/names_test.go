// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// TestNamesInProblems: a problem names what it is about in full, or says how much of
// the name it leaves out, and never cuts a character.
func TestNamesInProblems(t *testing.T) {
	for _, name := range []string{"x", strings.Repeat("x", 61), strings.Repeat("é", 100), strings.Repeat("中", 1000), "a" + strings.Repeat("😀", 2000)} {
		for _, key := range []string{"ID", "CUSTOM_ID"} {
			text := fmt.Sprintf("* a\n:PROPERTIES:\n:%s: %s\n:END:\n* b\n:PROPERTIES:\n:%s: %s\n:END:\n", key, name, key, name)
			seen := map[string]bool{}
			_, problems := node.Read(document.Formats{org.Format{}}, "a.org", nil, document.File(text, false)).Nodes(func(c node.Claim) bool {
				again := seen[c.ID]
				seen[c.ID] = true
				return !again
			})
			if len(problems) == 0 {
				t.Errorf("%s of %d bytes twice is no problem", key, len(name))
			}
			for _, p := range problems {
				whole := strings.Contains(p.Message, fmt.Sprintf("%q", name))
				said := strings.Contains(p.Message, "bytes more") || strings.Contains(p.Message, "an ID of")
				if !utf8.ValidString(p.Message) || strings.Contains(p.Message, `\x`) || !whole && !said {
					t.Errorf("%s of %d bytes: %s", key, len(name), p.Message)
				}
			}
		}
	}
}

// TestLastPropertyCounts: of two lines of one property in one drawer the last counts,
// for the id too, as in Org 9.8, and KEY+ adds to it.
func TestLastPropertyCounts(t *testing.T) {
	const text = ":PROPERTIES:\n:ID: d1\n:ID: d2\n:A: 1\n:END:\n#+PROPERTY: A 6\n" +
		"* a\n:PROPERTIES:\n:ID: one\n:A: 1\n:A+: x\n:id: two\n:A: 2\n:END:\n" +
		"* b\n:PROPERTIES:\n:CUSTOM_ID: c1\n:CUSTOM_ID: c2\n:END:\n" +
		"* c\n:PROPERTIES:\n:ID: good\n:ID: ~bad\n:END:\n"
	nodes, problems := node.Read(document.Formats{org.Format{}}, "a.org", nil, document.File(text, false)).Nodes(func(node.Claim) bool { return true })
	var ids []string
	for _, n := range nodes {
		ids = append(ids, n.ID)
	}
	if ids[0] != "d2" || ids[1] != "two" || ids[2] != "d2::#c2" || !node.IsDerived(ids[3]) {
		t.Errorf("ids %q", ids)
	}
	if got := fmt.Sprint(nodes[1].Derived.Property("a")); got != "[2 x]" {
		t.Errorf("A of a is %s", got)
	}
	if got := fmt.Sprint(nodes[0].Derived.Property("A")); got != "[1]" {
		t.Errorf("A of the document is %s", got)
	}
	lines := map[int]bool{}
	for _, p := range problems {
		lines[p.Line] = lines[p.Line] || strings.Contains(p.Message, "is set again")
	}
	for _, line := range []int{2, 9, 10, 17, 22} {
		if !lines[line] {
			t.Errorf("no problem says that line %d does not count: %v", line, problems)
		}
	}
}
