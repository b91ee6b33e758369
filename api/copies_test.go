// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/foveatest"
)

// copied is a memory and its folder, for tests of files that share ids and texts.
type copied struct {
	testing.TB
	dir string
	svc api.Service
}

func newCopied(t testing.TB) *copied {
	t.Helper()
	c := &copied{TB: t, dir: t.TempDir()}
	m, err := fovea.Open(t.Context(), c.dir, &fovea.Options{StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	c.svc = api.NewLocal(m, nil)
	return c
}

// write writes a file, or removes it if the text is "-", and reads the folder.
func (c *copied) write(name, text string) {
	c.Helper()
	path := filepath.Join(c.dir, name)
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if text == "-" {
		err = os.Remove(path)
	} else if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		c.Fatal(err)
	}
	ask(c, api.OpIngest, api.IngestRequest{AcceptDeletions: true})
}

func ask[Q, A any](c *copied, op api.Op[Q, A], req Q) A {
	c.Helper()
	out, err := op.Call(c.Context(), c.svc, req)
	if err != nil {
		c.Fatalf("%s: %v", op.Name, err)
	}
	return out
}

func (c *copied) text(name string) string {
	b, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil {
		return ""
	}
	return string(b)
}

// found lists the paths of what searches, queries and windows have for a word.
func (c *copied) found(word string) (paths []string) {
	c.Helper()
	for _, h := range ask(c, api.OpSearch, api.SearchRequest{Text: word, Limit: 100}) {
		paths = append(paths, h.Path)
	}
	for _, n := range ask(c, api.OpQuery, api.QueryRequest{Query: "type:headline"}) {
		paths = append(paths, n.Path)
	}
	for _, p := range ask(c, api.OpContext, api.ContextRequest{Question: word, Budget: 4000}).Parts {
		paths = append(paths, p.Path)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

const gate = "* Gate\n:PROPERTIES:\n:ID: gate-7\n:END:\nThe code is 7120.\n"

func TestConflictCopy(t *testing.T) {
	c := newCopied(t)
	const name = "garden,sync-clash-20260314-phone.org"
	c.write("garden.org", gate+"The hinge squeaks.\n")
	c.write(name, strings.Replace(gate, "7120", "7121", 1)+"The hinge squeaks.\n* Paint\nPaint it green.\n")
	if got := c.found("code"); !slices.Equal(got, []string{"garden.org"}) {
		t.Errorf("found in %q", got)
	}
	if s := ask(c, api.OpShow, api.ShowRequest{ID: "gate-7"}); s.Path != "garden.org" || !strings.Contains(s.Doubled, name) {
		t.Errorf("show: %s, doubled %q", s.Path, s.Doubled)
	}
	if s := ask(c, api.OpShow, api.ShowRequest{ID: "Gate"}); s.ID != "gate-7" {
		t.Errorf("the title is that of %s", s.ID)
	}
	if s := ask(c, api.OpShow, api.ShowRequest{ID: name}); !strings.Contains(s.Doubled, "fovea resolve") {
		t.Errorf("the copy says %q", s.Doubled)
	}
	status := ask(c, api.OpStatus, api.StatusRequest{Diagnostics: true})
	if !strings.Contains(fmt.Sprint(status.DiagnosticList), `copy of "garden.org"`) {
		t.Errorf("diagnostics: %+v", status.DiagnosticList)
	}
	if _, err := api.OpContext.Call(t.Context(), c.svc, api.ContextRequest{Focus: name, Budget: 1000}); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("a window on the copy: %v", err)
	}
	e := ask(c, api.OpEdit, api.EditRequest{ID: "gate-7", Append: new("New line.")})
	if e.Path != "garden.org" || !strings.Contains(e.Doubled, name) {
		t.Errorf("edited %+v", e)
	}
	s := ask(c, api.OpShow, api.ShowRequest{ID: name})
	c.write(name, c.text(name)+"* Later\n")
	if _, err := api.OpResolve.Call(t.Context(), c.svc, api.ResolveRequest{ID: name, Base: s.Version}); fovea.KindOf(err) != fovea.Conflict {
		t.Errorf("a copy that changed since it was read: %v", err)
	}
	s = ask(c, api.OpShow, api.ShowRequest{ID: name})
	ask(c, api.OpResolve, api.ResolveRequest{ID: name, Base: s.Version})
	if c.text(name) != "" {
		t.Error("the copy is still there")
	}
	merged := c.text("garden.org")
	for _, line := range []string{"The code is 7121.", "The hinge squeaks.", "Paint it green.", "New line."} {
		if strings.Count(merged, line) != 1 {
			t.Errorf("%q stands %d times in\n%s", line, strings.Count(merged, line), merged)
		}
	}
	ask(c, api.OpRollback, api.RollbackRequest{})
	if c.text(name) == "" || strings.Contains(c.text("garden.org"), "Paint") {
		t.Error("a rollback does not undo the merge")
	}
	c.write("garden.org", "-")
	if s := ask(c, api.OpShow, api.ShowRequest{ID: "gate-7"}); s.Path != name || s.Doubled != "" {
		t.Errorf("without the original the note is in %s, %q", s.Path, s.Doubled)
	}
	if log := ask(c, api.OpLog, api.LogRequest{Limit: 1}); !strings.Contains(log[0].Message, "gate-7") {
		t.Errorf("the commit says %q", log[0].Message)
	}
}

// TestForgetNamesWhatIsLeft forgets a note of which other files have copies.
func TestForgetNamesWhatIsLeft(t *testing.T) {
	const rest = "* Other\nThe hose is blue.\nThe pump needs oil.\n** Tasks\n"
	for name, c := range map[string]struct{ path, text string }{
		"a copy":                  {"Backup of garden.org", gate},
		"sorts behind":            {"garden.~phone-20260314.org", gate},
		"pasted":                  {"attic.org", "* Old\n*" + gate},
		"pasted, no id":           {"attic.org", "* Entrance\nThe code  is\n7120.\n"},
		"changed since":           {"zoo.org", strings.Replace(gate, "7120", "7121", 1)},
		"in another case":         {"old/garden (1).org", gate},
		"a copy with more, no id": {"garden (conflicted copy).org", "* Gate\nFirst. The code is 7120. And one more line.\n" + rest},
		"a copy of a copy, no id": {"garden (1) (conflicted copy).org", "* The gate\nThe code is 7120.\nAnd one more line.\n" + rest},
		"a plain copy with more":  {"garden 2.org", "* Gate\nThe code is 7120.\nMore.\n" + rest},
		"a copy of the title":     {"garden.conflict1.org", "* Lock\n" + rest},
		"a short text and more":   {"garden.conflict1.org", "* Key\nBox 4\nor 5, whoever has it\n" + rest},
	} {
		t.Run(name, func(t *testing.T) {
			m := newCopied(t)
			m.write("garden.org", gate+"** Lock\n** Key\nBox 4\n"+rest)
			m.write(c.path, c.text)
			id := "gate-7"
			if name == "pasted" {
				id = "garden.org:1" // the paste sorts first and bears the id
			}
			e := ask(m, api.OpForget, api.MoveRequest{ID: id})
			if !strings.Contains(e.Doubled, c.path+":") {
				t.Errorf("forget says %q", e.Doubled)
			}
			if strings.Contains(m.text("garden.org"), "7120") {
				t.Error("the note is still in garden.org")
			}
		})
	}
	m := newCopied(t)
	m.write("garden.org", gate+"** Tasks\n** \n** Key\nBox 4\n"+rest)
	m.write("b.org", "* Tasks\n* Gate\nThe code is 7120. And more.\n* Box 4\n")
	m.write("garden (conflicted copy).org", rest[:len(rest)-len("** Tasks\n")])
	if e := ask(m, api.OpForget, api.MoveRequest{ID: "gate-7"}); e.Doubled != "" {
		t.Errorf("of a single note: %q", e.Doubled)
	}
}

// TestCommitSaysWhichNodeBearsAnID moves an id from one node to another while both are there.
func TestCommitSaysWhichNodeBearsAnID(t *testing.T) {
	for name, c := range map[string]struct {
		path, text string
		said       string
	}{
		"a paste that sorts first":  {"attic.org", "* Old\n*" + gate, "gate-7 is now that of a node in attic.org, before in garden.org"},
		"a paste that sorts behind": {"zoo.org", gate, ""},
		"a paste above":             {"garden.org", "* Gate\n:PROPERTIES:\n:ID: gate-7\n:END:\nOther.\n" + gate, "gate-7 is now that of a node in garden.org"},
		"a paste below":             {"garden.org", gate + "* Gate\n:PROPERTIES:\n:ID: gate-7\n:END:\nOther.\n", ""},
		"an edit":                   {"garden.org", gate + "More.\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := newCopied(t)
			m.write("garden.org", gate)
			m.write(c.path, c.text)
			log := ask(m, api.OpLog, api.LogRequest{Limit: 1})
			if got := log[0].Message; (c.said == "") != !strings.Contains(got, "gate-7") || !strings.Contains(got, c.said) {
				t.Errorf("the commit says %q", got)
			}
			if c.said == "" && name == "an edit" {
				return
			}
			if s := ask(m, api.OpShow, api.ShowRequest{ID: "gate-7"}); !strings.Contains(s.Doubled, "gate-7 is declared in") {
				t.Errorf("show says %q", s.Doubled)
			}
		})
	}
}

// TestShowOfANodeThatIsGone takes the note pump-3 away in several ways.
func TestShowOfANodeThatIsGone(t *testing.T) {
	const pump = "* Pump\n:PROPERTIES:\n:ID: pump-3\n:END:\nserial 55\n"
	for name, c := range map[string]struct {
		steps []string // file, text
		said  []string
		not   string
	}{
		"removed after a rename": {
			[]string{"ideas.org", pump, "plans.org", pump, "ideas.org", "-", "plans.org", "* Other\ntext\n"},
			[]string{"left plans.org with commit 4", "revert 4", "seq:3"}, "ideas.org"},
		"the file was emptied": {
			[]string{"ideas.org", pump, "ideas.org", ""},
			[]string{"left ideas.org with commit 2", "seq:1"}, "restore",
		},
		"the file was deleted": {
			[]string{"ideas.org", pump, "ideas.org", "-"},
			[]string{"ideas.org is gone since commit 2", `restore "ideas.org" --at seq:1`}, "revert",
		},
		"removed, then the file too": {
			[]string{"ideas.org", pump + "* B\n", "ideas.org", "* B\n", "ideas.org", "-"},
			[]string{"left ideas.org with commit 2"}, "restore",
		},
		"two files one after another": {
			[]string{"a.org", pump, "a.org", "-", "b.org", pump, "b.org", "* C\n"},
			[]string{"left b.org with commit 4"}, "a.org",
		},
		"the text moved under a new id": {
			[]string{"a.org", "* Pump\nserial 55\n", "a.org", "* Shed\n** Pump\nserial 55\n"},
			[]string{"its id is now", "a.org"}, "restore",
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newCopied(t)
			id := "pump-3"
			for i := 0; i < len(c.steps); i += 2 {
				m.write(c.steps[i], c.steps[i+1])
				if i == 0 && !strings.Contains(c.steps[1], "pump-3") {
					id = ask(m, api.OpShow, api.ShowRequest{ID: "Pump"}).ID
				}
			}
			_, err := api.OpShow.Call(t.Context(), m.svc, api.ShowRequest{ID: id})
			if fovea.KindOf(err) != fovea.NotFound {
				t.Fatal(err)
			}
			for _, said := range c.said {
				if !strings.Contains(err.Error(), said) {
					t.Errorf("%q is not in: %v", said, err)
				}
			}
			if strings.Contains(err.Error(), c.not) {
				t.Errorf("%q is in: %v", c.not, err)
			}
		})
	}
}

// TestEmptiedAndZeroedFiles replaces what a file holds by nothing, and by NUL bytes.
func TestEmptiedAndZeroedFiles(t *testing.T) {
	for name, text := range map[string]string{"emptied": "", "zeroed": strings.Repeat("\x00", 64), "without headlines": "text\n"} {
		m := newCopied(t)
		m.write("a.org", gate)
		m.write("a.org", text)
		if log := ask(m, api.OpLog, api.LogRequest{Limit: 1}); !strings.Contains(log[0].Message, "a.org lost all its headlines") {
			t.Errorf("%s: the commit says %q", name, log[0].Message)
		}
		status := ask(m, api.OpStatus, api.StatusRequest{Diagnostics: true})
		if got := strings.Contains(fmt.Sprint(status.DiagnosticList), "NUL"); got != (name == "zeroed") {
			t.Errorf("%s: diagnostics: %+v", name, status.DiagnosticList)
		}
	}
}

// namesOfCopies are names that programs give to copies of garden.org.
var namesOfCopies = []string{
	"garden.sync-conflict-20260314-101112-ABCDEFG.org",
	"garden (Anna's conflicted copy 2026-03-14).org",
	"garden (conflicted copy 2026-03-14 101112).org",
	"garden_conflict-20260314-101112.org",
	"garden-DESKTOP-4F5G6H.org",
	"garden-Annas-MacBook-Pro-2.org",
	"garden-laptop-safeBackup-0001.org",
	"garden (1).org",
	"Copy of garden.org",
	"garden 2.org",
	"garden.Conflict.org",
	"garden (SFConflict anna@example.org 2026-03-14-10-11-12).org",
	"garden(Conflict_anna_2026-03-14).org",
	"garden [conflicted].org",
	"garden_Andy-PC_Jan-03-0901-2013_CaseConflict_1.org",
	"garden (copy: conflict #1 on 2026-03-14).org",
	"garden (conflict).org",
	"garden.conflict1.org",
	"garden (edited by Anna on Home PC @ 3-14-26).org",
	"garden - Copy.org",
	"garden copy.org",
	"garden (copy).org",
	"garden_LOCAL_1234.org",
	"Backup of garden.org",
	"garden+autosave.org",
	"garden.~phone-20260314.org",
}

// TestCampaignConflictCopies draws folders in which a program has made a copy of a file that
// two machines changed, and steps of their owner. The id stays with the real file, no window,
// search or query has the copy, and each line that a side wrote stands in a file at the end.
func TestCampaignConflictCopies(t *testing.T) {
	c := foveatest.NewCampaign(t)
	folders, merges, edits := c.Length(2*len(namesOfCopies), 1000), 0, 0
	for i := range folders {
		name := namesOfCopies[i%len(namesOfCopies)]
		m := newCopied(t)
		lines := map[string]bool{}
		var base strings.Builder
		for n := range 2 + c.Rand.IntN(4) {
			fmt.Fprintf(&base, "* Note %d\n:PROPERTIES:\n:ID: note-%d\n:END:\nWhat note %d says.\n", n, n, n)
		}
		change := func(text, side string) string {
			for n := range 1 + c.Rand.IntN(2) {
				line := fmt.Sprintf("Line %d of the %s in folder %d.\n", n, side, i)
				lines[line] = true
				at := fmt.Sprintf("What note %d says.\n", c.Rand.IntN(2))
				text = strings.Replace(text, at, at+line, 1)
			}
			return text
		}
		m.write("garden.org", base.String())
		here, there := change(base.String(), "laptop"), change(base.String(), "phone")
		if c.Rand.IntN(2) == 0 { // the laptop keeps its own
			m.write("garden.org", here)
			m.write(name, there)
		} else {
			m.write("garden.org", here)
			if err := os.Rename(filepath.Join(m.dir, "garden.org"), filepath.Join(m.dir, name)); err != nil {
				t.Fatal(err)
			}
			m.write("garden.org", there)
		}
		for range c.Rand.IntN(4) {
			id := fmt.Sprintf("note-%d", c.Rand.IntN(2))
			line := fmt.Sprintf("Edit %d.\n", edits)
			if e := ask(m, api.OpEdit, api.EditRequest{ID: id, Append: new(strings.TrimSpace(line))}); e.Path != "garden.org" {
				t.Fatalf("%s: %s was edited in %s", name, id, e.Path)
			}
			lines[line], edits = true, edits+1
			if got := m.found("note says line"); !slices.Equal(got, []string{"garden.org"}) {
				t.Fatalf("%s: found in %q", name, got)
			}
		}
		switch c.Rand.IntN(3) {
		case 0:
			ask(m, api.OpResolve, api.ResolveRequest{ID: name})
			if merges++; m.text(name) != "" {
				t.Fatalf("%s is still there", name)
			}
		case 1:
			if e := ask(m, api.OpForget, api.MoveRequest{ID: "note-1"}); !strings.Contains(e.Doubled, name) {
				t.Fatalf("%s: forget says %q", name, e.Doubled)
			}
			lines = nil
		}
		all := m.text("garden.org") + m.text(name)
		for line := range lines {
			if !strings.Contains(all, strings.TrimSpace(line)) {
				t.Fatalf("%s: %q is lost of\n%s", name, line, all)
			}
		}
		if m.text(name) != "" {
			m.write(name, "-")
		}
		if s := ask(m, api.OpShow, api.ShowRequest{ID: "note-0"}); s.Path != "garden.org" || s.Doubled != "" {
			t.Fatalf("%s: at the end note-0 is in %s, %q", name, s.Path, s.Doubled)
		}
	}
	t.Logf("%d folders, names of %d forms, %d edits, %d merges; 0 lines lost, 0 ids moved, 0 copies found", folders, len(namesOfCopies), edits, merges)
}
