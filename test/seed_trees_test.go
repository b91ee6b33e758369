// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
)

// headlineTree is a headline as the specification writes it.
func headlineTree(id, title, raw string, contents ...string) string {
	return fmt.Sprintf(`{"type": "HEADLINE", "properties": {"ID": %q, "TITLE": %q}, "raw-content": %q, "contents": [%s]}`,
		id, title, raw, strings.Join(contents, ","))
}

// treeDesk does what the specification's functions do, by operations alone.
type treeDesk struct {
	t *testing.T
	s api.Service
}

func newTreeDesk(t *testing.T) treeDesk { return treeDesk{t, newWorld(t, nil).serve()} }

func (d treeDesk) ingest(tree string) string {
	d.t.Helper()
	r, err := api.OpIngestTree.Call(d.t.Context(), d.s, api.IngestTreeRequest{AST: json.RawMessage(tree)})
	if err != nil {
		d.t.Fatal(err)
	}
	return r.ID
}

// get returns a node, nil if there is none at that moment or digest.
func (d treeDesk) get(id, at string) *api.Shown {
	n, err := api.OpShow.Call(d.t.Context(), d.s, api.ShowRequest{ID: id, At: at})
	if err != nil {
		return nil
	}
	return n
}

func (d treeDesk) snapshot() {
	d.t.Helper()
	if _, err := api.OpSnapshot.Call(d.t.Context(), d.s, api.SnapshotRequest{}); err != nil {
		d.t.Fatal(err)
	}
}

func (d treeDesk) rollback() {
	d.t.Helper()
	if _, err := api.OpRollback.Call(d.t.Context(), d.s, api.RollbackRequest{To: "0"}); err != nil {
		d.t.Fatal(err)
	}
}

// TestSeedsOnTrees runs the specification's tests of memory and persistence under their own
// names, on trees as it writes them.
func TestSeedsOnTrees(t *testing.T) {
	t.Run("merkle-hash-consistency", func(t *testing.T) {
		one, two := newTreeDesk(t), newTreeDesk(t)
		tree := headlineTree("test-1", "Node 1", "")
		if a, b := one.get(one.ingest(tree), ""), two.get(two.ingest(tree), ""); a.Version != b.Version || a.Digest != b.Digest {
			t.Errorf("%s and %s", a.Version, b.Version)
		}
	})
	t.Run("merkle-hash-different", func(t *testing.T) {
		d := newTreeDesk(t)
		if a, b := d.get(d.ingest(headlineTree("a", "Alpha", "")), ""), d.get(d.ingest(headlineTree("b", "Beta", "")), ""); a.Version == b.Version {
			t.Errorf("both have %s", a.Version)
		}
	})
	t.Run("merkle-hash-cascading", func(t *testing.T) {
		d := newTreeDesk(t)
		before := d.get(d.ingest(headlineTree("root", "Root", "", headlineTree("leaf", "Leaf", ""))), "")
		after := d.get(d.ingest(headlineTree("root", "Root", "", headlineTree("leaf", "Leaf Modified", ""))), "")
		if before.Version == after.Version || before.Digest != after.Digest {
			t.Errorf("%+v and %+v", before, after)
		}
	})
	t.Run("test-ingest-ast-returns-id", func(t *testing.T) {
		d := newTreeDesk(t)
		if id := d.ingest(headlineTree("ingest-test", "Test Node", "")); id != "ingest-test" {
			t.Error(id)
		}
	})
	t.Run("test-memory-object-get", func(t *testing.T) {
		d := newTreeDesk(t)
		if n := d.get(d.ingest(headlineTree("get-test", "Retrieve Me", "")), ""); n == nil || n.Type != "headline" || n.Title != "Retrieve Me" {
			t.Errorf("%+v", n)
		}
	})
	t.Run("history-store-immutability", immutability)
	t.Run("cow-snapshot-and-rollback", func(t *testing.T) {
		d := newTreeDesk(t)
		a := d.get(d.ingest(headlineTree("cow-node", "State A", "")), "")
		d.snapshot()
		b := d.get(d.ingest(headlineTree("cow-node", "State B", "")), "")
		d.rollback()
		if now := d.get("cow-node", ""); now.Version != a.Version || d.get("cow-node", b.Digest) == nil {
			t.Errorf("%+v is not %+v, or B is lost", now, a)
		}
	})
	t.Run("test-snapshot-and-rollback", func(t *testing.T) {
		d := newTreeDesk(t)
		d.ingest(headlineTree("snap-a", "Pre-snapshot", ""))
		d.snapshot()
		d.ingest(headlineTree("snap-b", "Post-snapshot", ""))
		d.rollback()
		if d.get("snap-a", "") == nil || d.get("snap-b", "") != nil {
			t.Error("the old node is gone, or the new one is there")
		}
	})
	t.Run("test-local-roundtrip", func(t *testing.T) {
		w := newWorld(t, nil)
		d := treeDesk{t, w.serve()}
		id := d.ingest(headlineTree("persist-test-1", "Kept", "Integrity Check"))
		w.reopen()
		if n := (treeDesk{t, w.serve()}).get(id, ""); n == nil || n.Content != "Integrity Check" {
			t.Errorf("%+v", n)
		}
	})
}

// immutability is the specification's test history-store-immutability. The title of a tree is an
// attribute, and its content what the tree says, see decision record 0170: of each digest both come
// back as they were.
func immutability(t *testing.T) {
	d := newTreeDesk(t)
	first := d.get(d.ingest(headlineTree("test-node", "Version 1", "one\n")), "")
	second := d.get(d.ingest(headlineTree("test-node", "Version 2", "two\n")), "")
	if now := d.get("test-node", ""); now.Version != second.Version || first.Version == second.Version {
		t.Errorf("live is %+v", now)
	}
	for digest, want := range map[string][2]string{first.Digest: {"Version 1", "one\n"}, second.Digest: {"Version 2", "two\n"}} {
		if n := d.get("test-node", digest); n == nil || n.Title != want[0] || n.Content != want[1] {
			t.Errorf("at %s: %+v, want %q", digest, n, want)
		}
	}
}

// TestChaosScenarioA is contract P29 where nothing listens at all: a checkpoint answers with
// an error, and its local part stands. Package api/ops does the same to a real daemon.
func TestChaosScenarioA(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* One\n"})
	nowhere := ops.IPFS(true, func() (string, error) { return "http://127.0.0.1:1", nil })
	c, err := api.OpCheckpoint.Call(t.Context(), api.NewLocal(w.m, &api.LocalOptions{IPFS: nowhere}), api.CheckpointRequest{To: api.PlaceIPFS})
	if err != nil || c.CID != "" || len(c.Errors) != 1 || !strings.HasPrefix(c.Errors[0], "ipfs: ") || c.Root == "" || c.Failed() == nil {
		t.Errorf("%+v, %v", c, err)
	}
}
