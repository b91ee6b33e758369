// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/merkle"
)

// headed is a headline with an id.
func headed(title, id string) string {
	return "* " + title + "\n:PROPERTIES:\n:ID: " + id + "\n:END:\n"
}

func TestEdit(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": headed("One", "one") + headed("Two", "two"), "b.org": headed("B", "b")})
	before := w.ingest()
	one, _ := before.Get("one")
	c, err := w.m.Notes().Edit(t.Context(), "one", &fovea.WriteOptions{Base: one.Own}, document.SetTitle{Title: "Uno"}, document.AddTag{Tag: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if c.Kind != "edit" || c.Author != byOwner || c.Seq != before.Head().Seq+1 || c.Message != "a.org: One" {
		t.Errorf("commit %+v", c)
	}
	after := w.m.View()
	var changed []string
	for _, n := range fovea.Diff(before, after).Changed {
		changed = append(changed, n[1].ID)
	}
	if diff := cmp.Diff([]string{"one"}, changed); diff != "" {
		t.Errorf("new versions (-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(w.onDisk()["a.org"], "* Uno") || !strings.HasSuffix(w.onDisk()["a.org"], headed("Two", "two")) {
		t.Errorf("the file holds %q", w.onDisk()["a.org"])
	}
	if diff := cmp.Diff(w.onDisk(), documentsOf(after)); diff != "" {
		t.Errorf("documents (-files +memory):\n%s", diff)
	}
	if got := w.ingest().Head(); got.Seq != c.Seq {
		t.Errorf("the next scan made commit %+v of our own write", got)
	}
	w.reopen()
	if got := w.m.View().Root(); got != after.Root() {
		t.Errorf("root after a restart %s, want %s", got, after.Root())
	}
	if c, err := w.m.Notes().Edit(t.Context(), "one", nil, document.SetTitle{Title: "Uno"}); err != nil || c.Seq != 0 {
		t.Errorf("an edit that changes nothing gave %+v, %v", c, err)
	}
	if _, _, err := w.m.History().Rollback(t.Context(), "0", nil); err != nil || w.onDisk()["a.org"] != headed("One", "one")+headed("Two", "two") {
		t.Errorf("rolled back: %v, %q", err, w.onDisk()["a.org"])
	}
}

// TestEditOfAChangedFile: what a person saved is a commit of its own, by the
// file, and is under the edit.
func TestEditOfAChangedFile(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": headed("One", "one"), "b.org": "* B\n"})
	one, _ := w.ingest().Get("one")
	w.write(map[string]string{"a.org": headed("One", "one") + "* Saved\n", "b.org": "* Not looked at\n"})
	c, err := w.m.Notes().Edit(t.Context(), "one", &fovea.WriteOptions{Base: one.Own}, document.SetTitle{Title: "Uno"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := w.onDisk()["a.org"], strings.Replace(headed("One", "one"), "One", "Uno", 1)+"* Saved\n"; got != want {
		t.Errorf("the file holds %q, want %q", got, want)
	}
	log, err := w.m.History().Log(t.Context(), "", 0)
	if err != nil || len(log) != 3 || log[0].Digest != c.Digest || log[1].Author != byFile || log[1].Kind != "ingest" || log[1].Op == log[0].Op {
		t.Errorf("log %+v, %v", log, err)
	}
	if text, _ := w.m.View().Text("b.org"); text != "* B\n" {
		t.Errorf("another file was read: %q", text)
	}
}

// TestEditRefused: every refusal is of its kind and leaves the file as it was.
func TestEditRefused(t *testing.T) {
	text := headed("One", "one")
	title := []document.Edit{document.SetTitle{Title: "Uno"}}
	for _, tc := range []struct {
		name  string
		make  func(w *world)
		id    string
		base  merkle.Digest
		edits []document.Edit
		want  fovea.Kind
		say   string
	}{
		{name: "no such node", id: "none", want: fovea.NotFound, say: "none"},
		{name: "stale", id: "one", base: merkle.Sum([]byte("old")), want: fovea.Conflict, say: "changed since it was read"},
		{name: "no such edit", id: "one", edits: []document.Edit{document.AddTag{Tag: "not a tag"}}, want: fovea.Invalid, say: "not a tag"},
		{name: "opaque", id: "", want: fovea.Invalid, say: "unparsed"},
		{name: "id taken", id: "one", edits: []document.Edit{document.SetProperty{Key: "ID", Value: "other"}}, want: fovea.Conflict, say: "b.org"},
		{name: "file gone", id: "one", want: fovea.NotFound, say: "gone", make: func(w *world) { w.remove("sub/a.org") }},
		{name: "folder gone", id: "one", want: fovea.NotFound, say: "gone", make: func(w *world) { w.remove("sub/a.org"); w.remove("sub") }},
		{name: "node gone", id: "one", want: fovea.NotFound, say: "left the file", make: func(w *world) { w.write(map[string]string{"sub/a.org": "* Else\n"}) }},
		{name: "read-only file", id: "one", want: fovea.ReadOnly, say: "read-only", make: func(w *world) {
			if err := os.Chmod(filepath.Join(w.dir, "sub/a.org"), 0o444); err != nil {
				w.t.Fatal(err)
			}
		}},
		{name: "read-only folder", id: "one", want: fovea.ReadOnly, say: "read-only", make: func(w *world) {
			if err := os.Chmod(filepath.Join(w.dir, "sub"), 0o555); err != nil {
				w.t.Fatal(err)
			}
		}},
		{name: "held elsewhere", id: "one", want: fovea.Busy, say: "ann@elsewhere.7", make: func(w *world) {
			if err := os.Symlink("ann@elsewhere.7", filepath.Join(w.dir, "sub/.#a.org")); err != nil {
				w.t.Fatal(err)
			}
		}},
		{name: "drift", id: "one", want: fovea.Conflict, say: "rollback of memory only", make: func(w *world) {
			w.write(map[string]string{"sub/a.org": text + "more\n"})
			w.ingest()
			if _, _, err := w.m.History().Rollback(w.t.Context(), "0", &fovea.WriteOptions{MemoryOnly: true}); err != nil {
				w.t.Fatal(err)
			}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"sub/a.org": text, "b.org": headed("B", "other"), "skills/s.md": "s"})
			v := w.ingest()
			t.Cleanup(func() { _ = os.Chmod(filepath.Join(w.dir, "sub"), 0o755) })
			if tc.id == "" {
				for d := range v.Documents() {
					if d.Path == "skills/s.md" {
						tc.id = d.ID
					}
				}
			}
			if tc.make != nil {
				tc.make(w)
			}
			if tc.edits == nil {
				tc.edits = title
			}
			before := lstatAll(t, w.dir)
			_, err := w.m.Notes().Edit(t.Context(), tc.id, &fovea.WriteOptions{Base: tc.base}, tc.edits...)
			if fovea.KindOf(err) != tc.want || err == nil || !strings.Contains(err.Error(), tc.say) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v (%v), want one line of kind %v that says %q", err, fovea.KindOf(err), tc.want, tc.say)
			}
			if diff := cmp.Diff(before, lstatAll(t, w.dir)); diff != "" {
				t.Errorf("folder (-before +after):\n%s", diff)
			}
			w.reopen()
			if got := w.m.Status().Recovered; got != "" {
				t.Errorf("reopened: %q", got)
			}
		})
	}
}

// lstatAll describes everything in a folder, so that nothing can have been
// touched.
func lstatAll(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			out[p] = fmt.Sprint(info.Mode(), info.Size(), info.ModTime())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestEditConflictCarriesBothSides: what the edit would have made of the version
// it was based on, and what is there now.
func TestEditConflictCarriesBothSides(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": headed("One", "one") + "read\n"})
	one, _ := w.ingest().Get("one")
	w.write(map[string]string{"a.org": headed("One", "one") + "saved since\n"})
	_, err := w.m.Notes().Edit(t.Context(), "one", &fovea.WriteOptions{Base: one.Own}, document.SetTitle{Title: "Uno"})
	conflict, ok := errors.AsType[*fovea.Error](err)
	now, _ := w.m.View().Get("one")
	if !ok || conflict.Kind != fovea.Conflict || !strings.Contains(err.Error(), now.Own.String()) {
		t.Fatalf("got %v, want a conflict that names the present digest", err)
	}
	if want := headed("Uno", "one") + "read\n"; conflict.Mine != want {
		t.Errorf("mine %q, want %q", conflict.Mine, want)
	}
	if want := headed("One", "one") + "saved since\n"; conflict.Theirs != want {
		t.Errorf("theirs %q, want %q", conflict.Theirs, want)
	}
}

// TestEditOnAFullDisk: told so, the file and the memory are as they were, and
// go on when there is space.
func TestEditOnAFullDisk(t *testing.T) {
	d := disks{faultfs.New(), faultfs.New()}
	d.write(t, map[string]string{"a.org": headed("One", "one") + strings.Repeat(longBody, 100)})
	m := d.open(t)
	defer m.Close()
	if err := m.Ingest(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	before := d.outcome(t, m)
	d.memex.SetFree(1000)
	_, err := m.Notes().Edit(t.Context(), "one", nil, document.SetTitle{Title: "Uno"})
	if err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(before, d.outcome(t, m)); diff != "" || m.Status().ReadOnly != "" {
		t.Errorf("read-only %q, (-before +after):\n%s", m.Status().ReadOnly, diff)
	}
	d.memex.SetFree(-1)
	if _, err := m.Notes().Edit(t.Context(), "one", nil, document.SetTitle{Title: "Uno"}); err != nil {
		t.Error(err)
	}
}

// TestEditBesideEmacs opens and changes the file in a real Emacs: an edit is
// refused, Emacs saves, and the edit is made on top of that.
func TestEditBesideEmacs(t *testing.T) {
	emacs := foveatest.Part(t, "emacs")
	w := newWorld(t, map[string]string{"a.org": headed("One", "one")})
	w.ingest()
	c := exec.CommandContext(t.Context(), emacs, "-Q", "--batch", "--eval",
		`(progn (find-file (read-string "")) (goto-char (point-max)) (insert "by hand\n")
			(princ "held\n") (read-string "") (save-buffer) (princ "saved\n") (read-string ""))`)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	said := bufio.NewScanner(out)
	step := func(line, until string) {
		t.Helper()
		fmt.Fprintln(in, line)
		for said.Scan() {
			if said.Text() == until {
				return
			}
		}
		t.Fatalf("Emacs ended before %q", until)
	}
	step(filepath.Join(w.dir, "a.org"), "held")
	edit := func() error {
		_, err := w.m.Notes().Edit(t.Context(), "one", nil, document.SetTitle{Title: "Uno"})
		return err
	}
	if err := edit(); fovea.KindOf(err) != fovea.Busy || !strings.Contains(err.Error(), fmt.Sprint(c.Process.Pid)) {
		t.Errorf("while Emacs has changes: got %v, want busy", err)
	}
	if got, err := os.ReadFile(filepath.Join(w.dir, "a.org")); err != nil || string(got) != headed("One", "one") {
		t.Errorf("the file holds %q, %v", got, err)
	}
	step("", "saved")
	if err := edit(); err != nil {
		t.Error(err)
	}
	if got, want := w.onDisk()["a.org"], headed("Uno", "one")+"by hand\n"; got != want {
		t.Errorf("the file holds %q, want %q", got, want)
	}
}

// TestRecoveryBesideAnEditor: what a crash cut short is not taken back under the
// hands of a person: a file that is held or was changed since stays as it is.
func TestRecoveryBesideAnEditor(t *testing.T) {
	for _, tc := range []struct {
		name  string
		touch func(t *testing.T, d disks)
		want  map[string]string // of the files, by what they hold
		say   string
	}{
		{"held", func(t *testing.T, d disks) { d.write(t, map[string]string{".#a.org": "ann@elsewhere.7"}) },
			map[string]string{"a.org": "edited", "b.org": "old"}, "ann@elsewhere.7"},
		{"changed since", func(t *testing.T, d disks) { d.write(t, map[string]string{"a.org": headed("Mine", "a")}) },
			map[string]string{"a.org": "mine", "b.org": "old"}, ""},
		{"left alone", func(*testing.T, disks) {}, map[string]string{"a.org": "old", "b.org": "old"}, "took back"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := disks{faultfs.New(), faultfs.New()}
			old := map[string]string{"a.org": headed("A", "a"), "b.org": headed("B", "b")}
			d.write(t, old)
			m := d.open(t)
			if err := m.Ingest(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			var left disks
			d.onOp(func(_ string, op faultfs.Op) error {
				if op.Kind == faultfs.OpRename && left.memex == nil {
					if now := d.clone(); now.files(t)["a.org"] != old["a.org"] {
						left = now // a.org is written, b.org is not
					}
				}
				return nil
			})
			err := assignIDs(t.Context(), m, "a.org", "b.org")
			d.onOp(nil)
			if err != nil {
				t.Fatal(err)
			}
			tc.touch(t, left)
			m = left.open(t)
			defer m.Close()
			edited, want := d.files(t), map[string]string{}
			for name, what := range tc.want {
				switch what {
				case "old":
					want[name] = old[name]
				case "edited":
					want[name] = edited[name]
				default:
					want[name] = headed("Mine", "a")
				}
			}
			if diff := cmp.Diff(want, left.files(t)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if got := m.Status().Recovered; !strings.Contains(got, tc.say) {
				t.Errorf("recovered %q, want it to say %q", got, tc.say)
			}
			if err := m.Ingest(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, documentsOf(m.View())); diff != "" {
				t.Errorf("after a scan, documents (-want +got):\n%s", diff)
			}
			if head := m.View().Head(); head.Seq > 1 && head.Author != byFile {
				t.Errorf("the scan's commit is %+v", head)
			}
		})
	}
}

// TestEditKnowsSetupFiles: keywords of a setup file can be set.
func TestEditKnowsSetupFiles(t *testing.T) {
	w := newWorld(t, map[string]string{"setup.org": "#+TODO: OPEN | SHUT\n", "a.org": "#+SETUPFILE: setup.org\n" + headed("OPEN One", "one")})
	w.ingest()
	if _, err := w.m.Notes().Edit(t.Context(), "one", nil, document.SetTodo{Keyword: "SHUT"}); err != nil {
		t.Fatal(err)
	}
	if got := w.onDisk()["a.org"]; !strings.Contains(got, "* SHUT One\n") {
		t.Errorf("the file holds %q", got)
	}
}
