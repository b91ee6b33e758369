// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/store/storetest"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// histories keeps the histories of state folders in memory.
type histories map[vfs.FS]*storetest.InMemory

func (h histories) open(in vfs.FS) (store.Store, error) {
	if h[in] == nil {
		h[in] = new(storetest.InMemory)
	}
	return h[in].Open(), nil
}

// copyTo gives another state folder the records of one, which may be open.
func (h histories) copyTo(t *testing.T, from, to *faultfs.FS) {
	t.Helper()
	if err := vfs.WriteAtomic(to, store.FormatFile, []byte("a merge looks for it"), 0o600); err != nil {
		t.Fatal(err)
	}
	source, err := h.open(from)
	if err != nil {
		t.Fatal(err)
	}
	target, err := h.open(to)
	if err != nil {
		t.Fatal(err)
	}
	var b *store.Batch
	flush := func() {
		if b == nil {
			return
		}
		if _, err := target.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	batch := uint64(0)
	if err := source.Replay(store.Pos{}, func(r store.Record) error {
		if r.Batch != batch {
			flush()
			b, batch = &store.Batch{}, r.Batch
		}
		b.Add(r.Kind, r.Data)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	flush()
	if err := target.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestStores does the same over each store: remembers, rolls back, opens again, merges and
// purges. What comes of it is the same.
func TestStores(t *testing.T) {
	want := livesOver(t, func(*fovea.Options) {}, func(*faultfs.FS, *faultfs.FS) {})
	inMemory := histories{}
	got := livesOver(t, func(o *fovea.Options) { o.OpenStore = inMemory.open }, func(from, to *faultfs.FS) { inMemory.copyTo(t, from, to) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("over the store in memory (-disk +memory):\n%s", diff)
	}
	for in := range inMemory {
		if names, err := in.ReadDir("journal"); err == nil {
			t.Errorf("there is a journal with %d files as well", len(names))
		}
	}
}

// life is what became of a memory.
type life struct {
	Files []map[string]string
	Kinds []string // of the commits

	Problems []document.Problem // what Verify says after the purge
}

// livesOver leads a memory through its life. set chooses the store, and copied is called
// when a state folder was copied.
func livesOver(t *testing.T, set func(*fovea.Options), copied func(from, to *faultfs.FS)) (all life) {
	t.Helper()
	a := &machine{t: t, name: "a", d: disks{faultfs.New(), faultfs.New()}, hour: new(atomic.Int64), set: set}
	id := "no note yet"
	note := func() {
		t.Helper()
		a.whole(t)
		files := a.d.files(t)
		for name, text := range files {
			files[name] = strings.ReplaceAll(text, id, "ID") // which is random
		}
		all.Files = append(all.Files, files)
	}
	a.d.write(t, map[string]string{"notes.org": mergeFile})
	a.open()
	a.sync()
	note()

	if _, err := a.m.History().Snapshot(t.Context(), "before"); err != nil {
		t.Fatal(err)
	}
	var err error
	_, id, _, err = a.m.Notes().Remember(t.Context(), "notes.org", document.InsertHeadline{Title: "the ferry leaves at ten"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a.write("other.org", "* Other\n:PROPERTIES:\n:ID: other\n:END:\n")
	if _, _, err := a.m.History().Rollback(t.Context(), "before", nil); err != nil {
		t.Fatal(err)
	}
	note()
	if err := a.m.Close(); err != nil {
		t.Fatal(err)
	}
	a.open()
	note()

	b := &machine{t: t, name: "b", d: a.d.clone(), hour: a.hour, set: set}
	copied(a.d.state, b.d.state)
	b.open()
	b.write("b.org", "* From b\n:PROPERTIES:\n:ID: from-b\n:END:\n")
	a.write("a.org", "* From a\n:PROPERTIES:\n:ID: from-a\n:END:\n")
	in := b.d.state.Clone()
	copied(b.d.state, in)
	if _, conflicts := a.fromStore(in); len(conflicts) > 0 {
		t.Errorf("conflicts: %v", conflicts)
	}
	note()
	for seq := uint64(1); seq <= a.m.View().Head().Seq; seq++ {
		v, err := a.m.History().At(t.Context(), fmt.Sprintf("seq:%d", seq))
		if err != nil {
			t.Fatal(err)
		}
		all.Kinds = append(all.Kinds, v.Head().Kind)
	}
	_, blocks, err := a.m.Mending().Purge(t.Context(), []string{id}, "", nil)
	if err != nil || blocks == 0 {
		t.Errorf("%d blocks purged, %v", blocks, err)
	}
	if _, all.Problems, err = a.m.Mending().Verify(t.Context()); err != nil || len(all.Problems) != blocks {
		t.Errorf("after a purge of %d blocks: %v, %v", blocks, all.Problems, err)
	}
	return all
}
