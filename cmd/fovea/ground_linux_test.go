// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// kept is a memex with a history, a protected file and no daemon.
type kept struct {
	t                         *testing.T
	dir, memex, state, backup string
}

func newKept(t *testing.T) *kept {
	t.Helper()
	dir, err := os.MkdirTemp("", "fovea-kept") // t.TempDir is closed to nobody, and too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	k := &kept{t, dir, filepath.Join(dir, "memex"), filepath.Join(dir, "state"), filepath.Join(dir, "backup")}
	err = errors.Join(os.MkdirAll(filepath.Join(k.memex, "skills"), 0o755), os.WriteFile(filepath.Join(k.memex, "skills/s.org"),
		[]byte("* Skill\nGood advice.\n"), 0o644),
		os.WriteFile(filepath.Join(k.memex, "inbox.org"), []byte("* Inbox\n"), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range [][]string{{"remember", "first"}, {"checkpoint"}, {"remember", "second"}, {"search", "first"}} {
		if out, said, code := k.run(words...); code != 0 {
			t.Fatalf("%q: %d\n%s%s", words, code, out, said)
		}
	}
	k.must(copied(k.state, k.backup))
	return k
}

func (k *kept) must(err error) {
	k.t.Helper()
	if err != nil {
		k.t.Fatal(err)
	}
}

// command is a verb of this memex without a daemon. One that does not end is ended, and
// fails.
func (k *kept) command(words ...string) *exec.Cmd {
	ctx, stop := context.WithTimeout(k.t.Context(), time.Minute)
	k.t.Cleanup(stop)
	c := process(k.t, k.state, words...)
	all := exec.CommandContext(ctx, c.Path, append(c.Args[1:], "--memex", k.memex, "--no-daemon")...)
	all.Env = append(c.Env, "XDG_RUNTIME_DIR="+k.dir, "HOME="+k.dir)
	return all
}

// served is command with a daemon, if there is one.
func (k *kept) served(words ...string) *exec.Cmd {
	c := k.command(words...)
	c.Args = slices.DeleteFunc(c.Args, func(word string) bool { return word == "--no-daemon" })
	return c
}

func (k *kept) run(words ...string) (out, said string, code int) {
	k.t.Helper()
	return k.ran(k.command(words...))
}

func (k *kept) ran(c *exec.Cmd) (out, said string, code int) {
	k.t.Helper()
	var o, e bytes.Buffer
	c.Stdout, c.Stderr = &o, &e
	err := c.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || exit.ExitCode() < 0) {
		k.t.Fatalf("%q: %v\n%s%s", c.Args, err, o.Bytes(), e.Bytes())
	}
	return o.String(), e.String(), c.ProcessState.ExitCode()
}

// restore puts the state folder back as it was.
func (k *kept) restore() {
	k.t.Helper()
	k.must(errors.Join(os.RemoveAll(k.state), copied(k.backup, k.state)))
}

func (k *kept) remove(names ...string) {
	k.t.Helper()
	for _, name := range names {
		found, err := filepath.Glob(filepath.Join(k.state, name))
		k.must(err)
		for _, path := range found {
			k.must(os.RemoveAll(path))
		}
	}
}

// TestMissingHistory: whatever of a history is taken away, the next opening says so, no
// write is taken, nobody gets a protected file that was changed meanwhile, and repair
// begins anew with protected files locked down.
func TestMissingHistory(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string][]string{
		"the whole folder":            {"."},
		"its folders":                 {"journal", "image", "head"},
		"its folders, cache too":      {"journal", "image", "head", "cache"},
		"all but FORMAT":              {"journal", "image", "head", "cache", "packs", "quarantine", "LOCK"},
		"its files":                   {"journal/*", "image/*", "head", "packs/*"},
		"its files, cache too":        {"journal/*", "image/*", "head", "packs/*", "cache"},
		"its files, and what is told": {"journal/*", "image/*", "head", "packs/*", "../config/fovea/signed"},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKept(t)
			if gone[0] == "." {
				k.must(os.RemoveAll(k.state))
			} else {
				k.remove(gone...)
			}
			k.must(os.WriteFile(filepath.Join(k.memex, "skills/s.org"), []byte("* Skill\nEVIL advice.\n"), 0o644))
			for _, words := range [][]string{{"status"}, {"search", "advice"}, {"show", "skills/s.org"}, {"guard", "list"}, {"remember", "third"}, {"verify"}} {
				out, said, code := k.run(words...)
				if !strings.Contains(said, "missing") {
					t.Errorf("%q does not say that the history is missing:\n%s", words, said)
				}
				if strings.Contains(out, "EVIL") {
					t.Errorf("%q gives what nobody trusted:\n%s", words, out)
				}
				if refused := words[0] == "remember" || words[0] == "verify"; refused && code != exitCorrupt {
					t.Errorf("%q ends with %d, want %d:\n%s", words, code, exitCorrupt, said)
				}
			}
			if out, said, code := k.run("repair"); code != 0 {
				t.Fatalf("repair: %d\n%s%s", code, out, said)
			}
			if out, _, code := k.run("guard", "list"); code != 0 || strings.Contains(out, "as trusted") || !strings.Contains(out, "skills/s.org") {
				t.Errorf("after repair: %d\n%s", code, out)
			}
			if _, said, code := k.run("remember", "third"); code != 0 {
				t.Errorf("after repair a write ends with %d\n%s", code, said)
			}
			if out, _, _ := k.run("search", "advice"); strings.Contains(out, "EVIL") {
				t.Errorf("after repair:\n%s", out)
			}
		})
	}
}

// TestMissingFormat: without FORMAT the history is whole, is read, and repair keeps it.
func TestMissingFormat(t *testing.T) {
	k := newKept(t)
	k.remove("FORMAT")
	if out, said, code := k.run("search", "first"); code != 0 || !strings.Contains(out, "first") || !strings.Contains(said, "FORMAT") {
		t.Errorf("search: %d\n%s%s", code, out, said)
	}
	if _, said, code := k.run("remember", "third"); code != exitCorrupt || !strings.Contains(said, "FORMAT") {
		t.Errorf("remember: %d\n%s", code, said)
	}
	if out, said, code := k.run("repair"); code != 0 {
		t.Fatalf("repair: %d\n%s%s", code, out, said)
	}
	log, _, _ := k.run("log")
	if out, said, code := k.run("verify"); code != 0 || !strings.Contains(log, "first") || !strings.Contains(log, "second") {
		t.Errorf("after repair: %d\n%s%s%s", code, out, said, log)
	}
	if out, _, _ := k.run("guard", "list"); !strings.Contains(out, "as trusted") {
		t.Errorf("what was trusted is not any more:\n%s", out)
	}
}

// specialKinds are what a state folder has nowhere, by the words that name them.
var specialKinds = map[string]func(path string) error{
	"a pipe": func(path string) error { return syscall.Mkfifo(path, 0o600) },
	"a socket": func(path string) error {
		l, err := net.Listen("unix", path)
		if err == nil {
			l.(*net.UnixListener).SetUnlinkOnClose(false)
			err = l.Close()
		}
		return err
	},
	"a link":   func(path string) error { return os.Symlink(path+".nowhere", path) },
	"a device": func(path string) error { return syscall.Mknod(path, syscall.S_IFCHR|0o600, 1<<8|3) }, // that of /dev/null
}

// specialPlaces are names below the state folder that newKept does not make.
var specialPlaces = []string{
	"alerts.json", "cache/x", "http.json", "image/00000000000000ff.img", "image/x", "journal/00000009.j", "journal/x", "packs/manifest", "packs/x",
	"quarantine/x", "quarantine/a/b/c", "scopes", "scopes/s", "scopes/s/FORMAT", "scopes/s/journal", "scopes/s/journal/00000001.j", "scopes/x",
	"serve.log", "socket", "stray", "watch", "watch/x", ".hidden",
}

// places lists what the state folder has, and what else it may have.
func (k *kept) places() []string {
	k.t.Helper()
	places := slices.Clone(specialPlaces)
	k.must(filepath.WalkDir(k.state, func(path string, d fs.DirEntry, err error) error {
		if rel, _ := filepath.Rel(k.state, path); rel != "." && !slices.Contains(places, rel) {
			places = append(places, rel)
		}
		return err
	}))
	return places
}

// TestSpecialFiles: a pipe, a socket, a link or a device anywhere in the state folder is
// refused by its name and kind, by every verb, which says what to do; nothing waits for
// it, and nothing changes. Without it the history is read as before.
func TestSpecialFiles(t *testing.T) {
	t.Parallel()
	k := newKept(t)
	places := k.places()
	for kind, put := range specialKinds {
		for i, place := range places {
			if foveatest.Thin(i, 4) {
				continue
			}
			if place == "socket" && kind == "a socket" {
				continue // TestSocketOfTheDaemon
			}
			t.Run(place+" "+kind, func(t *testing.T) {
				k := *k
				k.t = t
				k.restore()
				path := filepath.Join(k.state, place)
				k.must(errors.Join(os.RemoveAll(path), os.MkdirAll(filepath.Dir(path), 0o700)))
				if err := put(path); errors.Is(err, fs.ErrPermission) {
					t.Skip("a device is made by root alone, and this user is not")
				} else if err != nil {
					t.Fatal(err)
				}
				before, err := os.Lstat(path)
				k.must(err)
				for _, words := range [][]string{{"search", "first"}, {"remember", "third"}, {"verify"}, {"repair"}} {
					_, said, code := k.run(words...)
					if want := place + ": it is " + kind + ", not a regular file; move it out"; code != exitCorrupt || !strings.Contains(said, want) {
						t.Errorf("%q ends with %d and does not say %q:\n%s", words, code, want, said)
					}
				}
				after, err := os.Lstat(path)
				k.must(err)
				if before.Mode() != after.Mode() {
					t.Errorf("it was %v and is %v", before.Mode(), after.Mode())
				}
				if _, err := os.Stat(filepath.Join(k.backup, place)); err == nil {
					return // the rest of the history went with it
				}
				k.must(os.Remove(path))
				if out, said, code := k.run("search", "first"); code != 0 || !strings.Contains(out, "first") {
					t.Errorf("when it was moved away: %d\n%s%s", code, out, said)
				}
			})
		}
	}
}

// TestSocketOfTheDaemon: a socket at the name socket is no error.
func TestSocketOfTheDaemon(t *testing.T) {
	k := newKept(t)
	k.must(specialKinds["a socket"](filepath.Join(k.state, "socket")))
	for _, words := range [][]string{{"search", "first"}, {"remember", "third"}, {"verify"}, {"repair"}} {
		if _, said, code := k.run(words...); code != 0 {
			t.Errorf("%q ends with %d\n%s", words, code, said)
		}
	}
}

// TestFoldersInPlaceOfFiles: a folder in the place of a file of the state folder is told by
// name, or does without, and repair mends what holds history.
func TestFoldersInPlaceOfFiles(t *testing.T) {
	k := newKept(t)
	for _, place := range k.places() {
		if info, err := os.Stat(filepath.Join(k.backup, place)); (err != nil || info.IsDir()) && place != "packs/manifest" {
			continue
		}
		t.Run(place, func(t *testing.T) {
			k := *k
			k.t = t
			k.restore()
			path := filepath.Join(k.state, place)
			k.must(errors.Join(os.RemoveAll(path), os.Mkdir(path, 0o700)))
			for _, words := range [][]string{{"search", "first"}, {"verify"}, {"repair"}, {"log"}} {
				out, said, code := k.run(words...)
				if code == exitFailed || code == exitMisuse {
					t.Errorf("%q ends with %d:\n%s", words, code, said)
				}
				if code != 0 && !strings.Contains(out+said, place) {
					t.Errorf("%q ends with %d and does not name %s:\n%s%s", words, code, place, out, said)
				}
			}
		})
	}
}

// TestFolderInPlaceOfASegment: repair puts it aside and keeps what an image has.
func TestFolderInPlaceOfASegment(t *testing.T) {
	k := newKept(t)
	k.remove("journal/*")
	k.must(os.Mkdir(filepath.Join(k.state, "journal/00000001.j"), 0o700))
	if _, said, code := k.run("remember", "third"); code != exitCorrupt || !strings.Contains(said, "it is a folder") {
		t.Errorf("remember: %d\n%s", code, said)
	}
	if out, said, code := k.run("repair"); code != 0 {
		t.Fatalf("repair: %d\n%s%s", code, out, said)
	}
	if out, said, code := k.run("verify"); code != 0 {
		t.Errorf("verify: %d\n%s%s", code, out, said)
	}
	if _, said, code := k.run("remember", "third"); code != 0 {
		t.Errorf("remember: %d\n%s", code, said)
	}
}

// TestStateThatCannotBeWritten: it is read, with what the folder has of new; writes are
// refused with the reason, and nothing in it changes. Root may write everything, so there
// the command runs as nobody.
func TestStateThatCannotBeWritten(t *testing.T) {
	k := newKept(t)
	k.must(os.WriteFile(filepath.Join(k.memex, "inbox.org"), []byte("* Inbox\n* Latecomer\n"), 0o644))
	const nobody = 65534
	k.must(errors.Join(os.Chmod(k.dir, 0o755), exec.Command("chmod", "-R", "a+rX", k.memex).Run()))
	if os.Getuid() == 0 {
		k.must(exec.Command("chown", "-R", "65534:65534", k.dir).Run())
	}
	k.must(exec.Command("chmod", "-R", "a-w", k.state).Run())
	defer exec.Command("chmod", "-R", "u+w", k.state).Run()
	binary := os.Args[0]
	if os.Getuid() == 0 {
		binary = readable(t, k.dir)
	}
	ran := func(c *exec.Cmd) (out, said string, code int) {
		c.Path = binary
		if os.Getuid() == 0 {
			c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		return k.ran(c)
	}
	run := func(words ...string) (out, said string, code int) { return ran(k.command(words...)) }
	for _, tc := range []struct {
		words []string
		want  string
		code  int
	}{
		{[]string{"search", "Latecomer"}, "inbox.org", 0},
		{[]string{"show", "Latecomer"}, "Latecomer", 0},
		{[]string{"context", "--question", "latecomer", "--budget", "500"}, "Latecomer", 0},
		{[]string{"log"}, "second", 0},
		{[]string{"verify"}, "everything is as it should be", 0},
		{[]string{"status"}, "cannot be written", 0},
		{[]string{"remember", "third"}, "", exitCorrupt},
		{[]string{"snapshot", "s"}, "", exitCorrupt},
	} {
		out, said, code := run(tc.words...)
		if code != tc.code || !strings.Contains(out, tc.want) || !strings.Contains(said, "the state folder cannot be written: permission denied") {
			t.Errorf("%q ends with %d\n%s%s", tc.words, code, out, said)
		}
		if strings.Contains(out+said, "try again") {
			t.Errorf("%q: trying again is no help:\n%s", tc.words, said)
		}
	}
	serves(t, k, func(words ...string) (out, said string, code int) { return ran(k.served(words...)) })
}

// serves checks a daemon over a state folder that cannot be written: there is one, however
// many start it, it answers reads, refuses writes with the reason and what to do, and says
// both to who asks how it is.
func serves(t *testing.T, k *kept, run func(words ...string) (out, said string, code int)) {
	t.Helper()
	const why, next = "the state folder cannot be written: permission denied", "fovea serve --stop"
	var started sync.WaitGroup
	for range 4 {
		started.Go(func() {
			if _, said, code := run("serve", "--detach", "--http", "--idle", "5m"); code != 0 || !strings.Contains(said, why) || !strings.Contains(said, next) {
				t.Errorf("serve --detach ends with %d\n%s", code, said)
			}
		})
	}
	started.Wait()
	defer run("serve", "--stop")
	_, first, _ := run("serve", "--detach", "--http")
	k.must(os.WriteFile(filepath.Join(k.memex, "inbox.org"), []byte("* Inbox\n* Latest of all\n"), 0o644))
	for _, tc := range []struct {
		words []string
		want  string
		code  int
	}{
		{[]string{"search", "Latest"}, "inbox.org", 0},
		{[]string{"status"}, why, 0},
		{[]string{"remember", "third"}, "", exitCorrupt},
		{[]string{"mcp"}, "", 0},
		{[]string{"mcp", "--compat", "server-memory"}, "", 0},
	} {
		out, said, code := run(tc.words...)
		if code != tc.code || !strings.Contains(out, tc.want) || code != 0 && (!strings.Contains(said, why) || !strings.Contains(said, next)) {
			t.Errorf("with a daemon %q ends with %d\n%s%s", tc.words, code, out, said)
		}
	}
	url, _, _ := strings.Cut(first[strings.Index(first, "http://"):], "\n")
	answer, err := http.Get(url + "/readyz")
	k.must(err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	k.must(err)
	if answer.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(text), "takes no writes") || !strings.Contains(string(text), next) {
		t.Errorf("readyz: %s %s", answer.Status, text)
	}
	if _, said, code := run("serve", "--detach", "--http"); code != 0 || said != first {
		t.Errorf("another process serves: %s, was %s", said, first)
	}
	if _, said, code := run("serve", "--stop"); code != 0 {
		t.Errorf("serve --stop ends with %d\n%s", code, said)
	}
}
