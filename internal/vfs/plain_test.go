// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vfs_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// TestWriteFile: a file at a path is replaced whole, keeps its permissions, and gets the
// folders that are missing; anything but a file is left alone.
func TestWriteFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a", "b", "file")
	for _, text := range []string{"first", "second"} {
		if err := vfs.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != text {
			t.Errorf("got %q, %v, want %q", got, err, text)
		}
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	}
	if err := vfs.WriteFile(filepath.Dir(name), nil, 0o600); !errors.Is(err, vfs.ErrNotRegular) {
		t.Errorf("over a folder: %v", err)
	}
}
