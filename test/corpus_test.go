// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// orgFiles reads every Org file below a folder.
func orgFiles(t testing.TB, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".org") && !strings.HasSuffix(p, ".org_archive") {
			return err
		}
		b, err := os.ReadFile(p)
		rel, _ := filepath.Rel(root, p)
		out[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestFilesFromStateAlone takes a folder in, throws it away, and gets every
// file back byte for byte from the state folder: from the image, and from the
// journal alone.
func TestFilesFromStateAlone(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"example": orgFiles(t, "../examples/memex"),
		"corpus":  nil,
	} {
		t.Run(name, func(t *testing.T) {
			if files == nil {
				files = orgFiles(t, filepath.Join(foveatest.Testdata(t), "corpus"))
			}
			want := len(files)
			w := newWorld(t, files)
			root := w.ingest().Root()
			held := documentsOf(w.m.View())
			if len(held) < want*9/10 {
				t.Fatalf("%d of %d files were taken", len(held), want)
			}
			if err := w.m.Close(); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(w.dir); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(w.dir, 0o755); err != nil {
				t.Fatal(err)
			}
			for _, from := range []string{"image", "journal"} {
				if from == "journal" {
					if err := os.RemoveAll(filepath.Join(w.state, "image")); err != nil {
						t.Fatal(err)
					}
				}
				w.open()
				v := w.m.View()
				if v.Root() != root {
					t.Fatalf("%s: root %s, want %s", from, v.Root(), root)
				}
				w.write(documentsOf(v))
				back := orgFiles(t, w.dir)
				for path, text := range files {
					if ignoredByExample(path) {
						continue
					}
					if got, ok := back[path]; !ok || got != text {
						t.Errorf("%s: %s came back different (there: %t)", from, path, ok)
					}
				}
				if err := w.m.Close(); err != nil {
					t.Fatal(err)
				}
			}
			w.open()
		})
	}
}

// ignoredByExample names what the example's .foveaignore leaves out.
func ignoredByExample(path string) bool { return strings.HasPrefix(path, "drafts/") }
