// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/graph"
)

// onDisk is a chain over a store on disk.
type onDisk struct {
	fixture
	state *faultfs.FS
}

func openOnDisk(t testing.TB, state *faultfs.FS) onDisk {
	t.Helper()
	from, _, err := disk.Open(state, nil)
	if err != nil {
		t.Fatal(err)
	}
	return onDisk{open(t, from, func(o *chain.Options) { o.FS = state }), state}
}

// close writes the image that is due and closes the store.
func (d onDisk) close() error {
	tx := d.Begin()
	defer tx.End()
	return errors.Join(tx.Images().Finish(), d.Store().Close())
}

// say commits a text.
func (d onDisk) say(t testing.TB, text string) {
	t.Helper()
	tx := d.Begin()
	defer tx.End()
	if _, err := d.put(tx, graph.KindEdit, "", "", text); err != nil {
		t.Fatal(err)
	}
}

// setBehind makes the journal behind the newest image count as bytes long.
func (d onDisk) setBehind(bytes int64) {
	tx := d.Begin()
	defer tx.End()
	tx.Images().SetBehind(bytes)
}

// images lists the images that are whole.
func (d onDisk) images(t testing.TB) []string {
	t.Helper()
	entries, err := d.state.ReadDir("image")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".img") {
			names = append(names, e.Name())
		}
	}
	return names
}

// TestImageBesideWriters: while an image is being written, commits are made and
// no second one is begun; closing waits for it.
func TestImageBesideWriters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		state := faultfs.New()
		d := openOnDisk(t, state)
		d.say(t, "* One\n")
		begun, release := make(chan struct{}), make(chan struct{})
		var once sync.Once
		state.OnOp(func(op faultfs.Op) error {
			if op.Kind == faultfs.OpWrite && strings.HasPrefix(op.Name, "image/") {
				once.Do(func() { close(begun) })
				<-release
			}
			return nil
		})
		d.setBehind(due)
		d.say(t, "* Two\n")
		<-begun
		for i := range 3 {
			d.say(t, fmt.Sprintf("* More %d\n", i))
		}
		if got := d.Head().Commit.Seq; got != 5 || len(d.images(t)) > 0 {
			t.Errorf("at commit %d with images %v, want 5 and none", got, d.images(t))
		}
		closed := make(chan error, 1)
		go func() { closed <- d.close() }()
		synctest.Wait()
		select {
		case err := <-closed:
			t.Fatalf("closing did not wait: %v", err)
		default:
		}
		close(release)
		if err := <-closed; err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"000000000002.img"}, d.images(t)); diff != "" {
			t.Errorf("images (-want +got):\n%s", diff)
		}
		d = openOnDisk(t, state)
		if text, _ := d.Head().State.Text("a.org"); text != "* More 2\n" {
			t.Errorf("from the image and the journal behind it: %q", text)
		}
		if err := d.close(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestImagesInOrder: an image that was written beside and the one that closing
// writes are both kept, and the newer one is read.
func TestImagesInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := openOnDisk(t, faultfs.New())
		d.setBehind(due)
		d.say(t, "* One\n")
		synctest.Wait()
		for i := range 3 {
			d.say(t, fmt.Sprintf("* More %d\n", i))
		}
		d.setBehind(due / 2)
		want := []string{"000000000001.img", "000000000004.img"}
		for range 3 { // the next times nothing changed
			if err := d.close(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, d.images(t)); diff != "" {
				t.Errorf("images (-want +got):\n%s", diff)
			}
			d = openOnDisk(t, d.state)
			if d.Head().Commit.Seq != 4 {
				t.Errorf("opened at commit %d", d.Head().Commit.Seq)
			}
		}
		if err := d.close(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestCrashAmidAnImage cuts the power before each operation on an image that is
// written beside commits: what was acknowledged is there.
func TestCrashAmidAnImage(t *testing.T) {
	type cut struct {
		state *faultfs.FS
		where string
		acked uint64
	}
	state := faultfs.New()
	d := openOnDisk(t, state)
	var acked atomic.Uint64
	var mu sync.Mutex
	var cuts []cut
	state.OnOp(func(op faultfs.Op) error {
		if strings.HasPrefix(op.Name, "image") {
			done := acked.Load()
			for seed := range uint64(4) {
				c := cut{state.Crash(seed), fmt.Sprintf("%s %s, seed %d", op.Kind, op.Name, seed), done}
				mu.Lock()
				cuts = append(cuts, c)
				mu.Unlock()
			}
		}
		return nil
	})
	for i := range 6 {
		d.setBehind(due)
		d.say(t, fmt.Sprintf("* More %d\n", i))
		acked.Store(d.Head().Commit.Seq)
	}
	if err := d.close(); err != nil {
		t.Fatal(err)
	}
	state.OnOp(nil)
	if len(cuts) < 20 {
		t.Fatalf("%d cuts", len(cuts))
	}
	for _, c := range cuts {
		d := openOnDisk(t, c.state)
		head := d.Head()
		if head.Commit.Seq < c.acked {
			t.Errorf("%s: opened at commit %d, acknowledged %d", c.where, head.Commit.Seq, c.acked)
		}
		if text, _ := head.State.Text("a.org"); head.Commit.Seq > 0 && text != fmt.Sprintf("* More %d\n", head.Commit.Seq-1) {
			t.Errorf("%s: commit %d holds %q", c.where, head.Commit.Seq, text)
		}
		roots := uint64(0)
		if err := d.Commits(context.Background(), 1, head.Commit.Seq, func(*graph.Commit) error { roots++; return nil }); err != nil || roots != head.Commit.Seq {
			t.Errorf("%s: %d commits of %d, %v", c.where, roots, head.Commit.Seq, err)
		}
		if err := d.close(); err != nil {
			t.Errorf("%s: %v", c.where, err)
		}
	}
}
