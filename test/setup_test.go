// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// TestSetupFile: what a setup file sets counts, a change of it reads those that
// name it again in one commit, and no way to a state reads them otherwise.
func TestSetupFile(t *testing.T) {
	w := newWorld(t, map[string]string{
		"a.org": "#+SETUPFILE: theme.setup\n* WAIT Call\n", "sub/b.org": "#+SETUPFILE: ../a.org\n* WAIT Write\n", "c.org": "* WAIT Other\n",
		"theme.setup": "#+TODO: WAIT | OVER\n#+FILETAGS: :themed:\n#+PROPERTY: owner Aiko\n#+TAGS: [ G : a b ]\n", "other.setup": "none of ours",
	})
	v := w.ingest()
	want := []string{"Call WAIT [themed]", "Write WAIT [themed]", "WAIT Other  []"}
	if diff := cmp.Diff(want, readAs(v)); diff != "" {
		t.Errorf("with the setup file (-want +got)\n%s", diff)
	}
	for d := range v.Documents() {
		if named := d.Path == "a.org" || d.Path == "sub/b.org"; named != (len(d.Derived.TagGroups) == 1) || named != (len(d.Derived.Property("OWNER")) == 1) {
			t.Errorf("%s: groups %v, properties %v", d.Path, d.Derived.TagGroups, d.Derived.Properties)
		}
	}
	first, seq := v.Root(), v.Head().Seq
	w.write(map[string]string{"theme.setup": "#+TODO: CALL | OVER\n"})
	v = w.ingest()
	if v.Head().Seq != seq+1 {
		t.Errorf("the change took %d commits, want one", v.Head().Seq-seq)
	}
	want = []string{"WAIT Call  []", "WAIT Write  []", "WAIT Other  []"}
	if diff := cmp.Diff(want, readAs(v)); diff != "" {
		t.Errorf("after the change (-want +got)\n%s", diff)
	}
	past, err := w.m.History().At(t.Context(), fmt.Sprintf("seq:%d", seq))
	if err != nil {
		t.Fatal(err)
	}
	if past.Root() != first || readAs(past)[0] != "Call WAIT [themed]" {
		t.Errorf("the past is read with the setup file of today: %v", readAs(past))
	}
	if _, files, err := w.m.History().Rollback(t.Context(), "0", nil); err != nil || len(files) != 1 || w.m.View().Root() != first {
		t.Errorf("rolling back: %v, %v", files, err)
	}
	w.reopen()
	if v = w.ingest(); v.Root() != first || readAs(v)[0] != "Call WAIT [themed]" {
		t.Errorf("after a rollback and a restart: %v", readAs(v))
	}
}

// TestSetupFileStaysItsOwners: a rollback to before a file was named leaves it.
func TestSetupFileStaysItsOwners(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* WAIT A\n", "theme.setup": "#+TODO: WAIT | OVER\n"})
	root := w.ingest().Root()
	w.write(map[string]string{"a.org": "#+SETUPFILE: theme.setup\n* WAIT A\n"})
	if v := w.ingest(); len(documentsOf(v)) != 2 {
		t.Fatalf("documents %v, want the setup file among them", documentsOf(v))
	}
	if _, _, err := w.m.History().Rollback(t.Context(), "0", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "theme.setup")); err != nil {
		t.Error(err)
	}
	if got := w.ingest().Root(); got != root {
		t.Errorf("root %s, want %s", got, root)
	}
}

// TestSetupFileElsewhere: nothing outside the folder is read, and it is told.
func TestSetupFileElsewhere(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside.setup")
	if err := os.WriteFile(outside, []byte("#+TODO: WAIT | OVER\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, nil)
	names := []string{outside, "../" + filepath.Base(filepath.Dir(outside)) + "/outside.setup", "~/outside.setup", "https://example.org/theme.setup",
		"none.setup", ".secret/x", "link.setup"}
	if err := os.Symlink(outside, filepath.Join(w.dir, "link.setup")); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, name := range names {
		fmt.Fprintf(&text, "#+SETUPFILE: %s\n", name)
	}
	w.write(map[string]string{"a.org": text.String() + "* WAIT A\n", ".secret/x": "#+TODO: WAIT | OVER\n"})
	if diff := cmp.Diff([]string{"WAIT A  []"}, readAs(w.ingest())); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	problems, err := w.m.Folder().Diagnostics(t.Context())
	if err != nil || len(problems) != len(names) {
		t.Errorf("diagnostics %v, %v, want one for each name", problems, err)
	}
}

// readAs tells how the headlines of a view are read: title, keyword, tags.
func readAs(v fovea.View) (out []string) {
	for _, path := range []string{"a.org", "sub/b.org", "c.org"} {
		for n := range v.All() {
			if n.Path == path && n.Parent != "" {
				out = append(out, fmt.Sprintf("%s %s %v", n.Title(), n.Derived.Todo, v.Tags(n)))
			}
		}
	}
	return out
}

// diagnosed lists what is odd in the documents of a memory.
func diagnosed(t *rapid.T, m *fovea.Memory) []document.Problem {
	problems, err := m.Folder().Diagnostics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return problems
}

// TestSetupModel changes files, setup files and ignore files at random, rolls
// back and restarts; what memory holds is always what a fresh ingest reads.
func TestSetupModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := &world{t: t, dir: t.TempDir(), clock: time.Now().Add(time.Hour)}
		open := func(store vfs.FS) *fovea.Memory { // in memory: thousands of commits need no disk
			m, err := fovea.Open(rt.Context(), w.dir, &fovea.Options{Store: store, Now: w.now})
			if err != nil {
				rt.Fatal(err)
			}
			return m
		}
		store := faultfs.New()
		w.m = open(store)
		defer func() { w.m.Close() }()
		rt.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) {
				path := rapid.SampledFrom([]string{"a.org", "b.org", "sub/c.org", "x.setup", "sub/y.setup", ".foveaignore"}).Draw(t, "path")
				line := rapid.SampledFrom([]string{
					"#+SETUPFILE: x.setup\n", "#+SETUPFILE: sub/y.setup\n", "#+SETUPFILE: ../x.setup\n", "#+SETUPFILE: a.org\n", "#+SETUPFILE: ../b.org\n",
					"#+TODO: A | B\n", "#+FILETAGS: :t:\n", "#+FILETAGS: :project:\n", "* A x\n", "* A x\n** B y\n", "x.setup\n",
					"* I\n:PROPERTIES:\n:ID: one\n:END:\n", "text\n:PROPERTIES:\n:ID: no\n:END:\n", "[[*B y]] [[id:one]]\n",
					"# -*- coding: latin-1 -*-\n\xe9\n",
				})
				w.write(map[string]string{path: strings.Join(rapid.SliceOfN(line, 0, 4).Draw(t, "lines"), "")})
			},
			"remove": func(t *rapid.T) {
				files := sortedNames(w.onDisk())
				if len(files) == 0 {
					t.Skip("no file")
				}
				w.remove(rapid.SampledFrom(files).Draw(t, "path"))
			},
			"restart": func(t *rapid.T) {
				root, read := w.m.View().Root(), derived(w.m.View())
				if err := w.m.Close(); err != nil {
					t.Fatal(err)
				}
				w.m = open(store)
				if diff := cmp.Diff(read, derived(w.m.View())); diff != "" || w.m.View().Root() != root {
					t.Fatalf("a restart reads (-before +after):\n%s", diff)
				}
			},
			"rollback": func(t *rapid.T) {
				w.ingest()
				head := w.m.View().Head().Seq
				if head == 0 {
					t.Skip("empty")
				}
				ref := fmt.Sprintf("seq:%d", rapid.Uint64Range(1, head).Draw(t, "seq"))
				target, err := w.m.History().At(t.Context(), ref)
				if err != nil {
					t.Fatal(err)
				}
				_, _, err = w.m.History().Rollback(t.Context(), ref, nil)
				if fovea.KindOf(err) == fovea.Conflict {
					t.Skip("a setup file that nobody named has changed since")
				}
				if err != nil {
					t.Fatal(err)
				}
				then, had := target.Text(document.IgnoreFile)
				if now, has := w.onDisk()[document.IgnoreFile]; then != now || had != has {
					return // what is ignored now stays so
				}
				if diff := cmp.Diff(derived(target), derived(w.m.View())); diff != "" {
					t.Fatalf("rolled back (-target +head):\n%s", diff)
				}
			},
			"": func(t *rapid.T) {
				v := w.ingest()
				fresh := open(faultfs.New())
				defer fresh.Close()
				if err := fresh.Ingest(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(derived(fresh.View()), derived(v)); diff != "" || v.Root() != fresh.View().Root() {
					t.Fatalf("root %s, of a fresh ingest %s (-fresh +memory):\n%s", v.Root(), fresh.View().Root(), diff)
				}
				if !rapid.Bool().Draw(t, "answers") { // what is kept may be several commits old
					return
				}
				if diff := cmp.Diff(diagnosed(t, fresh), diagnosed(t, w.m)); diff != "" {
					t.Fatalf("diagnostics (-fresh +memory):\n%s", diff)
				}
				sameWindow(t, fresh.View(), v)
			},
		})
		if _, problems, err := w.m.Mending().Verify(t.Context()); err != nil || len(problems) > 0 {
			rt.Fatalf("verify: %v, %v", problems, err)
		}
	})
}

// derived tells everything that was read of every node.
func derived(v fovea.View) map[string]string {
	out := map[string]string{}
	for n := range v.All() {
		out[n.Path+" "+n.ID] = fmt.Sprintf("%q %+v", n.Content, *n.Derived)
	}
	return out
}

// TestEditUnnamesSetupFile: an edit that takes out the last line that names a
// setup file leads to the root that an ingest of the folder gives.
func TestEditUnnamesSetupFile(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* A\n:PROPERTIES:\n:ID: a\n:END:\n#+SETUPFILE: theme.setup\n", "theme.setup": "#+FILETAGS: :t:\n"})
	w.ingest()
	if _, err := w.m.Notes().Edit(t.Context(), "a", nil, document.Delete{}); err != nil {
		t.Fatal(err)
	}
	got := w.m.View().Root()
	if want := w.ingest().Root(); got != want || len(documentsOf(w.m.View())) != 1 {
		t.Errorf("root %s after the edit, %s after an ingest, documents %v", got, want, documentsOf(w.m.View()))
	}
}
