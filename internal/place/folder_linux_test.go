// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/stores"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// TestFolderLinks: links in the folder of a place, which lead out of it or to nothing, pipes, and files
// that a sync program named are no objects. Nothing outside is read, written or removed, and nothing waits.
func TestFolderLinks(t *testing.T) {
	outside, inside := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "b.0123456789ab")
	p, err := OpenFolder(inside)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	const good = "heads/a.0123456789ab"
	for _, err := range []error{
		os.WriteFile(secret, []byte("secret"), 0o600), p.Put(t.Context(), good, "", []byte("good")),
		os.Symlink(secret, filepath.Join(inside, "heads/b.0123456789ab")), os.Symlink("/nowhere", filepath.Join(inside, "heads/c.0123456789ab")),
		os.Symlink(outside, filepath.Join(inside, "packs")), syscall.Mkfifo(filepath.Join(inside, "heads/d.0123456789ab"), 0o600),
		os.WriteFile(filepath.Join(inside, "heads/a.0123456789ab (conflicted copy 2026-11-26)"), []byte("x"), 0o600),
		os.WriteFile(filepath.Join(inside, "heads/.syncthing.a.0123456789ab.tmp"), []byte("x"), 0o600),
		os.Symlink(filepath.Join(outside, "marker"), filepath.Join(inside, "fovea.json")), os.Symlink(outside, filepath.Join(inside, ".lock")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if names, err := p.List(t.Context(), "heads/"); err != nil || !slices.Equal(names, []string{good}) {
		t.Errorf("%q, %v", names, err)
	}
	if names, err := p.List(t.Context(), "packs/"); err == nil && len(names) > 0 {
		t.Errorf("%q", names)
	}
	for _, name := range []string{"heads/b.0123456789ab", "heads/c.0123456789ab", "heads/d.0123456789ab", "packs/b.0123456789ab", "packs/new", "fovea.json"} {
		if data, _, err := p.Get(t.Context(), name); err == nil {
			t.Errorf("%s has %q", name, data)
		}
		if err := p.Put(t.Context(), name, "", []byte("written")); err == nil {
			t.Errorf("%s was created", name)
		}
		if err := p.Put(t.Context(), name, tagOf([]byte("secret")), []byte("written")); err == nil {
			t.Errorf("%s was replaced", name)
		}
		if strings.HasPrefix(name, "packs/") {
			_ = p.Remove(t.Context(), name)
		}
	}
	_, tag, err := p.Get(t.Context(), good)
	if err == nil {
		err = p.Put(t.Context(), good, tag, []byte("better")) // without a lock
	}
	if err != nil {
		t.Error(err)
	}
	entries, err := os.ReadDir(outside)
	data, rerr := os.ReadFile(secret)
	if err != nil || rerr != nil || len(entries) != 1 || string(data) != "secret" {
		t.Errorf("outside there are %v with %q, %v, %v", entries, data, err, rerr)
	}
}

// TestFolderFull: a disk that is full, or that only can be read, is said as such, and leaves the objects
// as they were.
func TestFolderFull(t *testing.T) {
	disk := faultfs.New()
	p := folder{vfs.Plain(disk), new(sync.Map)}
	const name = "heads/a.0123456789ab"
	if err := p.Put(t.Context(), name, "", []byte("one")); err != nil {
		t.Fatal(err)
	}
	_, tag, err := p.Get(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	disk.SetFree(10)
	big := make([]byte, 1000)
	for _, err := range []error{p.Put(t.Context(), name, tag, big), p.Put(t.Context(), "packs/x", "", big)} {
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("a full disk: %v", err)
		}
	}
	disk.SetFree(1 << 20)
	disk.OnOp(func(op faultfs.Op) error {
		if op.Kind == faultfs.OpRead || op.Kind == faultfs.OpStat {
			return nil
		}
		return syscall.EROFS
	})
	for _, err := range []error{p.Put(t.Context(), name, tag, big), p.Put(t.Context(), "packs/x", "", big), p.Remove(t.Context(), name)} {
		if !errors.Is(err, syscall.EROFS) {
			t.Errorf("a disk that can only be read: %v", err)
		}
	}
	disk.OnOp(nil)
	all, err := p.List(t.Context(), "")
	heads, herr := p.List(t.Context(), "heads/")
	packs, perr := p.List(t.Context(), "packs/")
	data, _, gerr := p.Get(t.Context(), name)
	if err := errors.Join(err, herr, perr, gerr); err != nil || len(all)+len(packs) > 0 || !slices.Equal(heads, []string{name}) || string(data) != "one" {
		t.Errorf("left are %q, %q, %q with %q, %v", all, heads, packs, data, err)
	}
	entries, err := disk.ReadDir("heads")
	if err != nil || len(entries) != 1 {
		t.Errorf("left are %v, %v", entries, err)
	}
}

// TestFolderTogether: of processes of one machine that replace one object at the same time, one does.
func TestFolderTogether(t *testing.T) {
	dir := t.TempDir()
	const name, writers, rounds = "heads/a.0123456789ab", 8, 20
	first, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if err := first.Put(t.Context(), name, "", []byte("begin")); err != nil {
		t.Fatal(err)
	}
	for round := range rounds {
		_, tag, err := first.Get(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		var running sync.WaitGroup
		won := make([]bool, writers)
		for i := range writers {
			running.Go(func() {
				p, err := OpenFolder(dir)
				if err != nil {
					t.Error(err)
					return
				}
				defer p.Close()
				err = p.Put(t.Context(), name, tag, fmt.Appendf(nil, "%d of %d", i, round))
				if won[i] = err == nil; err != nil && !errors.Is(err, ErrChanged) {
					t.Error(err)
				}
			})
		}
		running.Wait()
		n := 0
		for _, ok := range won {
			if ok {
				n++
			}
		}
		if n != 1 {
			t.Fatalf("round %d: %d have replaced it", round, n)
		}
	}
}

// TestFolderTemps: what killed machines left half written is removed a day after, and nothing that
// somebody may still write.
func TestFolderTemps(t *testing.T) {
	dir := t.TempDir()
	put := func(name, tag, text string) {
		t.Helper()
		p, err := OpenFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		if err := p.Put(t.Context(), name, tag, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	left := func(name string, old time.Duration) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if at := time.Now().Add(-old); os.Chtimes(name, at, at) != nil {
			t.Fatal(name)
		}
	}
	const head = "heads/a.0123456789ab"
	put(head, "", "one")
	put("packs/a-1", "", "one")
	own := fmt.Sprintf("heads/.fovea-tmp-%08x-0", crc32.ChecksumIEEE([]byte("a.0123456789ab")))
	for _, name := range []string{own, "heads/.fovea-tmp-0-0", "packs/.fovea-tmp-1-0", "packs/.fovea-tmp-2-0"} {
		left(name, 25*time.Hour)
	}
	left("packs/.fovea-tmp-3-0", time.Hour)
	left("heads/.syncthing.a.tmp", 25*time.Hour)
	put(head, tagOf([]byte("one")), "two")
	put("packs/a-2", "", "two")
	got, err := filepath.Glob(filepath.Join(dir, "*", ".*"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		got[i], _ = filepath.Rel(dir, got[i])
	}
	if want := []string{"heads/.syncthing.a.tmp", "packs/.fovea-tmp-3-0"}; !slices.Equal(got, want) {
		t.Errorf("left are %q, want %q", got, want)
	}
}

// TestUnpackOnce: two that make one state folder do not disturb each other: the second is refused,
// and the first one ends well and leaves nothing else.
func TestUnpackOnce(t *testing.T) {
	state := filepath.Join(t.TempDir(), "stores", "state")
	err := Unpack(state, func(in vfs.FS) error {
		if err := Unpack(state, func(vfs.FS) error { t.Error("both fill it"); return nil }); !errors.Is(err, vfs.ErrLocked) {
			t.Errorf("the second: %v", err)
		}
		return vfs.WriteAtomic(in, "FORMAT", []byte("x"), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Dir(state))
	if err != nil || len(entries) != 1 {
		t.Errorf("there are %v, %v", entries, err)
	}
	if err := Unpack(state, func(vfs.FS) error { t.Error("filled again"); return nil }); !errors.Is(err, stores.ErrBegun) {
		t.Error(err)
	}
}

// TestSSHGarbage: a machine that keeps writing unread output is not waited for: its end comes
// when the pipe is closed, and not by a kill.
func TestSSHGarbage(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\nyes \u00a2\necho ended >" + filepath.Join(dir, "ended") + "\n"
	if err := os.WriteFile(filepath.Join(dir, "ssh"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	if _, err := Open(t.Context(), "ssh://box/srv", nil); err == nil {
		t.Fatal("it is a place")
	}
	if _, err := os.Stat(filepath.Join(dir, "ended")); err != nil {
		t.Error(err)
	}
}
