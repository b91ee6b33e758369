// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// drawn returns a document of a few lines that open and close things.
func drawn(t *rapid.T) string {
	lines := []string{
		"* One", "** Two", "*** Three", "#+begin_src go", "x := 1", "#+end_src", "- item", "  - inner", "| a | b |", "a paragraph", "", "# comment",
		":LOGBOOK:", ":END:",
	}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(lines), 0, 14).Draw(t, "lines"), "\n") + rapid.SampledFrom([]string{"", "\n"}).Draw(t, "end")
}

// TestPlaces: a node and an element begin where their documents have their content, alone
// as among others, and a name made of the place leads back to the node.
func TestPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := view(map[string]string{"a.org": drawn(t), "dir/b.org": drawn(t)})
		all := slices.Collect(v.State.All())
		for _, n := range slices.Clone(all) {
			for s := range spans(n, everyType()) {
				all = append(all, s.node)
			}
		}
		if len(all) > 0 {
			all = rapid.Permutation(all).Draw(t, "order")
		}
		all = append(all, &node.Node{ID: "none", Entry: node.Entry{Path: "a.org"}, Derived: &document.Derived{}})
		lines := v.Lines(all)
		for i, n := range all {
			offset, line := v.Position(n)
			text, _ := v.State.Text(n.Path)
			if n.ID == "none" {
				if line != 0 || lines[i] != 0 {
					t.Fatalf("what is not there begins in line %d, %d", line, lines[i])
				}
				continue
			}
			if !strings.HasPrefix(text[offset:], n.Content) || line != 1+strings.Count(text[:offset], "\n") || lines[i] != line {
				t.Fatalf("%s begins at byte %d, line %d, among others line %d of %q", n.ID, offset, line, lines[i], text)
			}
			if found, err := v.Resolve(n.ID); err != nil || found.ID != n.ID || found.Content != n.Content {
				t.Fatalf("%s is %v, %v", n.ID, found, err)
			}
			if _, is := v.State.Get(n.ID); !is || n.Content == "" {
				continue
			}
			last := offset + len(n.Content) - 1
			for _, name := range []string{fmt.Sprint(n.Path, ":", line), fmt.Sprint(filepath.Base(n.Path), ":+", offset), fmt.Sprint(n.Path, ":+", last)} {
				if found, err := v.Resolve(name); err != nil || found.ID != n.ID {
					t.Fatalf("%s of %q is %v, %v, want %s", name, text, found, err, n.ID)
				}
			}
		}
	})
}

// everyType returns the types of all elements that can be found.
func everyType() map[org.Type]bool {
	types := map[org.Type]bool{}
	for _, kind := range elementNames {
		types[kind] = true
	}
	return types
}

// TestPlacesBeyond: a place beyond the end is the last node; a negative one is none.
func TestPlacesBeyond(t *testing.T) {
	v := view(map[string]string{"a.org": "* One\n* Two\nend"})
	for name, want := range map[string]string{
		"a.org:1": "One", "a.org:2": "Two", "a.org:3": "Two", "a.org:99": "", "a.org:4": "", "a.org:+6": "Two", "a.org:+5": "One",
		"a.org:0": "", "a.org:-1": "", "a.org:+-1": "", "a.org:": "", "a.org:x": "", "a.org:+": "",
	} {
		n, err := v.Resolve(name)
		switch {
		case want == "" && !errors.Is(err, ErrUnknown):
			t.Errorf("%q is %v, %v", name, n, err)
		case want != "" && (err != nil || n.Title() != want):
			t.Errorf("%q is %v, %v, want %q", name, n, err, want)
		}
	}
}

// TestTitles: a title is matched as exactly as it can be: an exact one before one in another
// case, that before one without cookies, that before one with the keyword in front.
func TestTitles(t *testing.T) {
	files := map[string]string{
		"a.org": "* TODO [#A] Call Bob\n* Walk\n* walk\n* Plan [1/3]\n* plan [50%]\n* TODO Sleep\n* DONE sleep\n* [#B] Rest\n* TODO\n* Eat [2/2]\n* Eat\n",
		"b.org": "#+title: Todo list\n",
	}
	for _, tc := range []struct{ name, want string }{
		{"Call Bob", "Call Bob"}, {"call bob", "Call Bob"}, {"TODO [#A] Call Bob", "Call Bob"}, {"TODO Call Bob", "Call Bob"}, {"[#A] call bob", "Call Bob"},
		{"DONE Call Bob", ""}, {"[#B] Call Bob", ""}, {"TODO [#B] Call Bob", ""}, {"[#A] TODO Call Bob", ""},
		{"Walk", "Walk"}, {"walk", "walk"}, {"WALK", "Walk, walk"}, {"  Walk ", "Walk"}, {"TODO Walk", ""},
		{"Plan", "Plan [1/3], plan [50%]"}, {"Plan [2/3]", "Plan [1/3], plan [50%]"}, {"plan [50%]", "plan [50%]"},
		{"TODO Sleep", "Sleep"}, {"DONE Sleep", "sleep"}, {"TODO sleep [3/4]", "Sleep"}, {"[#B] rest", "Rest"}, {"TODO [#] Sleep", ""}, {"[#] Sleep", ""},
		{"Eat", "Eat"}, {"eat [1/2]", "Eat [2/2], Eat"},
		{"Todo list", "Todo list"}, {"[1/3]", ""}, {"TODO", ""}, {"", ""},
	} {
		v := view(files)
		n, err := v.Resolve(tc.name)
		got := ""
		if many, ok := err.(*AmbiguousError); ok {
			var list []string
			for _, c := range many.Candidates {
				list = append(list, c.Title())
			}
			got = strings.Join(list, ", ")
		} else if err == nil {
			got = n.Title()
		}
		if tc.want == "" && n != nil && n.Title() == "" { // the headline that is a keyword alone
			got = ""
		}
		if got != tc.want {
			t.Errorf("%q is %q, %v, want %q", tc.name, got, err, tc.want)
		}
	}
}

// TestUnknownNames: an unknown name comes with what resembles it, and no more than fits.
func TestUnknownNames(t *testing.T) {
	files := map[string]string{}
	for i := range 12 {
		files[fmt.Sprintf("d%02d/same.org", i)] = "* A gauge\n"
	}
	v := view(files)
	for name, want := range map[string][2]string{
		"gauge":         {"similar titles:\n", "give"},
		"nothing":       {"give an id, a title, FILE:LINE or FILE:+BYTE", "similar"},
		"same.org:1":    {"  d00/same.org\n", "d10/same.org"},
		"same.org":      {"\n  and 2 more", "d11/same.org"},
		"other.org":     {"give an id", "same.org"},
		"d00/other.org": {"give an id", "same.org"},
	} {
		_, err := v.Resolve(name)
		if !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), want[0]) || strings.Contains(err.Error(), want[1]) {
			t.Errorf("%q: %v", name, err)
		}
	}
	_, err := v.Resolve("gauge")
	if n := strings.Count(err.Error(), "A gauge"); n != 3 {
		t.Errorf("%d titles: %v", n, err)
	}
	for range 3 {
		delete(files, slices.Sorted(maps.Keys(files))[0])
	}
	if _, err := view(files).Resolve("same.org"); strings.Contains(err.Error(), "more") || strings.Count(err.Error(), "/same.org") != 9 {
		t.Error(err)
	}
}
