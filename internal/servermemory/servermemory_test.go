// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/mcpserver"
	"github.com/fovea-memory/fovea/internal/servermemory"
)

// place is a memex and its state.
type place struct{ memex, state string }

func newPlace(t testing.TB) place {
	return place{filepath.Join(t.TempDir(), "memex"), filepath.Join(t.TempDir(), "state")}
}

// open gives the service that a client has: that of an agent.
func (p place) open(t testing.TB) (api.Service, *fovea.Memory) {
	t.Helper()
	if err := os.MkdirAll(p.memex, 0o755); err != nil {
		t.Fatal(err)
	}
	m, err := fovea.Open(t.Context(), p.memex, &fovea.Options{StateDir: p.state, Now: foveatest.Ticking(time.Now().Add(time.Hour), time.Minute)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return ops.Hold(api.NewLocal(m, nil), api.Grant{Agent: servermemory.Agent, Role: api.Keeper}), m
}

func store(t testing.TB, svc api.Service, file string) *servermemory.Store {
	t.Helper()
	s, err := servermemory.Open(t.Context(), svc, file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// client connects to the tools of a store.
func client(t testing.TB, s *servermemory.Store) *mcp.ClientSession {
	t.Helper()
	here, there := net.Pipe()
	go func() {
		_ = servermemory.Serve(t.Context(), s, "test", nil, &mcpserver.Transport{In: there, Out: there})
	}()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: here, Writer: here}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// call returns the structured answer of a tool as JSON, its text, and whether it failed.
func call(t *testing.T, c *mcp.ClientSession, tool, args string) (data, text string, failed bool) {
	t.Helper()
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	if err != nil {
		t.Fatalf("%s %s: %v", tool, args, err)
	}
	out, err := json.Marshal(r.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	text = r.Content[0].(*mcp.TextContent).Text
	for _, word := range regexp.MustCompile(`\w+`).FindAllString(text, -1) {
		if r.StructuredContent != nil && !strings.Contains(string(out), word) {
			t.Errorf("%s %s: a client that shows its model the data alone loses %q", tool, args, word)
		}
	}
	return string(out), text, r.IsError
}

// sorted is a JSON text with its keys in order, as call returns it.
func sorted(t *testing.T, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// session is a conversation, and what @modelcontextprotocol/server-memory 2026.8.31 answered to it, but
// that here a name twice in one call is one entity.
var session = []struct {
	tool, args, want string
	failed           bool
}{
	{"read_graph", `{}`, `{"entities":[],"relations":[]}`, false},
	{"create_entities", `{"entities":[{"name":"A","entityType":"t","observations":["o1","o2"]},{"name":"B","entityType":"u","observations":[]}]}`,
		`{"entities":[{"name":"A","entityType":"t","observations":["o1","o2"]},{"name":"B","entityType":"u","observations":[]}]}`, false},
	{"create_entities", `{"entities":[{"name":"A","entityType":"t","observations":["zzz"]}]}`, `{"entities":[]}`, false},
	{"create_entities", `{"entities":[{"name":"C","entityType":"t"}]}`, `null`, true},
	{"create_entities", `{}`, `null`, true},
	{"create_entities", `{"entities":[{"name":"","entityType":"","observations":[""]}]}`, `{"entities":[{"name":"","entityType":"","observations":[""]}]}`, false},
	{"create_entities", `{"entities":[{"name":"D","entityType":"t","observations":[]},{"name":"D","entityType":"t2","observations":["x"]}]}`,
		`{"entities":[{"name":"D","entityType":"t","observations":[]}]}`, false},
	{"delete_entities", `{"entityNames":["D"]}`, `{"success":true,"message":"Entities deleted successfully"}`, false},
	{"create_relations", `{"relations":[{"from":"A","to":"B","relationType":"knows"},{"from":"no","to":"where","relationType":"x"}]}`,
		`{"relations":[{"from":"A","to":"B","relationType":"knows"},{"from":"no","to":"where","relationType":"x"}]}`, false},
	{"create_relations", `{"relations":[{"from":"A","to":"B","relationType":"knows"}]}`, `{"relations":[]}`, false},
	{"add_observations", `{"observations":[{"entityName":"A","contents":["o1","o3"]}]}`, `{"results":[{"entityName":"A","addedObservations":["o3"]}]}`, false},
	{"add_observations", `{"observations":[{"entityName":"A","contents":["o9"]},{"entityName":"nope","contents":["o1"]}]}`, `null`, true},
	{"search_nodes", `{"query":"KNOWS"}`, `{"entities":[],"relations":[]}`, false},
	{"search_nodes", `{"query":"O3"}`, `{"entities":[{"name":"A","entityType":"t","observations":["o1","o2","o3"]}],"relations":[{"from":"A",` +
		`"to":"B","relationType":"knows"}]}`, false},
	{"search_nodes", `{"query":"a b"}`, `{"entities":[],"relations":[]}`, false},
	{"open_nodes", `{"names":["B","nope"]}`, `{"entities":[{"name":"B","entityType":"u","observations":[]}],"relations":[{"from":"A","to":"B",` +
		`"relationType":"knows"}]}`, false},
	{"open_nodes", `{"names":["a"]}`, `{"entities":[],"relations":[]}`, false},
	{"open_nodes", `{"names":"A"}`, `null`, true},
	{"read_graph", `{"x":1}`, `{"entities":[{"name":"A","entityType":"t","observations":["o1","o2","o3"]},{"name":"B","entityType":"u",` +
		`"observations":[]},{"name":"","entityType":"","observations":[""]}],"relations":[{"from":"A","to":"B","relationType":"knows"},{"from":"no",` +
		`"to":"where","relationType":"x"}]}`, false},
	{"delete_observations", `{"deletions":[{"entityName":"A","observations":["o1","none"]},{"entityName":"zz","observations":["o1"]}]}`,
		`{"success":true,"message":"Observations deleted successfully"}`, false},
	{"open_nodes", `{"names":["A"]}`, `{"entities":[{"name":"A","entityType":"t","observations":["o2","o3"]}],"relations":[{"from":"A","to":"B",` +
		`"relationType":"knows"}]}`, false},
	{"delete_observations", `{"deletions":[{"entityName":"A","observations":["o2","o3"]}]}`,
		`{"success":true,"message":"Observations deleted successfully"}`, false},
	{"open_nodes", `{"names":["A"]}`, `{"entities":[{"name":"A","entityType":"t","observations":[]}],"relations":[{"from":"A","to":"B",` +
		`"relationType":"knows"}]}`, false},
	{"delete_relations", `{"relations":[{"from":"A","to":"B","relationType":"knows"},{"from":"q","to":"q","relationType":"q"}]}`,
		`{"success":true,"message":"Relations deleted successfully"}`, false},
	{"create_relations", `{"relations":[{"from":"A","to":"B","relationType":"knows"},{"from":"B","to":"A","relationType":"k2"}]}`,
		`{"relations":[{"from":"A","to":"B","relationType":"knows"},{"from":"B","to":"A","relationType":"k2"}]}`, false},
	{"delete_entities", `{"entityNames":["A","qq"]}`, `{"success":true,"message":"Entities deleted successfully"}`, false},
	{"read_graph", `{}`, `{"entities":[{"name":"B","entityType":"u","observations":[]},{"name":"","entityType":"","observations":[""]}],` +
		`"relations":[{"from":"no","to":"where","relationType":"x"}]}`, false},
	{"delete_entities", `{"entityNames":["where"]}`, `{"success":true,"message":"Entities deleted successfully"}`, false},
	{"search_nodes", `{"query":""}`, `{"entities":[{"name":"B","entityType":"u","observations":[]},{"name":"","entityType":"","observations":[""]}],` +
		`"relations":[]}`, false},
}

// TestSession: the tools answer as that server does, and a process that opens the same
// memory afterwards has the same graph.
func TestSession(t *testing.T) {
	p := newPlace(t)
	svc, m := p.open(t)
	c := client(t, store(t, svc, ""))
	for _, step := range session {
		got, text, failed := call(t, c, step.tool, step.args)
		if got != sorted(t, step.want) || failed != step.failed {
			t.Errorf("%s %s:\n got %s, %v, %s\nwant %s", step.tool, step.args, got, failed, text, step.want)
		}
	}
	want, text, _ := call(t, c, "read_graph", "{}")
	var shown any
	if err := json.Unmarshal([]byte(text), &shown); err != nil || !strings.Contains(text, "\n  \"entities\": [\n    {\n      \"name\": \"B\"") {
		t.Errorf("the text is not that server's: %v\n%s", err, text)
	}
	r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "memory://knowledge-graph"})
	if err != nil || r.Contents[0].Text != text {
		t.Errorf("the resource is not the graph: %v, %+v", err, r)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	svc, _ = p.open(t)
	if got, _, _ := call(t, client(t, store(t, svc, "")), "read_graph", "{}"); got != want {
		t.Errorf("after a restart %s, want %s", got, want)
	}
}

// TestListOfTools: names, order of fields and hints are those of that server.
func TestListOfTools(t *testing.T) {
	svc, _ := newPlace(t).open(t)
	list, err := client(t, store(t, svc, "")).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, tool := range list.Tools {
		in, out := tool.InputSchema.(map[string]any), tool.OutputSchema.(map[string]any)
		got[tool.Name] = fmt.Sprint(in["required"], out["required"], tool.Annotations.ReadOnlyHint, *tool.Annotations.DestructiveHint)
	}
	want := map[string]string{
		"create_entities": "[entities] [entities] false false", "create_relations": "[relations] [relations] false false",
		"add_observations": "[observations] [results] false false", "delete_entities": "[entityNames] [success message] false true",
		"delete_observations": "[deletions] [success message] false true", "delete_relations": "[relations] [success message] false true",
		"read_graph": "<nil> [entities relations] true false", "search_nodes": "[query] [entities relations] true false",
		"open_nodes": "[names] [entities relations] true false",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestPipelined: 200 creates at once are all stored.
func TestPipelined(t *testing.T) {
	p := newPlace(t)
	svc, m := p.open(t)
	c := client(t, store(t, svc, ""))
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			if _, text, failed := call(t, c, "create_entities", fmt.Sprintf(`{"entities":[{"name":"n-%d","entityType":"t","observations":["of %d"]}]}`, i, i)); failed {
				t.Error(text)
			}
		})
	}
	all.Wait()
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	svc, _ = p.open(t)
	if g, err := store(t, svc, "").Graph(t.Context()); err != nil || len(g.Entities) != 200 {
		t.Errorf("%d entities, %v", len(g.Entities), err)
	}
}

// TestEntityThatLeaves: an entity that somebody refiles out of the folder is none of the graph, one that comes back is.
func TestEntityThatLeaves(t *testing.T) {
	p := newPlace(t)
	svc, m := p.open(t)
	s := store(t, svc, "")
	if _, text, failed := call(t, client(t, s), "create_entities", `{"entities":[{"name":"A","entityType":"t","observations":[]},`+
		`{"name":"B","entityType":"t","observations":[]}]}`); failed {
		t.Fatal(text)
	}
	owner := api.NewLocal(m, nil)
	if _, err := api.OpRemember.Call(t.Context(), owner, api.RememberRequest{Under: "elsewhere.org", Title: "Elsewhere"}); err != nil {
		t.Fatal(err)
	}
	nodes, err := api.OpQuery.Call(t.Context(), owner, api.QueryRequest{Query: `path:"server-memory/" heading:B`})
	if err != nil || len(nodes) != 1 {
		t.Fatalf("%v, %v", nodes, err)
	}
	for _, step := range []struct {
		to   string
		want int
	}{{"elsewhere.org", 1}, {"server-memory-graph-0001", 2}} {
		if _, err := api.OpRefile.Call(t.Context(), owner, api.MoveRequest{ID: nodes[0].ID, To: step.to}); err != nil {
			t.Fatal(err)
		}
		if g, err := s.Graph(t.Context()); err != nil || len(g.Entities) != step.want {
			t.Errorf("in %s: %v, %v", step.to, g.Entities, err)
		}
	}
}

// TestFileThatVanishes: a create goes on with a new file if its file is deleted while it runs.
func TestFileThatVanishes(t *testing.T) {
	p := newPlace(t)
	svc, _ := p.open(t)
	vanishes := false
	c := client(t, store(t, api.Service(func(ctx context.Context, call api.Call) (any, error) {
		if call.Op.Name == "edit" && vanishes {
			vanishes = false
			if err := os.RemoveAll(filepath.Join(p.memex, "agents")); err != nil {
				t.Error(err)
			}
		}
		return svc(ctx, call)
	}), ""))
	for _, name := range []string{"A", "B"} {
		if _, text, failed := call(t, c, "create_entities", `{"entities":[{"name":"`+name+`","entityType":"t","observations":[]}]}`); failed {
			t.Fatal(text)
		}
		vanishes = true
	}
	vanishes = false
	if data, text, failed := call(t, c, "read_graph", `{}`); failed || strings.Contains(data, `"A"`) || !strings.Contains(data, `"B"`) {
		t.Errorf("the graph is %s %s", data, text)
	}
}

// TestTwoStores: two processes over one memory, as two are through a daemon, see each
// other's changes and lose none, in the file of both neither, and a name that both made
// at once is one entity.
func TestTwoStores(t *testing.T) {
	svc, _ := newPlace(t).open(t)
	file := filepath.Join(t.TempDir(), "memory.jsonl")
	a, b := store(t, svc, file), store(t, svc, file)
	var all sync.WaitGroup
	for k, s := range []*servermemory.Store{a, b} {
		c := client(t, s)
		all.Go(func() {
			for i := range 40 {
				for _, step := range []struct{ tool, args string }{
					{"create_entities", fmt.Sprintf(`{"entities":[{"name":"own-%d-%d","entityType":"t","observations":[]},{"name":"both-%d","entityType":"t",`+
						`"observations":["of %d"]}]}`, k, i, i, k)},
					{"add_observations", fmt.Sprintf(`{"observations":[{"entityName":"both-%d","contents":["also of %d"]}]}`, i, k)},
				} {
					if _, text, failed := call(t, c, step.tool, step.args); failed {
						t.Errorf("%s: %s", step.tool, text)
					}
				}
			}
		})
	}
	all.Wait()
	first, err := a.Graph(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	second, err := b.Graph(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := store(t, svc, "").Graph(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// Where both made an entity, whose observations come first is as each met them.
	if d := cmp.Diff(fresh, lines(t, file), cmpopts.EquateEmpty(), cmpopts.SortSlices(strings.Compare)); d != "" {
		t.Errorf("the file: %s", d)
	}
	if len(fresh.Entities) != 120 {
		t.Errorf("%d entities, want 120", len(fresh.Entities))
	}
	for _, e := range fresh.Entities {
		if strings.HasPrefix(e.Name, "both") && !(has(e, "also of 0") && has(e, "also of 1")) {
			t.Errorf("lost of %s: %q", e.Name, e.Observations)
		}
	}
	for name, g := range map[string]servermemory.Graph{"first": first, "second": second} {
		if len(g.Entities) != len(fresh.Entities) {
			t.Errorf("%s sees %d entities", name, len(g.Entities))
		}
	}
	if _, text, failed := call(t, client(t, a), "delete_entities", `{"entityNames":["both-0"]}`); failed {
		t.Error(text)
	}
	if got, _, _ := call(t, client(t, b), "open_nodes", `{"names":["both-0"]}`); got != `{"entities":[],"relations":[]}` {
		t.Errorf("still there: %s", got)
	}
}

func has(e servermemory.Entity, observation string) bool {
	return slices.Contains(e.Observations, observation)
}

// TestAPersonsHand: what a person changes in the files is what the clients get, and what
// a person wrote below an entity stays when an observation goes.
func TestAPersonsHand(t *testing.T) {
	p := newPlace(t)
	svc, _ := p.open(t)
	c := client(t, store(t, svc, ""))
	call(t, c, "create_entities", `{"entities":[{"name":"Ada","entityType":"person","observations":["wrote Note G","was born in 1815"]}]}`)
	file := filepath.Join(p.memex, "agents", "server-memory", "graph-0001.org")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(text), "- was born in 1815\n", "- was born in 1815\nA line of mine.\n- lived in London\n", 1) +
		"* A note of mine\n- not an observation\n"
	edited = strings.Replace(edited, "** Ada\n", "** Ada\nSCHEDULED: <2027-03-01 Mon>\n", 1)
	if err := os.WriteFile(file, []byte(edited), 0o644); err != nil {
		t.Fatal(err)
	}
	got, _, _ := call(t, c, "open_nodes", `{"names":["Ada"]}`)
	want := `{"entities":[{"name":"Ada","entityType":"person","observations":["wrote Note G","was born in 1815","lived in London"]}],"relations":[]}`
	if got != sorted(t, want) {
		t.Errorf("got %s", got)
	}
	if _, text, failed := call(t, c, "delete_observations", `{"deletions":[{"entityName":"Ada","observations":["wrote Note G"]}]}`); failed {
		t.Error(text)
	}
	text, err = os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), "A line of mine.") || strings.Contains(string(text), "Note G") ||
		strings.Count(string(text), "SCHEDULED") != 1 || !strings.Contains(string(text), "* A note of mine\n- not an") {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestFilesRotate: a large graph is in files of a size that an edit can write anew.
func TestFilesRotate(t *testing.T) {
	p := newPlace(t)
	svc, _ := p.open(t)
	s := store(t, svc, "")
	var g servermemory.Graph
	for i := range 1500 {
		g.Entities = append(g.Entities, servermemory.Entity{Name: fmt.Sprint("n", i), EntityType: "t", Observations: []string{strings.Repeat("word ", 100) + "."}})
		g.Relations = append(g.Relations, servermemory.Relation{From: fmt.Sprint("n", i), To: "n0", RelationType: "child of"})
	}
	for range 2 {
		if _, err := s.Take(t.Context(), g); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(p.memex, "agents", "server-memory", "*"))
	if err != nil || len(files) < 4 {
		t.Fatalf("files %v, %v", files, err)
	}
	for _, f := range files {
		if info, err := os.Stat(f); err != nil || info.Size() > 300<<10 {
			t.Errorf("%s: %d bytes, %v", f, info.Size(), err)
		}
	}
	got, err := store(t, svc, "").Graph(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(g, got); d != "" {
		t.Error(d)
	}
}
