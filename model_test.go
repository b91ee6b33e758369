// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/merkle"
)

// model is a memory as a naive person would build it: every state a full copy.
type model struct {
	w       *world
	folder  map[string]string            // the files
	states  map[uint64]map[string]string // by commit: the documents
	roots   map[uint64]merkle.Digest
	named   map[string]uint64
	changed bool // the folder since the last ingest
}

var modelPaths = []string{"a.org", "b.org", "sub/c.org", "agents/x/d.org", "sub/e.org_archive"}

// TestModel drives a memory and the model with the same random operations.
func TestModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := &world{t: t, dir: t.TempDir(), state: filepath.Join(t.TempDir(), "s"), clock: time.Now().Add(time.Hour)}
		w.open()
		defer func() { w.m.Close() }()
		m := &model{w: w, folder: map[string]string{}, states: map[uint64]map[string]string{0: {}}, roots: map[uint64]merkle.Digest{}, named: map[string]uint64{}}
		rt.Repeat(map[string]func(*rapid.T){
			"write": m.write, "remove": m.remove, "ingest": m.ingest, "snapshot": m.snapshot,
			"rollback": m.rollback, "restart": m.restart, "past": m.past, "": m.check,
		})
	})
}

func (m *model) write(t *rapid.T) {
	name := rapid.SampledFrom(modelPaths).Draw(t, "path")
	var text strings.Builder
	for range rapid.IntRange(0, 4).Draw(t, "headlines") {
		text.WriteString(rapid.SampledFrom([]string{"* ", "** ", "*** "}).Draw(t, "stars") + rapid.SampledFrom([]string{"A", "B", "TODO C :x:"}).Draw(t, "title") + "\n")
		if rapid.Bool().Draw(t, "id") {
			text.WriteString(fmt.Sprintf(":PROPERTIES:\n:ID: %s\n:END:\n", rapid.SampledFrom([]string{"one", "two"}).Draw(t, "which")))
		}
		text.WriteString(rapid.SampledFrom([]string{"", "body\n", "[[id:one]]\r\n"}).Draw(t, "body"))
	}
	m.folder[name] = text.String()
	m.w.write(map[string]string{name: text.String()})
	m.changed = true
}

func (m *model) remove(t *rapid.T) {
	if len(m.folder) == 0 {
		t.Skip("no file")
	}
	name := rapid.SampledFrom(sortedNames(m.folder)).Draw(t, "path")
	delete(m.folder, name)
	m.w.remove(name)
	m.changed = true
}

func (m *model) ingest(*rapid.T) { m.take() }

// take ingests the folder and notes the state that came of it.
func (m *model) take() {
	v := m.w.ingest()
	m.changed = false
	m.note(v)
}

func (m *model) note(v *fovea.View) {
	m.states[v.Head().Seq] = maps.Clone(m.folder)
	m.roots[v.Head().Seq] = v.Root()
}

func (m *model) snapshot(t *rapid.T) {
	m.take()
	head := m.w.m.View().Head().Seq
	if head == 0 {
		t.Skip("empty")
	}
	name := rapid.SampledFrom([]string{"x", "y"}).Draw(t, "name")
	if _, err := m.w.m.Snapshot(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	m.named[name] = head
}

func (m *model) rollback(t *rapid.T) {
	m.take()
	head := m.w.m.View().Head().Seq
	if head == 0 {
		t.Skip("empty")
	}
	ref, seq := m.reference(t, head)
	if _, _, err := m.w.m.Rollback(t.Context(), ref, nil); err != nil {
		t.Fatal(err)
	}
	m.folder = maps.Clone(m.states[seq])
	m.note(m.w.m.View())
	if got := m.w.m.View().Root(); got != m.roots[seq] {
		t.Fatalf("rolling back to commit %d gives root %s, want %s", seq, got, m.roots[seq])
	}
}

// reference draws a way to name a commit.
func (m *model) reference(t *rapid.T, head uint64) (string, uint64) {
	if len(m.named) > 0 && rapid.Bool().Draw(t, "by name") {
		name := rapid.SampledFrom(sortedNames(m.named)).Draw(t, "name")
		return name, m.named[name]
	}
	seq := rapid.Uint64Range(1, head).Draw(t, "seq")
	return fmt.Sprintf("seq:%d", seq), seq
}

func (m *model) restart(t *rapid.T) {
	m.take()
	before, snaps := m.w.m.View().Head(), m.w.m.Snapshots()
	m.w.reopen()
	after := m.w.m.View().Head()
	if before.Digest != after.Digest {
		t.Fatalf("after a restart the head is commit %d, want %d", after.Seq, before.Seq)
	}
	if diff := cmp.Diff(snaps, m.w.m.Snapshots()); diff != "" {
		t.Fatalf("snapshots after a restart (-before +after):\n%s", diff)
	}
}

func (m *model) past(t *rapid.T) {
	head := m.w.m.View().Head().Seq
	if head == 0 {
		t.Skip("empty")
	}
	ref, seq := m.reference(t, head)
	v, err := m.w.m.At(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m.states[seq], documentsOf(v)); diff != "" {
		t.Fatalf("commit %d (-model +memory):\n%s", seq, diff)
	}
}

// check compares the present, and the root with that of a memory that sees the
// folder for the first time.
func (m *model) check(t *rapid.T) {
	if m.changed {
		return
	}
	v := m.w.m.View()
	if diff := cmp.Diff(m.folder, documentsOf(v)); diff != "" {
		t.Fatalf("documents (-model +memory):\n%s", diff)
	}
	if diff := cmp.Diff(m.folder, m.w.onDisk()); diff != "" {
		t.Fatalf("files (-model +folder):\n%s", diff)
	}
	fresh, err := fovea.Open(t.Context(), m.w.dir, &fovea.Options{StateDir: filepath.Join(m.w.t.TempDir(), "fresh")})
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	if err := fresh.Ingest(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if got, want := v.Root(), fresh.View().Root(); got != want {
		t.Fatalf("root %s, of a fresh ingest %s", got, want)
	}
}

func sortedNames[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
