// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/org"
)

// personal are the settings of a person's Emacs in these tests.
var personal = &org.Defaults{
	Todo: []string{"TODO(t) NEXT(n!) WAIT(w@/!) | DONE(d) CANX(c@)"}, Tags: []string{"{ @home @work }"}, Startup: []string{"logdone", "logreschedule"},
	LogDrawer: "LOG", Archive: "old/%s_archive::", Links: map[string]string{"gh": "https://github.com/%s"},
}

// TestDefaults: settings of the person's Emacs hold where the file has none of its own.
func TestDefaults(t *testing.T) {
	setup := func(name string) (string, bool) { return "#+TODO: A | B\n", name == "s" }
	for _, tc := range []struct{ name, text, want string }{
		{"keywords", "* NEXT a\n* CANX b\n* OTHER c\n", "NEXT:a CANX!:b :OTHER c"},
		{"of the file", "#+TODO: A | B\n* NEXT a\n* A b\n", ":NEXT a A:b"},
		{"of the file, behind", "* A a\n#+TYP_TODO: A B\n", "A:a"},
		{"of a setup file", "#+SETUPFILE: s\n* NEXT a\n* B b\n", ":NEXT a B!:b"},
		{"standard ones are given", "* DONE a\n", "DONE!:a"},
	} {
		d := org.Parse(tc.text, &org.Options{Defaults: personal, Setup: setup})
		var got []string
		for _, h := range d.Headlines {
			mark := ""
			if h.Done {
				mark = "!"
			}
			got = append(got, h.Todo+mark+":"+h.Title)
		}
		if diff := cmp.Diff(tc.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
		plain := org.Parse(tc.text, &org.Options{Setup: setup})
		for i := range d.Headlines {
			if d.OwnTitle(i) != plain.Headlines[i].Title || plain.OwnTitle(i) != plain.Headlines[i].Title {
				t.Errorf("%s: own title %q, without defaults %q", tc.name, d.OwnTitle(i), plain.Headlines[i].Title)
			}
		}
	}
	d := org.Parse("#+LINK: gl https://gitlab.com/\n* a\n", &org.Options{Defaults: personal})
	if got := fmt.Sprint(d.LinkAbbreviations); got != "map[gh:https://github.com/%s gl:https://gitlab.com/]" {
		t.Errorf("links %s", got)
	}
	if len(d.TagGroups) != 1 || len(org.Parse("#+TAGS: x\n", &org.Options{Defaults: personal}).TagGroups) != 0 {
		t.Errorf("tag groups %v", d.TagGroups)
	}
	if got, err := org.ArchiveFile(d, 0, "a.org"); got != "old/a.org_archive" || err != nil {
		t.Errorf("archive %q, %v", got, err)
	}
	own := org.Parse("#+ARCHIVE: mine::\n* a\n", &org.Options{Defaults: personal})
	if got, _ := org.ArchiveFile(own, 0, "a.org"); got != "mine" {
		t.Errorf("archive of the file %q", got)
	}
}

// TestDefaultsInEdits: edits log as the person's Emacs does, and as the file says where
// it says something.
func TestDefaultsInEdits(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		edit       document.Edit
		want       string
	}{
		{"done", "* NEXT a\n", document.SetTodo{Keyword: "DONE"}, "* DONE a\nCLOSED: [2026-03-03 Tue 10:00]\n"},
		{"not done here", "#+STARTUP: nologdone\n* NEXT a\n", document.SetTodo{Keyword: "DONE"}, "#+STARTUP: nologdone\n* DONE a\n"},
		{"logged", "* NEXT a\n", document.SetTodo{Keyword: "WAIT"}, "* WAIT a\n:LOG:\n- State \"WAIT\"       from \"NEXT\"       [2026-03-03 Tue 10:00]\n:END:\n"},
		{"logged in the file's drawer", "#+STARTUP: nologdrawer logdrawer\n* NEXT a\n", document.SetTodo{Keyword: "WAIT"},
			"#+STARTUP: nologdrawer logdrawer\n* WAIT a\n:LOGBOOK:\n- State \"WAIT\"       from \"NEXT\"       [2026-03-03 Tue 10:00]\n:END:\n"},
		{"keywords of the file have its marks", "#+TODO: NEXT WAIT | DONE\n* NEXT a\n", document.SetTodo{Keyword: "WAIT"}, "#+TODO: NEXT WAIT | DONE\n* WAIT a\n"},
		{"goes back to the first of its sequence", "* NEXT a <2026-03-01 Sun +1d>\n:PROPERTIES:\n:LOGGING: nil\n:END:\n", document.SetTodo{Keyword: "DONE"},
			"* TODO a <2026-03-02 Mon +1d>\n:PROPERTIES:\n:LOGGING: nil\n:END:\n"},
	} {
		d := org.Parse(tc.text, &org.Options{Defaults: personal})
		splices, err := d.Edit(0, editNow, tc.edit)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		got, _ := document.Apply(tc.text, splices)
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

// TestUndeclaredKeywordStays: an edit writes no keyword before a word that looks like
// one, and says how to declare it; where that is declared, or is none, it does.
func TestUndeclaredKeywordStays(t *testing.T) {
	for _, tc := range []struct {
		text    string
		edit    document.Edit
		refused string // what the error holds
	}{
		{"* NEXT Read paper\n", document.SetTodo{Keyword: "DONE"}, "#+TODO: TODO NEXT | DONE"},
		{"* NEXT Read paper\n", document.SetTodo{Keyword: "TODO"}, "todo in [org] of the configuration"},
		{"#+TODO: A | B\n* WAITING Read paper\n", document.SetTodo{Keyword: "B"}, "add it to the line #+TODO: of the file"},
		{"* IN-PROGRESS [#A] x\n", document.SetTodo{Keyword: "DONE"}, "IN-PROGRESS"},
		{"* CANCELLED x\n", document.SetTodo{Keyword: "DONE"}, "TODO | DONE CANCELLED"},
		{"* FOO x\nSCHEDULED: <2026-01-01>\n", document.SetTodo{Keyword: "DONE"}, "TODO FOO | DONE"},
		{"* a\n", document.InsertHeadline{Title: "NEXT x", Todo: "TODO"}, "NEXT"},
		{"* a\n", document.SetTodo{Keyword: "NEXT"}, "#+TODO: TODO NEXT | DONE"},
		{"* NEXT Read paper\n", document.SetTodo{}, ""},
		{"* API design\n", document.SetTodo{Keyword: "TODO"}, ""},
		{"* Next steps\n", document.SetTodo{Keyword: "TODO"}, ""},
		{"#+TODO: TODO NEXT | DONE\n* NEXT Read paper\n", document.SetTodo{Keyword: "DONE"}, ""},
	} {
		d := org.Parse(tc.text, nil)
		_, err := d.Edit(0, editNow, tc.edit)
		switch {
		case tc.refused == "" && err != nil:
			t.Errorf("%q, %v: %v", tc.text, tc.edit, err)
		case tc.refused != "" && (!errors.Is(err, org.ErrKeyword) || !strings.Contains(err.Error(), tc.refused)):
			t.Errorf("%q, %v: %v, want %s", tc.text, tc.edit, err, tc.refused)
		}
	}
}

// TestDefaultsFingerprint: settings that differ have other fingerprints, none has 0.
func TestDefaultsFingerprint(t *testing.T) {
	seen := map[uint64]int{}
	for i, d := range []*org.Defaults{
		{Todo: []string{"A | B"}}, {Todo: []string{"A B"}}, {Todo: []string{"A", "B"}}, {Tags: []string{"A"}}, {Archive: "A::"}, {LogDrawer: "A"},
		{Startup: []string{"logdone"}}, {Links: map[string]string{"a": "b"}}, {Links: map[string]string{"a": "c"}}, personal,
	} {
		sum := d.Fingerprint()
		if _, twice := seen[sum]; twice || sum == 0 || sum >= 1<<48 || d.IsZero() {
			t.Errorf("%d: %d", i, sum)
		}
		seen[sum] = i
	}
	for _, d := range []*org.Defaults{nil, {}} {
		if d.Fingerprint() != 0 || !d.IsZero() {
			t.Errorf("%v is something", d)
		}
	}
}
