// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/guard"
)

// trusted is a memory with notes of the person, of the agent ada and of another
// agent, and the ways to it of each.
func trusted(t *testing.T) (person, ada, bob api.Service) {
	t.Helper()
	svc, _ := serve(t, map[string]string{"mine.org": "* Mine\n", "skills/x.org": "* Skill\n", "tasks.org": "* Task\n", "projects/p.org": "* Project\n"})
	as := func(name string, more ...string) api.Service {
		return api.Service(func(ctx context.Context, c api.Call) (any, error) {
			g := api.Grant{Agent: name, Role: api.Agent, Paths: more}
			return ops.Hold(svc, g)(fovea.WithActor(ctx, author.Actor{Author: author.Named(name)}), c)
		})
	}
	return svc, as("ada", "projects/", "skills/"), as("bob")
}

// TestAgentsWriteWhatIsTheirs: below their folder, in tasks and where they were
// granted to, but never what is protected.
func TestAgentsWriteWhatIsTheirs(t *testing.T) {
	_, ada, bob := trusted(t)
	note, err := api.OpRemember.Call(t.Context(), ada, api.RememberRequest{Title: "A note"})
	if err != nil || !strings.HasPrefix(note.Path, "agents/ada/2") {
		t.Fatalf("remember: %+v, %v", note, err)
	}
	title := "New"
	for _, tc := range []struct {
		name string
		call func() error
		want string // "" is allowed
	}{
		{"own note", func() error { return edit(t, ada, note.ID, title) }, ""},
		{"a task", func() error { return edit(t, ada, "Task", "Task 2") }, ""},
		{"a granted folder", func() error { return edit(t, ada, "Project", "Project 2") }, ""},
		{"another one's folder", func() error { return edit(t, bob, "Project 2", title) },
			"edit: projects/p.org: agent bob writes below agents/bob/ and in tasks; the owner can grant more in the configuration: " +
				`[grants.bob] paths = ["projects/p.org"]`},
		{"the person's note", func() error { return edit(t, ada, "Mine", title) },
			"edit: mine.org: agent ada writes below agents/ada/ and in tasks; the owner can grant more in the configuration: " +
				`[grants.ada] paths = ["mine.org"]`},
		{"a skill, though granted", func() error { return edit(t, ada, "Skill", title) },
			"edit: skills/x.org: is protected; only the owner writes it"},
		{"its own ROM", func() error { return remember(t, ada, "agents/ada/ROM.org") },
			"remember: agents/ada/ROM.org: is protected; only the owner writes it"},
		{"an escape", func() error { return remember(t, ada, "agents/ada/../../mine.org") },
			"remember: agents/ada/../../mine.org: write the path below the memex, without . and .."},
		{"a name like its own", func() error { return remember(t, ada, "agents/adam/x.org") },
			"remember: agents/adam/x.org: agent ada writes below agents/ada/ and in tasks; the owner can grant more in the configuration: " +
				`[grants.ada] paths = ["agents/adam/x.org"]`},
		{"a move out", func() error {
			_, err := api.OpRefile.Call(t.Context(), ada, api.MoveRequest{ID: note.ID, To: "Mine"})
			return err
		}, "refile: mine.org: agent ada writes below agents/ada/ and in tasks; the owner can grant more in the configuration: " +
			`[grants.ada] paths = ["mine.org"]`},
		{"another one's note", func() error {
			_, err := api.OpForget.Call(t.Context(), bob, api.MoveRequest{ID: note.ID})
			return err
		}, "forget: agents/ada/2026-11.org: agent bob writes below agents/bob/ and in tasks; the owner can grant more in the configuration: " +
			`[grants.bob] paths = ["agents/ada/2026-11.org"]`},
		{"what a person wrote in tasks", func() error {
			_, err := api.OpForget.Call(t.Context(), bob, api.MoveRequest{ID: "Task 2"})
			return err
		}, "forget: commit 4: is by ada; agent bob takes back only what it has done"},
		{"purge", func() error {
			_, err := api.OpPurge.Call(t.Context(), ada, api.PurgeRequest{Text: "x"})
			return err
		}, `purge: agent ada may not; the owner can grant it in the configuration: [grants.ada] operations = ["purge"]`},
		{"a restore", func() error {
			_, err := api.OpRestore.Call(t.Context(), ada, api.RestoreRequest{From: api.PlaceLocal})
			return err
		}, `restore: agent ada may not; the owner can grant it in the configuration: [grants.ada] operations = ["restore"]`},
		{"a checkpoint on IPFS", func() error {
			_, err := api.OpCheckpoint.Call(t.Context(), ada, api.CheckpointRequest{To: api.PlaceIPFS})
			return err
		}, `checkpoint: agent ada may not; the owner can grant it in the configuration: [grants.ada] operations = ["checkpoint"]`},
		{"deletions", func() error {
			_, err := api.OpIngest.Call(t.Context(), ada, api.IngestRequest{AcceptDeletions: true})
			return err
		}, `ingest: agent ada may not; the owner can grant it in the configuration: [grants.ada] operations = ["ingest"]`},
		{"ids for all", func() error {
			_, err := api.OpAssignIDs.Call(t.Context(), ada, api.AssignRequest{All: true})
			return err
		}, `assign-ids: agent ada may not; the owner can grant it in the configuration: [grants.ada] operations = ["assign-ids"]`},
		{"its own note again", func() error {
			_, err := api.OpForget.Call(t.Context(), ada, api.MoveRequest{ID: note.ID})
			return err
		}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := tc.call()
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != tc.want || err != nil && fovea.KindOf(err) != fovea.Denied {
				t.Errorf("%q (%v), want %q", got, fovea.KindOf(err), tc.want)
			}
		})
	}
}

func edit(t *testing.T, svc api.Service, id, title string) error {
	t.Helper()
	_, err := api.OpEdit.Call(t.Context(), svc, api.EditRequest{ID: id, Title: &title})
	return err
}

func remember(t *testing.T, svc api.Service, under string) error {
	t.Helper()
	_, err := api.OpRemember.Call(t.Context(), svc, api.RememberRequest{Title: "Note", Under: under})
	return err
}

// TestAgentsRollBackTheirOwn: as far as nobody else has committed since.
func TestAgentsRollBackTheirOwn(t *testing.T) {
	person, ada, bob := trusted(t)
	for i, svc := range []api.Service{person, ada, ada} {
		if _, err := api.OpRemember.Call(t.Context(), svc, api.RememberRequest{Title: "Task " + strconv.Itoa(i), Under: "tasks.org"}); err != nil {
			t.Fatal(err)
		}
	}
	// Commit 1 is the ingest, 2 the person's, 3 and 4 ada's.
	for _, tc := range []struct {
		name, to, want string
		by             api.Service
	}{
		{"another one's", "0", "rollback: commit 4: is by ada; agent bob takes back only what it has done", bob},
		{"beyond its own", "seq:1", "rollback: commit 2: is by owner; agent ada takes back only what it has done", ada},
		{"a date", "2026-11-01", "rollback: 2026-11-01: an agent names a snapshot, or seq: and the number of a commit", ada},
		{"its own", "seq:2", "", ada},
		{"its own rollback", "0", "", ada},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := ""
			if _, err := api.OpRollback.Call(t.Context(), tc.by, api.RollbackRequest{To: tc.to}); err != nil {
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
	if _, err := api.OpRollback.Call(t.Context(), person, api.RollbackRequest{To: "seq:1", Head: 3}); fovea.KindOf(err) != fovea.Conflict {
		t.Errorf("a rollback that was decided on before: %v", err)
	}
}

// TestRolesThatAreNone: who is nobody may do nothing, a reader only read.
func TestRolesThatAreNone(t *testing.T) {
	svc, _ := serve(t, map[string]string{"a.org": "* A\n"})
	for _, tc := range []struct {
		name        string
		g           api.Grant
		read, write bool
	}{
		{"nobody", api.Grant{}, false, false},
		{"made up", api.Grant{Role: "root", Agent: "x"}, false, false},
		{"reader", api.Grant{Role: api.Reader, Agent: "x"}, true, false},
		{"agent without a name", api.Grant{Role: api.Agent}, true, false},
		{"agent with a path for a name", api.Grant{Role: api.Agent, Agent: "../x"}, true, false},
		{"agent", api.Grant{Role: api.Agent, Agent: "x"}, true, true},
		{"owner", api.Grant{Role: api.Owner}, true, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := ops.Hold(svc, tc.g)
			_, err := api.OpStatus.Call(t.Context(), s, api.StatusRequest{})
			_, werr := api.OpSnapshot.Call(t.Context(), s, api.SnapshotRequest{})
			if (err == nil) != tc.read || (werr == nil) != tc.write {
				t.Errorf("read: %v, write: %v", err, werr)
			}
		})
	}
}

// TestGrantsProtectWhatThePolicyDoes: one list says what is protected, that of the memory.
func TestGrantsProtectWhatThePolicyDoes(t *testing.T) {
	svc, _ := guardedService(t, guard.Rules{Lockdown: []string{"tasks.org"}, Trusted: []string{"skills/"}})
	g := api.Grant{Agent: "ada", Role: api.Agent, Paths: []string{"skills/"}}
	ada := api.Service(func(ctx context.Context, c api.Call) (any, error) {
		return ops.Hold(svc, g)(fovea.WithActor(ctx, author.Actor{Author: author.Named("ada")}), c)
	})
	if err := edit(t, ada, "Task", "Mine"); fovea.KindOf(err) != fovea.Denied {
		t.Errorf("a file that the policy protects: %v", err)
	}
	if err := edit(t, ada, "Plan", "Plan"); err != nil {
		t.Errorf("a file that the policy trusts: %v", err)
	}
}

// TestKeepersKeepTheirFolder: a program of Fovea that keeps files in a folder of its own
// forgets what anybody wrote there, and nothing elsewhere; it writes headlines at once, and is
// refused what would act.
func TestKeepersKeepTheirFolder(t *testing.T) {
	svc, _ := serve(t, map[string]string{"mine.org": "* Mine\n", "tasks.org": "* Task\n", "agents/graph/g.org": "* Entity\n* Other\n"})
	keeper := api.As(ops.Guarded(svc), api.Grant{Agent: "graph", Role: api.Keeper})
	for id, may := range map[string]bool{"Entity": true, "Mine": false, "Task": false} {
		if _, err := api.OpForget.Call(t.Context(), keeper, api.MoveRequest{ID: id}); (err == nil) != may {
			t.Errorf("forget %s: %v", id, err)
		}
	}
	text := "** An entity\n- as it is\n"
	if _, err := api.OpEdit.Call(t.Context(), keeper, api.EditRequest{ID: "Other", Append: &text, AllowSubheadings: true}); err != nil {
		t.Error(err)
	} else if n, err := api.OpShow.Call(t.Context(), svc, api.ShowRequest{ID: "Other"}); err != nil || len(n.Children) != 1 {
		t.Errorf("%+v, %v", n, err)
	}
	text = "[[elisp:(ding)]]\n"
	if _, err := api.OpEdit.Call(t.Context(), keeper, api.EditRequest{ID: "Other", Append: &text}); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("a text that acts: %v", err)
	}
}
