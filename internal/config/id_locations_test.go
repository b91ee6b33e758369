// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseIDLocations(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       map[string]string
		err        error
	}{
		{"two files", "((\"~/org/a.org\" \"one\" \"two\")\n (\"b \\\"c\\\\.org\" \"three\"))\n",
			map[string]string{"one": "~/org/a.org", "two": "~/org/a.org", "three": `b "c\.org`}, nil},
		{"ends in a quote", "((\"a\\\"\" \"x\\\"\"))", map[string]string{`x"`: `a"`}, nil},
		{"a comment", ";; by Emacs\n((\"a\" \"x\"))", map[string]string{"x": "a"}, nil},
		{"none", "nil\n", map[string]string{}, nil},
		{"an empty list", "()", map[string]string{}, nil},
		{"a file without ids", "((\"a\"))", map[string]string{}, nil},
		{"twice", "((\"a\" \"x\") (\"b\" \"x\"))", map[string]string{"x": "a"}, nil},
		{"empty", "", map[string]string{}, errIDLocations},
		{"cut short", "((\"a\" \"x\" \"y", map[string]string{"x": "a"}, errIDLocations},
		{"something else", "((a . b))", map[string]string{}, errIDLocations},
		{"code", "(setq x \"y\")", map[string]string{}, errIDLocations},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := parseIDLocations(tc.text)
			if diff := cmp.Diff(tc.want, got); diff != "" || !errors.Is(err, tc.err) {
				t.Errorf("error %v, want %v (-want +got)\n%s", err, tc.err, diff)
			}
		})
	}
}

func TestKnownIDs(t *testing.T) {
	home := t.TempDir()
	environment(t, map[string]string{"HOME": home})
	c := Config{}
	if got := c.KnownIDs(); len(got) != 0 {
		t.Errorf("without a file: %v", got)
	}
	for dir, text := range map[string]string{".emacs.d": `(("~/n.org" "one") ("rel.org" "two"))`, ".config/emacs": `(("/x.org" "three"))`} {
		dir = filepath.Join(home, dir)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, idLocationsName), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{"one": filepath.Join(home, "n.org"), "two": filepath.Join(home, ".emacs.d", "rel.org"), "three": "/x.org"}
	if diff := cmp.Diff(want, c.KnownIDs()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	c.EmacsLocations = filepath.Join(home, ".config/emacs", idLocationsName)
	if diff := cmp.Diff(map[string]string{"three": "/x.org"}, c.KnownIDs()); diff != "" {
		t.Errorf("a file that is named (-want +got)\n%s", diff)
	}
}

func FuzzParseIDLocations(f *testing.F) {
	f.Add("((\"~/org/a.org\" \"one\" \"two\")\n (\"b \\\"c\\\\.org\" \"three\"))\n")
	f.Add("nil")
	f.Add("((\"a\" \"\\")
	f.Fuzz(func(t *testing.T, text string) {
		found, _ := parseIDLocations(text)
		for id, file := range found {
			if len(id)+len(file) > len(text) {
				t.Fatalf("%q lies in %q, which is more than was read", id, file)
			}
		}
	})
}
