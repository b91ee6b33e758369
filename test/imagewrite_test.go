// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/testhook"
)

// much is more journal than may lie behind an image while commits are made.
const much = 64 << 20

// say changes the memex and commits it.
func (d disks) say(t testing.TB, m *fovea.Memory, text string) {
	t.Helper()
	d.write(t, map[string]string{"a.org": text})
	if err := m.Ingest(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
}

// images lists the images that are whole.
func (d disks) images(t testing.TB) []string {
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
// no second one is begun; Close waits for it.
func TestImageBesideWriters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := disks{faultfs.New(), faultfs.New()}
		m := d.open(t)
		d.say(t, m, "* One\n")
		begun, release := make(chan struct{}), make(chan struct{})
		var once sync.Once
		d.onOp(func(where string, op faultfs.Op) error {
			if where == "state" && op.Kind == faultfs.OpWrite && strings.HasPrefix(op.Name, "image/") {
				once.Do(func() { close(begun) })
				<-release
			}
			return nil
		})
		testhook.SetBehind(m, much)
		d.say(t, m, "* Two\n")
		<-begun
		for i := range 3 {
			d.say(t, m, fmt.Sprintf("* More %d\n", i))
		}
		if got := m.View().Head().Seq; got != 5 || len(d.images(t)) > 0 {
			t.Errorf("at commit %d with images %v, want 5 and none", got, d.images(t))
		}
		closed := make(chan error, 1)
		go func() { closed <- m.Close() }()
		synctest.Wait()
		select {
		case err := <-closed:
			t.Fatalf("Close did not wait: %v", err)
		default:
		}
		close(release)
		if err := <-closed; err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"000000000002.img"}, d.images(t)); diff != "" {
			t.Errorf("images (-want +got):\n%s", diff)
		}
		m = d.open(t)
		defer m.Close()
		if text, _ := m.View().Text("a.org"); text != "* More 2\n" {
			t.Errorf("from the image and the journal behind it: %q", text)
		}
	})
}

// TestImagesInOrder: an image that was written beside and the one that Close
// writes are both kept, and the newer one is read.
func TestImagesInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := disks{faultfs.New(), faultfs.New()}
		m := d.open(t)
		testhook.SetBehind(m, much)
		d.say(t, m, "* One\n")
		synctest.Wait()
		for i := range 3 {
			d.say(t, m, fmt.Sprintf("* More %d\n", i))
		}
		testhook.SetBehind(m, much/2)
		want := []string{"000000000001.img", "000000000004.img"}
		for range 3 { // the next times nothing changed
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, d.images(t)); diff != "" {
				t.Errorf("images (-want +got):\n%s", diff)
			}
			m = d.open(t)
			if m.View().Head().Seq != 4 {
				t.Errorf("opened at commit %d", m.View().Head().Seq)
			}
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestImageThatFails: commits go on and do not try again; Close does.
func TestImageThatFails(t *testing.T) {
	d := disks{faultfs.New(), faultfs.New()}
	m := d.open(t)
	var tried atomic.Int32
	d.onOp(func(where string, op faultfs.Op) error {
		if where == "state" && op.Kind == faultfs.OpOpen && strings.HasPrefix(op.Name, "image/") {
			tried.Add(1)
			return faultfs.ErrNoSpace
		}
		return nil
	})
	for i := range 4 {
		testhook.SetBehind(m, much)
		d.say(t, m, fmt.Sprintf("* More %d\n", i))
	}
	if err := m.History().Heartbeat(t.Context()); fovea.KindOf(err) != fovea.Other {
		t.Errorf("heartbeat: %v", err)
	}
	if got := tried.Load(); got != 2 || len(d.images(t)) > 0 {
		t.Errorf("%d tries, want one beside and that of Heartbeat; images %v", got, d.images(t))
	}
	d.onOp(nil)
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"000000000004.img"}, d.images(t)); diff != "" {
		t.Errorf("images (-want +got):\n%s", diff)
	}
}

// TestCrashAmidAnImage cuts the power before each operation on an image that is
// written beside commits: what was acknowledged is there.
func TestCrashAmidAnImage(t *testing.T) {
	type cut struct {
		disks
		where string
		acked uint64
	}
	d := disks{faultfs.New(), faultfs.New()}
	m := d.open(t)
	var acked atomic.Uint64
	var mu sync.Mutex
	var cuts []cut
	d.onOp(func(where string, op faultfs.Op) error {
		if where == "state" && strings.HasPrefix(op.Name, "image") {
			done := acked.Load()
			for seed := range uint64(4) {
				c := cut{d.crash(seed), fmt.Sprintf("%s %s, seed %d", op.Kind, op.Name, seed), done}
				mu.Lock()
				cuts = append(cuts, c)
				mu.Unlock()
			}
		}
		return nil
	})
	for i := range 6 {
		testhook.SetBehind(m, much)
		d.say(t, m, fmt.Sprintf("* More %d\n", i))
		acked.Store(m.View().Head().Seq)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	d.onOp(nil)
	if len(cuts) < 20 {
		t.Fatalf("%d cuts", len(cuts))
	}
	for _, c := range cuts {
		m := c.open(t)
		if got := m.View().Head().Seq; got < c.acked {
			t.Errorf("%s: opened at commit %d, acknowledged %d", c.where, got, c.acked)
		}
		if _, problems, err := m.Mending().Verify(t.Context()); err != nil || len(problems) > 0 {
			t.Errorf("%s: %v %v", c.where, problems, err)
		}
		if err := m.Close(); err != nil {
			t.Errorf("%s: %v", c.where, err)
		}
	}
}
