// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/foveatest"
)

// TestStateFolderThatCannotBeOne: an error, whatever is in its place.
func TestStateFolderThatCannotBeOne(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, state := range map[string]string{"a file": file, "below a file": filepath.Join(file, "state")} {
		t.Run(name, func(t *testing.T) {
			if _, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: state}); fovea.KindOf(err) != fovea.Invalid {
				t.Errorf("got %v, want Invalid", err)
			}
		})
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "mine" {
		t.Errorf("the file holds %q, %v", b, err)
	}
}

// TestCampaignOfFullDisks runs a workload on disks that have so many bytes left:
// what does not fit is told, nothing that was told is lost, and when there is
// room again the memory goes on.
func TestCampaignOfFullDisks(t *testing.T) {
	campaign := foveatest.NewCampaign(t)
	full := 0
	for range campaign.Length(20, 1000) {
		r := &faulty{failed: "the disk was full"}
		r.workload = newWorkload(t, rand.New(rand.NewPCG(campaign.Rand.Uint64(), 0)), disks{faultfs.New(), faultfs.New()}, 30)
		if err := r.ingest(); err != nil {
			t.Fatal(err)
		}
		r.d.state.SetFree(int64(campaign.Rand.IntN(100_000)))
		r.d.memex.SetFree(int64(campaign.Rand.IntN(10_000)))
		for range 10 {
			s := steps[r.rand.IntN(len(steps))]
			if err := r.do(s); errors.Is(err, syscall.ENOSPC) || err != nil && strings.Contains(err.Error(), "the disk is full") {
				full++
			} else if !expected(err) && fovea.KindOf(err) != fovea.ReadOnly {
				t.Fatalf("%s: %v", s.name, err)
			}
			if r.m == nil {
				break
			}
		}
		r.d.state.SetFree(-1)
		r.d.memex.SetFree(-1)
		r.check(r.d.crash(campaign.Rand.Uint64()), "and power was lost")
		r.check(r.d.clone(), "and there is room again")
	}
	if full == 0 {
		t.Error("no disk was full")
	}
	t.Logf("seed %d: %d times told that the disk is full", campaign.Seed, full)
}

// TestReadOnlyDisk: a memory tells that nothing can be written to its memex, or to
// its state, and what it holds can be read.
func TestReadOnlyDisk(t *testing.T) {
	refuse := func(op faultfs.Op) error {
		switch op.Kind {
		case faultfs.OpOpen, faultfs.OpStat, faultfs.OpChmod:
			return nil // reading does these too; a write finds out by itself
		}
		if op.Kind.Changes() {
			return syscall.EROFS
		}
		return nil
	}
	files := map[string]string{"a.org": "* A\n:PROPERTIES:\n:ID: a\n:END:\n"}
	for _, which := range []string{"memex", "state"} {
		t.Run(which, func(t *testing.T) {
			d := disks{faultfs.New(), faultfs.New()}
			d.write(t, files)
			m := d.open(t)
			if err := m.Ingest(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			map[string]*faultfs.FS{"memex": d.memex, "state": d.state}[which].OnOp(refuse)
			_, err := m.Notes().Edit(t.Context(), "a", nil, document.SetTitle{Title: "B"})
			if fovea.KindOf(err) != fovea.ReadOnly || !strings.Contains(err.Error(), "read-only") {
				t.Errorf("an edit: %v", err)
			}
			d.onOp(nil)
			if diff := cmp.Diff(files, d.files(t)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(files, documentsOf(m.View())); diff != "" {
				t.Errorf("memory (-want +got):\n%s", diff)
			}
			if err := m.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
			m = d.open(t)
			defer m.Close()
			if _, err := m.Notes().Edit(t.Context(), "a", nil, document.SetTitle{Title: "B"}); err != nil {
				t.Errorf("writable again: %v", err)
			}
		})
	}
}

// TestClockGoesBackwards: commits never go back in time, and a file that was
// changed meanwhile is read.
func TestClockGoesBackwards(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* One\n"})
	first := w.ingest().Head()
	w.clock = w.clock.Add(-50 * 365 * 24 * time.Hour)
	w.write(map[string]string{"a.org": "* Two\n"})
	second := w.ingest().Head()
	if second.Seq != first.Seq+1 || second.Time.Before(first.Time) {
		t.Errorf("commit %d of %v is followed by commit %d of %v", first.Seq, first.Time, second.Seq, second.Time)
	}
	w.reopen()
	w.write(map[string]string{"a.org": "* Six\n"})
	if v := w.ingest(); documentsOf(v)["a.org"] != "* Six\n" {
		t.Errorf("the memory holds %q", documentsOf(v)["a.org"])
	}
	if _, problems, err := w.m.Mending().Verify(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("verify: %v, %v", problems, err)
	}
}

// TestTwoOwners: the second is told who has the store, and takes it when the
// first has let go.
func TestTwoOwners(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* One\n"})
	w.ingest()
	_, err := fovea.Open(t.Context(), w.dir, &fovea.Options{StateDir: w.state})
	if fovea.KindOf(err) != fovea.Conflict || !strings.Contains(err.Error(), "process") {
		t.Errorf("got %v, want Conflict and the process", err)
	}
	w.reopen()
}

// TestStoreCopiedElsewhere: a store serves another folder only when it is told to,
// and then holds all its history; the one it was copied from goes on.
func TestStoreCopiedElsewhere(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* One\n", "sub/b.org": "* Two\n"})
	w.ingest()
	if _, err := w.m.History().Snapshot(t.Context(), "named"); err != nil {
		t.Fatal(err)
	}
	w.write(map[string]string{"a.org": "* Changed\n"})
	head := w.ingest().Head()
	if err := w.m.Close(); err != nil {
		t.Fatal(err)
	}
	dir, state := filepath.Join(t.TempDir(), "elsewhere"), filepath.Join(t.TempDir(), "state")
	for to, from := range map[string]string{dir: w.dir, state: w.state} {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: state}); err == nil || !strings.Contains(err.Error(), "fovea adopt") {
		t.Errorf("unasked: %v", err)
	}
	if _, err := os.Stat(filepath.Join(state, "journal")); errors.Is(err, fs.ErrNotExist) {
		t.Error("the refused store lost its journal")
	}
	m, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: state, Adopt: true})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := m.Ingest(t.Context(), nil); err != nil || m.View().Head().Digest != head.Digest {
		t.Errorf("adopted: %v, head %+v", err, m.View().Head())
	}
	if _, _, err := m.History().Rollback(t.Context(), "named", nil); err != nil {
		t.Errorf("rollback there: %v", err)
	}
	w.open()
	if got := w.ingest().Head().Digest; got != head.Digest || w.onDisk()["a.org"] != "* Changed\n" {
		t.Errorf("the first goes on at %v, %q", got, w.onDisk()["a.org"])
	}
}
