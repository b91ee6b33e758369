// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vfs_test

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/vfs"
)

func dir(t *testing.T) *vfs.Folder {
	t.Helper()
	d, err := vfs.Dir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// both runs a test on the real file system and on the one in memory, which must
// agree.
func both(t *testing.T, test func(t *testing.T, in vfs.FS)) {
	t.Run("folder", func(t *testing.T) { test(t, dir(t)) })
	t.Run("faultfs", func(t *testing.T) { test(t, faultfs.New()) })
}

func write(t *testing.T, in vfs.FS, name, text string) {
	t.Helper()
	f, err := in.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, in vfs.FS, name string) string {
	t.Helper()
	text, err := in.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func names(t *testing.T, in vfs.FS, folder string) []string {
	t.Helper()
	entries, err := in.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	list := []string{}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestFiles(t *testing.T) {
	both(t, func(t *testing.T, in vfs.FS) {
		if err := in.MkdirAll("a/b", 0o700); err != nil {
			t.Fatal(err)
		}
		if err := in.MkdirAll("a/b", 0o700); err != nil {
			t.Errorf("a folder that exists: %v", err)
		}
		f, err := in.OpenFile("a/b/f", os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		steps := []error{}
		_, err = f.Write([]byte("hello"))
		steps = append(steps, err)
		_, err = f.WriteAt([]byte("J"), 7)
		steps = append(steps, err, f.Truncate(9), f.Sync(), f.SyncData(), in.SyncDir("a/b"), f.Chmod(0o640))
		got := make([]byte, 20)
		n, readErr := f.ReadAt(got, 2)
		info, err := f.Stat()
		steps = append(steps, err)
		if err := errors.Join(steps...); err != nil {
			t.Fatal(err)
		}
		if string(got[:n]) != "llo\x00\x00J\x00" || readErr != io.EOF {
			t.Errorf("read %q, %v", got[:n], readErr)
		}
		if info.Size() != 9 || info.Mode().Perm() != 0o640 || info.Name() != "f" {
			t.Errorf("described as %s, %d bytes, %v", info.Name(), info.Size(), info.Mode())
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		write(t, in, "a/z", "z")
		write(t, in, "a/c", "c")
		if diff := cmp.Diff([]string{"b", "c", "z"}, names(t, in, "a")); diff != "" {
			t.Errorf("folder (-want +got):\n%s", diff)
		}
		if err := errors.Join(in.Rename("a/c", "a/z"), in.Remove("a/b/f"), in.Remove("a/b")); err != nil {
			t.Fatal(err)
		}
		if got := content(t, in, "a/z"); got != "c" || len(names(t, in, "a")) != 1 {
			t.Errorf("after the rename: %q, %v", got, names(t, in, "a"))
		}
	})
}

func TestErrorsAgree(t *testing.T) {
	both(t, func(t *testing.T, in vfs.FS) {
		write(t, in, "file", "x")
		if err := in.MkdirAll("full/sub", 0o700); err != nil {
			t.Fatal(err)
		}
		open := func(name string, flag int) error {
			f, err := in.OpenFile(name, flag, 0o600)
			if err == nil {
				f.Close()
			}
			return err
		}
		_, statErr := in.Stat("none")
		_, listErr := in.ReadDir("none")
		_, linkErr := in.ReadLink("file")
		for _, tc := range []struct {
			name string
			got  error
			want error // nil: any error
		}{
			{"open what is not there", open("none", os.O_RDONLY), fs.ErrNotExist},
			{"make in a folder that is not there", open("none/f", os.O_CREATE|os.O_RDWR), fs.ErrNotExist},
			{"make what is there", open("file", os.O_CREATE|os.O_EXCL|os.O_RDWR), fs.ErrExist},
			{"open a folder for writing", open("full", os.O_RDWR), nil},
			{"stat", statErr, fs.ErrNotExist},
			{"list", listErr, fs.ErrNotExist},
			{"read a link that is none", linkErr, nil},
			{"remove", in.Remove("none"), fs.ErrNotExist},
			{"remove a full folder", in.Remove("full"), nil},
			{"rename", in.Rename("none", "other"), fs.ErrNotExist},
			{"make a folder over a file", in.MkdirAll("file/sub", 0o700), nil},
			{"leave the folder", open("../x", os.O_CREATE|os.O_RDWR), nil},
			{"leave it with a detour", open("full/../../x", os.O_CREATE|os.O_RDWR), nil},
			{"absolute", open("/etc/passwd", os.O_RDONLY), nil},
			{"rename out", in.Rename("file", "../file"), nil},
		} {
			if tc.got == nil || tc.want != nil && !errors.Is(tc.got, tc.want) {
				t.Errorf("%s: got %v, want %v", tc.name, tc.got, tc.want)
			}
		}
	})
}

func TestLinksStayInside(t *testing.T) {
	outside := t.TempDir()
	d := dir(t)
	for link, target := range map[string]string{"out": outside, "up": "../" + filepath.Base(outside), "in": "there"} {
		if err := os.Symlink(target, filepath.Join(d.Path(), link)); err != nil {
			t.Skipf("links cannot be made here: %v", err)
		}
	}
	write(t, d, "there", "text")
	for _, name := range []string{"out/f", "up/f"} {
		if _, err := d.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600); err == nil {
			t.Errorf("%s was opened through a link that leads outside", name)
		}
	}
	if got := content(t, d, "in"); got != "text" {
		t.Errorf("through the link inside: %q", got)
	}
	if got, err := d.ReadLink("in"); got != "there" || err != nil {
		t.Errorf("link text %q, %v", got, err)
	}
	info, err := d.Lstat("in")
	if err != nil || info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("Lstat of a link: %v, %v", info, err)
	}
	if err := vfs.WriteAtomic(d, "in", []byte("new"), 0o600); !errors.Is(err, vfs.ErrNotRegular) {
		t.Errorf("WriteAtomic to a link: got %v, want ErrNotRegular", err)
	}
	if got := content(t, d, "there"); got != "text" {
		t.Errorf("the link's target is now %q", got)
	}
}

func TestDir(t *testing.T) {
	base := t.TempDir()
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := vfs.Dir(file); !errors.Is(err, vfs.ErrNotFolder) {
		t.Errorf("a file: got %v, want ErrNotFolder", err)
	}
	if _, err := vfs.Dir(filepath.Join(base, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: got %v, want ErrNotExist", err)
	}
	for range 2 {
		d, err := vfs.CreateDir(filepath.Join(base, "x/y/z"), 0o700)
		if err != nil {
			t.Fatal(err)
		}
		if d.Path() != filepath.Join(base, "x/y/z") {
			t.Errorf("path %s", d.Path())
		}
		d.Close()
	}
	if info, err := os.Stat(filepath.Join(base, "x/y")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("made as %v, %v; want 0700", info.Mode(), err)
	}
}

func TestWriteAtomic(t *testing.T) {
	both(t, func(t *testing.T, in vfs.FS) {
		if err := in.MkdirAll("d", 0o700); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"first", "", "third"} {
			if err := vfs.WriteAtomic(in, "d/f", []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := content(t, in, "d/f"); got != text {
				t.Errorf("got %q, want %q", got, text)
			}
		}
		if diff := cmp.Diff([]string{"f"}, names(t, in, "d")); diff != "" {
			t.Errorf("folder (-want +got):\n%s", diff)
		}
		if err := vfs.WriteAtomic(in, "d", nil, 0o600); !errors.Is(err, vfs.ErrNotRegular) {
			t.Errorf("over a folder: got %v, want ErrNotRegular", err)
		}
		stop := errors.New("stop")
		err := vfs.WriteAtomicFunc(in, "d/f", 0o600, func(w io.Writer) error {
			_, _ = io.WriteString(w, "half")
			return stop
		})
		if !errors.Is(err, stop) || content(t, in, "d/f") != "third" || len(names(t, in, "d")) != 1 {
			t.Errorf("a fill that fails: %v, %q, %v", err, content(t, in, "d/f"), names(t, in, "d"))
		}
	})
}

func TestWriteAtomicKeepsPermissions(t *testing.T) {
	both(t, func(t *testing.T, in vfs.FS) {
		write(t, in, "f", "old")
		f, err := in.OpenFile("f", os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.Chmod(0o666), f.Close()); err != nil { // more than an umask lets through
			t.Fatal(err)
		}
		if err := vfs.WriteAtomic(in, "f", []byte("new"), 0o600); err != nil {
			t.Fatal(err)
		}
		if info, err := in.Stat("f"); err != nil || info.Mode().Perm() != 0o666 {
			t.Errorf("mode %v, %v; want 0666", info.Mode(), err)
		}
		if err := vfs.WriteAtomic(in, "g", nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if info, err := in.Stat("g"); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("a new file has mode %v, %v; want 0600", info.Mode(), err)
		}
	})
}

// TestWriteAtomicFails makes each operation of it fail, and cuts the power
// before each: the file has the old text or the new, told is durable, and no
// temporary file stays after a failure.
func TestWriteAtomicFails(t *testing.T) {
	for _, lose := range []bool{false, true} {
		for n := range 12 {
			in := faultfs.New()
			if err := vfs.WriteAtomic(in, "f", []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
			start := in.Ops()
			in.OnOp(func(op faultfs.Op) error {
				if op.N < start+n {
					return nil
				}
				if lose {
					for seed := range uint64(8) {
						if got := content(t, in.Crash(seed), "f"); got != "old" && got != "new" {
							t.Errorf("power lost before %s of %s: the file holds %q", op.Kind, op.Name, got)
						}
					}
				} else if op.N == start+n {
					return faultfs.ErrFault
				}
				return nil
			})
			err := vfs.WriteAtomic(in, "f", []byte("new"), 0o600)
			in.OnOp(nil)
			if got := content(t, in, "f"); got != "new" && (err == nil || got != "old") {
				t.Errorf("operation %d: %v, and the file holds %q", n, err, got)
			}
			if err == nil {
				for seed := range uint64(8) {
					if got := content(t, in.Crash(seed), "f"); got != "new" {
						t.Errorf("operation %d: told it was written, and a crash leaves %q", n, got)
					}
				}
			}
			if got := names(t, in, "."); len(got) != 1 {
				t.Errorf("operation %d: %v is left", n, got)
			}
		}
	}
}

// TestOldTemps: of the temporary files that kills left, those of a day ago go with the next write of
// the same file. What somebody may still write stays, and so do all where nothing was left of this file.
func TestOldTemps(t *testing.T) {
	in := dir(t)
	left := func(name string, old time.Duration) {
		t.Helper()
		write(t, in, name, "half")
		if at := time.Now().Add(-old); os.Chtimes(filepath.Join(in.Path(), name), at, at) != nil {
			t.Fatal(name)
		}
	}
	put := func(want ...string) {
		t.Helper()
		if err := vfs.WriteAtomic(in, "f", []byte("whole"), 0o600); err != nil || content(t, in, "f") != "whole" {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, names(t, in, ".")); diff != "" {
			t.Errorf("folder (-want +got):\n%s", diff)
		}
	}
	own := fmt.Sprintf(".fovea-tmp-%08x-", crc32.ChecksumIEEE([]byte("f")))
	left(".fovea-tmp-0-0", 25*time.Hour)
	put(".fovea-tmp-0-0", "f")
	left(own+"0", time.Hour)
	put(own+"0", "f")
	left(own+"0", 25*time.Hour)
	left(own+"1", 25*time.Hour)
	put("f")
}

func TestRemoveTemps(t *testing.T) {
	both(t, func(t *testing.T, in vfs.FS) {
		for _, name := range []string{".fovea-tmp-0", ".fovea-tmp-1", ".foveaignore", "fovea-tmp-0"} {
			write(t, in, name, name)
		}
		if err := vfs.WriteAtomic(in, "f", []byte("f"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := vfs.RemoveTemps(in, "."); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]string{".foveaignore", "f", "fovea-tmp-0"}, names(t, in, ".")); diff != "" {
			t.Errorf("folder (-want +got):\n%s", diff)
		}
	})
}

func TestLock(t *testing.T) {
	both(t, func(t *testing.T, in vfs.FS) {
		since := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
		first, err := vfs.TryLock(in, "LOCK", vfs.Holder{PID: 12, Command: "fovea edit", Since: since})
		if err != nil {
			t.Fatal(err)
		}
		_, err = vfs.TryLock(in, "LOCK", vfs.Holder{PID: 13})
		if held, ok := errors.AsType[*vfs.HeldError](err); !ok || held.Holder.PID != 12 || !errors.Is(err, vfs.ErrLocked) {
			t.Errorf("got %v, want a HeldError that names process 12", err)
		}
		for _, want := range []string{"12", "fovea edit", "2026-02-03T04:05:06Z"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %q does not say %q", err, want)
			}
		}
		write(t, in, "LOCK", "{half")
		if _, err = vfs.TryLock(in, "LOCK", vfs.Holder{}); !errors.Is(err, vfs.ErrLocked) {
			t.Errorf("an owner who is not named: got %v, want ErrLocked", err)
		}
		if err := errors.Join(first.Unlock(), first.Unlock()); err != nil {
			t.Error(err)
		}
		second, err := vfs.TryLock(in, "LOCK", vfs.Holder{PID: 14})
		if err != nil {
			t.Fatal(err)
		}
		if err := second.Unlock(); err != nil {
			t.Error(err)
		}
	})
}

func TestLockFileWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := faultfs.New()
		first, err := vfs.TryLock(in, "LOCK", vfs.Holder{PID: 1})
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(3*time.Second, func() { first.Unlock() })
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if _, err := vfs.LockFile(ctx, in, "LOCK", vfs.Holder{PID: 2}); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, vfs.ErrLocked) {
			t.Errorf("got %v, want the deadline and ErrLocked", err)
		}
		second, err := vfs.LockFile(t.Context(), in, "LOCK", vfs.Holder{PID: 2})
		if err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(start); waited < 3*time.Second || waited > 3200*time.Millisecond {
			t.Errorf("got the lock after %v, want within 200 ms of 3 s", waited)
		}
		second.Unlock()
	})
}

// TestLockOnAFullDisk: a full disk can still be read.
func TestLockOnAFullDisk(t *testing.T) {
	in := faultfs.New()
	in.SetFree(0)
	lock, err := vfs.TryLock(in, "LOCK", vfs.Holder{PID: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := lock.Unlock(); err != nil {
		t.Error(err)
	}
}
