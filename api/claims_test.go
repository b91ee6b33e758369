// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
)

// TestStaleClaims: under a claim that is not in force no operation writes or keeps anything, not
// for the owner's own hand either, who may ask for every operation.
func TestStaleClaims(t *testing.T) {
	for _, number := range []uint64{1, 99} {
		svc, _ := lived(t)
		there := filepath.Join(t.TempDir(), "there")
		all := append(requests("Rule of the owner"), asked{"event", api.EventRequest{Event: "manual-persist"}},
			asked{"bundle-write", ops.BundleRequest{File: there, Plain: true}}, asked{"export", ops.ExportRequest{Kind: "jsonl", To: there + ".jsonl"}})
		ada := author.WithGrant(t.Context(), api.Grant{Agent: "ada", Role: api.Owner})
		if _, err := api.OpEdit.Call(ada, svc, api.EditRequest{ID: "task", Todo: new("TODO"), Property: []string{"TASK=yes"}}); err != nil {
			t.Fatal(err)
		}
		held, err := ops.OpTaskClaim.Call(ada, svc, ops.ClaimRequest{Task: "task"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := api.OpFeedback.Call(t.Context(), svc, api.UsefulRequest{Useful: []string{"mine"}, Question: "Mine"}); err != nil {
			t.Fatal(err)
		}
		if number == 1 { // it was in force
			if number = held.Number; number == 99 {
				t.Fatal("the number is that of the other case")
			}
			if _, err := ops.OpTaskRelease.Call(ada, svc, ops.ClaimEndRequest{Task: "task", Number: number}); err != nil {
				t.Fatal(err)
			}
		}
		root := func() string {
			t.Helper()
			status, err := api.OpStatus.Call(t.Context(), svc, api.StatusRequest{})
			if err != nil {
				t.Fatal(err)
			}
			return status.Root
		}
		before := root()
		stale := author.WithActor(ada, author.Actor{Claim: author.Claim{Task: "task", Number: number}})
		refused := map[string]bool{}
		for _, a := range all {
			op := api.OperationNamed(a.op)
			if op.Effect == api.Reads {
				continue
			}
			_, err := svc(stale, api.Call{Op: op, Request: a.req})
			if err == nil && !slices.Contains(unclaimed, a.op) && !reflect.DeepEqual(a.req, api.EventRequest{Event: "checkpoint"}) {
				t.Errorf("%s %+v was done under the claim %d", a.op, a.req, number)
			}
			refused[a.op] = refused[a.op] || fovea.KindOf(err) == fovea.Conflict
		}
		for _, op := range []string{"snapshot", "checkpoint", "remember", "edit", "forget", "refile", "archive", "propose", "message-send", "rollback", "revert",
			"block-add", "ingest-tree", "assign-ids", "task-release", "event"} {
			if !refused[op] {
				t.Errorf("%s is never refused for the claim", op)
			}
		}
		if after := root(); after != before {
			t.Errorf("the root was %s and is %s", before, after)
		}
	}
}

// unclaimed are the operations that write or keep nothing of the memory, that only read what is
// in the folder already, or that find nothing to do here.
var unclaimed = []string{"ingest", "export", "bundle-write", "remote-add", "remote-remove", "push", "repair"}
