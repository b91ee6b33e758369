// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package stores

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// newStore creates a store of a memex, with a name in base.
func newStore(t *testing.T, base, name, memex string) string {
	t.Helper()
	dir := filepath.Join(base, name)
	in, err := disk.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	s, _, err := disk.Open(in, &disk.Options{Memex: memex})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestRemove: removing needs the store's name, no process using it, and a missing memex or
// force.
func TestRemove(t *testing.T) {
	for _, tc := range []struct {
		name  string
		make  func(t *testing.T, base, memex string) string
		force bool
		want  error
	}{
		{"its memex is gone", func(t *testing.T, base, memex string) string { return newStore(t, base, "a", memex) }, false, nil},
		{"its memex is there", func(t *testing.T, base, memex string) string {
			if err := os.Mkdir(memex, 0o755); err != nil {
				t.Fatal(err)
			}
			return newStore(t, base, "a", memex)
		}, false, ErrMemexThere},
		{"its memex is there, forced", func(t *testing.T, base, memex string) string {
			if err := os.Mkdir(memex, 0o755); err != nil {
				t.Fatal(err)
			}
			return newStore(t, base, "a", memex)
		}, true, nil},
		{"in use", func(t *testing.T, base, memex string) string {
			dir := newStore(t, base, "a", memex)
			in, err := vfs.Dir(dir)
			if err != nil {
				t.Fatal(err)
			}
			lock, err := vfs.TryLock(in, store.LockFile, vfs.Holder{PID: 1, Command: "other", Since: time.Now()})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { lock.Unlock(); in.Close() })
			return dir
		}, true, vfs.ErrLocked},
		{"a folder of somebody", func(t *testing.T, base, _ string) string {
			dir := filepath.Join(base, "a")
			if err := os.MkdirAll(filepath.Join(dir, "mine"), 0o755); err != nil {
				t.Fatal(err)
			}
			return dir
		}, true, errNone},
		{"a link to a store", func(t *testing.T, base, memex string) string {
			dir := filepath.Join(base, "a")
			if err := os.Symlink(newStore(t, t.TempDir(), "b", memex), dir); err != nil {
				t.Fatal(err)
			}
			return dir
		}, true, errNone},
	} {
		t.Run(tc.name, func(t *testing.T) {
			base := t.TempDir()
			dir := tc.make(t, base, filepath.Join(t.TempDir(), "notes"))
			s, err := Named(base, dir)
			if err == nil {
				err = Remove(s, tc.force)
			} else if tc.want == errNone {
				err = errNone // it is not even found
			}
			if !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
			if _, err := os.Lstat(dir); (err == nil) != (tc.want != nil) {
				t.Errorf("it is there: %v", err == nil)
			}
		})
	}
}

// TestStrangeStores: with foreign files among the stores, listing and looking name the
// maxCompared ones and never block.
func TestStrangeStores(t *testing.T) {
	base, memex := t.TempDir(), t.TempDir()
	newStore(t, base, "good", filepath.Join(t.TempDir(), "gone"))
	for _, name := range []string{"pipes", "damaged", "empty", "future"} {
		if err := os.Mkdir(filepath.Join(base, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	pipes := newStore(t, base, "cache of pipes", memex+"-old")
	if err := os.Mkdir(filepath.Join(pipes, "cache"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.WriteFile(filepath.Join(base, "a file"), nil, 0o600),
		os.WriteFile(filepath.Join(base, "damaged", store.FormatFile), []byte("garbage"), 0o600),
		os.WriteFile(filepath.Join(base, "future", store.FormatFile), []byte("fovea state\nformat 9.0\n"), 0o600),
		syscall.Mkfifo(filepath.Join(base, "pipes", store.FormatFile), 0o600),
		syscall.Mkfifo(filepath.Join(pipes, witnessFile), 0o600),
		syscall.Mkfifo(filepath.Join(pipes, "cache", "files"), 0o600),
		syscall.Mkfifo(filepath.Join(pipes, "journal", "00000002.j"), 0o600),
		os.Mkdir(filepath.Join(memex, ".git"), 0o755),
		os.Mkdir(filepath.Join(memex, ".git", "logs"), 0o755),
		syscall.Mkfifo(filepath.Join(memex, ".git", "logs", "HEAD"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	list, err := List(base)
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for _, s := range list {
		told[filepath.Base(s.Dir)] = s.Problem != ""
	}
	for name, problem := range map[string]bool{"good": false, "cache of pipes": false, "pipes": true, "damaged": true, "future": true} {
		if got, listed := told[name]; !listed || got != problem {
			t.Errorf("%s: listed %v, a problem %v", name, listed, got)
		}
	}
	if len(told) != 5 {
		t.Errorf("listed: %v", told)
	}
	if matches, err := Find(base, memex, filepath.Join(base, "own")); err != nil || len(matches) > 0 {
		t.Errorf("matches %v, %v", matches, err)
	}
}
