// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestHere: the folder that one stands in is the memex where it holds notes, or where
// one above it has a memory, and never by accident.
func TestHere(t *testing.T) {
	root := t.TempDir()
	home := filepath.Join(root, "users/ada")
	for name, text := range map[string]string{
		"users/ada/todo.org": "* Todo", "users/ada/notes/a.org": "* A", "users/ada/notes/deep/b.org": "* B",
		"users/ada/code/main.go": "package main", "users/ada/code/doc/deep.org": "* D", "users/stray.org": "* S",
		"users/ada/known/sub/c.org": "* C", "users/ada/dots/.hidden.org": "", "users/ada/capital/A.ORG": "", "elsewhere/x.org": "* X",
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(home, "folder.org"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(home, filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	environment(t, map[string]string{"HOME": home, "XDG_STATE_HOME": filepath.Join(root, "state")})
	for _, known := range []string{filepath.Join(home, "known"), home, filepath.Join(root, "users")} {
		state, err := StateDir(known)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(state, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(state, "FORMAT"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct{ name, dir, want string }{
		{"it holds notes", "users/ada/notes", "users/ada/notes"},
		{"so does a folder in it", "users/ada/notes/deep", "users/ada/notes/deep"},
		{"only a folder in it does", "users/ada/code", ""},
		{"one above has a memory", "users/ada/known/sub", "users/ada/known"},
		{"the home folder, which has notes and a memory", "users/ada", ""},
		{"the home folder by a link", "link", ""},
		{"a folder of the home folder without notes", "users/ada/folder.org", ""},
		{"above the home folder", "users", ""},
		{"hidden files", "users/ada/dots", ""},
		{"capitals", "users/ada/capital", "users/ada/capital"},
		{"beside the home folder", "elsewhere", "elsewhere"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			want := tc.want
			if want != "" {
				want = filepath.Join(root, want)
			}
			dir := filepath.Join(root, tc.dir)
			if got := here(dir); got != want {
				t.Errorf("here(%q) = %q, want %q", dir, got, want)
			}
			c, err := Load(Flags{Here: dir}, "")
			if tc.want == "" && !errors.Is(err, ErrNoMemex) || tc.want != "" && (err != nil || c.Memex != want || !c.Here) {
				t.Errorf("Load gives %q, %v, %v, want %q", c.Memex, c.Here, err, want)
			}
			if c, err := Load(Flags{Here: dir, Memex: "/named"}, ""); err != nil || c.Memex != "/named" || c.Here {
				t.Errorf("a flag gives %q, %v, %v", c.Memex, c.Here, err)
			}
		})
	}
	if _, err := Load(Flags{}, ""); !errors.Is(err, ErrNoMemex) {
		t.Errorf("who does not stand anywhere gets %v", err)
	}
	t.Setenv("FOVEA_MEMEX", "relative")
	if c, err := Load(Flags{Here: filepath.Join(home, "notes")}, ""); err == nil && c.Here {
		t.Errorf("a wrong name is passed over for %s", c.Memex)
	}
	environment(t, nil)
	if got := here("/"); got != "" {
		t.Errorf("the root is taken without HOME: %q", got)
	}
}
