// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/faultfs"
)

// onDisk returns the text of a file of the memex, "" if there is none.
func (a *machine) onDisk(name string) string {
	text, _ := a.d.memex.ReadFile(name)
	return string(text)
}

// owned starts a machine whose owner does everything.
func owned(t *testing.T, files map[string]string) *machine {
	a := newMachine(t, files)
	a.byOwner()
	return a
}

// byOwner has the owner of the machine do everything from now on.
func (a *machine) byOwner() {
	a.t.Helper()
	if err := a.m.Close(); err != nil {
		a.t.Fatal(err)
	}
	a.set = func(o *fovea.Options) { o.Actor = author.Actor{Author: author.Author{Kind: author.Owner}} }
	a.open()
}

// TestIgnoredHereIsNotDeletedThere: what one machine ignores leaves its memory, and no other's.
func TestIgnoredHereIsNotDeletedThere(t *testing.T) {
	for name, edit := range map[string]func(b *machine){
		"untouched there": func(*machine) {},
		"others written":  func(b *machine) { b.write("b.org", "* B\n") },
		"edited there":    func(b *machine) { b.write("private/x.org", "* X\nof b\n") },
	} {
		t.Run(name, func(t *testing.T) {
			a := owned(t, map[string]string{"a.org": "* A\n", "private/x.org": "* X\n", "private/deep/y.org": "* Y\n"})
			b := a.copy("b")
			b.byOwner()
			a.write(".foveaignore", "private/\n")
			if _, has := a.m.View().Text("private/x.org"); has {
				t.Fatal("an ignore file that its owner saved does not count at once")
			}
			mine := a.onDisk("private/x.org")
			edit(b)
			theirs := b.onDisk("private/x.org")
			for range 3 {
				exchanged(t, b, a)
				exchanged(t, a, b)
			}
			for _, path := range []string{"private/x.org", "private/deep/y.org"} {
				if _, has := b.m.View().Text(path); !has || b.onDisk(path) == "" {
					t.Errorf("%s was deleted where nobody ignores it", path)
				}
			}
			if got := b.onDisk("private/x.org"); got != theirs {
				t.Errorf("there it is %q, and was %q", got, theirs)
			}
			if got := a.onDisk("private/x.org"); got != mine {
				t.Errorf("where it is ignored the file is %q, and was %q", got, mine)
			}
			if got := b.onDisk(".foveaignore"); got != "" {
				t.Errorf("the ignore file of one machine came into force on another: %q", got)
			}
			if a.root() != b.root() {
				t.Errorf("the machines differ: %s and %s", a.root(), b.root())
			}
			if !slices.Contains(a.m.Status().Drift, "private/x.org") || !slices.Contains(b.m.Status().Drift, ".foveaignore") {
				t.Errorf("nobody is told: %v and %v", a.m.Status().Drift, b.m.Status().Drift)
			}
		})
	}
}

// TestIgnoredByOneOfThree: machines that ignore a file and machines that do not go on meeting in any
// order, and each keeps what is its own.
func TestIgnoredByOneOfThree(t *testing.T) {
	for i := range 12 {
		r := rand.New(rand.NewPCG(uint64(i), 30))
		a := owned(t, map[string]string{"a.org": "* A\n", "private/x.org": "* X\n"})
		all := []*machine{a, a.copy("b"), a.copy("c")}
		all[1].byOwner()
		all[2].byOwner()
		all[1].write(".foveaignore", "private/\n")
		for step := range 12 {
			k := r.Perm(3)
			if r.IntN(3) == 0 {
				all[k[0]].write(fmt.Sprintf("%s%d.org", all[k[0]].name, step), "* N\n")
			}
			exchanged(t, all[k[0]], all[k[1]])
		}
		for range 2 {
			for k := range all {
				exchanged(t, all[k], all[(k+1)%3])
			}
		}
		for _, m := range all {
			if _, has := m.m.View().Text("private/x.org"); !has || m.onDisk("private/x.org") == "" || m.root() != all[0].root() {
				t.Fatalf("seed %d: %s has the file %v, root %s", i, m.name, has, m.root())
			}
		}
	}
}

// TestUnreadHereIsNotDeletedThere: a machine that reads a file no longer, whether it says so in an
// ignore file or in its configuration, hands on no deletion, also where a note of the file moved before.
func TestUnreadHereIsNotDeletedThere(t *testing.T) {
	const one, two = "* One\n:PROPERTIES:\n:ID: one\n:END:\n", "* Two\n:PROPERTIES:\n:ID: two\n:END:\ntext\n"
	a := owned(t, map[string]string{"work.org": one + two, "other.org": "* Other\n", "data.csv": "1,2\n"})
	reading := func(m *machine, opaque ...string) {
		if err := m.m.Close(); err != nil {
			t.Fatal(err)
		}
		m.set = func(o *fovea.Options) {
			o.Actor, o.Opaque = author.Actor{Author: author.Author{Kind: author.Owner}}, opaque
		}
		m.open()
		m.sync()
	}
	reading(a, "data.csv")
	b := a.copy("b")
	reading(b, "data.csv")
	a.d.write(t, map[string]string{"work.org": two, "other.org": "* Other\n" + one})
	a.sync()
	a.write(".foveaignore", "work.org\n")
	reading(a)
	a.write("other.org", "* Other\nmore\n"+one)
	exchanged(t, b, a)
	if got := b.onDisk("work.org"); !strings.Contains(got, two) {
		t.Errorf("work.org is %q", got)
	}
	if got := b.onDisk("data.csv"); got != "1,2\n" {
		t.Errorf("data.csv is %q", got)
	}
}

// exchanged brings into a what b has, and scans.
func exchanged(t *testing.T, a, b *machine) {
	t.Helper()
	if _, _, _, err := mergeStore(t.Context(), a.m, b.d.state.Clone(), nil); err != nil {
		t.Fatal(err)
	}
	root := a.root()
	if a.sync(); a.root() != root {
		t.Fatalf("%s: the scan after a merge changed the state", a.name)
	}
}

// TestRollbackLeavesIgnoreFiles: a rollback, a revert or a restored file puts no older ignore file
// into force, and brings back nothing that is ignored now.
func TestRollbackLeavesIgnoreFiles(t *testing.T) {
	for name, back := range map[string]func(m *fovea.Memory) (fovea.Commit, error){
		"rollback": func(m *fovea.Memory) (fovea.Commit, error) {
			c, _, err := m.History().Rollback(t.Context(), "seq:1", nil)
			return c, err
		},
		"revert": func(m *fovea.Memory) (fovea.Commit, error) {
			c, _, _, err := m.History().Revert(t.Context(), []uint64{2}, nil)
			return c, err
		},
		"restore": func(m *fovea.Memory) (fovea.Commit, error) {
			c, _, err := m.History().RestoreFiles(t.Context(), []string{".foveaignore", "drafts/d.org", "a.org"}, "seq:1", nil)
			return c, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := owned(t, map[string]string{"a.org": "* A\n", "drafts/d.org": "* D\n", ".foveaignore": "other/\n"})
			a.d.write(t, map[string]string{"a.org": "* A\nchanged\n", ".foveaignore": "drafts/\n"})
			a.sync()
			c, err := back(a.m)
			if err != nil {
				t.Fatal(err)
			}
			var left []string
			for _, line := range c.Left {
				path, _, _ := strings.Cut(line, "  ")
				left = append(left, path)
			}
			if got := a.onDisk(".foveaignore"); got != "drafts/\n" {
				t.Errorf("the ignore file is %q", got)
			}
			if got := a.onDisk("a.org"); got != "* A\n" {
				t.Errorf("a.org is %q", got)
			}
			slices.Sort(left)
			if diff := cmp.Diff([]string{".foveaignore", "drafts/d.org"}, left); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
			root := a.root()
			if a.sync(); a.root() != root {
				t.Error("the next scan changed the state")
			}
		})
	}
}

// TestAgentsWriteNoIgnoreFiles: nor do they bring one in or into force, whatever their rights.
func TestAgentsWriteNoIgnoreFiles(t *testing.T) {
	a := owned(t, map[string]string{"a.org": "* A\n", ".foveaignore": "old/\n"})
	b := a.copy("b")
	b.byOwner()
	b.write(".foveaignore", "*\n")
	agent := author.WithActor(t.Context(), author.Actor{Author: author.Author{Kind: author.Agent, Name: "mallory"}, May: anywhere, Renames: true})
	if _, _, _, err := mergeStore(agent, a.m, b.d.state.Clone(), nil); fovea.KindOf(err) != fovea.Denied {
		t.Errorf("merge: %v", err)
	}
	exchanged(t, a, b)
	if _, err := a.m.History().ApplyDrift(agent, ".foveaignore"); fovea.KindOf(err) != fovea.Denied {
		t.Errorf("drift: %v", err)
	}
	if got := a.onDisk(".foveaignore"); got != "old/\n" {
		t.Errorf("the ignore file is %q", got)
	}
	owner := author.WithActor(t.Context(), author.Actor{Author: author.Author{Kind: author.Owner}})
	if _, err := a.m.History().ApplyDrift(owner); err != nil || a.onDisk(".foveaignore") != "old/\n" {
		t.Errorf("drift apply that names nothing: %v, %q", err, a.onDisk(".foveaignore"))
	}
	if _, err := a.m.History().ApplyDrift(owner, ".foveaignore"); err != nil || a.onDisk(".foveaignore") != "*\n" {
		t.Errorf("its owner puts it into force: %v, %q", err, a.onDisk(".foveaignore"))
	}
}

// TestRecoveryLeavesUnlistedFiles: an operation on a file that the memory no longer has a class for
// was cut short; the next opening leaves that file as it is, takes back the others, and opens.
func TestRecoveryLeavesUnlistedFiles(t *testing.T) {
	for _, name := range []string{".zshrc", "notes.txt"} {
		t.Run(name, func(t *testing.T) { recoverUnlisted(t, name) })
	}
}

func recoverUnlisted(t *testing.T, name string) {
	d := disks{faultfs.New(), faultfs.New()}
	d.write(t, map[string]string{name: "one\n", "a.org": "* One\n"})
	opaque := []string{name}
	open := func(d disks, opaque []string) *fovea.Memory {
		m, err := fovea.Open(t.Context(), "/memex", &fovea.Options{Store: d.state, Folder: d.memex, Opaque: opaque})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	m := open(d, opaque)
	err := m.Ingest(t.Context(), nil)
	d.write(t, map[string]string{name: "two\n", "a.org": "* Two\n"})
	if err := errors.Join(err, m.Ingest(t.Context(), nil)); err != nil {
		t.Fatal(err)
	}
	var cuts []disks
	d.onOp(inTurn(func(_ string, op faultfs.Op) error {
		if op.Kind.Changes() {
			cuts = append(cuts, d.crash(uint64(len(cuts))))
		}
		return nil
	}))
	if _, _, err := m.History().Rollback(t.Context(), "seq:1", nil); err != nil {
		t.Fatal(err)
	}
	d.onOp(nil)
	tookBack := 0
	for i, left := range cuts {
		before := onMemex(left, name)
		m := open(left, nil)
		if after := onMemex(left, name); after != before {
			t.Errorf("cut %d: %s was %q, and is %q", i, name, before, after)
		}
		if strings.HasPrefix(m.Status().Recovered, "took back") {
			tookBack++
			if got := onMemex(left, "a.org"); got != "* Two\n" {
				t.Errorf("cut %d: %q was not taken back", i, got)
			}
		}
		if err := errors.Join(m.Ingest(t.Context(), nil), m.Close()); err != nil {
			t.Errorf("cut %d: %v", i, err)
		}
	}
	if tookBack == 0 {
		t.Errorf("none of %d cuts left an operation to take back", len(cuts))
	}
}

func onMemex(d disks, name string) string {
	text, _ := d.memex.ReadFile(name)
	return string(text)
}
