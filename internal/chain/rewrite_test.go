// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/store/storetest"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// secretive returns a history whose first commit holds a secret, in an image too, and a
// folder with a damaged file in quarantine.
func secretive(t *testing.T) (*storetest.InMemory, vfs.FS, map[merkle.Digest]bool) {
	t.Helper()
	history, folder := &storetest.InMemory{}, faultfs.New()
	if err := folder.MkdirAll("quarantine/kept", 0o700); err != nil {
		t.Fatal(err)
	}
	file, err := folder.OpenFile("quarantine/1.seg", os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		err = errors.Join(file.Close(), folder.SyncDir("quarantine"))
	}
	if err != nil {
		t.Fatal(err)
	}
	f := openChain(t, history)
	tx := f.Begin()
	defer tx.End()
	f.commit(t, tx, graph.Commit{Message: "hold"}, map[string]string{"a.org": "* secret\n", "b.org": "* b\n" + long})
	drop := map[merkle.Digest]bool{}
	for n := range f.Head().State.All() {
		drop[n.Own] = true
	}
	if err := tx.Images().Write(); err != nil {
		t.Fatal(err)
	}
	f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": "* public\n"})
	return history, folder, drop
}

// holds reports whether a history has a text anywhere.
func holds(t *testing.T, from store.Store, text string) bool {
	t.Helper()
	for _, r := range records(t, from) {
		if strings.Contains(string(r.Data), text) {
			return true
		}
	}
	img, err := from.LoadImage()
	if err != nil && !errors.Is(err, store.ErrNoImage) {
		t.Fatal(err)
	}
	for err == nil && len(img.Sections) > 0 {
		if strings.Contains(string(img.Sections[0].Data), text) {
			return true
		}
		img.Sections = img.Sections[1:]
	}
	return false
}

// TestPurgeSurvivesACrash: wherever a process is killed while it takes a secret out of
// history, after the next opening the secret is nowhere, or the purge was never announced;
// and the present is whole.
func TestPurgeSurvivesACrash(t *testing.T) {
	done := false
	for left := 0; !done; left++ {
		history, folder, drop := secretive(t)
		from := &breaking{Store: history.Open(), left: -1}
		f := open(t, from, func(o *chain.Options) { o.FS = folder })
		tx := f.Begin()
		from.left = left
		c, err := tx.Rewrite(t.Context(), graph.Commit{Kind: graph.KindPurge}, maps.Clone(drop))
		if done = err == nil; err != nil && !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		tx.End()
		var log strings.Builder
		f = open(t, history.Open(), func(o *chain.Options) {
			o.FS = folder
			warnings(&log)(o)
		})
		announced := f.Head().Commit.Kind == graph.KindPurge
		if announced != (c.Seq == 3) || announced != (left > 0) {
			t.Fatalf("%d changes: commit %d, and %d after an opening", left, c.Seq, f.Head().Commit.Seq)
		}
		tx = f.Begin()
		if err := tx.Resume(t.Context()); err != nil {
			t.Fatalf("%d changes: %v", left, err)
		}
		if again := strings.Contains(log.String(), "interrupted"); again != (left == 1 || left == 2) { // before the image
			t.Errorf("%d changes: %q", left, log.String())
		}
		if left > 0 == holds(t, f.Store(), "secret") {
			t.Errorf("%d changes: secret in the history: %v", left, left == 0)
		}
		if left > 0 {
			if _, err := folder.Stat("quarantine/1.seg"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%d changes: the quarantine holds a file: %v", left, err)
			}
			if _, err := folder.Stat("quarantine/kept"); err != nil {
				t.Errorf("%d changes: a folder in quarantine: %v", left, err)
			}
			if _, err := f.Chain.At(t.Context(), 1); !errors.Is(err, graph.ErrGone) || !strings.Contains(err.Error(), "purged by commit 3 (1 node)") {
				t.Errorf("%d changes: %v", left, err)
			}
		}
		for path, want := range map[string]string{"a.org": "* public\n", "b.org": "* b\n" + long} {
			if text, _ := f.Head().State.Text(path); text != want {
				t.Errorf("%d changes: %s is %q", left, path, text)
			}
		}
		for n := range f.Head().State.All() {
			if got, err := f.Version(t.Context(), n.Own); err != nil || got.Content != n.Content {
				t.Errorf("%d changes: a block of the present: %v", left, err)
			}
		}
		before := len(records(t, f.Store()))
		if err := tx.Resume(t.Context()); err != nil || len(records(t, f.Store())) != before {
			t.Errorf("%d changes: it is done twice: %v", left, err)
		}
		tx.End()
	}
}

// TestRetainLeavesCopies: a rewriting that hides nothing leaves images and quarantine.
func TestRetainLeavesCopies(t *testing.T) {
	history, folder, drop := secretive(t)
	f := open(t, history.Open(), func(o *chain.Options) { o.FS = folder })
	tx := f.Begin()
	defer tx.End()
	if _, err := tx.Rewrite(t.Context(), graph.Commit{Kind: graph.KindRetain}, drop); err != nil {
		t.Fatal(err)
	}
	if img, err := f.Store().LoadImage(); err != nil || img.Seq != 1 {
		t.Errorf("the image of commit 1: %v", err)
	}
	if _, err := folder.Stat("quarantine/1.seg"); err != nil {
		t.Error(err)
	}
	f.Store().Stop(errors.New("full"))
	if err := tx.Resume(t.Context()); err != nil {
		t.Errorf("a store that takes no writes is left as it is: %v", err)
	}
}

// TestContentComesBack: content that a commit brings back is not written again while the
// store is known to have it, and is after it was taken out.
func TestContentComesBack(t *testing.T) {
	history := &storetest.InMemory{}
	f := openChain(t, history)
	tx := f.Begin()
	count := func() (n int) {
		for _, r := range records(t, f.Store()) {
			if r.Kind == store.Block && strings.Contains(string(r.Data), "comes and goes") {
				n++
			}
		}
		return n
	}
	commit := func(text string) chain.Commit {
		return f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": text})
	}
	const there, gone = "* comes and goes\n", "* another\n"
	for _, text := range []string{there, gone, there, gone, there} {
		commit(text)
	}
	if n := count(); n != 1 {
		t.Errorf("written %d times", n)
	}
	if err := tx.Images().Write(); err != nil {
		t.Fatal(err)
	}
	tx.End()
	f = openChain(t, history) // knows the block from the image alone
	tx = f.Begin()
	commit(gone)
	commit(there)
	if n := count(); n != 1 {
		t.Errorf("written %d times after an opening with an image", n)
	}
	commit(gone)
	at, err := f.Chain.At(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	tx.End()
	for _, expect := range []bool{true, false} { // a rollback to a commit before the image
		before := count()
		other := &storetest.InMemory{}
		copyHistory(t, history, other)
		f = openChain(t, other)
		tx = f.Begin()
		delta := graph.Diff(f.Head().State, at.State)
		if err := tx.Images().Write(); err != nil {
			t.Fatal(err)
		}
		tx.End()
		f = openChain(t, other)
		tx = f.Begin()
		if expect {
			tx.Expect(&delta)
		}
		if _, err := tx.Append(t.Context(), at.State, &delta, graph.Commit{Kind: graph.KindRollback}); err != nil {
			t.Fatal(err)
		}
		if n := count(); (n == before) != expect {
			t.Errorf("expected %v: written %d times, then %d", expect, before, n)
		}
		tx.End()
	}

	f = openChain(t, history)
	tx = f.Begin()
	drop := map[merkle.Digest]bool{}
	for n := range at.State.All() {
		drop[n.Own] = true
	}
	if _, err := tx.Rewrite(t.Context(), graph.Commit{Kind: graph.KindRetain}, drop); err != nil {
		t.Fatal(err)
	}
	if n := count(); n != 0 {
		t.Fatalf("%d are left", n)
	}
	commit(there)
	if n := count(); n != 1 {
		t.Errorf("written %d times after it was taken out", n)
	}
	if _, err := f.Chain.At(t.Context(), 1); err != nil {
		t.Error(err)
	}
}

// copyHistory appends the records of a history to another one.
func copyHistory(t *testing.T, from, to *storetest.InMemory) {
	t.Helper()
	batches := map[uint64]*store.Batch{}
	var order []uint64
	for _, r := range records(t, from.Open()) {
		if batches[r.Batch] == nil {
			batches[r.Batch] = &store.Batch{}
			order = append(order, r.Batch)
		}
		batches[r.Batch].Add(r.Kind, r.Data)
	}
	out := to.Open()
	for _, n := range order {
		if _, err := out.Append(t.Context(), batches[n]); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDroppable: blocks of what stays are not dropped with what goes, chunks that both have
// included; what history does not have is passed over.
func TestDroppable(t *testing.T) {
	f := openChain(t, &storetest.InMemory{})
	tx := f.Begin()
	defer tx.End()
	f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": long + long + "a", "b.org": long + long + "b", "c.org": "c"})
	own := map[string]merkle.Digest{}
	for n := range f.Head().State.Documents() {
		own[n.Path] = n.Own
	}
	set := func(paths ...string) map[merkle.Digest]bool {
		out := map[merkle.Digest]bool{merkle.Sum(fmt.Append(nil, "unknown", paths)): true}
		for _, p := range paths {
			out[own[p]] = true
		}
		return out
	}
	sizes := map[string]int{}
	for name, tc := range map[string][2]map[merkle.Digest]bool{
		"a":              {set("a.org"), set()},
		"a, and b stays": {set("a.org"), set("b.org")},
		"both":           {set("a.org", "b.org"), set("c.org")},
		"c":              {set("c.org"), set("a.org", "b.org")},
	} {
		drop, err := f.Droppable(tc[0], tc[1])
		if err != nil {
			t.Fatal(name, err)
		}
		sizes[name] = len(drop)
		for d := range drop {
			if tc[1][d] {
				t.Errorf("%s: what stays is dropped", name)
			}
			if _, err := f.Block(d); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for d := range tc[0] {
			if _, err := f.Block(d); err == nil && !drop[d] {
				t.Errorf("%s: what goes is not dropped", name)
			}
		}
	}
	chunks := sizes["a"] - 1
	if chunks < 2 || sizes["c"] != 1 || sizes["a, and b stays"] <= 1 || sizes["a, and b stays"] >= sizes["a"] || sizes["both"] <= sizes["a"] {
		t.Errorf("blocks %v", sizes)
	}
}
