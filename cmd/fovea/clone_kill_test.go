// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// TestKilledCloneGoesOn kills a clone when the history is there and so many files are: the same
// command then ends it, with each file and the root of the source.
func TestKilledCloneGoesOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	memex, state, bundle, place := filepath.Join(dir, "memex"), filepath.Join(dir, "state"), filepath.Join(dir, "b.fovea"), filepath.Join(dir, "place")
	const files = 300
	if err := foveatest.GenFiles(memex, files, 7); err != nil {
		t.Fatal(err)
	}
	want := status(t, memex, state).Root
	run := func(state string, words ...string) {
		t.Helper()
		if out, err := process(t, state, words...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", words, err, out)
		}
	}
	run(state, "bundle", "write", bundle, "--plain", "--memex", memex)
	run(state, "remote", "add", "x", place, "--plain", "--memex", memex)
	run(state, "push", "--memex", memex)
	for name, source := range map[string]string{"bundle": bundle, "remote": place} {
		for i, after := range []int{0, files - 1, files / 2, 1} {
			if foveatest.Thin(i, 2) {
				continue
			}
			at := filepath.Join(dir, name, string(rune('a'+after%26)))
			to, state := filepath.Join(at, "memex"), filepath.Join(at, "state")
			cut := killedClone(t, state, source, to, after)
			if cut {
				run(state, "clone", source, to)
			}
			if _, err := os.Stat(filepath.Join(state, cloneFile)); err == nil {
				t.Errorf("%s after %d: it is still under way", name, after)
			}
			if diff := cmp.Diff(filesBelow(t, memex), filesBelow(t, to)); diff != "" {
				t.Errorf("%s after %d (-source +clone):\n%.800s", name, after, diff)
			}
			if got := status(t, to, state).Root; got != want {
				t.Errorf("%s after %d: root %s, want %s", name, after, got, want)
			}
			if out, err := process(t, state, "clone", source, to).CombinedOutput(); err == nil {
				t.Errorf("%s after %d: a clone that has ended was made again:\n%s", name, after, out)
			}
		}
	}
}

// killedClone kills a clone that has the history and so many files. It reports whether it had not ended.
func killedClone(t *testing.T, state, source, to string, after int) (cut bool) {
	t.Helper()
	c := process(t, state, "clone", source, to)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("clone: %v", err)
			}
			return false
		default:
		}
		_, err := os.Stat(filepath.Join(state, cloneFile))
		entries, _ := os.ReadDir(to)
		if err == nil && len(entries) >= after {
			_ = c.Process.Kill()
			<-ended
			_, err := os.Stat(filepath.Join(state, cloneFile))
			return err == nil
		}
	}
}

// TestResumesWithinABound: a note of what is under way that is larger than Fovea writes one is none.
func TestResumesWithinABound(t *testing.T) {
	state := t.TempDir()
	for padding, want := range map[int]bool{0: true, 60 << 10: true, 64 << 10: false} {
		note := fmt.Sprintf(`{"source":"/nowhere","others":2,"padding":%q}`, strings.Repeat("x", padding))
		if err := os.WriteFile(filepath.Join(state, cloneFile), []byte(note), 0o600); err != nil {
			t.Fatal(err)
		}
		how := cloning{source: "/nowhere"}
		if got := how.resumes(state); got != want || want && how.Others != 2 {
			t.Errorf("%d bytes more: it goes on: %v, want %v", padding, got, want)
		}
	}
}

// filesBelow reads the files of a folder.
func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		all[rel] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
