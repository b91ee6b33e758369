// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// TestWriteKeepsTheOwner: root replaces a file and restores its owner; another user
// with write permission writes it in place.
func TestWriteKeepsTheOwner(t *testing.T) {
	const owner = 12345
	dir := t.TempDir()
	name := filepath.Join(dir, "a.org")
	if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(name, owner, owner); err != nil {
		t.Skipf("files cannot be given away here: %v", err)
	}
	if err := os.Chmod(name, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	r := open(t, dir, nil)
	check := func(text string) {
		t.Helper()
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		id, _ := vfs.IdentityOf(info)
		if got, err := os.ReadFile(name); err != nil || string(got) != text || id.UID != owner || id.GID != owner || info.Mode() != 0o666 {
			t.Errorf("%q of %d:%d with mode %v, %v", got, id.UID, id.GID, info.Mode(), err)
		}
	}
	if err := put(r, "a.org", sum("old"), Next{Text: "by root"}); err != nil {
		t.Fatal(err)
	}
	check("by root")
	asNobody(t, func() {
		w, err := r.Stage("a.org", sum("by root"), Next{Text: "by nobody"}, nil)
		if err != nil || !w.InPlace() {
			t.Fatalf("in place %v, %v", w != nil && w.InPlace(), err)
		}
		if err := w.Apply(); err != nil {
			t.Fatal(err)
		}
	})
	check("by nobody")
}
