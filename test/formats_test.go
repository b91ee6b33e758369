// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/store"
)

// TestOlderFormatIsRefused opens memories of builds before format 1, whose commits had formats 0
// and 2: the answer names the format and what to do, and no byte changes.
func TestOlderFormatIsRefused(t *testing.T) {
	for name, parts := range map[string][]string{
		"commits of format 0": {"format0/both", "format0/theirs"}, // an image, a pack and a journal
		"commits of format 2": {"format2"},                        // a journal alone
	} {
		t.Run(name, func(t *testing.T) {
			state := filepath.Join(t.TempDir(), "state")
			for _, part := range parts {
				if err := os.CopyFS(state, os.DirFS(filepath.Join("testdata", filepath.FromSlash(part)))); err != nil {
					t.Fatal(err)
				}
			}
			before := digestsOf(t, state)
			m, err := fovea.Open(t.Context(), t.TempDir(), &fovea.Options{StateDir: state, Adopt: true})
			if err == nil {
				t.Error(m.Close())
			}
			if !errors.Is(err, store.ErrUnknownFormat) || !strings.Contains(err.Error(), "move it away, and a new history begins from the files") {
				t.Errorf("error %v", err)
			}
			if diff := cmp.Diff(before, digestsOf(t, state)); diff != "" {
				t.Errorf("state folder (-before +after):\n%s", diff)
			}
		})
	}
}

// digestsOf returns the SHA-256 of the files of a history in a state folder.
func digestsOf(t *testing.T, folder string) map[string][32]byte {
	t.Helper()
	all := map[string][32]byte{}
	if err := fs.WalkDir(os.DirFS(folder), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || path == "LOCK" || path == "FORMAT" {
			return err // FORMAT names the folder that adopted it
		}
		content, err := os.ReadFile(filepath.Join(folder, path))
		all[path] = sha256.Sum256(content)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}
