// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vfs_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/vfs"
)

func stage(t *testing.T, in vfs.FS, name, text string) *vfs.Staged {
	t.Helper()
	s, err := vfs.Stage(in, name, 0o640, nil, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStage(t *testing.T) {
	both(t, func(t *testing.T, in vfs.FS) {
		write(t, in, "old", "old")
		s := stage(t, in, "old", "new")
		if got := content(t, in, "old"); got != "old" {
			t.Errorf("staged, and the file holds %q already", got)
		}
		if err := s.Create(); !errors.Is(err, fs.ErrExist) || content(t, in, "old") != "old" {
			t.Errorf("create over a file: got %v, want fs.ErrExist and the file left alone", err)
		}
		if err := stage(t, in, "old", "new").Replace(); err != nil || content(t, in, "old") != "new" {
			t.Errorf("replace: %v", err)
		}
		if err := stage(t, in, "fresh", "fresh").Create(); err != nil || content(t, in, "fresh") != "fresh" {
			t.Errorf("create: %v", err)
		}
		if err := stage(t, in, "never", "").Discard(); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]string{"fresh", "old"}, names(t, in, ".")); diff != "" {
			t.Errorf("folder (-want +got):\n%s", diff)
		}
	})
}

// noLinks is a file system that cannot give a file a second name.
type noLinks struct{ vfs.FS }

func (noLinks) Link(string, string) error { return errors.ErrUnsupported }

func TestCreateWithoutLinks(t *testing.T) {
	in := noLinks{dir(t)}
	if err := stage(t, in, "f", "f").Create(); err != nil || content(t, in, "f") != "f" {
		t.Errorf("create: %v", err)
	}
	if err := stage(t, in, "f", "other").Create(); err == nil || content(t, in, "f") != "f" {
		t.Errorf("create over a file: got %v, want an error and the file left alone", err)
	}
	if diff := cmp.Diff([]string{"f"}, names(t, in, ".")); diff != "" {
		t.Errorf("folder (-want +got):\n%s", diff)
	}
}

// TestCreateCrashes cuts the power before each operation: the name leads to
// nothing or to all of the content.
func TestCreateCrashes(t *testing.T) {
	in := faultfs.New()
	in.OnOp(func(op faultfs.Op) error {
		for seed := range uint64(8) {
			got, err := in.Crash(seed).ReadFile("f")
			if !errors.Is(err, fs.ErrNotExist) && string(got) != "whole" {
				t.Errorf("before %s of %s: %q, %v", op.Kind, op.Name, got, err)
			}
		}
		return nil
	})
	if err := stage(t, in, "f", "whole").Create(); err != nil {
		t.Fatal(err)
	}
	in.OnOp(nil)
	if got := content(t, in.Crash(1), "f"); got != "whole" {
		t.Errorf("told it was made, and a crash leaves %q", got)
	}
}

func TestHardLinks(t *testing.T) {
	both(t, func(t *testing.T, in vfs.FS) {
		write(t, in, "a", "text")
		if err := in.Link("a", "b"); err != nil {
			t.Fatal(err)
		}
		if err := in.Link("a", "b"); !errors.Is(err, fs.ErrExist) {
			t.Errorf("over a file: got %v, want fs.ErrExist", err)
		}
		for links := uint64(2); links > 0; links-- {
			info, err := in.Stat("a")
			if err != nil {
				t.Fatal(err)
			}
			if id, ok := vfs.IdentityOf(info); ok && id.Links != links {
				t.Errorf("%d names, want %d", id.Links, links)
			}
			_ = in.Remove("b")
		}
	})
}

// TestStageKeepsTheOwner gives a file to another user, as only root can.
func TestStageKeepsTheOwner(t *testing.T) {
	in := dir(t)
	write(t, in, "f", "old")
	if err := os.Chown(filepath.Join(in.Path(), "f"), 12345, 12346); err != nil {
		t.Skipf("files cannot be given away here: %v", err)
	}
	if err := vfs.WriteAtomic(in, "f", []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := in.Stat("f")
	if err != nil {
		t.Fatal(err)
	}
	if id, _ := vfs.IdentityOf(info); id.UID != 12345 || id.GID != 12346 || info.Mode().Perm() != 0o644 {
		t.Errorf("now owned by %d:%d with mode %v", id.UID, id.GID, info.Mode())
	}
}

// TestStageMany: the work for one of many staged files does not grow with them.
func TestStageMany(t *testing.T) {
	in := faultfs.New()
	before := 0
	for i := range 300 {
		start := in.Ops()
		_ = stage(t, in, fmt.Sprint("file ", i), "text")
		if ops := in.Ops() - start; i == 0 {
			before = ops
		} else if ops > before+3 {
			t.Fatalf("file %d took %d operations, the first %d", i, ops, before)
		}
	}
}
