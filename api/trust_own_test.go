// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
)

// TestAgentsRevertTheirOwn: by number or as the author, where they may write and as
// far as nobody has built on it.
func TestAgentsRevertTheirOwn(t *testing.T) {
	person, ada, bob := trusted(t)
	first, own := note(t, ada, "First"), note(t, ada, "Own")
	// Commit 1 is the ingest, 2 and 3 are ada's, 4 is bob's, 5 the person's.
	other := note(t, bob, "Other")
	if err := edit(t, person, first, "The person's"); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		req  api.RevertRequest
		want string
		by   api.Service
	}{
		{"another one's commit", api.RevertRequest{Commits: []string{"3", "4"}},
			"revert: commit 4: is by bob; agent ada takes back only what it has done", ada},
		{"another author", api.RevertRequest{Author: "bob"}, "revert: bob: agent ada takes back only what it has done", ada},
		{"a digest", api.RevertRequest{Commits: []string{"bafyreib"}}, "revert: bafyreib: an agent names commits by their numbers", ada},
		{"all it has done, though a person went on", api.RevertRequest{Author: "ada"},
			"somebody else has changed it since (deleted); agent ada takes back only what it has done", ada},
		{"its own", api.RevertRequest{Commits: []string{"seq:3"}}, "", ada},
		{"all in a session", api.RevertRequest{Session: "none"}, "revert: bob: has made no such commit; see fovea log", bob},
		{"all it has done", api.RevertRequest{Author: "bob"}, "", bob},
		{"what is not there", api.RevertRequest{Commits: []string{"99"}},
			"revert: seq:99: no such commit, snapshot, name or date; see fovea log and fovea snapshot list", ada},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := ""
			if _, err := api.OpRevert.Call(t.Context(), tc.by, tc.req); err != nil {
				got = err.Error()
			}
			if !strings.HasSuffix(got, tc.want) || tc.want == "" && got != "" {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
	for _, id := range []string{own, other} {
		if _, err := api.OpShow.Call(t.Context(), person, api.ShowRequest{ID: id}); fovea.KindOf(err) != fovea.NotFound {
			t.Errorf("%s is there: %v", id, err)
		}
	}
}

// note has an agent remember a note, and returns its id.
func note(t *testing.T, svc api.Service, title string) string {
	t.Helper()
	r, err := api.OpRemember.Call(t.Context(), svc, api.RememberRequest{Title: title})
	if err != nil {
		t.Fatal(err)
	}
	return r.ID
}

// TestAgentsAreAnsweredAgain: a request of an agent that comes again under its op is
// answered as the first time, though its node is called otherwise, or gone, or its
// title is another one's by now; a new request is not.
func TestAgentsAreAnsweredAgain(t *testing.T) {
	person, ada, _ := trusted(t)
	renamed := "Renamed"
	for name, call := range map[string]func(ctx context.Context, svc api.Service, title string) (*api.EditResponse, error){
		"edit": func(ctx context.Context, svc api.Service, title string) (*api.EditResponse, error) {
			return api.OpEdit.Call(ctx, svc, api.EditRequest{ID: title, Title: &renamed})
		},
		"forget": func(ctx context.Context, svc api.Service, title string) (*api.EditResponse, error) {
			return api.OpForget.Call(ctx, svc, api.MoveRequest{ID: title})
		},
		"archive": func(ctx context.Context, svc api.Service, title string) (*api.EditResponse, error) {
			return api.OpArchive.Call(ctx, svc, api.MoveRequest{ID: title})
		},
	} {
		t.Run(name, func(t *testing.T) {
			title := "First to " + name
			note(t, ada, title)
			ctx, keyed := t.Context(), api.WithKey(ada, "op-"+name)
			first, err := call(ctx, keyed, title)
			if err != nil {
				t.Fatal(err)
			}
			again, err := call(ctx, keyed, title)
			if diff := cmp.Diff(first, again); diff != "" || err != nil {
				t.Errorf("%v (-first +again):\n%s", err, diff)
			}
			taken, err := api.OpRemember.Call(t.Context(), person, api.RememberRequest{Title: title, Body: "The person's.", Under: "mine.org"})
			if err != nil {
				t.Fatal(err)
			}
			if again, err = call(ctx, keyed, title); err != nil || again.Seq != first.Seq {
				t.Errorf("with another node of that name: %+v, %v", again, err)
			}
			if _, err = call(ctx, api.WithKey(ada, "op-new-"+name), title); err == nil {
				t.Error("a new request is answered, too")
			}
			if _, err := api.OpForget.Call(t.Context(), person, api.MoveRequest{ID: taken.ID}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestAgentsTakeNewNames: an agent keeps a state under a name of its own, and moves
// none that somebody kept, unless it may.
func TestAgentsTakeNewNames(t *testing.T) {
	person, ada, _ := trusted(t)
	kept, err := api.OpSnapshot.Call(t.Context(), person, api.SnapshotRequest{Name: "tidy"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := api.OpSnapshot.Call(t.Context(), ada, api.SnapshotRequest{Name: "tidy"}); err != nil {
		t.Errorf("a name that the present state has: %v", err)
	}
	note(t, ada, "Since then")
	const taken = ": tidy: is the name of commit 1 already; take a new one"
	if _, err := api.OpSnapshot.Call(t.Context(), ada,
		api.SnapshotRequest{Name: "tidy"}); fovea.KindOf(err) != fovea.Denied || err.Error() != "snapshot"+taken {
		t.Errorf("a snapshot: %v", err)
	}
	if _, err := api.OpCheckpoint.Call(t.Context(), ada, api.CheckpointRequest{Name: "tidy"}); fovea.KindOf(err) != fovea.Denied ||
		err.Error() != "checkpoint"+taken {
		t.Errorf("a checkpoint: %v", err)
	}
	for _, name := range []string{"", "of ada"} {
		if _, err := api.OpSnapshot.Call(t.Context(), ada, api.SnapshotRequest{Name: name}); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if _, err := api.OpCheckpoint.Call(t.Context(), ada, api.CheckpointRequest{Name: name}); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	list, err := api.OpSnapshots.Call(t.Context(), person, api.None{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if s.Name == "tidy" && s.Seq != kept.Seq {
			t.Errorf("the person's is at commit %d, it was kept at %d", s.Seq, kept.Seq)
		}
	}
	if _, err := api.OpSnapshot.Call(t.Context(), person, api.SnapshotRequest{Name: "tidy"}); err != nil {
		t.Errorf("the person moves it: %v", err)
	}
	granted := ops.Hold(person, api.Grant{Agent: "ada", Role: api.Agent, Operations: []string{"snapshot"}})
	note(t, ada, "More")
	if _, err := api.OpSnapshot.Call(t.Context(), granted, api.SnapshotRequest{Name: "tidy"}); err != nil {
		t.Errorf("granted: %v", err)
	}
}

// TestAgentsTakeNewNamesAtOnce: nor does it while it writes.
func TestAgentsTakeNewNamesAtOnce(t *testing.T) {
	person, ada, _ := trusted(t)
	for i := range 20 {
		name := fmt.Sprint("tidy ", i)
		kept, err := api.OpSnapshot.Call(t.Context(), person, api.SnapshotRequest{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		var calls sync.WaitGroup
		for range 4 {
			calls.Go(func() { _, _ = api.OpSnapshot.Call(t.Context(), ada, api.SnapshotRequest{Name: name}) }) // refused or no change
		}
		note(t, ada, name)
		calls.Wait()
		list, err := api.OpSnapshots.Call(t.Context(), person, api.None{})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			if s.Name == name && s.Seq != kept.Seq {
				t.Errorf("%s is at commit %d, it was kept at %d", name, s.Seq, kept.Seq)
			}
		}
	}
}
