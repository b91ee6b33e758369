// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// model is a memory as a naive person would build it: every state a full copy.
type model struct {
	t       *testing.T
	d       disks
	m       *fovea.Memory
	hours   atomic.Int64
	folder  map[string]string            // the files
	states  map[uint64]map[string]string // by commit: the documents
	roots   map[uint64]merkle.Digest
	named   map[string]uint64
	handles map[string]string // of every id that a view ever had
	held    []heldView        // views that were taken
	changed bool              // the folder since the last ingest
}

// heldView is a view as it was when it was taken.
type heldView struct {
	view      fovea.View
	documents map[string]string
	root      merkle.Digest
}

var modelPaths = []string{"a.org", "b.org", "sub/c.org", "agents/x/d.org", "sub/e.org_archive"}

// TestModel drives a memory and the model with the same random operations.
func TestModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := newModel(t)
		defer func() { m.m.Close() }()
		rt.Repeat(map[string]func(*rapid.T){
			"write": m.write, "remove": m.remove, "rename": m.rename, "ingest": m.ingest,
			"edit": m.edit, "insert": m.insert, "refile": m.refile, "delete": m.delete,
			"put a tree": m.put, "edit a tree": m.editTree, "tree to a file": m.settle,
			"snapshot": m.snapshot, "rollback": m.rollback, "rollback of memory": m.forgetful, "apply drift": m.apply, "adopt drift": m.adopt,
			"revert": m.revert, "merge": m.merge, "overlay": m.overlay,
			"restart": m.restart, "restart from the journal": m.replay, "restart from an image": m.image, "past": m.past,
			"": m.check,
		})
	})
}

func newModel(t *testing.T) *model {
	m := &model{
		t: t, d: disks{faultfs.New(), faultfs.New()}, folder: map[string]string{}, states: map[uint64]map[string]string{0: {}},
		roots: map[uint64]merkle.Digest{}, named: map[string]uint64{}, handles: map[string]string{},
	}
	m.open()
	m.roots[0] = m.m.View().Root()
	return m
}

// open opens the memory; its clock goes on by an hour at each look.
func (m *model) open() {
	opts := &fovea.Options{Store: m.d.state, Actor: author.Actor{Author: author.Author{Kind: author.Fovea}}, Now: func() time.Time {
		return time.UnixMilli(1_800_000_000_000).Add(time.Duration(m.hours.Add(1)) * time.Hour)
	}}
	opts.Folder = m.d.memex
	var err error
	if m.m, err = fovea.Open(m.t.Context(), "/memex", opts); err != nil {
		m.t.Fatal(err)
	}
}

// take ingests the folder and notes the state that came of it.
func (m *model) take(t *rapid.T) {
	if err := m.m.Ingest(t.Context(), &fovea.IngestOptions{AcceptDeletions: true}); err != nil {
		t.Fatal(err)
	}
	m.changed = false
	m.note()
}

// note copies all there is, of every commit that is new.
func (m *model) note() {
	head := m.m.View()
	for seq := head.Head().Seq; seq > 0; seq-- {
		if _, known := m.roots[seq]; known {
			break
		}
		v, err := m.m.History().At(m.t.Context(), fmt.Sprintf("seq:%d", seq))
		if err != nil {
			m.t.Fatal(err)
		}
		m.states[seq], m.roots[seq] = documentsOf(v), v.Root()
	}
	m.folder = m.d.files(m.t)
	m.held = append(m.held, heldView{head, documentsOf(head), head.Root()})
	if len(m.held) > 8 {
		m.held = m.held[1:]
	}
}

// done takes down what an operation led to. It may have been refused.
func (m *model) done(t *rapid.T, err error) {
	if !expected(err) {
		t.Fatal(err)
	}
	if err != nil {
		t.Logf("refused: %v", err)
	}
	m.note()
}

// check compares the present, and the root and the answers with those of a memory
// that sees folder and trees for the first time. No view has changed since it was taken.
func (m *model) check(t *rapid.T) {
	for _, h := range m.held {
		if diff := cmp.Diff(h.documents, documentsOf(h.view)); diff != "" || h.view.Root() != h.root {
			t.Fatalf("the view of commit %d has changed:\n%s", h.view.Head().Seq, diff)
		}
	}
	sameHandles(t, m.m.View(), m.handles)
	if m.changed {
		return
	}
	v := m.m.View()
	if diff := cmp.Diff(m.states[v.Head().Seq], documentsOf(v)); diff != "" {
		t.Fatalf("documents (-model +memory):\n%s", diff)
	}
	files, remembered := maps.Clone(m.folder), filesOf(v)
	for path := range m.m.History().Drift() {
		delete(files, path)
		delete(remembered, path)
	}
	if diff := cmp.Diff(files, remembered); diff != "" {
		t.Fatalf("files that do not drift (-folder +memory):\n%s", diff)
	}
	fresh := m.fresh(t, v)
	if fresh.Root() != v.Root() {
		t.Fatalf("root %s, of a fresh ingest %s\n%s", v.Root(), fresh.Root(), cmp.Diff(nodesOf(fresh), nodesOf(v)))
	}
	sameAnswers(t, fresh, v)
	sameWindow(t, fresh, v)
}

// fresh returns the view of a new memory of the same files and trees. Where the root of
// a tree has no ID, and would get another name now than when it came, it is put where
// it is, as a file is.
func (m *model) fresh(t *rapid.T, v fovea.View) fovea.View {
	d := disks{faultfs.New(), faultfs.New()}
	d.write(m.t, filesOf(v))
	fresh := d.open(m.t)
	defer fresh.Close()
	for r := range v.Documents() {
		if !document.IsMemory(r.Path) {
			continue
		}
		tree := node.TreeOf(slices.Collect(v.Document(r.Path)))
		if name, err := node.TreePath("memex", tree); tree.ID() == "" && (name != r.Path || err != nil) {
			return m.placed(t, v)
		}
		if _, _, _, err := fresh.IngestTree(t.Context(), tree, "", nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := fresh.Ingest(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return fresh.View()
}

// placed returns the view of a new state with the same documents.
func (m *model) placed(t *rapid.T, v fovea.View) fovea.View {
	draft := graph.Empty(document.Formats{org.Format{}}).Edit(0)
	for r := range v.Documents() {
		if text, _ := v.Text(r.Path); !document.IsMemory(r.Path) {
			draft.Put(r.Path, document.File(text, false))
		} else if parts, err := node.TreeOf(slices.Collect(v.Document(r.Path))).Parts(r.Path); err != nil {
			t.Fatal(err)
		} else {
			draft.Put(r.Path, parts...)
		}
	}
	state, _ := draft.Seal()
	return view.New(state, fovea.Commit{}, "", view.HandlesOf(view.Of(v))...)
}

func nodesOf(v fovea.View) map[string]string {
	out := map[string]string{}
	for n := range v.All() {
		out[n.ID] = fmt.Sprint(n.Path, " ", n.Parent, " ", n.Type, " ", n.Title(), " ", n.Own)
	}
	return out
}

func (m *model) restart(t *rapid.T) { m.reopen(t, func() {}) }

// replay opens the memory without any image.
func (m *model) replay(t *rapid.T) {
	m.reopen(t, func() {
		entries, err := m.d.state.ReadDir("image")
		for _, e := range entries {
			err = errors.Join(err, m.d.state.Remove(path.Join("image", e.Name())))
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}

// image opens the memory from an image of its last moment.
func (m *model) image(t *rapid.T) {
	if m.m.View().Head().Seq == 0 {
		t.Skip("empty")
	}
	if _, _, err := m.m.History().Checkpoint(t.Context(), "image"); err != nil {
		t.Fatal(err)
	}
	m.named["image"] = m.m.View().Head().Seq
	m.restart(t)
}

func (m *model) reopen(t *rapid.T, meanwhile func()) {
	before, snaps, drift := m.m.View(), m.m.History().Snapshots(), m.m.History().Drift()
	if err := m.m.Close(); err != nil {
		t.Fatal(err)
	}
	meanwhile()
	m.open()
	after := m.m.View()
	if before.Head().Digest != after.Head().Digest || before.Root() != after.Root() {
		t.Fatalf("after a restart the head is commit %d, want %d", after.Head().Seq, before.Head().Seq)
	}
	if diff := cmp.Diff(snaps, m.m.History().Snapshots()); diff != "" {
		t.Fatalf("snapshots after a restart (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(drift, m.m.History().Drift()); diff != "" {
		t.Fatalf("drift after a restart (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(nodesOf(before), nodesOf(after)); diff != "" {
		t.Fatalf("nodes after a restart (-before +after):\n%s", diff)
	}
}

func (m *model) past(t *rapid.T) {
	ref, seq := m.reference(t)
	v, err := m.m.History().At(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m.states[seq], documentsOf(v)); diff != "" || v.Root() != m.roots[seq] {
		t.Fatalf("commit %d (-model +memory):\n%s", seq, diff)
	}
}

// reference draws a way to name a commit.
func (m *model) reference(t *rapid.T) (string, uint64) {
	head := m.m.View().Head().Seq
	if head == 0 {
		t.Skip("empty")
	}
	if len(m.named) > 0 && rapid.Bool().Draw(t, "by name") {
		name := rapid.SampledFrom(sortedNames(m.named)).Draw(t, "name")
		return name, m.named[name]
	}
	seq := rapid.Uint64Range(1, head).Draw(t, "seq")
	return fmt.Sprintf("seq:%d", seq), seq
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
