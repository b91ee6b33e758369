// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
)

// TestSessionSnapshotsAfterRestart: what is ingested into a session takes no
// snapshot, when it happens and when it is read again.
func TestSessionSnapshotsAfterRestart(t *testing.T) {
	w := newWorld(t, nil)
	const scope = "session/one"
	for i := range 3 {
		w.take(w.scope(scope), fmt.Sprintf(`{"type":"headline","properties":{"ID":"a","N":%d}}`, i), "")
	}
	if _, _, err := w.scope(scope).History().Rollback(t.Context(), "seq:1", nil); err != nil {
		t.Fatal(err)
	}
	before := w.scope(scope).History().Snapshots()
	if len(before) != 1 {
		t.Errorf("%d snapshots, want that of the rollback", len(before))
	}
	w.reopen()
	if diff := cmp.Diff(before, w.scope(scope).History().Snapshots()); diff != "" {
		t.Errorf("after a restart (-before +after)\n%s", diff)
	}
}

// TestProjectDriftAfterRestart: a project whose memory differs from its files on
// purpose is as it was when it is opened again.
func TestProjectDriftAfterRestart(t *testing.T) {
	w := newProjects(t, map[string][]string{"boat": {"work/boat"}}, projectFiles)
	const scope, file = "project/boat", "work/boat/rivets.org"
	w.scope(scope)
	w.write(map[string]string{file: "* Rivets, changed\n"})
	if _, _, err := w.scope(scope).History().Rollback(t.Context(), "seq:1", &fovea.WriteOptions{MemoryOnly: true}); err != nil {
		t.Fatal(err)
	}
	before, drift := w.scope(scope).View(), w.scope(scope).History().Drift()
	if len(drift) != 1 {
		t.Fatalf("drift %v", drift)
	}
	w.reopen()
	after := w.scope(scope)
	if after.View().Root() != before.Root() || after.View().Head().Seq != before.Head().Seq {
		t.Errorf("it holds %v after a restart", documentsOf(after.View()))
	}
	if diff := cmp.Diff(drift, after.History().Drift()); diff != "" {
		t.Errorf("drift (-before +after)\n%s", diff)
	}
}

// TestTreeOfABuffersID: an id of a buffer is the buffer's as long as it lies there.
func TestTreeOfABuffersID(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* A\n"})
	w.ingest()
	const tree = `{"type":"headline","properties":{"ID":"x"}}`
	m := w.scope("session/one")
	w.take(m, `{"type":"org-data","properties":{"PATH":"a.org"},"contents":[`+tree+`]}`, "")
	before := m.View()
	if _, _, _, err := m.IngestTree(t.Context(), parsed(t, tree), "", nil); fovea.KindOf(err) != fovea.Conflict || m.View() != before {
		t.Errorf("got %v", err)
	}
	w.save("a.org", "* A, saved\n")
	if id, _ := w.take(m, tree, ""); id != "x" {
		t.Errorf("the id is %s after the buffer has ended", id)
	}
}
