// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/faultfs"
)

// TestReadingADamagedJournal: each verb that reads a memory whose journal does not verify, at its
// first record or in its middle, with and without a daemon, ends with the code of damage and
// says so. None says that there is nothing, as if all were well.
func TestReadingADamagedJournal(t *testing.T) {
	places := map[string]func(size int) int{"at its first record": func(int) int { return 200 }, "in its middle": func(size int) int { return size / 2 }}
	for name, at := range places {
		t.Run(name, func(t *testing.T) {
			k := newKept(t)
			journal := filepath.Join(k.state, "journal", "00000001.j")
			text, err := os.ReadFile(journal)
			k.must(err)
			text[at(len(text))] ^= 0xff
			k.must(errors.Join(os.WriteFile(journal, text, 0o600), os.RemoveAll(filepath.Join(k.state, "image"))))
			verbs := slices.Concat(verbsByNeed[needsNotes], verbsByNeed[needsPast],
				[][]string{{"log", "first"}, {"show", "nobody"}, {"log", "--since-last"}, {"remote", "list"}, {"context", "--focus", "first"}})
			for _, daemon := range []bool{false, true} {
				if daemon {
					k.must(k.served("serve", "--detach", "--idle", "1m").Run())
					defer func() { _ = k.served("serve", "--stop").Run() }()
				}
				for i, words := range verbs {
					c := k.command(words...)
					if daemon {
						if c = k.served(words...); i%6 != 0 { // all take the same way
							continue
						}
					}
					out, said, code := k.ran(c)
					if code != exitCorrupt || !strings.Contains(said, "damaged") && !strings.Contains(said, "checksum") || strings.Contains(said, "nothing was committed") {
						t.Errorf("with a daemon %v, %q ends with %d:\n%s%s", daemon, words, code, out, said)
					}
				}
			}
		})
	}
}

// TestWhatFailsAfterTheAnswer: once a change is acknowledged, no step of closing the memory that
// fails alone, such as writing the image, the table of files or a cache, makes the verb fail; what
// was acknowledged is there afterwards.
func TestWhatFailsAfterTheAnswer(t *testing.T) {
	failed, disk := 0, errors.New("no space left on device")
	before, dir := faultfs.New(), t.TempDir()
	opened := func(state *faultfs.FS) *fovea.Memory {
		m, err := fovea.Open(t.Context(), dir, &fovea.Options{Store: state})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	m := opened(before)
	for range 300 { // enough for an image
		if _, _, _, err := m.Notes().Remember(t.Context(), "inbox.org", document.InsertHeadline{Title: "Kept"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	before = before.Clone() // as if the process had been killed
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	inbox := filepath.Join(dir, "inbox.org")
	text, err := os.ReadFile(inbox)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; ; at++ {
		state := before.Clone()
		stderr := os.Stderr
		said, err := os.Create(filepath.Join(t.TempDir(), "said"))
		if err != nil {
			t.Fatal(err)
		}
		os.Stderr = said
		s := newSession()
		os.Stderr = stderr
		s.memory = opened(state)
		if _, _, _, err := s.memory.Notes().Remember(t.Context(), "inbox.org", document.InsertHeadline{Title: "Kept"}, nil); err != nil {
			t.Fatal(err)
		}
		head := s.memory.View().Head().Seq
		end := state.FailOp(at, disk)
		closed(s) // and the verb does not fail
		reached := end()
		if text, _ := os.ReadFile(said.Name()); strings.Contains(string(text), disk.Error()) {
			failed++
		}
		s.memory = opened(state)
		if got := s.memory.View().Head().Seq; got != head {
			t.Errorf("step %d: commit %d is the newest, want %d", at, got, head)
		}
		if err := s.memory.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(inbox, text, 0o600); err != nil { // as the other states have it
			t.Fatal(err)
		}
		if !reached {
			break
		}
	}
	if failed == 0 {
		t.Error("no step failed")
	}
	t.Logf("%d steps of closing failed with a warning", failed)
}
