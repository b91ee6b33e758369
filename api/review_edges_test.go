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
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/hive"
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
		got, err := ops.OpReview.Call(t.Context(), owner, ops.ReviewRequest{ID: e.Proposal})
		if err != nil || got[0].Change != tc.want {
			t.Errorf("%s: %q, want %q, %v", tc.name, got[0].Change, tc.want, err)
		}
	}
	e, err := api.OpRefile.Call(ada, svc, api.MoveRequest{ID: "mine", To: "plan"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := ops.OpReview.Call(t.Context(), owner, ops.ReviewRequest{ID: e.Proposal})
	if err != nil || got[0].Change != "to: Plan  projects/p.org\n" {
		t.Errorf("refile: %q, %v", got[0].Change, err)
	}
	under, err := api.OpRemember.Call(ada, svc, api.RememberRequest{Title: "Fact", Under: "Plan"})
	if err != nil {
		t.Fatal(err)
	}
	got, err = ops.OpReview.Call(t.Context(), owner, ops.ReviewRequest{ID: under.Proposal})
	if err != nil || got[0].Change != "title: Fact\nunder: Plan  projects/p.org\n" {
		t.Errorf("remember: %q, %v", got[0].Change, err)
	}
	_, err = ops.OpReviewEdit.Call(t.Context(), owner, ops.ReviewEditRequest{ID: e.Proposal, Title: new("x")})
	if fovea.KindOf(err) != fovea.Invalid || !strings.Contains(err.Error(), "a proposal to refile a note has no title or text to edit") {
		t.Errorf("a title of a refile: %v", err)
	}
	_, err = ops.OpReviewAccept.Call(t.Context(), owner, ops.ReviewDecision{ID: e.Proposal})
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
	if _, err := ops.OpReviewAccept.Call(t.Context(), owner, ops.ReviewDecision{ID: first.Proposal}); err != nil {
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
	_, acceptErr := ops.OpReviewAccept.Call(t.Context(), owner, ops.ReviewDecision{ID: e.Proposal})
	_, editErr := ops.OpReviewEdit.Call(t.Context(), owner, ops.ReviewEditRequest{ID: e.Proposal, Body: new("x")})
	for _, err := range []error{acceptErr, editErr} {
		if fovea.KindOf(err) != fovea.NotFound || !strings.Contains(err.Error(), e.Proposal+": a note that it names no longer exists; reject") {
			t.Errorf("%v", err)
		}
	}
	if _, err := ops.OpReviewReject.Call(t.Context(), owner, ops.ReviewDecision{ID: e.Proposal, Reason: "It is gone."}); err != nil {
		t.Fatal(err)
	}
	mail, err := ops.OpMessageRead.Call(ada, svc, ops.MessageReadRequest{})
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
	decision := ops.ReviewDecision{ID: e.Proposal, Reason: strings.Repeat("x", 70_000)}
	if _, err := ops.OpReviewReject.Call(t.Context(), owner, decision); err == nil || len(proposals(t, owner)) != 1 {
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
	if _, err := ops.OpReviewEdit.Call(t.Context(), owner, ops.ReviewEditRequest{ID: e.Proposal, Title: new("Other")}); err != nil {
		t.Fatal(err)
	}
	if _, err := ops.OpReviewAccept.Call(t.Context(), owner, ops.ReviewDecision{ID: e.Proposal}); fovea.KindOf(err) != fovea.Conflict {
		t.Errorf("accepted over the owner's words: %v", err)
	}
	if _, err := ops.OpReviewEdit.Call(t.Context(), owner, ops.ReviewEditRequest{ID: e.Proposal, Title: new("a\nb")}); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("a title of two lines: %v", err)
	}
	p, err := ops.OpReviewEdit.Call(t.Context(), owner, ops.ReviewEditRequest{ID: e.Proposal, Body: new("of both\n")})
	if err != nil || !strings.Contains(p.Change, "-of the owner\n") {
		t.Fatalf("%+v, %v", p, err)
	}
	_, err = ops.OpReviewAccept.Call(t.Context(), owner, ops.ReviewDecision{ID: e.Proposal})
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
				_, err := ops.OpReviewEdit.Call(t.Context(), owner, ops.ReviewEditRequest{ID: e.Proposal, Title: new("Mine")})
				if err != nil && !errors.Is(err, hive.ErrNoProposal) {
					t.Error(err)
				}
			})
		}
		wg.Go(func() {
			if _, err := ops.OpReviewReject.Call(t.Context(), owner, ops.ReviewDecision{ID: e.Proposal}); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
		if left := proposals(t, owner); len(left) != 0 {
			t.Fatalf("it is back: %+v", left)
		}
	}
}

// TestWhatTheOwnerEdits: an edited proposal stays what it is, and the words of each stand under the
// name of who wrote them.
func TestWhatTheOwnerEdits(t *testing.T) {
	for name, tc := range map[string]struct {
		propose func(ada context.Context, svc api.Service) (*api.EditResponse, error)
		edit    ops.ReviewEditRequest
		text    string            // that the file then has
		by      map[string]string // author of lines
		refused bool
	}{
		"an append": {func(ada context.Context, svc api.Service) (*api.EditResponse, error) {
			return api.OpEdit.Call(ada, svc, api.EditRequest{ID: "plan", Append: new("of ada\n")})
		}, ops.ReviewEditRequest{Body: new("of the owner\n")}, "old\nof the owner\n", map[string]string{"old": "file", "of the owner": "owner"}, false},
		"an append with more": {func(ada context.Context, svc api.Service) (*api.EditResponse, error) {
			return api.OpEdit.Call(ada, svc, api.EditRequest{ID: "plan", Append: new("of ada\n"), Todo: new("TODO")})
		}, ops.ReviewEditRequest{Body: new("of the owner\n")}, "old\nof the owner\n", map[string]string{"* TODO Plan": "ada", "of the owner": "owner"}, false},
		"a text": {func(ada context.Context, svc api.Service) (*api.EditResponse, error) {
			return api.OpEdit.Call(ada, svc, api.EditRequest{ID: "plan", Body: new("of ada\n"), Todo: new("TODO")})
		}, ops.ReviewEditRequest{Body: new("of the owner\n")}, ":END:\nof the owner\n", map[string]string{"* TODO Plan": "ada", "of the owner": "owner"}, false},
		"a title beside a text": {func(ada context.Context, svc api.Service) (*api.EditResponse, error) {
			return api.OpEdit.Call(ada, svc, api.EditRequest{ID: "plan", Body: new("of ada\n"), Title: new("Hers")})
		}, ops.ReviewEditRequest{Title: new("Mine now")}, "* Mine now\n", map[string]string{"* Mine now": "owner", "of ada": "ada"}, false},
		"a note": {func(ada context.Context, svc api.Service) (*api.EditResponse, error) {
			return api.OpRemember.Call(ada, svc, api.RememberRequest{Title: "New", Body: "of ada\n", Under: "plan"})
		}, ops.ReviewEditRequest{Body: new("of the owner\n")}, "of the owner\n", map[string]string{"** New": "ada", "of the owner": "owner"}, false},
		"a note whose title is edited": {func(ada context.Context, svc api.Service) (*api.EditResponse, error) {
			return api.OpRemember.Call(ada, svc, api.RememberRequest{Title: "New", Body: "of ada\n", Under: "plan"})
		}, ops.ReviewEditRequest{Title: new("Newer")}, "** Newer\n", map[string]string{"** Newer": "owner", "of ada": "ada"}, false},
		"a note whose rest is known": {func(ada context.Context, svc api.Service) (*api.EditResponse, error) {
			return api.OpRemember.Call(ada, svc, api.RememberRequest{Title: "Empty", Body: "of ada\n", Under: "plan"})
		}, ops.ReviewEditRequest{Body: new("of the owner\n")}, "of the owner\n", map[string]string{"** Empty": "owner", "of the owner": "owner"}, false},
		"a keyword": {func(ada context.Context, svc api.Service) (*api.EditResponse, error) {
			return api.OpEdit.Call(ada, svc, api.EditRequest{ID: "plan", Todo: new("TODO")})
		}, ops.ReviewEditRequest{Body: new("of the owner\n")}, "old\n", nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			owner, svc, ada, file := reviewed(t, "/")
			if _, err := api.OpRemember.Call(t.Context(), owner, api.RememberRequest{Title: "Empty", Under: "empty.org"}); err != nil {
				t.Fatal(err)
			}
			e, err := tc.propose(ada, svc)
			if err != nil {
				t.Fatal(err)
			}
			tc.edit.ID = e.Proposal
			p, err := ops.OpReviewEdit.Call(t.Context(), owner, tc.edit)
			if tc.refused {
				if fovea.KindOf(err) != fovea.Invalid {
					t.Errorf("edited: %+v, %v", p, err)
				}
				return
			}
			if err != nil || strings.Contains(p.Change, "-old") != (name == "a text" || name == "a title beside a text") {
				t.Fatalf("%+v, %v", p, err)
			}
			got, err := ops.OpReviewAccept.Call(t.Context(), owner, ops.ReviewDecision{ID: e.Proposal})
			if err != nil || !strings.Contains(file("projects/p.org"), tc.text) || file("empty.org") == "" || strings.Contains(file("empty.org"), "owner\n") {
				t.Fatalf("%+v, %v\n%s", got, err, file("projects/p.org"))
			}
			lines, err := api.OpBlame.Call(t.Context(), owner, api.BlameRequest{ID: got.ID})
			if err != nil {
				t.Fatal(err)
			}
			by := map[string]string{}
			for _, line := range lines.Lines {
				by[strings.TrimSpace(line.Text)] = line.Commit.Author
			}
			for line, want := range tc.by {
				if by[line] != want {
					t.Errorf("%q is of %q, want %q", line, by[line], want)
				}
			}
			if len(proposals(t, owner)) != 0 {
				t.Error("it waits on")
			}
		})
	}
}

// TestWithdrawnProposals: who made a proposal takes it back, nobody else does, and the log says so.
func TestWithdrawnProposals(t *testing.T) {
	owner, svc, ada, _ := reviewed(t, "/")
	e, err := api.OpEdit.Call(ada, svc, api.EditRequest{ID: "mine", Append: new("more")})
	if err != nil {
		t.Fatal(err)
	}
	hand := author.WithGrant(t.Context(), api.Grant{Agent: "bob", Role: api.Owner})
	for who, ctx := range map[string]context.Context{"bob": as(t, "bob"), "the owner": t.Context(), "the owner for bob": hand} {
		by := svc
		if who != "bob" {
			by = owner
		}
		if p, err := ops.OpReviewWithdraw.Call(ctx, by, ops.WithdrawRequest{ID: e.Proposal}); err == nil || len(proposals(t, owner)) != 1 {
			t.Errorf("%s withdraws: %+v, %v", who, p, err)
		}
	}
	if _, err := ops.OpReviewWithdraw.Call(ada, svc, ops.WithdrawRequest{ID: e.Proposal}); err != nil || len(proposals(t, owner)) != 0 {
		t.Fatalf("%v, %+v", err, proposals(t, owner))
	}
	if _, err := ops.OpReviewAccept.Call(t.Context(), owner, ops.ReviewDecision{ID: e.Proposal}); !errors.Is(err, hive.ErrNoProposal) {
		t.Errorf("accepted: %v", err)
	}
	log, err := api.OpLog.Call(author.WithScopes(t.Context(), author.Scopes{Session: "ada"}), owner, api.LogRequest{Limit: 1})
	if err != nil || len(log) != 1 || !strings.HasSuffix(log[0].Message, e.Proposal+" withdrawn") {
		t.Errorf("%+v, %v", log, err)
	}
}

// TestNeverAccepted: what could never be accepted is refused when it is proposed, and proposes
// nothing; what only the present stands against waits.
func TestNeverAccepted(t *testing.T) {
	owner, svc, ada, _ := reviewed(t, "/")
	status, err := api.OpStatus.Call(t.Context(), owner, api.StatusRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(status.Memex, "out")); err != nil {
		t.Fatal(err)
	}
	for name, req := range map[string]api.RememberRequest{
		"above": {Under: "../x.org"}, "git": {Under: ".git/x.org"}, "hidden": {Under: "a/.b/x.org"}, "a hidden folder": {Under: ".b/"},
		"above, a folder": {Under: "../b/"}, "outside": {Under: "out/x.org"}, "a note as a folder": {Under: "projects/p.org/x.org"},
		"never": {Schedule: "never", Under: "new.org"}, "no priority": {Priority: "?!"}, "a key": {Property: []string{"no value"}},
		"a number": {Priority: "?!", Under: "projects/p.org"},
	} {
		req.Title = "x"
		if e, err := api.OpRemember.Call(ada, svc, req); err == nil {
			t.Errorf("%s: %+v", name, e)
		}
		if req.Under == "" {
			continue
		}
		text, err := json.Marshal(req)
		if err != nil {
			t.Fatal(err)
		}
		if p, err := ops.OpPropose.Call(as(t, "bob"), svc, ops.ProposeRequest{Op: "remember", Request: text}); err == nil {
			t.Errorf("%s: %+v", name, p)
		}
	}
	stale := api.MoveRequest{ID: "plan", Base: "sha256:" + strings.Repeat("0f", 32)}
	n, err := api.OpShow.Call(t.Context(), owner, api.ShowRequest{ID: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	stale.Base = n.Digest
	if e, err := api.OpForget.Call(ada, svc, stale); fovea.KindOf(err) != fovea.Conflict {
		t.Errorf("a base of another state: %+v, %v", e, err)
	}
	if left := proposals(t, owner); len(left) != 0 {
		t.Errorf("proposed are %+v", left)
	}
}

// TestDiffShowsWhatGoes: the diff of what takes a branch lists the notes below, that of a new text
// leaves the log alone, and each names the file.
func TestDiffShowsWhatGoes(t *testing.T) {
	owner, svc, ada, _ := reviewed(t, "/")
	status, err := api.OpStatus.Call(t.Context(), owner, api.StatusRequest{})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, status.Memex, "b.org", "* Branch\ntext\n** One\n*** Deep\n** Two\n* NEXT Logged\n:PROPERTIES:\n:ID: logged\n:END:\n"+
		"- State \"NEXT\"       from \"TODO\"       [2026-11-14 Sat 09:00]\nwords\n")
	diff := func(e *api.EditResponse, err error) ops.Proposal {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		got, err := ops.OpReview.Call(t.Context(), owner, ops.ReviewRequest{ID: e.Proposal})
		if err != nil {
			t.Fatal(err)
		}
		return got[0]
	}
	const taken = "with 3 notes below it:\n  One\n    Deep\n  Two\n"
	p := diff(api.OpForget.Call(ada, svc, api.MoveRequest{ID: "Branch"}))
	if p.Path != "b.org" || p.Change != "--- now\n+++ proposed\n@@ -1 +0,0 @@\n-text\n"+taken {
		t.Errorf("forget: %s\n%s", p.Path, p.Change)
	}
	p = diff(api.OpArchive.Call(ada, svc, api.MoveRequest{ID: "Branch"}))
	if p.Path != "b.org_archive" || p.From != "b.org" || p.Change != "to: b.org_archive\n"+taken {
		t.Errorf("archive: %s\n%s", p.Path, p.Change)
	}
	p = diff(api.OpRefile.Call(ada, svc, api.MoveRequest{ID: "Branch", To: "plan"}))
	if p.Path != "projects/p.org" || p.From != "b.org" || p.Change != "to: Plan  projects/p.org\n"+taken {
		t.Errorf("refile: %s\n%s", p.Path, p.Change)
	}
	p = diff(api.OpEdit.Call(ada, svc, api.EditRequest{ID: "logged", Body: new("other\n")}))
	if !strings.Contains(p.Change, "-words\n+other\n") || strings.Contains(p.Change, "-- State") || strings.Contains(p.Change, "+- State") {
		t.Errorf("a text below a log:\n%s", p.Change)
	}
	p = diff(api.OpRemember.Call(ada, svc, api.RememberRequest{Title: "x", Under: "projects/"}))
	got, err := ops.OpReviewAccept.Call(t.Context(), owner, ops.ReviewDecision{ID: p.ID})
	if err != nil || got.Path != p.Path || !strings.HasPrefix(p.Path, "projects/20") {
		t.Errorf("a folder: %s, and %+v, %v", p.Path, got, err)
	}
}

// TestProposalKeepsItsFile: a note that was proposed in one month lands in the file that the owner
// saw, though it is accepted in another.
func TestProposalKeepsItsFile(t *testing.T) {
	dir := t.TempDir()
	m, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: t.TempDir(), Now: foveatest.Ticking(time.Now(), 40*24*time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	owner := api.NewLocal(m, nil)
	ada := author.WithGrant(t.Context(), api.Grant{Agent: "ada", Role: api.Agent, Review: []string{"/"}})
	e, err := api.OpRemember.Call(ada, ops.Guarded(owner), api.RememberRequest{Title: "Fact", Body: "It rains zebras."})
	if err != nil {
		t.Fatal(err)
	}
	seen, err := ops.OpReview.Call(t.Context(), owner, ops.ReviewRequest{ID: e.Proposal})
	if err != nil {
		t.Fatal(err)
	}
	got, err := ops.OpReviewAccept.Call(t.Context(), owner, ops.ReviewDecision{ID: e.Proposal})
	if err != nil || got.Path != seen[0].Path || !strings.HasPrefix(got.Path, "agents/ada/") {
		t.Errorf("seen in %s, and is in %s, %v", seen[0].Path, got.Path, err)
	}
}
