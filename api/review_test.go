// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/hive"
)

// proposals lists those that the caller of a service sees.
func proposals(t *testing.T, svc api.Service) []ops.Proposal {
	t.Helper()
	all, err := ops.OpReview.Call(t.Context(), svc, ops.ReviewRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// reviewed is a memory in which ada's changes are reviewed, in all files or in some.
func reviewed(t *testing.T, places ...string) (owner, svc api.Service, ada context.Context, file func(string) string) {
	t.Helper()
	owner, _ = serve(t, map[string]string{
		"agents/ada/own.org": "* Mine\n:PROPERTIES:\n:ID: mine\n:END:\nold\n", "projects/p.org": "* Plan\n:PROPERTIES:\n:ID: plan\n:END:\nold\n",
		"agents/ada/task.org": "* TODO Job\n:PROPERTIES:\n:ID: job\n:TASK: yes\n:END:\n",
	})
	status, err := api.OpStatus.Call(t.Context(), owner, api.StatusRequest{})
	if err != nil {
		t.Fatal(err)
	}
	ada = author.WithGrant(t.Context(), api.Grant{Agent: "ada", Role: api.Agent, Review: places})
	return owner, ops.Guarded(owner), ada, func(name string) string {
		text, err := os.ReadFile(filepath.Join(status.Memex, name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return string(text)
	}
}

// TestProposals: what is reviewed lands when the owner accepts it, once, under both names.
func TestProposals(t *testing.T) {
	owner, svc, ada, file := reviewed(t, "/")
	e, err := api.OpEdit.Call(ada, svc, api.EditRequest{ID: "Mine", Body: new("new\n"), Todo: new("TODO")})
	if err != nil || e.Proposal == "" || e.Seq != 0 || strings.Contains(file("agents/ada/own.org"), "new") {
		t.Fatalf("%+v, %v", e, err)
	}
	n, err := api.OpRemember.Call(ada, svc, api.RememberRequest{Title: "Fact", Body: "It rains zebras."})
	if err != nil || n.Proposal == "" {
		t.Fatalf("%+v, %v", n, err)
	}
	if _, err := ops.OpTaskClaim.Call(ada, svc, ops.ClaimRequest{Task: "job"}); err != nil {
		t.Errorf("a claim is no content: %v", err)
	}
	if _, err := api.OpAssignIDs.Call(ada, svc, api.AssignRequest{IDs: []string{"Mine"}}); fovea.KindOf(err) != fovea.Denied {
		t.Errorf("what cannot be proposed: %v", err)
	}
	for _, call := range []func() (*api.EditResponse, error){
		func() (*api.EditResponse, error) {
			return api.OpArchive.Call(ada, svc, api.MoveRequest{ID: "agents/ada/own.org"})
		},
		func() (*api.EditResponse, error) {
			return api.OpEdit.Call(ada, svc, api.EditRequest{ID: "Mine", Priority: new("?!")})
		},
		func() (*api.EditResponse, error) {
			return api.OpRemember.Call(ada, svc, api.RememberRequest{Title: "x", Schedule: "never", Under: "Mine"})
		},
		func() (*api.EditResponse, error) {
			return api.OpRemember.Call(ada, svc, api.RememberRequest{Title: "x", Under: "no such place"})
		},
	} {
		if e, err := call(); err == nil || len(proposals(t, owner)) != 2 {
			t.Errorf("what could never be accepted is proposed: %+v, %+v", e, proposals(t, owner))
		}
	}
	own, err := ops.OpReview.Call(ada, svc, ops.ReviewRequest{ID: e.Proposal})
	if err != nil || len(own) != 1 || own[0].Change != "--- now\n+++ proposed\n@@ -1 +1 @@\n-old\n+new\ntodo: TODO\n" {
		t.Fatalf("%+v, %v", own, err)
	}
	w, err := api.OpContext.Call(ada, svc, api.ContextRequest{Question: "zebras", Budget: 2000})
	if err != nil || !strings.Contains(w.Text, "Proposed, not decided") {
		t.Errorf("ada does not see what she proposed: %v\n%s", err, w.Text)
	}
	w, err = api.OpContext.Call(as(t, "bob"), svc, api.ContextRequest{Question: "zebras", Budget: 2000})
	if err != nil || strings.Contains(w.Text, "zebras") {
		t.Errorf("bob sees what ada proposed: %v\n%s", err, w.Text)
	}
	got, err := ops.OpReviewAccept.Call(t.Context(), owner, ops.ReviewDecision{ID: e.Proposal})
	if err != nil || got.ID != "mine" || !strings.Contains(file("agents/ada/own.org"), "* TODO Mine") || !strings.Contains(file("agents/ada/own.org"), "\nnew\n") {
		t.Fatalf("%+v, %v\n%s", got, err, file("agents/ada/own.org"))
	}
	log, err := api.OpLog.Call(t.Context(), owner, api.LogRequest{Limit: 1})
	if err != nil || log[0].Author != "ada" || !strings.HasSuffix(log[0].Message, "; accepted by owner") {
		t.Errorf("%+v, %v", log, err)
	}
	if _, err := ops.OpReviewAccept.Call(t.Context(), owner, ops.ReviewDecision{ID: e.Proposal}); !errors.Is(err, hive.ErrNoProposal) {
		t.Errorf("accepted twice: %v", err)
	}
	if _, err := ops.OpReviewEdit.Call(t.Context(), owner, ops.ReviewEditRequest{ID: n.Proposal, Body: new("It rains.")}); err != nil {
		t.Fatal(err)
	}
	got, err = ops.OpReviewAccept.Call(t.Context(), owner, ops.ReviewDecision{ID: n.Proposal})
	if err != nil || !strings.Contains(file(got.Path), "It rains.\n") {
		t.Errorf("%+v, %v", got, err)
	}
	if left := proposals(t, owner); len(left) != 0 {
		t.Errorf("left are %+v", left)
	}
}

// TestReviewedPaths: a path that is reviewed is open to proposals of who may not write there,
// and nothing else is reviewed; a rejection tells the agent why.
func TestReviewedPaths(t *testing.T) {
	owner, svc, ada, file := reviewed(t, "projects/")
	if e, err := api.OpEdit.Call(ada, svc, api.EditRequest{ID: "mine", Append: new("more")}); err != nil || e.Proposal != "" || e.Seq == 0 {
		t.Errorf("her own folder: %+v, %v", e, err)
	}
	e, err := api.OpEdit.Call(ada, svc, api.EditRequest{ID: "plan", Body: new("other")})
	if err != nil || e.Proposal == "" {
		t.Fatalf("%+v, %v", e, err)
	}
	forget := ops.ProposeRequest{Op: "forget", Request: json.RawMessage(`{"id":"plan"}`)}
	direct, err := ops.OpPropose.Call(as(t, "bob"), svc, forget)
	if err != nil || direct.Agent != "bob" {
		t.Fatalf("%+v, %v", direct, err)
	}
	if _, err := api.OpEdit.Call(t.Context(), owner, api.EditRequest{ID: "plan", Append: new("of the owner")}); err != nil {
		t.Fatal(err)
	}
	before := file("projects/p.org")
	if _, err := ops.OpReviewAccept.Call(t.Context(), owner, ops.ReviewDecision{ID: e.Proposal}); fovea.KindOf(err) != fovea.Conflict {
		t.Errorf("the base changed: %v", err)
	}
	if _, err := ops.OpReviewAccept.Call(ada, svc, ops.ReviewDecision{ID: e.Proposal}); fovea.KindOf(err) != fovea.Denied {
		t.Errorf("an agent decides: %v", err)
	}
	if _, err := ops.OpReviewReject.Call(t.Context(), owner, ops.ReviewDecision{ID: e.Proposal, Reason: "Ask Lukas."}); err != nil {
		t.Fatal(err)
	}
	mail, err := ops.OpMessageRead.Call(ada, svc, ops.MessageReadRequest{})
	if err != nil || len(mail.Messages) != 1 || mail.Messages[0].Body != "Ask Lukas." {
		t.Errorf("%+v, %v", mail, err)
	}
	if file("projects/p.org") != before || len(proposals(t, owner)) != 1 {
		t.Errorf("%+v\n%s", proposals(t, owner), file("projects/p.org"))
	}
}

// TestDecidedOnce: of many decisions at once about a proposal one counts.
func TestDecidedOnce(t *testing.T) {
	owner, svc, ada, file := reviewed(t, "/")
	e, err := api.OpEdit.Call(ada, svc, api.EditRequest{ID: "mine", Append: new("once")})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for i := range 8 {
		wg.Go(func() {
			var err error
			if i%2 == 0 {
				_, err = ops.OpReviewAccept.Call(t.Context(), owner, ops.ReviewDecision{ID: e.Proposal})
			} else {
				_, err = ops.OpReviewReject.Call(t.Context(), owner, ops.ReviewDecision{ID: e.Proposal})
			}
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				done++
			} else if !errors.Is(err, hive.ErrNoProposal) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := strings.Count(file("agents/ada/own.org"), "once"); done != 1 || n > 1 {
		t.Errorf("%d decisions, written %d times", done, n)
	}
}
