// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folders makes a real folder with the folders in it, and gives its real path.
func folders(t *testing.T, names ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := os.MkdirAll(filepath.Join(root, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

func file(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestStateDir(t *testing.T) {
	root := folders(t, "my notes", "notes/sub", "other/notes", "home")
	link(t, filepath.Join(root, "notes"), filepath.Join(root, "link"))
	hash := func(memex string) string {
		return fmt.Sprintf("%.6x", sha256.Sum256([]byte(filepath.Join(root, memex))))
	}
	all := map[string]string{"MEMORY_SNAPSHOT_PATH": "'$ROOT/state'", "SYSTEM_DIR": "$ROOT/system", "XDG_STATE_HOME": root + "/xdg", "HOME": root +
		"/home", "ROOT": root}
	for _, tc := range []struct {
		name, memex string
		without     []string
		want        string
	}{
		{"snapshot path", "notes", nil, "state"},
		{"system folder", "notes", []string{"MEMORY_SNAPSHOT_PATH"}, "system/state/fovea/notes-" + hash("notes")},
		{"by a link", "link", []string{"MEMORY_SNAPSHOT_PATH"}, "system/state/fovea/notes-" + hash("notes")},
		{"by dots", "other/../notes/.", []string{"MEMORY_SNAPSHOT_PATH"}, "system/state/fovea/notes-" + hash("notes")},
		{"another of the name", "other/notes", []string{"MEMORY_SNAPSHOT_PATH"}, "system/state/fovea/notes-" + hash("other/notes")},
		{"XDG", "my notes", []string{"MEMORY_SNAPSHOT_PATH", "SYSTEM_DIR"}, "xdg/fovea/my notes-" + hash("my notes")},
		{"home", "notes", []string{"MEMORY_SNAPSHOT_PATH", "SYSTEM_DIR", "XDG_STATE_HOME"}, "home/.local/state/fovea/notes-" + hash("notes")},
		{"a memex that is not there yet", "new/one", []string{"MEMORY_SNAPSHOT_PATH"}, "system/state/fovea/one-" + hash("new/one")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			vars := map[string]string{}
			maps.Copy(vars, all)
			for _, name := range tc.without {
				delete(vars, name)
			}
			environment(t, vars)
			got, err := StateDir(filepath.Join(root, tc.memex))
			if want := filepath.Join(root, tc.want); err != nil || got != want {
				t.Errorf("got %s, %v, want %s", got, err, want)
			}
		})
	}
	left, err := filepath.Glob(filepath.Join(root, "*"))
	if err != nil || len(left) != 5 {
		t.Errorf("something was made: %q %v", left, err)
	}
}

func TestStateDirRefuses(t *testing.T) {
	root := folders(t, "notes/sub", "out")
	link(t, filepath.Join(root, "notes/sub"), filepath.Join(root, "out/in"))
	file(t, filepath.Join(root, "memory.snap"), "an old image")
	memex := filepath.Join(root, "notes")
	for _, tc := range []struct {
		name, state string
		want        error
	}{
		{"a file", "memory.snap", ErrStateFile},
		{"below a file", "memory.snap/state", ErrStateFile},
		{"the memex", "notes", ErrStateInside},
		{"in the memex", "notes/state/deep", ErrStateInside},
		{"in the memex by a link", "out/in/state", ErrStateInside},
		{"in the memex, hidden", "notes/.state", ErrStateInside},
		{"beside the memex", "notes-state", nil},
		{"dots in the name", "notes/../..state", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			environment(t, map[string]string{"MEMORY_SNAPSHOT_PATH": root + "/" + tc.state})
			_, err := StateDir(memex)
			if !errors.Is(err, tc.want) {
				t.Fatalf("got %v, want %v", err, tc.want)
			}
			if err != nil && !strings.Contains(err.Error(), root) {
				t.Errorf("%q names no path", err)
			}
		})
	}
	if text, err := os.ReadFile(filepath.Join(root, "memory.snap")); err != nil || string(text) != "an old image" {
		t.Errorf("the file is now %q, %v", text, err)
	}
	environment(t, map[string]string{"HOME": "relative", "XDG_STATE_HOME": "x"})
	if _, err := StateDir(memex); !errors.Is(err, ErrNoHome) {
		t.Errorf("no home: got %v", err)
	}
}

func TestStateDirOfTheProcess(t *testing.T) {
	root := folders(t, "notes")
	t.Setenv("MEMORY_SNAPSHOT_PATH", filepath.Join(root, "state"))
	if got, err := StateDir(filepath.Join(root, "notes")); err != nil || got != filepath.Join(root, "state") {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestShortName(t *testing.T) {
	for path, want := range map[string]string{
		"/":                            "root",
		"/a/b c":                       "b c",
		"/" + strings.Repeat("é", 40):  strings.Repeat("é", 32),
		"/x" + strings.Repeat("é", 40): "x" + strings.Repeat("é", 31),
	} {
		if got := shortName(path); got != want {
			t.Errorf("%q: got %q, want %q", path, got, want)
		}
	}
}

// TestStateDirOfOther: the state of another memex is where that one keeps it, whatever
// folder the environment names for this one.
func TestStateDirOfOther(t *testing.T) {
	root := t.TempDir()
	environment(t, map[string]string{"XDG_STATE_HOME": root, "HOME": root})
	want, err := StateDir(filepath.Join(root, "other"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("MEMORY_SNAPSHOT_PATH", filepath.Join(root, "mine"))
	if got, err := StateDirOfOther(filepath.Join(root, "other")); err != nil || got != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}
