// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/faultfs"
)

// TestRelaxed: a memory that syncs late says so; a loss of power takes it back to
// an earlier commit at most, and a close keeps everything.
func TestRelaxed(t *testing.T) {
	d := disks{faultfs.New(), faultfs.New()}
	open := func(d disks) *fovea.Memory {
		opts := &fovea.Options{Store: d.state, Relaxed: time.Hour, Now: func() time.Time { return time.UnixMilli(1_800_000_000_000) }}
		opts.Folder = d.memex
		m, err := fovea.Open(t.Context(), "/memex", opts)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	m := open(d)
	if got := m.Status().RelaxedMs; got != time.Hour.Milliseconds() {
		t.Errorf("status says %v", got)
	}
	seen := map[uint64]string{0: m.View().Root().String()}
	for _, text := range []string{"* One\n", "* Two\n", "* Three\n"} {
		d.write(t, map[string]string{"a.org": text})
		if err := m.Ingest(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		seen[m.View().Head().Seq] = m.View().Root().String()
	}
	for seed := range uint64(20) {
		after := open(d.crash(seed))
		if head := after.View(); head.Root().String() != seen[head.Head().Seq] || after.Status().ReadOnly != "" {
			t.Errorf("crash %d: commit %d with another root, or damage: %+v", seed, head.Head().Seq, after.Status())
		}
		if err := after.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	m = open(d.crash(1))
	defer m.Close()
	if diff := cmp.Diff(seen[3], m.View().Root().String()); diff != "" {
		t.Errorf("after a close (-want +got)\n%s", diff)
	}
}

// TestRelaxedFiles: who goes on from a change of two files finds both as they are after
// a loss of power.
func TestRelaxedFiles(t *testing.T) {
	d := disks{faultfs.New(), faultfs.New()}
	open := func(d disks) *fovea.Memory {
		opts := &fovea.Options{Store: d.state, Relaxed: time.Hour}
		opts.Folder = d.memex
		m, err := fovea.Open(t.Context(), "/memex", opts)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	d.write(t, map[string]string{"a.org": "* A\n:PROPERTIES:\n:ID: a\n:END:\n* Stays\n", "b.org": "* B\n:PROPERTIES:\n:ID: b\n:END:\n"})
	m := open(d)
	defer m.Close()
	if err := m.Ingest(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Notes().Refile(t.Context(), "a", "b", nil); err != nil {
		t.Fatal(err)
	}
	d.write(t, map[string]string{"a.org": "* Stays, and goes on\n"})
	want := d.files(t)
	for seed := range uint64(20) {
		left := d.crash(seed)
		after := open(left)
		if diff := cmp.Diff(want, left.files(t)); diff != "" || after.View().Head().Seq != 2 {
			t.Errorf("crash %d: commit %d, files (-want +got):\n%s", seed, after.View().Head().Seq, diff)
		}
		if err := after.Close(); err != nil {
			t.Error(err)
		}
	}
}
