// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/history"
	"github.com/fovea-memory/fovea/internal/faultfs"
)

func (w *world) checkpoint(name string) (history.Snapshot, string) {
	w.t.Helper()
	s, image, err := w.m.History().Checkpoint(w.t.Context(), name)
	if err != nil {
		w.t.Fatal(err)
	}
	return s, image
}

func TestCheckpointAndRestore(t *testing.T) {
	first := map[string]string{"a.org": "* One\n", "b/c.org": "* Sea\n"}
	w := newWorld(t, first)
	w.ingest()
	root := w.m.View().Root()
	s, image := w.checkpoint("")
	if want := "checkpoint-" + w.clock.Format("2006-01-02"); s.Name != want || s.Seq != 1 || s.Root != root {
		t.Errorf("got %+v, want %s", s, want)
	}
	if info, err := os.Stat(image); err != nil || info.Size() == 0 || filepath.Dir(filepath.Dir(image)) != w.state {
		t.Errorf("the image %s: %v", image, err)
	}
	w.write(map[string]string{"a.org": "* Two\n"})
	w.remove("b/c.org")
	w.ingest()
	w.checkpoint("second")
	w.write(map[string]string{"a.org": "* Three\n"})
	w.ingest()
	w.reopen()

	for _, step := range []struct {
		name, from string
		want       map[string]string
	}{
		{"", "second", map[string]string{"a.org": "* Two\n"}},
		{s.Name, s.Name, first},
		{s.Name, s.Name, first}, // again is no change
	} {
		from, _, _, err := w.m.History().Restore(t.Context(), step.name, nil)
		if err != nil || from.Name != step.from {
			t.Fatalf("restored %+v, %v; want %s", from, err, step.from)
		}
		if diff := cmp.Diff(step.want, w.onDisk()); diff != "" {
			t.Errorf("%q: files (-want +got)\n%s", step.name, diff)
		}
	}
	if w.m.View().Root() != root || w.m.View().Head().Seq != 5 {
		t.Errorf("the memory is at commit %d, want 5 with the first root", w.m.View().Head().Seq)
	}
	if _, _, err := w.m.History().Rollback(t.Context(), "0", nil); err != nil { // a restore can be undone
		t.Fatal(err)
	}
	if got := w.onDisk()["a.org"]; got != "* Two\n" {
		t.Errorf("undone: %q", got)
	}
}

func TestFailedRestoreLeavesAll(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* One\n", "b.org": "* Bee\n"})
	w.ingest()
	restore := func(name, want string) {
		t.Helper()
		files, head := w.onDisk(), w.m.View().Head()
		_, _, _, err := w.m.History().Restore(t.Context(), name, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
		if diff := cmp.Diff(files, w.onDisk()); diff != "" || w.m.View().Head().Seq != head.Seq {
			t.Errorf("%q: commit %d, files (-want +got)\n%s", name, w.m.View().Head().Seq, diff)
		}
	}
	restore("", "no checkpoint yet")
	w.checkpoint("good")
	restore("bad", "no checkpoint and no file of that name")
	restore("0", "no checkpoint and no file of that name") // an index is a rollback's
	w.write(map[string]string{"a.org": "* Two\n", "b.org": "* Two bees\n"})
	w.ingest()
	w.write(map[string]string{"b.org": "* Not read yet\n"})
	restore("good", "may not be touched")
}

// TestNothingChangedNothingWritten: of both events, heartbeat and manual persist.
func TestNothingChangedNothingWritten(t *testing.T) {
	d := disks{faultfs.New(), faultfs.New()}
	d.write(t, map[string]string{"a.org": "* One\n"})
	m := d.open(t)
	defer m.Close()
	if err := m.Ingest(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	quiet := func(what string, do func() error) {
		t.Helper()
		var written []string
		d.onOp(inTurn(func(where string, op faultfs.Op) error {
			if op.Kind.Changes() {
				written = append(written, where+" "+op.Name)
			}
			return nil
		}))
		defer d.onOp(nil)
		if err := do(); err != nil || len(written) > 0 {
			t.Errorf("%s: %v, wrote %v", what, err, written)
		}
	}
	persist := func() error {
		_, _, err := m.History().Checkpoint(t.Context(), "")
		return err
	}
	heartbeat := func() error { return m.History().Heartbeat(t.Context()) }
	quiet("a heartbeat with little to save", heartbeat)
	if err := persist(); err != nil {
		t.Fatal(err)
	}
	quiet("persisting again", persist)
	quiet("a heartbeat after it", heartbeat)
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	m = d.open(t)
	quiet("persisting after a restart", persist)
	quiet("a heartbeat after a restart", heartbeat)
}

// TestHeartbeat: an image is written when some megabytes of journal lie behind the last one, and
// the next opening needs no more than it.
func TestHeartbeat(t *testing.T) {
	d := disks{faultfs.New(), faultfs.New()}
	m := d.open(t)
	images := func() int {
		entries, err := d.state.ReadDir("image")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return len(entries)
	}
	const part = 3 << 20
	for i := range 3 {
		if images() != 0 {
			t.Fatalf("an image after %d MiB", i*part>>20)
		}
		d.write(t, map[string]string{"a.org": "* One\n" + strings.Repeat(string(rune('a'+i)), part)})
		if err := m.Ingest(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if err := m.History().Heartbeat(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if images() != 1 {
		t.Fatalf("%d images after %d MiB", images(), 3*part>>20)
	}
	root := m.View().Root()
	m = d.crash(1).open(t)
	defer m.Close()
	if m.View().Root() != root {
		t.Error("another root after a crash")
	}
}

// TestImageThatCannotBeWritten: the memory goes on, and says so.
func TestImageThatCannotBeWritten(t *testing.T) {
	d := disks{faultfs.New(), faultfs.New()}
	d.write(t, map[string]string{"a.org": "* One\n"})
	m := d.open(t)
	defer m.Close()
	if err := m.Ingest(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	d.onOp(inTurn(func(where string, op faultfs.Op) error {
		if where == "state" && strings.HasPrefix(op.Name, "image/") && op.Kind.Changes() {
			return faultfs.ErrNoSpace
		}
		return nil
	}))
	if _, _, err := m.History().Checkpoint(t.Context(), "x"); err == nil || len(m.History().Snapshots()) != 0 {
		t.Errorf("got %v, and the snapshots %+v", err, m.History().Snapshots())
	}
	d.onOp(nil)
	if s, _, err := m.History().Checkpoint(t.Context(), "x"); err != nil || s.Name != "x" {
		t.Errorf("with space again: %+v, %v", s, err)
	}
}

func TestCheckpointRefuses(t *testing.T) {
	w := newWorld(t, nil)
	if _, _, err := w.m.History().Checkpoint(t.Context(), ""); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("of an empty memory: %v", err)
	}
	w.change("One")
	if _, _, err := w.m.History().Checkpoint(t.Context(), "7"); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("a name that reads as an index: %v", err)
	}
	if err := w.m.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.m.History().Checkpoint(t.Context(), "x"); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("of a closed memory: %v", err)
	}
	if err := w.m.History().Heartbeat(t.Context()); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("a heartbeat of a closed memory: %v", err)
	}
}
