// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/agents"
	"github.com/fovea-memory/fovea/internal/review"
)

// TestProposalShowsAll: whatever a proposal changes, the owner sees it before accepting, in words
// that a person reads.
func TestProposalShowsAll(t *testing.T) {
	owner, svc, ada, file := reviewed(t, "/")
	for _, tc := range []struct {
		name string
		req  api.EditRequest
		want string
	}{
		{"a text that is emptied", api.EditRequest{ID: "mine", Body: new("")}, "--- now\n+++ proposed\n@@ -1 +0,0 @@\n-old\n"},
		{"tags", api.EditRequest{ID: "mine", Tag: []string{"a", "b"}}, "tag: [\"a\",\"b\"]\n"},
		{"a date that is taken away", api.EditRequest{ID: "mine", Deadline: new("")}, "deadline: \"\"\n"},
	} {
		e, err := api.OpEdit.Call(ada, svc, tc.req)
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		got, err := agents.OpReview.Call(t.Context(), owner, agents.ReviewRequest{ID: e.Proposal})
		if err != nil || got[0].Change != tc.want {
			t.Errorf("%s: %q, want %q, %v", tc.name, got[0].Change, tc.want, err)
		}
	}
	e, err := api.OpRefile.Call(ada, svc, api.MoveRequest{ID: "mine", To: "plan"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := agents.OpReview.Call(t.Context(), owner, agents.ReviewRequest{ID: e.Proposal})
	if err != nil || got[0].Change != "to: Plan  projects/p.org\n" {
		t.Errorf("refile: %q, %v", got[0].Change, err)
	}
	under, err := api.OpRemember.Call(ada, svc, api.RememberRequest{Title: "Fact", Under: "Plan"})
	if err != nil {
		t.Fatal(err)
	}
	got, err = agents.OpReview.Call(t.Context(), owner, agents.ReviewRequest{ID: under.Proposal})
	if err != nil || got[0].Change != "title: Fact\nunder: Plan  projects/p.org\n" {
		t.Errorf("remember: %q, %v", got[0].Change, err)
	}
	_, err = agents.OpReviewEdit.Call(t.Context(), owner, agents.ReviewEditRequest{ID: e.Proposal, Title: new("x")})
	if fovea.KindOf(err) != fovea.Invalid || !strings.Contains(err.Error(), "a proposal to refile a note sets no title and no text") {
		t.Errorf("a title of a refile: %v", err)
	}
	_, err = agents.OpReviewAccept.Call(t.Context(), owner, agents.ReviewDecision{ID: e.Proposal})
	if err != nil || !strings.Contains(file("projects/p.org"), "Mine") {
		t.Errorf("%v\n%s", err, file("projects/p.org"))
	}
}

// TestProposedTwiceUnderOneKey: a proposal that is repeated after it was accepted is not tried again,
// when it could not be made any more.
func TestProposedTwiceUnderOneKey(t *testing.T) {
	owner, svc, ada, _ := reviewed(t, "/")
	propose := func() *api.EditResponse {
		t.Helper()
		e, err := api.OpArchive.Call(ada, api.WithKey(svc, "once"), api.MoveRequest{ID: "mine"})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	first := propose()
	if _, err := agents.OpReviewAccept.Call(t.Context(), owner, agents.ReviewDecision{ID: first.Proposal}); err != nil {
		t.Fatal(err)
	}
	if again := propose(); again.Proposal != first.Proposal || len(proposals(t, owner)) != 0 {
		t.Errorf("again: %+v, %+v", again, proposals(t, owner))
	}
}

// TestTrialTellsNothing: what is wrong with a file that the agent may not read is not told it by a
// proposal.
func TestTrialTellsNothing(t *testing.T) {
	owner, svc, ada, _ := reviewed(t, "/")
	status, err := api.OpStatus.Call(t.Context(), owner, api.StatusRequest{})
	if err != nil {
		t.Fatal(err)
	}
	const secret = "secret.org"
	if err := os.WriteFile(filepath.Join(status.Memex, secret), []byte("#+FILETAGS: :crypt:\n* Sealed\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := api.OpIngest.Call(t.Context(), owner, api.IngestRequest{}); err != nil {
		t.Fatal(err)
	}
	req := api.RememberRequest{Title: "x", Under: secret}
	if _, err := api.OpRemember.Call(t.Context(), owner, req); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("the owner is told: %v", err)
	}
	if e, err := api.OpRemember.Call(ada, svc, req); err != nil || e.Proposal == "" {
		t.Errorf("ada proposed: %+v, %v", e, err)
	}
}

// TestProposalOfAGoneNote: the owner is told what is the matter, and can end it; a long title is
// in the way of no reason, and no word of it is told to all who read the inbox.
func TestProposalOfAGoneNote(t *testing.T) {
	owner, svc, ada, _ := reviewed(t, "/")
	long := strings.Repeat("日本", 500)
	if _, err := api.OpEdit.Call(t.Context(), owner, api.EditRequest{ID: "mine", Title: &long}); err != nil {
		t.Fatal(err)
	}
	e, err := api.OpEdit.Call(ada, svc, api.EditRequest{ID: "mine", Append: new("more")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := api.OpForget.Call(t.Context(), owner, api.MoveRequest{ID: "mine"}); err != nil {
		t.Fatal(err)
	}
	_, acceptErr := agents.OpReviewAccept.Call(t.Context(), owner, agents.ReviewDecision{ID: e.Proposal})
	_, editErr := agents.OpReviewEdit.Call(t.Context(), owner, agents.ReviewEditRequest{ID: e.Proposal, Body: new("x")})
	for _, err := range []error{acceptErr, editErr} {
		if fovea.KindOf(err) != fovea.NotFound || !strings.Contains(err.Error(), e.Proposal+": a note that it names no longer exists; reject") {
			t.Errorf("%v", err)
		}
	}
	if _, err := agents.OpReviewReject.Call(t.Context(), owner, agents.ReviewDecision{ID: e.Proposal, Reason: "It is gone."}); err != nil {
		t.Fatal(err)
	}
	mail, err := agents.OpMessageRead.Call(ada, svc, agents.MessageReadRequest{})
	if err != nil || len(mail.Messages) != 1 || mail.Messages[0].Body != "It is gone." ||
		!strings.Contains(mail.Messages[0].Subject, "proposal "+e.Proposal[:8]+" to edit") || strings.Contains(mail.Messages[0].Subject, "日") {
		t.Errorf("%+v, %v", mail, err)
	}
}

// TestReasonNotSent: a proposal whose rejection cannot be told to its agent waits on.
func TestReasonNotSent(t *testing.T) {
	owner, svc, ada, _ := reviewed(t, "/")
	e, err := api.OpEdit.Call(ada, svc, api.EditRequest{ID: "mine", Append: new("more")})
	if err != nil {
		t.Fatal(err)
	}
	decision := agents.ReviewDecision{ID: e.Proposal, Reason: strings.Repeat("x", 70_000)}
	if _, err := agents.OpReviewReject.Call(t.Context(), owner, decision); err == nil || len(proposals(t, owner)) != 1 {
		t.Errorf("%v, %d wait", err, len(proposals(t, owner)))
	}
}

// TestEditedBodyIsOfNow: the owner who writes the whole text of a proposal anew can accept it, though
// the note has changed since it was proposed.
func TestEditedBodyIsOfNow(t *testing.T) {
	owner, svc, ada, file := reviewed(t, "/")
	e, err := api.OpEdit.Call(ada, svc, api.EditRequest{ID: "mine", Body: new("of ada\n")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := api.OpEdit.Call(t.Context(), owner, api.EditRequest{ID: "mine", Append: new("of the owner")}); err != nil {
		t.Fatal(err)
	}
	if _, err := agents.OpReviewEdit.Call(t.Context(), owner, agents.ReviewEditRequest{ID: e.Proposal, Title: new("Other")}); err != nil {
		t.Fatal(err)
	}
	if _, err := agents.OpReviewAccept.Call(t.Context(), owner, agents.ReviewDecision{ID: e.Proposal}); fovea.KindOf(err) != fovea.Conflict {
		t.Errorf("accepted over the owner's words: %v", err)
	}
	if _, err := agents.OpReviewEdit.Call(t.Context(), owner, agents.ReviewEditRequest{ID: e.Proposal, Title: new("a\nb")}); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("a title of two lines: %v", err)
	}
	p, err := agents.OpReviewEdit.Call(t.Context(), owner, agents.ReviewEditRequest{ID: e.Proposal, Body: new("of both\n")})
	if err != nil || !strings.Contains(p.Change, "-of the owner\n") {
		t.Fatalf("%+v, %v", p, err)
	}
	_, err = agents.OpReviewAccept.Call(t.Context(), owner, agents.ReviewDecision{ID: e.Proposal})
	if err != nil || !strings.Contains(file("agents/ada/own.org"), "\nof both\n") {
		t.Errorf("%v\n%s", err, file("agents/ada/own.org"))
	}
}

// TestEditedWhileDecided: a proposal that is edited while it is decided about does not come back.
func TestEditedWhileDecided(t *testing.T) {
	owner, svc, ada, _ := reviewed(t, "/")
	for range 20 {
		e, err := api.OpEdit.Call(ada, svc, api.EditRequest{ID: "mine", Append: new("once")})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				_, err := agents.OpReviewEdit.Call(t.Context(), owner, agents.ReviewEditRequest{ID: e.Proposal, Title: new("Mine")})
				if err != nil && !errors.Is(err, review.ErrUnknown) {
					t.Error(err)
				}
			})
		}
		wg.Go(func() {
			if _, err := agents.OpReviewReject.Call(t.Context(), owner, agents.ReviewDecision{ID: e.Proposal}); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
		if left := proposals(t, owner); len(left) != 0 {
			t.Fatalf("it is back: %+v", left)
		}
	}
}
