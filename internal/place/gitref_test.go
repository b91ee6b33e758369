// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/place/placetest"
)

// bare makes an empty repository.
func bare(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "notes.git")
	git(t, "", "init", "--quiet", "--bare", dir)
	return dir
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "git", args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func open(t *testing.T, address string) place.Place {
	t.Helper()
	p, err := place.OpenGit(t.Context(), address, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// TestPlace: a repository keeps what places promise.
func TestPlace(t *testing.T) { placetest.CheckUpTo(t, open(t, "git+file://"+bare(t)), 20) }

// TestRaces: of writers that push at once under one tag, one wins, and nothing that was
// acknowledged is lost.
func TestRaces(t *testing.T) {
	dir := bare(t)
	const writers, each = 4, 10
	var done atomic.Int64
	var running sync.WaitGroup
	for range writers {
		p := open(t, "git+file://"+dir)
		running.Go(func() {
			for range each {
				for {
					data, tag, err := p.Get(t.Context(), "heads/a")
					if errors.Is(err, place.ErrNone) {
						data, tag, err = nil, "", nil
					}
					if err == nil {
						err = p.Put(t.Context(), "heads/a", tag, append(data, 'x'))
					}
					if err == nil {
						done.Add(1)
						break
					}
					if !errors.Is(err, place.ErrChanged) && !errors.Is(err, place.ErrNoAnswer) {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	running.Wait()
	data, _, err := open(t, "git+file://"+dir).Get(t.Context(), "heads/a")
	if err != nil || len(data) != writers*each || done.Load() != writers*each {
		t.Errorf("%d of %d acknowledged writes are there, %v", len(data), done.Load(), err)
	}
}

// TestRefs: an object is a commit without parents that names nobody, under refs/fovea or as a branch;
// the rest of the repository is unchanged, and no hook runs.
func TestRefs(t *testing.T) {
	dir, hooks := bare(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(hooks, "pre-push"), []byte("#!/bin/sh\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "core.hooksPath")
	t.Setenv("GIT_CONFIG_VALUE_0", hooks)
	for parameters, ref := range map[string]string{"": "refs/fovea/memory/heads/a=b", "?name=team&branches=true": "refs/heads/fovea/team/heads/a=b"} {
		p := open(t, "git+file://"+dir+parameters)
		if err := p.Put(t.Context(), "heads/a.b", "", []byte("one")); err != nil {
			t.Fatal(err)
		}
		said := git(t, dir, "log", "--format=%an %ae %at %P", ref)
		if want := "fovea fovea@localhost 0 \n"; said != want {
			t.Errorf("%s is %q, want %q", ref, said, want)
		}
		if tree := git(t, dir, "ls-tree", "--name-only", ref); tree != "object\n" {
			t.Errorf("its tree is %q", tree)
		}
	}
	if all := strings.Count(git(t, dir, "for-each-ref"), "\n"); all != 2 {
		t.Errorf("%d refs", all)
	}
}

// TestBadRepositories: each way in which a repository refuses is reported for what it is.
func TestBadRepositories(t *testing.T) {
	refusing := bare(t)
	if err := os.WriteFile(filepath.Join(refusing, "hooks", "pre-receive"), []byte("#!/bin/sh\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	p := open(t, "git+file://"+refusing)
	if err := p.Put(t.Context(), "a", "", []byte("x")); !errors.Is(err, place.ErrRight) {
		t.Errorf("a server that declines: %v", err)
	}
	if _, err := place.OpenGit(t.Context(), "git+file:///nowhere/at/all", true); !errors.Is(err, place.ErrAway) {
		t.Errorf("no repository: %v", err)
	}
	programs := t.TempDir()
	if err := os.Symlink("/bin/sh", filepath.Join(programs, "sh")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", programs)
	if _, err := place.OpenGit(t.Context(), "git+file://"+refusing, true); err == nil || !strings.Contains(err.Error(), "install it") {
		t.Errorf("no git: %v", err)
	}
	for _, address := range []string{"git+https://", "git+https://u:geheim@h/x", "git+https://u@h/x",
		"git+ssh://-oProxyCommand=x/y", "git+file:///x?name=a/b", "git+file:///x?y=1"} {
		if _, err := place.OpenGit(t.Context(), address, true); !errors.Is(err, place.ErrURL) || strings.Contains(fmt.Sprint(err), "geheim") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestForced: an object that somebody replaced by force, or by something else than an object, is not
// taken for the written one.
func TestForced(t *testing.T) {
	dir := bare(t)
	p := open(t, "git+file://"+dir)
	if err := p.Put(t.Context(), "heads/a", "", []byte("one")); err != nil {
		t.Fatal(err)
	}
	_, tag, err := p.Get(t.Context(), "heads/a")
	if err != nil {
		t.Fatal(err)
	}
	const ref = "refs/fovea/memory/heads/a"
	empty := strings.TrimSpace(git(t, dir, "hash-object", "-t", "tree", "-w", "/dev/null"))
	forced := strings.TrimSpace(git(t, dir, "-c", "user.name=x", "-c", "user.email=x", "commit-tree", empty, "-m", "x"))
	git(t, dir, "update-ref", ref, forced)
	if _, _, err := p.Get(t.Context(), "heads/a"); !errors.Is(err, place.ErrDamaged) {
		t.Errorf("a commit without the object: %v", err)
	}
	if err := p.Put(t.Context(), "heads/a", tag, []byte("two")); !errors.Is(err, place.ErrChanged) {
		t.Errorf("under the tag from before: %v", err)
	}
}

// TestNobodyIsAsked: ssh asks at no terminal, unless the person has a command of their own for it, which runs as it is.
func TestNobodyIsAsked(t *testing.T) {
	programs, args := t.TempDir(), filepath.Join(t.TempDir(), "args")
	for _, name := range []string{"ssh", "other"} {
		script := "#!/bin/sh\necho " + name + " \"$@\" $SSH_ASKPASS_REQUIRE >>" + args + "\nexit 1\n"
		if err := os.WriteFile(filepath.Join(programs, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", programs+":"+os.Getenv("PATH"))
	for i, want := range []string{"ssh -oBatchMode=yes", "other"} {
		if i == 1 {
			t.Setenv("GIT_CONFIG_COUNT", "1")
			t.Setenv("GIT_CONFIG_KEY_0", "core.sshCommand")
			t.Setenv("GIT_CONFIG_VALUE_0", "other")
		}
		if _, err := place.OpenGit(t.Context(), "git+ssh://h/x", true); !errors.Is(err, place.ErrNoAnswer) {
			t.Error(err)
		}
		text, _ := os.ReadFile(args)
		_ = os.Remove(args)
		if !strings.HasPrefix(string(text), want) || strings.Contains(string(text), "BatchMode") != (i == 0) || !strings.Contains(string(text), " never\n") {
			t.Errorf("what ran is %q, want %q", text, want)
		}
	}
}
