// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/org"
)

// TestTagGroups holds what Emacs (Org 9.5.5) makes of the same lines, but for
// groups without members, which are left out.
func TestTagGroups(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []document.TagGroup
	}{
		{"tags alone", "#+TAGS: a b(c)\n", nil},
		{"exclusive", "#+TAGS: a { x(1) y }\n", []document.TagGroup{{Members: []string{"x", "y"}, Exclusive: true}}},
		{"groups", "#+TAGS: [ Grp(g) : a b ]\n#+TAGS: { Ex : c d {p.+}(2) }\n", []document.TagGroup{
			{Name: "Grp", Members: []string{"a", "b"}}, {Name: "Ex", Members: []string{"c", "d", "{p.+}"}, Exclusive: true},
		}},
		{"over lines", "#+TAGS: [ G :\n#+TAGS: a b\n#+TAGS: c ]\n", []document.TagGroup{{Name: "G", Members: []string{"a", "b", "c"}}}},
		{"not closed", "#+TAGS: [ G : a b\n#+TAGS: c\n", nil},
		{"opened again", "#+TAGS: [ G : a b { x : y }\n", []document.TagGroup{{Name: "x", Members: []string{"y"}, Exclusive: true}}},
		{"same name", "#+TAGS: [ G : a ]\n#+TAGS: [ G : b ]\n", []document.TagGroup{{Name: "G", Members: []string{"a"}}, {Name: "G", Members: []string{"b"}}}},
		{"without blanks", "#+TAGS: [G : a] {H: b}\n", nil},
		{"without colon", "#+TAGS: [ G a b ]\n", nil},
		{"two colons", "#+TAGS: { a : b c : d }\n", []document.TagGroup{{Name: "a", Members: []string{"b", "c", "d"}, Exclusive: true}}},
		{"two names", "#+TAGS: { x a : b }\n", []document.TagGroup{{Name: "a", Members: []string{"b"}, Exclusive: true}}},
		{"no name", "#+TAGS: [ : z ]\n", nil},
		{"no members", "#+TAGS: [ y : ]\n", nil},
		{"closed otherwise", "#+TAGS: { x : b ]\n", []document.TagGroup{{Name: "x", Members: []string{"b"}, Exclusive: true}}},
		{"inside", "#+TAGS: { a [ b : c ] d }\n", []document.TagGroup{{Name: "b", Members: []string{"c"}}}},
		{"no tags", "#+TAGS: [ G : a-b c.d ok é {re[x]} {a b} ]\n", []document.TagGroup{{Name: "G", Members: []string{"ok", "é", "{re[x]}"}}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, org.Parse(tc.text, nil).TagGroups); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestLinkAbbreviations(t *testing.T) {
	text := "#+LINK: a http://x/%s\n#+LINK: a http://y/\n#+LINK: \"b c\" http://z/\n#+LINK: d\n#+link: E http://e/ f\n#+SETUPFILE: s\n"
	setup := func(string) (string, bool) { return "#+LINK: g http://g\n#+TAGS: [ G : a ]\n", true }
	doc := org.Parse(text, &org.Options{Setup: setup})
	want := map[string]string{"a": "http://y/", "b c": "http://z/", "E": "http://e/ f", "g": "http://g"}
	if diff := cmp.Diff(want, doc.LinkAbbreviations); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(doc.TagGroups) != 1 {
		t.Errorf("groups %v, want that of the setup file", doc.TagGroups)
	}
}
