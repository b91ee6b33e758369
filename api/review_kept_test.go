// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/hive"
)

// TestNamesOfProposals: no agent chooses the id of what it proposes, and too few characters of one name
// nothing; a key finds the first proposal under it.
func TestNamesOfProposals(t *testing.T) {
	var ids []string
	for range 2 {
		owner, svc, ada, _ := reviewed(t, "/")
		for range 2 {
			e, err := api.OpEdit.Call(ada, api.WithKey(svc, "chosen"), api.EditRequest{ID: "mine", Append: new("more")})
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, e.Proposal)
		}
		id := ids[len(ids)-1]
		for _, few := range []string{id[:1], id[:3], ""} {
			if e, err := ops.OpReviewAccept.Call(t.Context(), owner, ops.ReviewDecision{ID: few}); !errors.Is(err, hive.ErrNoProposal) {
				t.Errorf("accepted by %q: %+v, %v", few, e, err)
			}
		}
		if _, err := ops.OpReviewAccept.Call(t.Context(), owner, ops.ReviewDecision{ID: id[:4] + "…"}); err != nil {
			t.Error(err)
		}
	}
	if ids[0] != ids[1] || ids[2] != ids[3] || ids[0] == ids[2] {
		t.Errorf("under one key the ids are %q", ids)
	}
}

// TestLargeProposals: what is kept of a proposal is bounded, whatever it takes or replaces; the owner
// sees all of it.
func TestLargeProposals(t *testing.T) {
	owner, svc, ada, _ := reviewed(t, "/")
	status, err := api.OpStatus.Call(t.Context(), owner, api.StatusRequest{})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, status.Memex, "many.org", "* Many\n"+strings.Repeat("** "+strings.Repeat("<", 300)+"\n", 4000))
	writeFile(t, status.Memex, "large.org", "* Large\n"+strings.Repeat("<日本語\n", 200_000))
	writeFile(t, status.Memex, "one.org", "* One\n** Kid\n")
	for name, propose := range map[string]func() (*api.EditResponse, error){
		"many": func() (*api.EditResponse, error) { return api.OpForget.Call(ada, svc, api.MoveRequest{ID: "Many"}) },
		"a large one": func() (*api.EditResponse, error) {
			return api.OpEdit.Call(ada, svc, api.EditRequest{ID: "Large", Body: new("x")})
		},
	} {
		e, err := propose()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		all, err := ops.OpReview.Call(t.Context(), owner, ops.ReviewRequest{ID: e.Proposal})
		if err != nil || len(all[0].Change) < 1_000_000 {
			t.Errorf("%s: the owner sees %d bytes, %v", name, len(all[0].Change), err)
		}
	}
	for _, p := range proposals(t, owner) {
		if len(p.Change) > hive.MaxRequest+200 || !strings.Contains(p.Change, " more bytes are not kept; fovea review diff shows them\n") {
			t.Errorf("%s: %d bytes are kept", p.Title, len(p.Change))
		}
	}
	e, err := api.OpForget.Call(ada, svc, api.MoveRequest{ID: "One"})
	if err != nil {
		t.Fatal(err)
	}
	if all, err := ops.OpReview.Call(ada, svc, ops.ReviewRequest{ID: e.Proposal}); err != nil || all[0].Change != "with 1 note below it:\n  Kid\n" {
		t.Errorf("%+v, %v", all, err)
	}
}

// TestWhatAnEditTellsTheAgent: what stands against a proposal that the owner edits is told to the owner
// alone, once, with the new words; so is what stands in an encrypted note.
func TestWhatAnEditTellsTheAgent(t *testing.T) {
	owner, svc, ada, _ := reviewed(t, "/")
	e, err := api.OpEdit.Call(ada, svc, api.EditRequest{ID: "mine", Body: new("of ada\n"), Title: new("Hers")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := api.OpEdit.Call(t.Context(), owner, api.EditRequest{ID: "mine", Append: new("meanwhile"), Title: new("TITLE")}); err != nil {
		t.Fatal(err)
	}
	const stale = "This cannot be accepted now"
	for _, title := range []string{"First", "Second"} {
		p, err := ops.OpReviewEdit.Call(t.Context(), owner, ops.ReviewEditRequest{ID: e.Proposal, Title: &title})
		if err != nil || strings.Count(p.Change, stale) != 1 || !strings.Contains(p.Change, "title: "+title+"\n") {
			t.Errorf("%+v, %v", p, err)
		}
	}
	all, err := ops.OpReview.Call(t.Context(), owner, ops.ReviewRequest{ID: e.Proposal})
	if err != nil || strings.Count(all[0].Change, stale) != 1 || !strings.Contains(all[0].Change, "title: Second\n") {
		t.Errorf("%+v, %v", all, err)
	}
	if p, err := ops.OpReviewEdit.Call(t.Context(), owner, ops.ReviewEditRequest{ID: e.Proposal, Body: new("of both\n")}); err != nil {
		t.Errorf("%+v, %v", p, err)
	}
	all, err = ops.OpReview.Call(ada, svc, ops.ReviewRequest{ID: e.Proposal})
	if err != nil || all[0].Title != "Mine" || !strings.Contains(all[0].Change, "+of both\n") {
		t.Fatalf("%+v, %v", all, err)
	}
	if strings.Contains(all[0].Change, stale) {
		t.Errorf("ada is told %s", all[0].Change)
	}
	if _, err := api.OpEdit.Call(t.Context(), owner, api.EditRequest{ID: "plan", Append: new("SECRET"), Tag: []string{"crypt"}}); err != nil {
		t.Fatal(err)
	}
	if e, err = api.OpForget.Call(ada, svc, api.MoveRequest{ID: "plan"}); err != nil {
		t.Fatal(err)
	}
	if all, err = ops.OpReview.Call(ada, svc, ops.ReviewRequest{ID: e.Proposal}); err != nil || strings.Contains(all[0].Change, "SECRET") {
		t.Errorf("%+v, %v", all, err)
	}
	n, err := api.OpShow.Call(t.Context(), owner, api.ShowRequest{ID: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = api.OpForget.Call(ada, svc, api.MoveRequest{ID: "plan", Base: n.Digest})
	if e, ok := errors.AsType[*fovea.Error](err); !ok || e.Kind != fovea.Conflict || strings.Contains(e.Theirs+e.Error(), "SECRET") {
		t.Errorf("by another base: %v", err)
	}
}

// TestHalfAccepted: where a crash came between the part of the agent and that of the owner, what the note
// has become since is not replaced.
func TestHalfAccepted(t *testing.T) {
	for _, changed := range []bool{false, true} {
		owner, svc, ada, file := reviewed(t, "/")
		e, err := api.OpEdit.Call(ada, svc, api.EditRequest{ID: "mine", Body: new("of ada\n"), Todo: new("TODO")})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ops.OpReviewEdit.Call(t.Context(), owner, ops.ReviewEditRequest{ID: e.Proposal, Body: new("of the owner\n")}); err != nil {
			t.Fatal(err)
		}
		by := author.WithGrant(t.Context(), api.Grant{Agent: "ada", Role: api.Owner})
		if _, err := api.OpEdit.Call(by, api.WithKey(owner, "review-"+e.Proposal), api.EditRequest{ID: "mine", Todo: new("TODO")}); err != nil {
			t.Fatal(err)
		}
		if changed {
			if _, err := api.OpEdit.Call(t.Context(), owner, api.EditRequest{ID: "mine", Append: new("precious")}); err != nil {
				t.Fatal(err)
			}
		}
		_, err = ops.OpReviewAccept.Call(t.Context(), owner, ops.ReviewDecision{ID: e.Proposal})
		text := file("agents/ada/own.org")
		if changed != (fovea.KindOf(err) == fovea.Conflict) || changed != strings.Contains(text, "precious") || changed == strings.Contains(text, "of the owner") {
			t.Errorf("changed %v: %v\n%s", changed, err, text)
		}
	}
}

// TestHeadlinesOfAKeeper: headlines in a text are accepted also where the owner has edited that text.
func TestHeadlinesOfAKeeper(t *testing.T) {
	owner, svc, _, file := reviewed(t, "/")
	keeper := author.WithGrant(t.Context(), api.Grant{Agent: "ada", Role: api.Keeper, Review: []string{"/"}})
	e, err := api.OpEdit.Call(keeper, svc, api.EditRequest{ID: "plan", Body: new("text\n** Kid\n"), Todo: new("TODO"), AllowSubheadings: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ops.OpReviewEdit.Call(t.Context(), owner, ops.ReviewEditRequest{ID: e.Proposal, Body: new("other\n** Kid\n")}); err != nil {
		t.Fatal(err)
	}
	_, err = ops.OpReviewAccept.Call(t.Context(), owner, ops.ReviewDecision{ID: e.Proposal})
	if text := file("projects/p.org"); err != nil || !strings.Contains(text, "other\n** Kid\n") || !strings.Contains(text, "* TODO Plan") {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestPlaceWithoutIDs: an edit is about the note below the heading above it, which another title makes no
// other one, and in its file.
func TestPlaceWithoutIDs(t *testing.T) {
	const note = "** Note\n:PROPERTIES:\n:ID: note\n:END:\nold\n"
	for name, tc := range map[string]struct {
		files   map[string]string // after the proposal; before, the note is below A in a.org, which has B
		refused bool
	}{
		"nothing":            {nil, false},
		"another title":      {map[string]string{"a.org": "* Another\nof a\n" + note + "* B\nof b\n"}, false},
		"below another":      {map[string]string{"a.org": "* A\nof a\n* B\nof b\n" + note}, true},
		"the old one gone":   {map[string]string{"a.org": "* B\nof b\n" + note}, true},
		"in another file":    {map[string]string{"b.org": "* A\nof a\n" + note, "a.org": "* B\nof b\n"}, true},
		"file renamed whole": {map[string]string{"b.org": "* A\nof a\n" + note + "* B\nof b\n", "a.org": ""}, true},
	} {
		t.Run(name, func(t *testing.T) {
			owner, svc, ada, _ := reviewed(t, "/")
			status, err := api.OpStatus.Call(t.Context(), owner, api.StatusRequest{})
			if err != nil {
				t.Fatal(err)
			}
			writeFile(t, status.Memex, "a.org", "* A\nof a\n"+note+"* B\nof b\n")
			e, err := api.OpEdit.Call(ada, svc, api.EditRequest{ID: "note", Body: new("new\n")})
			if err != nil {
				t.Fatal(err)
			}
			for file, text := range tc.files {
				writeFile(t, status.Memex, file, text)
			}
			_, err = ops.OpReviewAccept.Call(t.Context(), owner, ops.ReviewDecision{ID: e.Proposal})
			if (fovea.KindOf(err) == fovea.Conflict) != tc.refused || !tc.refused && err != nil {
				t.Errorf("%v", err)
			}
		})
	}
}
