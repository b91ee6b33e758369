// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vfs_test

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/fovea-memory/fovea/internal/vfs"
)

func TestSub(t *testing.T) {
	both(t, func(t *testing.T, in vfs.FS) {
		inner, err := vfs.Sub(in, "a/b")
		if err != nil {
			t.Fatal(err)
		}
		write(t, inner, "x", "text")
		if b, err := in.ReadFile("a/b/x"); err != nil || string(b) != "text" {
			t.Errorf("the outer folder has %q, %v", b, err)
		}
		write(t, in, "a/secret", "text")
		if _, err := inner.ReadFile("../secret"); err == nil {
			t.Error("a name left the folder")
		}
		if _, err := inner.ReadFile("y"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v", err)
		}
		if err := inner.Close(); err != nil {
			t.Error(err)
		}
		if _, err := inner.ReadFile("x"); err != nil {
			t.Errorf("closing it closed the outer folder: %v", err)
		}
		for _, name := range []string{".", "", "../x", "/x"} {
			if _, err := vfs.Sub(in, name); !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("%q: %v", name, err)
			}
		}
	})
}
