// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// watched is a watched folder with operations for the test.
type watched struct {
	t   *testing.T
	dir string
	w   *Watcher
}

func watchFolder(t *testing.T, files ...string) *watched {
	t.Helper()
	w := &watched{t: t, dir: t.TempDir()}
	for _, name := range files {
		w.write(name)
	}
	r, err := Open(w.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	known := func(path string) bool { return path == "theme.setup" }
	if w.w, err = r.Watch(t.Context(), t.TempDir(), known); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(w.w.Close(), r.Close()); err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *watched) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *watched) path(name string) string { return filepath.Join(w.dir, name) }

func (w *watched) write(name string) {
	w.t.Helper()
	w.check(os.MkdirAll(filepath.Dir(w.path(name)), 0o755))
	w.check(os.WriteFile(w.path(name), []byte("* x\n"), 0o644))
}

func (w *watched) rename(from, to string) {
	w.t.Helper()
	w.check(os.Rename(w.path(from), w.path(to)))
}

// saw reports whether the watcher saw a change since the last call.
func (w *watched) saw(what func()) bool {
	w.t.Helper()
	w.check(w.w.CatchUp())
	before := w.w.Seen()
	what()
	w.check(w.w.CatchUp())
	return w.w.Seen() > before
}

// TestWatcherSees: the watcher sees exactly the changes that a scan would find.
func TestWatcherSees(t *testing.T) {
	w := watchFolder(t, "a.org", "sub/b.org", "photo.jpg", ".hidden/c.org", "ignored/d.org")
	for _, tc := range []struct {
		name string
		do   func()
		want bool
	}{
		{"a save", func() { w.write("a.org") }, true},
		{"a save below", func() { w.write("sub/b.org") }, true},
		{"a new file", func() { w.write("new.org") }, true},
		{"a picture", func() { w.write("photo.jpg") }, false},
		{"a file that notes draw on", func() { w.write("theme.setup") }, true},
		{"an editor's lock", func() { w.check(os.Symlink("me@host.1", w.path(".#a.org"))) }, false},
		{"an editor's backup", func() { w.write("a.org~") }, false},
		{"an editor's copy", func() { w.write("#a.org#") }, false},
		{"a hidden folder", func() { w.write(".hidden/c.org") }, false},
		{"a save by renaming", func() { w.write(".tmp1"); w.rename(".tmp1", "a.org") }, true},
		{"a deletion", func() { w.check(os.Remove(w.path("new.org"))) }, true},
		{"a folder comes", func() { w.write("fresh/deep/e.org") }, true},
		{"a save in it", func() { w.write("fresh/deep/e.org") }, true},
		{"a folder is renamed", func() { w.rename("fresh", "moved") }, true},
		{"a save where it is now", func() { w.write("moved/deep/e.org") }, true},
		{"a folder goes", func() { w.check(os.RemoveAll(w.path("moved"))) }, true},
		{"an ignore file", func() { w.check(os.WriteFile(w.path(".foveaignore"), []byte("ignored/\n"), 0o644)) }, true},
		{"what it leaves out", func() { w.write("ignored/new/d.org"); w.write("ignored/new/f.org") }, false},
		{"a link to a folder", func() { w.check(os.Symlink("sub", w.path("link"))) }, true},
		{"nothing", func() {}, false},
	} {
		if got := w.saw(tc.do); got != tc.want {
			t.Errorf("%s: seen %v, want %v", tc.name, got, tc.want)
		}
	}
}

// TestWatcherKeepsUp: after a burst of changes that creates and removes folders, a scan
// after CatchUp finds every file, and a change of any of them is seen.
func TestWatcherKeepsUp(t *testing.T) {
	w := watchFolder(t)
	if !w.saw(func() {
		for i := range 500 {
			w.write(fmt.Sprintf("d%d/s%d/f%d.org", i%20, i%100, i))
		}
		for i := range 10 {
			w.rename(fmt.Sprintf("d%d", i), fmt.Sprintf("e%d", i))
		}
	}) {
		t.Fatal("a burst of changes was not seen")
	}
	for i := range 100 {
		top := "d"
		if i%20 < 10 {
			top = "e"
		}
		name := fmt.Sprintf("%s%d/s%d/f%d.org", top, i%20, i, i)
		if !w.saw(func() { w.write(name) }) {
			t.Fatalf("%s: a save was not seen", name)
		}
	}
	select {
	case <-w.w.Changed():
	default:
		t.Error("Changed has no value")
	}
}

// TestManySettleAtOnce: each concurrent call of CatchUp sees its caller's changes.
func TestManySettleAtOnce(t *testing.T) {
	w := watchFolder(t)
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for range 20 {
				before := w.w.Seen()
				if err := os.WriteFile(w.path(fmt.Sprintf("%d.org", i)), []byte("* x\n"), 0o644); err != nil {
					t.Error(err)
				}
				if err := w.w.CatchUp(); err != nil || w.w.Seen() <= before {
					t.Errorf("seen %d, was %d, %v", w.w.Seen(), before, err)
				}
			}
		})
	}
	all.Wait()
}

// TestWatcherIsBlind: a watcher that cannot see events returns an error at once.
func TestWatcherIsBlind(t *testing.T) {
	noFile := func(string) bool { return false }
	r, err := Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Watch(t.Context(), filepath.Join(t.TempDir(), "none"), noFile); err == nil {
		t.Error("the watcher started without a folder for its markers")
	}
	w, err := r.Watch(t.Context(), t.TempDir(), noFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.CatchUp(), w.Close()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.CatchUp(); !errors.Is(err, ErrWatchLost) {
			t.Errorf("it is closed: %v", err)
		}
	}
}
