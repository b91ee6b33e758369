// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// user is somebody whose stores are in their usual place: no state folder is named.
type user struct {
	t                      *testing.T
	dir, home, run1, memex string
}

func newUser(t *testing.T) *user {
	t.Helper()
	dir, err := os.MkdirTemp("", "fovea-user") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	u := &user{t, dir, filepath.Join(dir, "home"), filepath.Join(dir, "run"), filepath.Join(dir, "notes")}
	u.must(errors.Join(os.Mkdir(u.home, 0o700), os.Mkdir(u.run1, 0o700), os.Mkdir(u.memex, 0o700),
		os.WriteFile(filepath.Join(u.memex, "river.org"), []byte("* Gauge\nIt stands at the bridge.\n"), 0o644)))
	return u
}

func (u *user) must(err error) {
	u.t.Helper()
	if err != nil {
		u.t.Fatal(err)
	}
}

// verb runs a verb over a memex of that name in a working folder.
func (u *user) verb(here, memex string, words ...string) (out, said string, code int) {
	u.t.Helper()
	c := exec.CommandContext(u.t.Context(), os.Args[0], append(words, "--memex", memex)...)
	c.Dir = here
	c.Env = append(os.Environ(), asCommand+"=1", "HOME="+u.home, "XDG_STATE_HOME="+u.home+"/state", "XDG_CONFIG_HOME="+u.home+"/config",
		"XDG_RUNTIME_DIR="+u.run1, "MEMORY_SNAPSHOT_PATH=", "SYSTEM_DIR=")
	var o, e bytes.Buffer
	c.Stdout, c.Stderr = &o, &e
	if err := c.Run(); c.ProcessState == nil {
		u.t.Fatal(err)
	}
	return o.String(), e.String(), c.ProcessState.ExitCode()
}

// link makes a link below the folder of the test.
func (u *user) link(to, name string) {
	u.t.Helper()
	u.must(os.Symlink(to, filepath.Join(u.dir, name)))
}

// move moves the memex.
func (u *user) move() { u.must(os.Rename(u.memex, u.memex+".moved")) }

// TestDaemonByEveryName: whatever name leads to a memex, its daemon is found there, also
// after the folder was moved while it runs: it answers where its own path still leads to
// the folder, it says what to do where that does not, and it is stopped by that name.
func TestDaemonByEveryName(t *testing.T) {
	for _, tc := range []struct {
		name    string
		memex   string // from the folder of the test
		set     func(u *user)
		answers bool
	}{
		{"its path", "$DIR/notes", func(*user) {}, true},
		{"relative", "notes", func(*user) {}, true},
		{"a trailing slash", "notes/", func(*user) {}, true},
		{"dots", "./home/../notes/.", func(*user) {}, true},
		{"a link", "link", func(u *user) { u.link("notes", "link") }, true},
		{"a link to a link", "second", func(u *user) { u.link("notes", "link"); u.link("link", "second") }, true},
		{"a link above it", "above/notes", func(u *user) { u.link(".", "above") }, true},
		{"moved, with a link at the old place, by the link", "notes", func(u *user) { u.move(); u.link("notes.moved", "notes") }, true},
		{"moved, with a link at the old place, by the new path", "notes.moved", func(u *user) { u.move(); u.link("notes.moved", "notes") }, true},
		{"moved", "notes.moved", func(u *user) { u.move() }, false},
		{"moved, by a link to the new place", "link", func(u *user) { u.move(); u.link("notes.moved", "link") }, false},
		{"moved, by the old path", "notes", func(u *user) { u.move() }, false},
		{"moved, and another folder in its place", "notes.moved", func(u *user) { u.move(); u.must(os.Mkdir(u.memex, 0o700)) }, false},
		{"a second mount", "mounted", func(u *user) {
			at := filepath.Join(u.dir, "mounted")
			u.must(os.Mkdir(at, 0o700))
			if err := syscall.Mount(u.memex, at, "", syscall.MS_BIND, ""); err != nil {
				u.t.Skip("a folder is mounted a second time by root alone: ", err)
			}
			u.t.Cleanup(func() { _ = syscall.Unmount(at, 0) })
		}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			u := newUser(t)
			if _, said, code := u.verb(u.dir, u.memex, "serve", "--detach", "--idle", "5m"); code != 0 {
				t.Fatalf("serve: %d\n%s", code, said)
			}
			defer u.verb(u.dir, u.memex, "serve", "--stop")
			tc.set(u)
			memex := strings.ReplaceAll(tc.memex, "$DIR", u.dir)
			out, said, code := u.verb(u.dir, memex, "search", "bridge")
			switch {
			case tc.answers && (code != 0 || !strings.Contains(out, "Gauge")):
				t.Errorf("search ends with %d:\n%s%s", code, out, said)
			case !tc.answers && tc.name != "moved, by the old path" && (code != exitConflict || !strings.Contains(said, "fovea serve --stop")):
				t.Errorf("search ends with %d and does not say what to do:\n%s%s", code, out, said)
			}
			if _, said, code := u.verb(u.dir, memex, "serve", "--stop"); code != 0 {
				t.Errorf("serve --stop ends with %d:\n%s", code, said)
			}
			if _, said, code := u.verb(u.dir, memex, "serve", "--stop"); code != exitFailed || !strings.Contains(said, "no daemon serves this memex") {
				t.Errorf("stopped again it ends with %d:\n%s", code, said)
			}
		})
	}
}

// TestDaemonOfOthers: a daemon over another folder is not taken for that of a memex,
// though both are told to keep their state in one place, or one was copied from the other.
func TestDaemonOfOthers(t *testing.T) {
	t.Parallel() // it waits for the lock of another
	u := newUser(t)
	if _, said, code := u.verb(u.dir, u.memex, "serve", "--detach", "--idle", "5m"); code != 0 {
		t.Fatalf("serve: %d\n%s", code, said)
	}
	defer u.verb(u.dir, u.memex, "serve", "--stop")
	u.must(copied(u.memex, u.memex+"2"))
	if _, said, code := u.verb(u.dir, "notes2", "serve", "--stop"); code != exitFailed || !strings.Contains(said, "no daemon serves this memex") {
		t.Errorf("the daemon of the original was stopped by a copy: %d\n%s", code, said)
	}
	s := newServed(t)
	s.serve()
	s.run("remember", "A secret of the first")
	other := *s
	other.memex += "2"
	if err := os.Mkdir(other.memex, 0o700); err != nil {
		t.Fatal(err)
	}
	c := other.command("search", "secret")
	if out, err := c.CombinedOutput(); err == nil || strings.Contains(string(out), "secret of") {
		t.Errorf("a memex that names the state folder of another gets its notes: %v\n%s", err, out)
	}
}
