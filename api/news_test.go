// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
)

// told lists what news tell: agent, session and how many commits.
func told(t *testing.T, svc api.Service) (sessions []string, n *ops.News) {
	t.Helper()
	n, err := ops.OpNews.Call(t.Context(), svc, api.None{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range n.Sessions {
		sessions = append(sessions, fmt.Sprint(s.Agent, " ", s.Session, " ", len(s.Commits)))
	}
	return sessions, n
}

// TestNews: the owner is told what agents wrote since the last look, by session, and which
// proposals wait, until it is said that it was seen; asking does not count as looking, agents
// can neither ask nor say so, and what comes between is told the next time.
func TestNews(t *testing.T) {
	owner, _ := serve(t, map[string]string{"a.org": "* One\n"})
	svc := ops.Guarded(owner)
	note := func(ctx context.Context, session, title string) {
		t.Helper()
		ctx = author.WithActor(ctx, author.Actor{Session: session})
		if _, err := api.OpRemember.Call(ctx, svc, api.RememberRequest{Title: title}); err != nil {
			t.Fatal(err)
		}
	}
	if got, n := told(t, owner); len(got) != 0 || !n.Since.IsZero() || len(n.UpTo) != 1 {
		t.Errorf("nobody wrote: %v, %+v", got, n)
	}
	note(as(t, "ada"), "", "First")
	note(as(t, "bob"), "", "Second")
	note(as(t, "ada"), "", "Third")
	if _, err := api.OpEdit.Call(t.Context(), owner, api.EditRequest{ID: "One", Append: new("of the owner")}); err != nil {
		t.Fatal(err)
	}
	reviewed := author.WithGrant(t.Context(), api.Grant{Agent: "cy", Role: api.Agent, Review: []string{"/"}})
	if _, err := api.OpRemember.Call(reviewed, svc, api.RememberRequest{Title: "Proposed"}); err != nil {
		t.Fatal(err)
	}
	want := []string{"bob  1", "ada  2"}
	for range 2 { // asking is not looking
		got, n := told(t, owner)
		if !slices.Equal(got, want) || len(n.Waiting) != 1 || n.Waiting[0].Agent != "cy" || n.Waiting[0].Proposals != 1 {
			t.Fatalf("%v, %+v", got, n)
		}
	}
	_, n := told(t, owner)
	note(as(t, "bob"), "", "Between")
	if _, err := ops.OpNews.Call(as(t, "ada"), svc, api.None{}); fovea.KindOf(err) != fovea.Denied {
		t.Errorf("an agent asks: %v", err)
	}
	seen := ops.NewsSeenRequest{UpTo: n.UpTo}
	if _, err := ops.OpNewsSeen.Call(as(t, "ada"), svc, seen); fovea.KindOf(err) != fovea.Denied {
		t.Errorf("an agent looks: %v", err)
	}
	keeper := author.WithGrant(t.Context(), api.Grant{Agent: "ada", Role: api.Keeper, Paths: []string{"/"}})
	if _, err := ops.OpNewsSeen.Call(keeper, svc, seen); fovea.KindOf(err) != fovea.Denied {
		t.Errorf("a keeper looks: %v", err)
	}
	for name, bad := range map[string]map[string]uint64{"nothing": nil, "too far": {"memex": 1 << 40}, "a session": {"session/ada": 1}, "nowhere": {"": 1}} {
		if _, err := ops.OpNewsSeen.Call(t.Context(), owner, ops.NewsSeenRequest{UpTo: bad}); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if _, err := ops.OpNewsSeen.Call(t.Context(), owner, seen); err != nil {
		t.Fatal(err)
	}
	if got, n := told(t, owner); !slices.Equal(got, []string{"bob  1"}) || n.Since.IsZero() || n.Sessions[0].Commits[0].Message == "" {
		t.Errorf("after the look: %v, %+v", got, n)
	}
}
