// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/org"
)

const none = "\x00" // no value, which Emacs shows as nil

// TestProperty holds what org-entry-get of Emacs (Org 9.8.12) answers with and
// without inherit: want is, for the document and each headline, the inherited value.
func TestProperty(t *testing.T) {
	drawer := func(lines string) string { return ":PROPERTIES:\n" + lines + "\n:END:\n" }
	for _, tc := range []struct {
		name, text string
		want       []string
	}{
		{"inherited", "* H\n" + drawer(":A: 1") + "** K\n", []string{none, "1", "1"}},
		{"added", "* H\n" + drawer(":A: 1") + "** K\n" + drawer(":A+: 2\n:A+: 3"), []string{none, "1", "1 2 3"}},
		{"added before", "* H\n" + drawer(":A+: 0\n:A: 1\n:A+: 2\n:A: 9"), []string{none, "9 0 2"}},
		{"twice", "* H\n" + drawer(":A: 1\n:A: 2"), []string{none, "2"}},
		{"twice in the document", drawer(":A: 1\n:A: 2") + "* H\n" + drawer(":A+: 3"), []string{"2", "2 3"}},
		{"twice above", "* H\n" + drawer(":A: 1\n:a: 2") + "** K\n" + drawer(":A+: 3\n:A+: 4"), []string{none, "2", "2 3 4"}},
		{"twice, nil last", "* H\n" + drawer(":A: 1\n:A: nil"), []string{none, none}},
		{"twice, nil first", "* H\n" + drawer(":A: nil\n:A: 1"), []string{none, "1"}},
		{"twice, empty last", "* H\n" + drawer(":A: 1\n:A:"), []string{none, ""}},
		{"over a level", "* H\n" + drawer(":A: 1") + "** K\n*** L\n" + drawer(":A+: 3"), []string{none, "1", "1", "1 3"}},
		{"keyword", "#+PROPERTY: A 1\n#+PROPERTY: A+ 2\n* H\n", []string{"1 2", "1 2"}},
		{"keyword twice", "#+PROPERTY: A 1\n#+PROPERTY: A 2\n* H\n", []string{"2", "2"}},
		{"keyword added before", "#+PROPERTY: A+ 2\n#+PROPERTY: A 1\n* H\n", []string{"1", "1"}},
		{"keyword added only", "#+PROPERTY: A+ k\n* H\n" + drawer(":A+: h"), []string{"k", "k h"}},
		{"keyword in two cases", "#+PROPERTY: A 0\n#+property: a+ 1\n* H\n", []string{"0 1", "0 1"}},
		{"keyword with blanks", "#+PROPERTY: A   x  y \n#+property: A+  z\n* H\n", []string{"x  y z", "x  y z"}},
		{"keyword empty", "#+PROPERTY: A\n* H\n", []string{none, none}},
		{"keyword nil", "#+PROPERTY: A nil\n* H\n" + drawer(":A+: 2"), []string{none, "2"}},
		{"file drawer before keyword", drawer(":A: d") + "#+PROPERTY: A+ k\n* H\n" + drawer(":A+: h"), []string{"d", "d h"}},
		{"file drawer added", drawer(":A+: d") + "#+PROPERTY: A k\n* H\n" + drawer(":A+: h"), []string{"k d", "k d h"}},
		{"nil is none", "* H\n" + drawer(":A: 1") + "** K\n" + drawer(":A: nil\n:A+: 2") + "*** L\n" + drawer(":A: nil"), []string{none, "1", "1 2", "1 2"}},
		{"nil added", "* H\n" + drawer(":A: 1") + "** K\n" + drawer(":A+: nil"), []string{none, "1", "1 nil"}},
		{"empty", "* H\n" + drawer(":A: 1") + "** K\n" + drawer(":A:"), []string{none, "1", ""}},
		{"case", "#+property: a k\n* H\n" + drawer(":a: 1") + "** K\n" + drawer(":A+: 2"), []string{"k", "1", "1 2"}},
		{"another key", "#+PROPERTY: A_ALL x y\n* H\n" + drawer(":AB: 1"), []string{none, none}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc := org.Parse(tc.text, nil)
			var got []string
			for i := -1; i < len(doc.Headlines); i++ {
				v, ok := doc.Property(i, "A", true)
				if !ok {
					v = none
				}
				got = append(got, v)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	doc := org.Parse("#+PROPERTY: A f\n* H\n"+drawer(":A: 1")+"** K\n"+drawer(":A+: 2\n:a+: 3"), nil)
	for i, want := range []string{"", "1", "2 3"} {
		if got, ok := doc.Property(i-1, "A", false); got != want || ok != (want != "") {
			t.Errorf("headline %d: own value %q, %v, want %q", i-1, got, ok, want)
		}
	}
}

// TestCategoryOf holds what org-get-category of Emacs answers.
func TestCategoryOf(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string
	}{
		{"none", "* H\n", []string{"f.x", "f.x"}},
		{"keyword", "#+CATEGORY: one\n* H\n#+CATEGORY: two\n", []string{"two", "two"}},
		{"property", "#+CATEGORY: file\n* H\n** K\n:PROPERTIES:\n:Category: own\n:END:\n*** L\n", []string{"file", "file", "own", "own"}},
		{"file drawer", ":PROPERTIES:\n:CATEGORY: draw\n:END:\n#+CATEGORY: cat\n* H\n", []string{"draw", "draw"}},
		{"by PROPERTY", "#+PROPERTY: CATEGORY prop\n* H\n", []string{"f.x", "f.x"}},
		{"empty", "#+CATEGORY: cat\n* H\n:PROPERTIES:\n:CATEGORY:\n:END:\n** K\n", []string{"cat", "cat", "cat"}},
		{"twice", ":PROPERTIES:\n:CATEGORY: a\n:CATEGORY: b\n:END:\n* H\n:PROPERTIES:\n:CATEGORY: c\n:CATEGORY: d\n:END:\n", []string{"b", "d"}},
		{"added", "#+CATEGORY: cat\n* H\n:PROPERTIES:\n:CATEGORY+: more\n:END:\n", []string{"cat", "cat"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc := org.Parse(tc.text, nil)
			var got []string
			for i := -1; i < len(doc.Headlines); i++ {
				got = append(got, doc.CategoryOf(i, "sub/f.x.org"))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
