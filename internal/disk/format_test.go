// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

func TestStateFolderOfAnotherMemex(t *testing.T) {
	in := faultfs.New()
	mustClose(t, mustOpen(t, in, &Options{Memex: "/home/a\n\"b\""}))
	_, _, err := Open(in, &Options{Memex: "/home/c"})
	if !errors.Is(err, ErrOtherMemex) || !strings.Contains(err.Error(), "/home/c") {
		t.Errorf("got %v, want ErrOtherMemex that names both", err)
	}
	mustClose(t, mustOpen(t, in, nil))
	if err := Adopt(in, "/home/c"); err != nil {
		t.Fatal(err)
	}
	mustClose(t, mustOpen(t, in, &Options{Memex: "/home/c"}))
	if _, _, err := Open(in, &Options{Memex: "/home/a\n\"b\""}); !errors.Is(err, ErrOtherMemex) {
		t.Errorf("after the move: got %v, want ErrOtherMemex", err)
	}
}

// TestUnknownFormat puts a larger major number into each file, with the right
// checksum; all is refused and left alone.
func TestUnknownFormat(t *testing.T) {
	const major = 7
	sum := func(b []byte, from, to, at int) {
		digest := sha256.Sum256(b[from:to])
		copy(b[at:], digest[:])
	}
	for _, tc := range []struct {
		name string
		file func(in vfs.FS) string
		edit func(b []byte) []byte
	}{
		{"FORMAT", func(vfs.FS) string { return store.FormatFile }, func([]byte) []byte {
			return []byte("fovea state\nformat 7.2\nwho knows what\n")
		}},
		{"head", func(vfs.FS) string { return store.HeadFile }, func(b []byte) []byte {
			b[headMajorAt] = major
			sum(b, 0, headDigestAt, headDigestAt)
			return b
		}},
		{"segment", func(in vfs.FS) string { return lastSegment(t, in) }, func(b []byte) []byte {
			b[headerMajorAt] = major
			binary.LittleEndian.PutUint32(b[headerCheckAt:], crc32.Checksum(b[:headerCheckAt], castagnoli))
			return b
		}},
		{"image", func(vfs.FS) string { return store.ImageName(5) }, func(b []byte) []byte {
			b[8] = major
			const front, digestAt = 88 + 2*88, 40 - 80 // doc/format/image.md
			sum(b, 0, front, len(b)+digestAt)
			return b
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in, _ := filled(t, true)
			name := tc.file(in)
			content, err := in.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			writeFile(t, in, name, string(tc.edit(content)))
			before := in.Clone()
			if _, _, err := Open(in, small(1)); !errors.Is(err, store.ErrUnknownFormat) || !strings.Contains(err.Error(), "7.") {
				t.Errorf("got %v, want ErrUnknownFormat that names it", err)
			}
			sameFiles(t, before, in, tc.name)
		})
	}
}

func writeFile(t *testing.T, in vfs.FS, name, text string) {
	t.Helper()
	if err := vfs.WriteAtomic(in, name, []byte(text), filePerm); err != nil {
		t.Fatal(err)
	}
}

func TestNewerMinorFormatIsReadOnly(t *testing.T) {
	in, want := filled(t, true)
	f := format{major: formatMajor, minor: formatMinor + 1, memex: "/memex"}
	writeFile(t, in, store.FormatFile, string(f.encode()))
	before := in.Clone()
	s := mustOpen(t, in, small(1))
	got, err := read(s)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if err := s.Err(); !errors.Is(err, store.ErrReadOnly) || !errors.Is(err, store.ErrUnknownFormat) {
		t.Errorf("got %v, want ErrReadOnly and ErrUnknownFormat", err)
	}
	mustClose(t, s)
	sameFiles(t, before, in, "read-only")
}

func TestForeignFolder(t *testing.T) {
	in := faultfs.New()
	writeFile(t, in, "notes.org", "* mine\n")
	if _, _, err := Open(in, nil); !errors.Is(err, ErrForeignFolder) || !strings.Contains(err.Error(), "notes.org") {
		t.Errorf("got %v, want ErrForeignFolder that names the file", err)
	}
	if got := namesIn(t, in, "."); !cmp.Equal(got, []string{"notes.org"}) {
		t.Errorf("the folder now has %v", got)
	}
}

// TestCheckKindsOfForeignFolder: a link in a folder that is somebody else's is no matter of
// ours; one in a state folder without FORMAT is.
func TestCheckKindsOfForeignFolder(t *testing.T) {
	path := t.TempDir()
	in, err := OpenFolder(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	writeFile(t, in, "notes.org", "* mine\n")
	if err := os.Symlink("notes.org", filepath.Join(path, "link")); err != nil {
		t.Skipf("no links here: %v", err)
	}
	if err := CheckKinds(in); err != nil {
		t.Errorf("of a foreign folder: %v", err)
	}
	if err := in.MkdirAll(store.JournalFolder, folderPerm); err != nil {
		t.Fatal(err)
	}
	writeFile(t, in, segmentName(1), "")
	if err := CheckKinds(in); !errors.Is(err, vfs.ErrNotRegular) || !strings.Contains(err.Error(), "link: it is a link") {
		t.Errorf("of a state folder without %s: %v", store.FormatFile, err)
	}
}

func TestFileInTheWay(t *testing.T) {
	for _, below := range []string{"", "state"} {
		name := filepath.Join(t.TempDir(), "image.lisp")
		if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenFolder(filepath.Join(name, below)); !errors.Is(err, vfs.ErrNotFolder) || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want ErrNotFolder that names the file", err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != "old" {
			t.Errorf("the file now holds %q, %v", got, err)
		}
	}
}

func TestTwoOwners(t *testing.T) {
	folder, err := OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	since := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	first, err := vfs.TryLock(folder, store.LockFile, vfs.Holder{PID: 4711, Command: "fovea serve", Since: since})
	if err != nil {
		t.Fatal(err)
	}
	_, err = vfs.TryLock(folder, store.LockFile, vfs.Holder{PID: 2})
	held, ok := errors.AsType[*vfs.HeldError](err)
	if !ok || !errors.Is(err, vfs.ErrLocked) || held.Holder.PID != 4711 || !held.Holder.Since.Equal(since) || !strings.Contains(err.Error(), "fovea serve") {
		t.Errorf("got %v, want to be told who holds it", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := vfs.LockFile(ctx, folder, store.LockFile, vfs.Holder{PID: 2}); !errors.Is(err, context.Canceled) || !errors.Is(err, vfs.ErrLocked) {
		t.Errorf("got %v, want the context's error and ErrLocked", err)
	}
	second := make(chan error)
	go func() {
		lock, err := vfs.LockFile(t.Context(), folder, store.LockFile, vfs.Holder{PID: 2})
		if err == nil {
			err = lock.Unlock()
		}
		second <- err
	}()
	if err := first.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := <-second; err != nil {
		t.Errorf("the one who waited: %v", err)
	}
}

func TestLockIsNoForeignFile(t *testing.T) {
	in := faultfs.New()
	lock, err := vfs.TryLock(in, store.LockFile, vfs.Holder{PID: 1})
	if err != nil {
		t.Fatal(err)
	}
	mustClose(t, mustOpen(t, in, nil))
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
}

func TestHead(t *testing.T) {
	in := faultfs.New()
	s := mustOpen(t, in, small(0))
	if got := s.Head(); got != (store.Head{}) {
		t.Errorf("a new store has head %+v", got)
	}
	_, ends := fillStore(t, s, 0, 2)
	s.SetHead(store.Head{Seq: 2, Commit: merkleOf("c")})
	mustClose(t, s)
	s = mustOpen(t, in, small(1))
	want := cleanClose{preamble: preambleOf(store.HeadMagic), First: 1, End: ends[1], Head: store.Head{Seq: 2, Commit: merkleOf("c")}, Next: 3}
	if got := s.opened; got != want || s.Head() != want.Head {
		t.Errorf("got %+v, want %+v", got, want)
	}
	fillStore(t, s, 2, 3)
	// Killed: the head stays what the last clean close made it.
	s = mustOpen(t, in, small(2))
	defer s.Close()
	if got := s.opened; got != want || s.Head() != want.Head {
		t.Errorf("after a kill: got %+v, want %+v", got, want)
	}
	if got := len(mustReplay(t, s, ends[1])); got == 0 {
		t.Error("the batch after the close is gone")
	}
}

// TestLeftovers: what a crash left of a file that was to be replaced goes.
func TestLeftovers(t *testing.T) {
	in := faultfs.New()
	mustClose(t, mustOpen(t, in, nil))
	for _, name := range []string{".fovea-tmp-3", "image/.fovea-tmp-0"} {
		if f, err := in.OpenFile(name, os.O_CREATE|os.O_RDWR, filePerm); err != nil || f.Close() != nil {
			t.Fatal(err)
		}
	}
	mustClose(t, mustOpen(t, in, nil))
	for _, folder := range []string{".", store.ImageFolder} {
		for _, name := range namesIn(t, in, folder) {
			if vfs.IsTemp(name) {
				t.Errorf("%s is still in %s", name, folder)
			}
		}
	}
}
