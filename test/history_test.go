// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/faultfs"
)

// What the log prints names the commit it was printed for: its time, though
// that was cut to seconds, and enough of its digest, but not less.
func TestMomentsAsTheLogPrintsThem(t *testing.T) {
	w := newWorld(t, nil)
	w.clock = w.clock.Truncate(time.Second).Add(400 * time.Millisecond)
	for i := range 40 { // more than the 32 values of one character
		w.write(map[string]string{"a.org": fmt.Sprintf("* %d\n", i)})
		w.ingest()
	}
	commits, err := w.m.History().Log(t.Context(), "", 0)
	if err != nil || len(commits) != 40 {
		t.Fatalf("%d commits, %v", len(commits), err)
	}
	ambiguous := 0
	for _, c := range commits {
		want := fmt.Sprintf("seq:%d", c.Seq)
		local := c.Time.Local()
		for _, text := range []string{
			local.Format("2006-01-02 15:04:05"), local.Format("2006-01-02T15:04:05"), local.Format("2006-01-02 15:04"),
			c.Time.Format(time.RFC3339), c.Time.Format(time.RFC3339Nano), c.Digest.String(), c.Digest.String()[:16], c.Root.String()[:16],
		} {
			if got, err := w.m.History().Resolve(t.Context(), text); err != nil || got != want {
				t.Errorf("%s: got %s, %v, want %s", text, got, err, want)
			}
		}
		if _, err := w.m.History().Resolve(t.Context(), c.Digest.String()[:8]); fovea.KindOf(err) == fovea.Ambiguous {
			ambiguous++
		}
	}
	if ambiguous == 0 {
		t.Error("one character of a digest named one of 40 commits")
	}
}

// TestDiffCostsItsChanges: two snapshots compared after a restart are read by what
// was committed since, however large the memory and however long what came before.
// The first look makes the index of the journal.
func TestDiffCostsItsChanges(t *testing.T) {
	reads := func(documents, before int) (n int) {
		d := disks{faultfs.New(), faultfs.New()}
		m := d.open(t)
		commit := func(name, text string) {
			d.write(t, map[string]string{name: text})
			if err := m.Ingest(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}
		for i := range documents {
			d.write(t, map[string]string{fmt.Sprintf("%03d.org", i): fmt.Sprintf("* Note %d\n", i)})
		}
		for i := range before {
			commit("000.org", fmt.Sprintf("* Note 0\n%d\n", i))
		}
		for _, name := range []string{"a", "b"} {
			if _, err := m.History().Snapshot(t.Context(), name); err != nil {
				t.Fatal(err)
			}
			commit("000.org", "* Note 0\nafter "+name+"\n")
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		m = d.open(t)
		defer m.Close()
		look := func(ref string) fovea.View {
			v, err := m.History().At(t.Context(), ref)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		look("seq:1")
		d.onOp(inTurn(func(string, faultfs.Op) error { n++; return nil }))
		defer d.onOp(nil)
		if diff := fovea.Diff(look("a"), look("b")); len(diff.Changed) != 1 || len(diff.Added)+len(diff.Removed) != 0 {
			t.Errorf("%d documents: %+v", documents, diff)
		}
		return n
	}
	few, many := reads(3, 2), reads(300, 40)
	if few != many || few == 0 {
		t.Errorf("%d operations on files with 3 documents and 2 commits before, %d with 300 and 40", few, many)
	}
}
