// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
)

// TestPathsThatLeadToNoFile: where something else than a file stands at the path of a
// file that was lost, or of its folder, a rollback and a restore say which and why, and
// do not call it done; once it is out of the way, the file comes back.
func TestPathsThatLeadToNoFile(t *testing.T) {
	outside := t.TempDir()
	for name, put := range map[string]func(path string) error{
		"link to nothing":     func(path string) error { return os.Symlink("nothing", path) },
		"link out of it":      func(path string) error { return os.Symlink(outside, path) },
		"link back to itself": func(path string) error { return os.Symlink(filepath.Base(path), path) },
	} {
		for _, at := range []string{"sub/a.org", "sub"} {
			t.Run(name+" at "+at, func(t *testing.T) {
				w := newWorld(t, map[string]string{"sub/a.org": "* A\n", "b.org": "* B\n"})
				w.ingest()
				path := filepath.Join(w.dir, at)
				if err := os.RemoveAll(path); err != nil {
					t.Fatal(err)
				}
				if err := put(path); err != nil {
					t.Fatal(err)
				}
				w.ingest()
				back := map[string]func() (fovea.Commit, []string, error){
					"rollback": func() (fovea.Commit, []string, error) { return w.m.History().Rollback(t.Context(), "seq:1", nil) },
					"restore":  func() (fovea.Commit, []string, error) { return w.m.History().RestoreFiles(t.Context(), nil, "", nil) },
				}
				for verb, run := range back {
					if _, _, err := run(); fovea.KindOf(err) != fovea.Conflict || !strings.Contains(err.Error(), "sub/a.org  (") {
						t.Errorf("%s: %v", verb, err)
					}
				}
				if entries, err := os.ReadDir(outside); err != nil || len(entries) > 0 {
					t.Errorf("written outside: %v, %v", entries, err)
				}
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
				if _, files, err := back["rollback"](); err != nil || len(files) != 1 {
					t.Errorf("with nothing in the way: %v, %v", files, err)
				}
			})
		}
	}
}
