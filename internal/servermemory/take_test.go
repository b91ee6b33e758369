// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/servermemory"
)

// lives is a graph as its file has it.
const lives = `{"type":"entity","name":"Ada","entityType":"person","observations":["lived in London","wrote Note G"]}
{"type":"entity","name":"GAUGE: 7","entityType":"thing","observations":["#+begin_src drifts"]}
{"type":"entity","name":"Note G","entityType":"text","observations":[]}
{"type":"relation","from":"Ada","to":"Note G","relationType":"wrote"}
{"type":"relation","from":"GAUGE: 7","to":"Note G","relationType":"is in"}
`

// TestTakeLeavesOutTheForgotten: an import brings nothing back that somebody has
// forgotten, whoever did and however; what is there stays, also after a rollback.
func TestTakeLeavesOutTheForgotten(t *testing.T) {
	whole := servermemory.Taken{Entities: 3, Relations: 2}
	for _, tc := range []struct {
		name   string
		forget func(t *testing.T, svc api.Service, s *servermemory.Store)
		want   servermemory.Taken // of the import that follows
	}{
		{"nothing", func(*testing.T, api.Service, *servermemory.Store) {}, servermemory.Taken{}},
		{"an entity by the tool", func(t *testing.T, _ api.Service, s *servermemory.Store) {
			call(t, client(t, s), "delete_entities", `{"entityNames":["Ada"]}`)
		}, servermemory.Taken{Forgotten: 2}},
		{"a name and text that stand otherwise in Org", func(t *testing.T, _ api.Service, s *servermemory.Store) {
			call(t, client(t, s), "delete_entities", `{"entityNames":["GAUGE: 7"]}`)
		}, servermemory.Taken{Forgotten: 2}},
		{"an entity by its headline", func(t *testing.T, svc api.Service, _ *servermemory.Store) {
			list, err := api.OpQuery.Call(t.Context(), svc, api.QueryRequest{Query: "property:ENTITY=Ada"})
			if err != nil || len(list) != 1 {
				t.Fatalf("%d headlines of Ada, %v", len(list), err)
			}
			forget(t, svc, list[0].ID)
		}, servermemory.Taken{Forgotten: 1}},
		{"a relation", func(t *testing.T, _ api.Service, s *servermemory.Store) {
			call(t, client(t, s), "delete_relations", `{"relations":[{"from":"Ada","to":"Note G","relationType":"wrote"}]}`)
		}, servermemory.Taken{Forgotten: 1}},
		{"a note that says the same as an observation", func(t *testing.T, svc api.Service, s *servermemory.Store) {
			call(t, client(t, s), "delete_observations", `{"deletions":[{"entityName":"Ada","observations":["lived in London"]}]}`)
			n, err := api.OpRemember.Call(t.Context(), svc, api.RememberRequest{Title: "ada", Body: "Lived  in London"})
			if err != nil {
				t.Fatal(err)
			}
			forget(t, svc, n.ID)
		}, servermemory.Taken{Forgotten: 1}},
		{"an entity, and a rollback", func(t *testing.T, svc api.Service, s *servermemory.Store) {
			before, err := api.OpLog.Call(t.Context(), svc, api.LogRequest{Limit: 1})
			if err != nil {
				t.Fatal(err)
			}
			call(t, client(t, s), "delete_entities", `{"entityNames":["Ada"]}`)
			if _, err := api.OpRollback.Call(t.Context(), svc, api.RollbackRequest{To: fmt.Sprintf("seq:%d", before[0].Seq)}); err != nil {
				t.Fatal(err)
			}
		}, servermemory.Taken{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			svc, _ := newPlace(t).open(t)
			s := store(t, svc, "")
			g, bad := servermemory.ReadLines([]byte(lives))
			if len(bad) > 0 {
				t.Fatal(bad)
			}
			got, err := s.Take(t.Context(), g)
			if err != nil || got != whole {
				t.Fatalf("%+v, %v", got, err)
			}
			tc.forget(t, svc, s)
			got, err = s.Take(t.Context(), g)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("taken (-want +got):\n%s", diff)
			}
		})
	}
}

// forget takes a note away.
func forget(t *testing.T, svc api.Service, id string) {
	t.Helper()
	if _, err := api.OpForget.Call(t.Context(), svc, api.MoveRequest{ID: id}); err != nil {
		t.Fatal(err)
	}
}

// TestAdoptLeavesOutTheForgotten: a file that is taken over where there is no graph
// brings nothing back either, and loses it.
func TestAdoptLeavesOutTheForgotten(t *testing.T) {
	svc, m := newPlace(t).open(t)
	c := client(t, store(t, svc, ""))
	call(t, c, "create_entities", `{"entities":[{"name":"Ada","entityType":"person","observations":["lived in London","wrote Note G"]}]}`)
	call(t, c, "delete_entities", `{"entityNames":["Ada"]}`)
	file := filepath.Join(t.TempDir(), "memory.jsonl")
	if err := os.WriteFile(file, []byte(lives), 0o600); err != nil {
		t.Fatal(err)
	}
	store(t, svc, file)
	text, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(text), "Ada") || !strings.Contains(string(text), "Note G") {
		t.Errorf("the file is\n%s%v", text, err)
	}
	if _, err := m.View().Resolve("Ada"); fovea.KindOf(err) != fovea.NotFound {
		t.Errorf("Ada is back: %v", err)
	}
}
