// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/champ"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/node"
)

const gate = "* Gate\n:PROPERTIES:\n:ID: gate-7\n:END:\nThe code is 7120.\n"

// TestCopies judges files beside garden.org, which holds the note gate-7.
func TestCopies(t *testing.T) {
	plain := "The pump needs oil.\nThe hose is blue.\nThe shed is dry.\n"
	two := "* A\n:PROPERTIES:\n:ID: a\n:END:\n" + plain + "* B\n:PROPERTIES:\n:ID: b\n:END:\n" + plain
	for name, c := range map[string]struct {
		path, text string
		original   string
		copied     bool
	}{
		"a marked name shares an id": {
			"garden.sync-conflict-20260314-101112-ABCDEFG.org", strings.Replace(gate, "The code", "Other", 1) + "* B\n" + plain, gate, true,
		},
		"a marked name shares most text":         {"garden (conflicted copy).org", plain + "New.\n", plain, true},
		"a marked name shares nothing":           {"garden (conflicted copy).org", "* Other\ntext\n", gate, false},
		"a marked name shares boilerplate alone": {"garden (conflicted copy).org", "* Other\n:PROPERTIES:\n:ID: x\n:END:\ntext\n", gate, false},
		"a plain name shares the id":             {"garden-PC.org", strings.Replace(gate, "7120", "7121", 1), gate, true},
		"a plain name shares most text":          {"garden 2.org", plain + "New.\n", plain, true},
		"a plain name shares one id of many": {
			"garden-2025.org", gate + two, gate, false,
		},
		"a plain name shares a part of long text": {
			"garden-2025.org", plain, plain + strings.Repeat("Another line that only the first has.\n", 9) + "x\n", false,
		},
		"a pasted subtree in a file of another name": {"attic.org", gate, gate, false},
		"a file in another folder":                   {"old/garden (1).org", gate, gate, false},
		"both are empty":                             {"garden (1).org", "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := fresh(folder{"garden.org": c.original, c.path: c.text}, []string{c.path, "garden.org"})
			if got := s.CopyOf(c.path) == "garden.org"; got != c.copied || s.CopyOf("garden.org") != "" {
				t.Errorf("a copy: %t", got)
			}
			n, ok := s.Get("gate-7")
			if ok != strings.Contains(c.original, "gate-7") || c.copied && ok && n.Path != "garden.org" {
				t.Errorf("gate-7 is borne by %+v", n)
			}
			alone := fresh(folder{c.path: c.text}, []string{c.path})
			if alone.CopyOf(c.path) != "" {
				t.Error("a copy of nothing")
			}
			d := s.Edit(2)
			d.Drop("garden.org")
			if s, _ = d.Seal(); s.Root() != alone.Root() || s.CopyOf(c.path) != "" {
				t.Error("without the original it is no ordinary file")
			}
		})
	}
}

// TestAppendedTextMakesACopy appends to files by the short way, which parses the new text alone.
func TestAppendedTextMakesACopy(t *testing.T) {
	note := func(id string) string {
		return "* Note " + id + "\n:PROPERTIES:\n:ID: " + id + "\n:END:\n" + strings.Repeat("The same line of "+id[1:]+".\n", 1) + "\n"
	}
	long := func(kind string) (text string) {
		for _, id := range []string{"1", "2", "3", "4"} {
			text += note(kind + id)
		}
		return text
	}
	body := "A line that is much longer than all the lines of the notes together, so that it is most of the text, whatever else there is in the files.\n"
	f := folder{"a.org": body + long("x"), "a-PC.org": long("y")}
	d := fresh(f, sorted(f)).Edit(2)
	f["a-PC.org"] += "* Last\n:PROPERTIES:\n:ID: z\n:END:\n" + body
	d.Put("a-PC.org", document.File(f["a-PC.org"], false))
	s, _ := d.Seal()
	want := fresh(f, sorted(f))
	if diff := cmp.Diff(listing(want), listing(s)); diff != "" || s.Root() != want.Root() {
		t.Errorf("(-fresh +appended):\n%s", diff)
	}
	if s.CopyOf("a-PC.org") == "" {
		t.Error("the append makes no copy, so the test tests nothing")
	}
}

// TestReadCopies reads a state of an older version, in which the copy bore the id, as the
// first by path.
func TestReadCopies(t *testing.T) {
	f := folder{"garden+autosave.org": gate, "garden.org": gate}
	w := &whole{formats: orgFiles}
	for _, path := range sorted(f) {
		nodes, _ := node.Read(orgFiles, path, nil, document.File(f[path], false)).Nodes(func(c node.Claim) bool {
			return c.ID != "gate-7" || path == "garden+autosave.org"
		})
		w.documents = append(w.documents, nodes)
		for _, n := range nodes {
			w.nodes, w.entries = append(w.nodes, n), append(w.entries, champ.NewEntry(n.ID, n))
		}
	}
	old := w.state(true)
	if n, ok := old.Get("gate-7"); !ok || n.Path != "garden+autosave.org" {
		t.Fatalf("the older state is wrong: %+v", n)
	}
	d := old.Edit(2)
	d.ReadCopies()
	s, _ := d.Seal()
	want := fresh(f, sorted(f))
	if diff := cmp.Diff(listing(want), listing(s)); diff != "" || s.Root() != want.Root() {
		t.Errorf("(-fresh +read again):\n%s", diff)
	}
	if diff := cmp.Diff(contests(want), contests(s)); diff != "" {
		t.Errorf("contested ids (-fresh +read again):\n%s", diff)
	}
}

// TestNoFileOfTheCorpusIsACopy reads all files of the outside corpus as one folder tree.
func TestNoFileOfTheCorpusIsACopy(t *testing.T) {
	root := os.DirFS(filepath.Join(foveatest.Testdata(t), "corpus"))
	d, files := Empty(orgFiles).Edit(1), 0
	err := fs.WalkDir(root, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !document.IsOrgPath(path) {
			return err
		}
		text, err := fs.ReadFile(root, path)
		d.Put(path, document.File(string(text), false))
		files++
		return err
	})
	if err != nil || files < 100 {
		t.Fatalf("%d files: %v", files, err)
	}
	s, _ := d.Seal()
	for path, of := range s.Copies() {
		t.Errorf("%s is taken for a copy of %s", path, of)
	}
	t.Logf("%d files", files)
}
