// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/travel"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// disks are the file systems of a memory: that of the memex and that of the
// state. They lose power together.
type disks struct{ memex, state *faultfs.FS }

func (d disks) crash(seed uint64) disks { return disks{d.memex.Crash(seed), d.state.Crash(seed)} }
func (d disks) clone() disks            { return disks{d.memex.Clone(), d.state.Clone()} }

// onOp sees the operations of both, some of which come side by side.
func (d disks) onOp(hook func(where string, op faultfs.Op) error) {
	for where, in := range map[string]*faultfs.FS{"memex": d.memex, "state": d.state} {
		if hook == nil {
			in.OnOp(nil)
		} else {
			in.OnOp(func(op faultfs.Op) error { return hook(where, op) })
		}
	}
}

// inTurn makes a hook see one operation at a time. It must neither wait for
// another one nor make one.
func inTurn(hook func(where string, op faultfs.Op) error) func(where string, op faultfs.Op) error {
	var one sync.Mutex
	return func(where string, op faultfs.Op) error {
		one.Lock()
		defer one.Unlock()
		return hook(where, op)
	}
}

func (d disks) open(t testing.TB) *fovea.Memory {
	t.Helper()
	m, err := d.tryOpen(t)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (d disks) tryOpen(t testing.TB) (*fovea.Memory, error) {
	opts := &fovea.Options{Store: d.state, Actor: author.Actor{Author: author.Author{Kind: author.Fovea}, Session: "s1"},
		Now: func() time.Time { return time.UnixMilli(1_800_000_000_000) }}
	opts.Folder = d.memex
	return fovea.Open(t.Context(), "/memex", opts)
}

func (d disks) write(t testing.TB, files map[string]string) {
	t.Helper()
	for name, text := range files {
		err := d.memex.MkdirAll(path.Dir(name), 0o755)
		for at := name; at != "." && err == nil; at = path.Dir(at) {
			err = d.memex.SyncDir(path.Dir(at))
		}
		if err == nil {
			err = vfs.WriteAtomic(d.memex, name, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// files reads the Org files of the memex.
func (d disks) files(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	var walk func(folder string)
	walk = func(folder string) {
		entries, err := d.memex.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			switch name := path.Join(folder, e.Name()); {
			case e.IsDir():
				walk(name)
			case (strings.Contains(name, ".org") || path.Ext(name) == ".md") && e.Name()[0] != '.':
				b, err := d.memex.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				out[name] = string(b)
			}
		}
	}
	walk(".")
	return out
}

// outcome is one of the two states an operation leaves.
type outcome struct {
	Head             fovea.Commit
	Files, Documents map[string]string
	Drift            []string
}

func (d disks) outcome(t testing.TB, m *fovea.Memory) outcome {
	return outcome{Head: m.View().Head(), Files: d.files(t), Documents: documentsOf(m.View()), Drift: m.Status().Drift}
}

// check opens what a crash left and demands one of the outcomes, with files,
// memory and journal agreeing. It returns whether the operation happened.
func (d disks) check(t testing.TB, before, after outcome, where string) bool {
	t.Helper()
	m := d.open(t)
	defer m.Close()
	head, files := m.View().Head(), d.files(t)
	want := before
	if head.Seq == after.Head.Seq {
		want = after
	}
	if head.Digest != want.Head.Digest {
		t.Fatalf("%s: head %+v, want %+v", where, head, want.Head)
	}
	if diff := cmp.Diff(want.Files, files); diff != "" {
		t.Fatalf("%s: commit %d and the files disagree (-want +got):\n%s\n%s", where, head.Seq, diff, m.Status().Recovered)
	}
	if diff := cmp.Diff(want.Documents, documentsOf(m.View())); diff != "" {
		t.Fatalf("%s: documents (-want +got):\n%s", where, diff)
	}
	if diff := cmp.Diff(want.Drift, m.Status().Drift); diff != "" {
		t.Fatalf("%s: drift (-want +got):\n%s", where, diff)
	}
	if err := m.Ingest(t.Context(), nil); err != nil || m.View().Head().Seq != head.Seq {
		t.Fatalf("%s: the next scan found something new: %v, %+v", where, err, m.View().Head())
	}
	if _, problems, err := m.Mending().Verify(t.Context()); err != nil || len(problems) > 0 {
		t.Fatalf("%s: verify: %v, %v", where, problems, err)
	}
	return want.Head.Seq == after.Head.Seq
}

// fileOperation is something that changes files and memory together.
type fileOperation struct {
	name  string
	setup func(t *testing.T, d disks, m *fovea.Memory) // after a first ingest
	do    func(t *testing.T, m *fovea.Memory) error
}

const notesTogether = "notes written together"

// commits is how many commits the operation makes: all or none.
func (o *fileOperation) commits() uint64 {
	if o.name == notesTogether {
		return 3
	}
	return 1
}

const longBody = "A line of a body that fills sectors.\n"

func fileOperations() []fileOperation {
	rollback := func(ref string) func(t *testing.T, m *fovea.Memory) error {
		return func(t *testing.T, m *fovea.Memory) error {
			_, _, err := m.History().Rollback(t.Context(), ref, nil)
			return err
		}
	}
	change := func(t *testing.T, m *fovea.Memory) error {
		body := strings.Repeat(strings.Replace(longBody, "body", "corpus, rewritten", 1), 40)
		_, err := m.Notes().Edit(t.Context(), "a", nil, document.ReplaceBody{Text: body})
		return err
	}
	changeTwo := func(t *testing.T, m *fovea.Memory) error { return assignIDs(t.Context(), m, "a.org", "sub/b.org") }
	later := func(t *testing.T, d disks, m *fovea.Memory) {
		t.Helper()
		d.write(t, map[string]string{"a.org": "* Other\n", "new.org": "* New\n:PROPERTIES:\n:ID: new\n:END:\n"})
		if err := errors.Join(d.memex.Remove("sub/b.org"), d.memex.SyncDir("sub"), d.memex.Remove("sub"), d.memex.SyncDir("."),
			m.Ingest(t.Context(), nil)); err != nil {
			t.Fatal(err)
		}
	}
	link := func(t *testing.T, d disks, _ *fovea.Memory) {
		if err := errors.Join(d.memex.Link("a.org", "other name"), d.memex.SyncDir(".")); err != nil {
			t.Fatal(err)
		}
	}
	drift := func(t *testing.T, d disks, m *fovea.Memory) {
		t.Helper()
		d.write(t, map[string]string{"a.org": "* Second\n"})
		err := m.Ingest(t.Context(), nil)
		if err == nil {
			_, _, err = m.History().Rollback(t.Context(), "seq:1", &fovea.WriteOptions{MemoryOnly: true})
		}
		d.write(t, map[string]string{"sub/b.org": "* Second\n"})
		if err := errors.Join(err, m.Ingest(t.Context(), nil)); err != nil {
			t.Fatal(err)
		}
	}
	return []fileOperation{
		{"edit", nil, change},
		{"edit of a hard link", link, change},
		{"edit of two files", nil, changeTwo},
		{"edit of two files, one a hard link", link, changeTwo},
		{"refile", nil, func(t *testing.T, m *fovea.Memory) error {
			_, err := m.Notes().Refile(t.Context(), "a", "b", nil)
			return err
		}},
		{"archive", nil, func(t *testing.T, m *fovea.Memory) error {
			_, err := m.Notes().Archive(t.Context(), "b", nil)
			return err
		}},
		{notesTogether, nil, func(t *testing.T, m *fovea.Memory) error {
			return rememberTogether(t.Context(), m, "sub/b.org", "One", "Two", "Three")
		}},
		{"rollback", later, rollback("seq:1")},
		{"rollback of a hard link", func(t *testing.T, d disks, m *fovea.Memory) { later(t, d, m); link(t, d, m) }, rollback("seq:1")},
		{"revert", later, func(t *testing.T, m *fovea.Memory) error {
			_, _, _, err := m.History().Revert(t.Context(), []uint64{2}, nil)
			return err
		}},
		{"rollback where a file has it already", drift, rollback("seq:2")},
		{"rollback of files and a tree", func(t *testing.T, d disks, m *fovea.Memory) {
			later(t, d, m)
			if _, _, _, err := m.IngestTree(t.Context(), parsed(t, gauge), "", nil); err != nil {
				t.Fatal(err)
			}
		}, rollback("seq:1")},
		{"a tree to a file", func(t *testing.T, _ disks, m *fovea.Memory) {
			if _, _, _, err := m.IngestTree(t.Context(), parsed(t, gauge), "", nil); err != nil {
				t.Fatal(err)
			}
		}, func(t *testing.T, m *fovea.Memory) error {
			_, err := m.Notes().Refile(t.Context(), "lid", "b", nil)
			return err
		}},
		{"a state with documents that have no file here", func(t *testing.T, d disks, m *fovea.Memory) {
			d.write(t, map[string]string{".foveaignore": "drafts/\n"})
			if err := m.Ingest(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}, func(t *testing.T, m *fovea.Memory) error {
			_, _, err := travel.RestoreStore(t.Context(), travel.Of(m.History()), elsewhere(t), "another", nil)
			return err
		}},
	}
}

// elsewhere is the state folder of a memory that has files which are none here.
func elsewhere(t *testing.T) *faultfs.FS {
	t.Helper()
	d := disks{faultfs.New(), faultfs.New()}
	d.write(t, map[string]string{"a.org": "* Another A\n", "drafts/d.org": "* D\n", "run.sh": "echo\n", ".foveaignore": "nothing\n", "e.org": "* E\n"})
	m, err := fovea.Open(t.Context(), "/another", &fovea.Options{Store: d.state, Folder: d.memex, Opaque: []string{"run.sh"}})
	if err == nil {
		err = errors.Join(m.Ingest(t.Context(), nil), m.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return d.state
}

// prepare makes a memory of three files, closed after its setup.
func (o *fileOperation) prepare(t *testing.T) disks {
	t.Helper()
	d := disks{faultfs.New(), faultfs.New()}
	d.write(t, map[string]string{
		"a.org":     "* A\n:PROPERTIES:\n:ID: a\n:END:\n" + strings.Repeat(longBody, 40),
		"sub/b.org": "* B\n:PROPERTIES:\n:ID: b\n:END:\nbody\n",
		"c.org":     "* C [[id:a]]\n",
	})
	m := d.open(t)
	if err := m.Ingest(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if o.setup != nil {
		o.setup(t, d, m)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	return d.clone()
}

// TestCrashOfAFileOperation cuts the power before every operation on the file
// systems of memex and state: opened again, the operation happened wholly, by
// its author, or not at all.
func TestCrashOfAFileOperation(t *testing.T) {
	type cut struct {
		left  disks
		where string
	}
	for _, o := range fileOperations() {
		t.Run(o.name, func(t *testing.T) {
			d := o.prepare(t)
			m := d.open(t)
			before := d.outcome(t, m)
			var cuts []cut
			n, seeds := 0, uint64(5)
			if testing.Short() {
				seeds = 1
			}
			d.onOp(inTurn(func(where string, op faultfs.Op) error {
				if n++; op.Kind.Changes() {
					for seed := range seeds {
						cuts = append(cuts, cut{d.crash(seed + 5*uint64(n)), fmt.Sprintf("before %s of %s %s, seed %d", op.Kind, where, op.Name, seed)})
					}
				}
				return nil
			}))
			if err := o.do(t, m); err != nil {
				t.Fatal(err)
			}
			d.onOp(nil)
			after := d.outcome(t, m)
			if after.Head.Seq != before.Head.Seq+o.commits() || after.Head.Author.Kind != author.Fovea || after.Head.Session != "s1" ||
				cmp.Equal(before.Files, after.Files) {
				t.Fatalf("the operation gave %+v", after)
			}
			happened := 0
			for i, c := range cuts {
				if i%7 == 0 {
					crashAgain(t, c.left.clone(), before, after, c.where)
				}
				if c.left.check(t, before, after, c.where) {
					happened++
				}
			}
			if !d.crash(1).check(t, before, after, "at the end") {
				t.Error("told it was done, and a crash takes it back")
			}
			if happened == 0 || happened == len(cuts) {
				t.Errorf("%d of %d cuts left the operation done", happened, len(cuts))
			}
			t.Logf("%d cuts, %d left it done", len(cuts), happened)
		})
	}
}

// crashAgain cuts the power before every operation of the opening after a crash.
func crashAgain(t *testing.T, d disks, before, after outcome, where string) {
	t.Helper()
	var cuts []disks
	n := uint64(0)
	d.onOp(inTurn(func(_ string, op faultfs.Op) error {
		if n++; op.Kind.Changes() {
			cuts = append(cuts, d.crash(n))
		}
		return nil
	}))
	m := d.open(t)
	d.onOp(nil)
	_ = m.Close()
	for i, c := range cuts {
		c.check(t, before, after, fmt.Sprintf("%s, and again at cut %d while opening", where, i))
	}
}

// TestFaultOfAFileOperation makes every operation on the file systems fail, one
// per run: an error leaves files and memory as they were, or says that opening
// ends the operation, and opening does.
func TestFaultOfAFileOperation(t *testing.T) {
	for _, o := range fileOperations() {
		t.Run(o.name, func(t *testing.T) {
			whole := o.prepare(t)
			for n := 0; ; n++ {
				d := whole.clone()
				m := d.open(t)
				before := d.outcome(t, m)
				count, failed := 0, ""
				d.onOp(inTurn(func(where string, op faultfs.Op) error {
					if count++; count == n+1 {
						failed = fmt.Sprintf("%s of %s %s failed", op.Kind, where, op.Name)
						return fmt.Errorf("half: %w", faultfs.ErrShortWrite)
					}
					return nil
				}))
				err := o.do(t, m)
				d.onOp(nil)
				if failed == "" {
					return // n is beyond the last operation
				}
				got := d.outcome(t, m)
				made := o.commits()
				if all, ok := err.(interface{ Unwrap() []error }); ok && made > 1 { // each is told for itself
					made -= uint64(len(all.Unwrap()))
				} else if err != nil {
					made = 0
				}
				switch {
				case err == nil && got.Head.Seq != before.Head.Seq+o.commits():
					t.Fatalf("%s: told it was done, and the head is %+v", failed, got.Head)
				case err != nil && m.Status().ReadOnly == "" && got.Head.Seq != before.Head.Seq+made:
					t.Fatalf("%s: told %v, and the head is %+v", failed, err, got.Head)
				case err != nil && made == 0 && m.Status().ReadOnly == "" && !cmp.Equal(before, got):
					t.Fatalf("%s: told %v, and there is a change: %s", failed, err, cmp.Diff(before, got))
				}
				_ = m.Close()
				endsWell(t, d, o, before, failed)
			}
		})
	}
}

// endsWell opens what a failure left: files and memory agree, at the state
// before or behind the operation, by its author.
func endsWell(t *testing.T, d disks, o fileOperation, before outcome, where string) {
	t.Helper()
	m := d.open(t)
	defer m.Close()
	head := m.View().Head()
	made, all := head.Seq-before.Head.Seq, o.commits()
	if made > all || made > 0 && head.Author.Kind != author.Fovea {
		t.Fatalf("%s: reopened at %+v", where, head)
	}
	inStep := filesOf(m.View())
	maps.DeleteFunc(inStep, func(path, _ string) bool { return slices.Contains(m.Status().Drift, path) })
	if diff := cmp.Diff(d.files(t), inStep); diff != "" && head.Seq > before.Head.Seq {
		t.Fatalf("%s: reopened, documents (-files +memory):\n%s", where, diff)
	}
	if got := d.outcome(t, m); head.Seq == before.Head.Seq && !cmp.Equal(before, got) {
		t.Fatalf("%s: reopened (-before +after):\n%s", where, cmp.Diff(before, got))
	}
	if _, problems, err := m.Mending().Verify(t.Context()); err != nil || len(problems) > 0 {
		t.Fatalf("%s: verify: %v, %v", where, problems, err)
	}
	if head.Seq == before.Head.Seq {
		if err := o.do(t, m); err != nil {
			t.Fatalf("%s: done again: %v", where, err)
		}
	}
	entries, err := d.memex.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if vfs.IsTemp(e.Name()) {
			t.Fatalf("%s: %s is left", where, e.Name())
		}
	}
}

// TestOperationsEnd: what came after an operation is not undone by the next
// opening.
func TestOperationsEnd(t *testing.T) {
	for _, o := range fileOperations() {
		t.Run(o.name, func(t *testing.T) {
			d := o.prepare(t)
			m := d.open(t)
			before := d.files(t)
			if err := o.do(t, m); err != nil {
				t.Fatal(err)
			}
			for name, text := range before { // a person takes back one file
				if d.files(t)[name] != text {
					d.write(t, map[string]string{name: text})
					break
				}
			}
			if err := m.Ingest(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			want := d.outcome(t, m)
			left := d.crash(0)
			again := left.open(t)
			if diff := cmp.Diff(want, left.outcome(t, again)); diff != "" || again.Status().Recovered != "" {
				t.Errorf("reopened, %q (-before +after):\n%s", again.Status().Recovered, diff)
			}
		})
	}
}
