// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/working"
)

// inSession is the context of an agent in a session.
func inSession(t *testing.T, agent, session string) context.Context {
	return author.WithActor(author.WithScopes(as(t, agent), author.Scopes{Session: session}), author.Actor{Session: session})
}

// TestConversation: what a session did are its commits in the memex and, to the owner, those of
// its own history; what they changed is told without what others did between them. A session
// that only looked is told of by its windows.
func TestConversation(t *testing.T) {
	owner, _ := serve(t, map[string]string{"tasks.org": "* TODO One\n:PROPERTIES:\n:ID: one\n:END:\n* TODO Two\n:PROPERTIES:\n:ID: two\n:END:\n"})
	svc := ops.Guarded(owner)
	s1, s2 := inSession(t, "ada", "s1"), inSession(t, "ada", "s2")
	edit := func(ctx context.Context, id, text string) {
		t.Helper()
		if _, err := api.OpEdit.Call(ctx, svc, api.EditRequest{ID: id, Append: &text}); err != nil {
			t.Fatal(err)
		}
	}
	edit(s1, "one", "zebra")
	note, err := api.OpRemember.Call(s1, svc, api.RememberRequest{Title: "Okapi"})
	if err != nil {
		t.Fatal(err)
	}
	edit(s2, "two", "quagga")
	edit(s2, "one", "lion")
	edit(s1, "one", "tiger")
	edit(s1, note.ID, "eats leaves")
	add := api.BlockAddRequest{Blocks: []working.Block{{Type: working.Task, TaskID: "T"}}}
	if _, err := api.OpBlockAdd.Call(s1, svc, add); err != nil {
		t.Fatal(err)
	}
	if _, err := api.OpContext.Call(inSession(t, "ada", "looked"), svc, api.ContextRequest{Question: "zebra"}); err != nil {
		t.Fatal(err)
	}
	if _, err := api.OpWindows.Call(inSession(t, "ada", "looked"), svc, api.WindowsRequest{}); err != nil { // writes what is queued
		t.Fatal(err)
	}
	me := author.WithGrant(t.Context(), api.Grant{Role: api.Owner})
	ask := func(ctx context.Context, session string) *ops.Conversation {
		t.Helper()
		c, err := ops.OpConversation.Call(ctx, svc, ops.ConversationRequest{Session: session, Changes: true, Text: true})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	got := ask(me, "s1")
	var seqs []string
	for _, c := range got.Commits {
		seqs = append(seqs, fmt.Sprint(c.Scope, " ", c.Author))
	}
	if want := []string{"memex ada", "memex ada", "memex ada", "memex ada", "session/s1 ada"}; !slices.Equal(slices.Sorted(slices.Values(seqs)), want) {
		t.Errorf("the commits of s1 are %q", seqs)
	}
	whole := func(c api.Changed) bool { return c.ID == note.ID && strings.Contains(c.Text, "+eats leaves") }
	if d := got.Changes; !slices.ContainsFunc(d.Added, whole) {
		t.Errorf("added %+v", d.Added)
	}
	at := slices.IndexFunc(got.Changes.Changed, func(c api.Changed) bool { return c.ID == "one" })
	if at < 0 || !strings.Contains(got.Changes.Changed[at].Text, "+zebra") || !strings.Contains(got.Changes.Changed[at].Text, "+tiger") ||
		strings.Contains(got.Changes.Changed[at].Text, "+lion") || slices.ContainsFunc(got.Changes.Changed, func(c api.Changed) bool { return c.ID == "two" }) {
		t.Errorf("changed %+v", got.Changes.Changed)
	}
	if c := ask(as(t, "bob"), "s1"); slices.ContainsFunc(c.Commits, func(c ops.SessionCommit) bool { return c.Scope != "memex" }) || len(c.Commits) != 4 {
		t.Errorf("to another agent: %+v", c.Commits)
	}
	if c := ask(me, "looked"); len(c.Commits) != 1 || c.Commits[0].Scope != "session/looked" || len(c.Changes.Added)+len(c.Changes.Changed) != 0 {
		t.Errorf("a session that looked: %+v", c)
	}
	if c := ask(me, "none"); len(c.Commits) != 0 {
		t.Errorf("a session that is none: %+v", c)
	}
	if _, err := ops.OpConversation.Call(t.Context(), owner, ops.ConversationRequest{}); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("without a name: %v", err)
	}
	done, err := api.OpRevert.Call(t.Context(), owner, api.RevertRequest{Session: "s1", DryRun: true})
	if err != nil || len(done.Commits) != 4 {
		t.Errorf("revert would take back %+v, %v", done, err)
	}
}

// TestConversationOfAToken: of a session, a token that is not for a project is told nothing of
// what it did there; one that is for it is told.
func TestConversationOfAToken(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "lake"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "lake", "l.org"), []byte("* Lake\n:PROPERTIES:\n:ID: lake\n:END:\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: filepath.Join(t.TempDir(), "state"), Projects: map[string][]string{"lake": {"lake"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	svc := ops.Guarded(api.NewLocal(m, nil))
	ctx := author.WithGrant(t.Context(), api.Grant{Role: api.Owner})
	ctx = author.WithActor(author.WithScopes(ctx, author.Scopes{Project: "lake"}), author.Actor{Session: "s1"})
	if _, err := api.OpEdit.Call(ctx, svc, api.EditRequest{ID: "lake", Append: new("pike")}); err != nil {
		t.Fatal(err)
	}
	for scope, want := range map[string]int{"project/lake": 1, "project/river": 0} {
		ctx := author.WithGrant(t.Context(), api.Grant{Agent: "ada", Role: api.Agent, Scopes: []string{scope}})
		c, err := ops.OpConversation.Call(ctx, svc, ops.ConversationRequest{Session: "s1", Changes: true, Text: true})
		if err != nil || len(c.Commits) != want || len(c.Changes.Changed) != want {
			t.Errorf("to a token for %s: %+v, %v", scope, c, err)
		}
	}
}
