// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/embed"
	"github.com/fovea-memory/fovea/internal/foveatest/looking"
	"github.com/fovea-memory/fovea/internal/inert"
	"github.com/fovea-memory/fovea/working"
)

// farServer embeds, reranks and chats for a memory that takes it for another computer, and
// keeps what it was sent.
type farServer struct {
	url  string
	mu   sync.Mutex
	seen strings.Builder
}

func newFarServer(t *testing.T) *farServer {
	far := &farServer{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		far.mu.Lock()
		far.seen.Write(body)
		far.mu.Unlock()
		var in struct{ Input, Documents []string }
		_ = json.Unmarshal(body, &in) // of a chat neither
		var out []map[string]any
		for i, text := range append(in.Input, in.Documents...) {
			vector := make([]float32, 64)
			for j := range len(text) {
				vector[(int(text[j])+j)%64]++
			}
			out = append(out, map[string]any{"index": i, "embedding": vector, "relevance_score": 1.0 / float64(i+1)})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"model": "m", "data": out, "results": out,
			"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": "A text."}}}})
	}))
	t.Cleanup(s.Close)
	far.url = strings.Replace(s.URL, "127.0.0.1", "0.0.0.0", 1) // leads here too, but is not known to
	return far
}

// taken returns what came since the last time.
func (far *farServer) taken() string {
	far.mu.Lock()
	defer far.mu.Unlock()
	defer far.seen.Reset()
	return far.seen.String()
}

// keptBack are the notes of a memory with an embedder, a reranker and a chat model on another
// computer. What begins with ZY9 is given to none of them.
var keptBack = map[string]string{
	"tasks.org": "* TODO Private\n:PROPERTIES:\n:ID: private\n:END:\nZY9OWNER pump\n** Child\n:PROPERTIES:\n:ID: child\n:END:\nZY9CHILD pump\n" +
		"** Nameless\nZY9NAMELESS pump\n" +
		"* Public\n:PROPERTIES:\n:ID: public\n:EMBED: t\n:END:\nan open pump\n** Kept back\n:PROPERTIES:\n:ID: back\n:EMBED: nil\n:END:\nZY9BACK pump\n" +
		"** Lent\n:PROPERTIES:\n:ID: lent\n:END:\na lent pump\n* Another\n:PROPERTIES:\n:ID: another\n:EMBED: t\n:END:\nanother open pump\n",
	"tasks/jobs.org":       "#+ARCHIVE: given.org::\n* TODO Job\n:PROPERTIES:\n:ID: job\n:END:\nZY9JOB pump\n" + longText("ZY9JOB"),
	"tasks/given.org":      "#+PROPERTY: EMBED t\n* There\nalready a pump\n" + longText("mill"),
	"agents/mint/open.org": ":PROPERTIES:\n:ID: open\n:EMBED: t\n:END:\n* Own\n:PROPERTIES:\n:ID: own\n:END:\na pump of mint's\n",
	"agents/mint/mine.org": "* Mine\n:PROPERTIES:\n:ID: mine\n:END:\nZY9MINE pump\n",
}

// farWorld is a memory of keptBack with that server.
func farWorld(t *testing.T) (*world, *farServer) {
	far := newFarServer(t)
	w := newWorld(t, keptBack)
	if err := w.m.Close(); err != nil {
		t.Fatal(err)
	}
	config := embed.Config{Kind: embed.KindOpenAI, URL: far.url, Model: "m"}
	m, err := fovea.Open(t.Context(), w.dir, &fovea.Options{StateDir: w.state, Now: w.now,
		Embedder:   func(ctx context.Context) (embed.Embedder, error) { return embed.Open(ctx, config) },
		Summarizer: &embed.Summarizing{URL: far.url, Model: "m"},
		Reranker: &embed.Reranking{Timeout: time.Minute, Connect: func(ctx context.Context) (embed.Reranker, error) {
			return embed.OpenReranker(ctx, embed.Config{Kind: embed.KindAuto, URL: far.url, Model: "m"})
		}}})
	if err != nil {
		t.Fatal(err)
	}
	w.m = m
	w.ingest()
	return w, far
}

// minted is the service as an agent has it, with grants of operations.
func (w *world) minted(role author.Role, granted ...string) *agentDesk {
	g := api.Grant{Agent: "mint", Role: role, Operations: granted}
	ctx := author.WithScopes(author.WithGrant(w.t.Context(), g), api.Scopes{Session: "s"})
	return &agentDesk{w, ctx, ops.Guarded(looking.First(api.NewLocal(w.m, &api.LocalOptions{Now: w.now})))}
}

// sent returns what leaves for the server: texts for vectors, hits of a search, and blocks.
func (d *agentDesk) sent(far *farServer) string {
	d.t.Helper()
	d.ingest()
	if err := d.m.Meaning().Fill(d.t.Context(), nil); err != nil {
		d.t.Fatal(err)
	}
	if _, err := api.OpSearch.Call(d.ctx, d.svc, api.SearchRequest{Text: "pump", Mode: "hybrid", Limit: 30}); err != nil {
		d.t.Fatal(err)
	}
	for range 2 {
		d.context(api.ContextRequest{Budget: 2000, Policy: "shares", Question: "pump"})
		made(d.t, d.world)
	}
	return far.taken()
}

// givers are ways in which an agent tries to have texts sent to another computer.
var givers = []struct {
	how  string
	give func(d *agentDesk) error
}{
	{"refile below a given heading", func(d *agentDesk) error { return d.refile("private", "public") }},
	{"refile into a given file", func(d *agentDesk) error { return d.refile("private", "open") }},
	{"refile to a file's keyword", func(d *agentDesk) error { return d.refile("job", "tasks/given.org") }},
	{"refile a child", func(d *agentDesk) error { return d.refile("child", "another") }},
	{"refile what has no id", func(d *agentDesk) error { return d.refile("Nameless", "another") }},
	{"refile its own", func(d *agentDesk) error { return d.refile("mine", "public") }},
	{"archive", func(d *agentDesk) error { return call(d, api.OpArchive, api.MoveRequest{ID: "job"}) }},
	{"take back nil", func(d *agentDesk) error {
		return call(d, api.OpEdit, api.EditRequest{ID: "back", RemoveProperty: []string{"embed"}})
	}},
	{"propose a refile", func(d *agentDesk) error {
		return call(d, ops.OpPropose, ops.ProposeRequest{Op: "refile", Request: []byte(`{"id":"private","to":"public"}`)})
	}},
	{"a tree", func(d *agentDesk) error {
		return call(d, api.OpIngestTree, api.IngestTreeRequest{AST: []byte(`{"type":"note","properties":{"ID":"tree","EMBED":"t"},"raw-content":"ZY9TREE pump\n"}`)})
	}},
	{"a tree, then a file", func(d *agentDesk) error {
		ast := `{"type":"headline","properties":{"ID":"tree2","TITLE":"T"},"raw-content":"ZY9TREE2 pump\n"}`
		return cmp.Or(call(d, api.OpIngestTree, api.IngestTreeRequest{AST: []byte(ast)}), d.refile("tree2", "public"))
	}},
	{"revert over what the owner wrote", func(d *agentDesk) error {
		if err := d.refile("lent", "private"); err != nil {
			d.t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(d.dir, "tasks.org"))
		if err != nil {
			d.t.Fatal(err)
		}
		d.save("tasks.org", strings.Replace(string(text), "a lent pump", "ZY9LENT pump", 1))
		newest := d.memex().log("lent")
		return call(d.memex(), api.OpRevert, api.RevertRequest{Commits: []string{fmt.Sprint(newest)}})
	}},
	{"restore an old version", func(d *agentDesk) error {
		d.save("tasks/old.org", "* Old\n:PROPERTIES:\n:EMBED: t\n:END:\nZY9OLD pump\n")
		given := d.m.View().Head().Seq
		d.save("tasks/old.org", "* Old\nZY9OLD pump\n")
		return call(d.memex(), api.OpRestore, api.RestoreRequest{Files: []string{"tasks/old.org"}, At: fmt.Sprintf("seq:%d", given)})
	}},
	{"a buffer of a file", func(d *agentDesk) error {
		return call(d, api.OpIngestTree, api.IngestTreeRequest{AST: []byte(`{"type":"document","properties":{"PATH":"tasks.org","EMBED":"t"},` +
			`"contents":[{"type":"headline","properties":{"TITLE":"B","EMBED":"t"},"raw-content":"ZY9BUFFER pump\n"}]}`)})
	}},
}

// memex is the agent in no session, for a look at history.
func (d *agentDesk) memex() *agentDesk {
	return &agentDesk{d.world, author.WithScopes(d.ctx, api.Scopes{}), d.svc}
}

func call[Q, A any](d *agentDesk, op api.Op[Q, A], req Q) error {
	_, err := op.Call(d.ctx, d.svc, req)
	return err
}

func (d *agentDesk) refile(id, to string) error {
	return call(d, api.OpRefile, api.MoveRequest{ID: id, To: to})
}

// log returns the number of the newest commit of mint's that changed a note.
func (d *agentDesk) log(id string) uint64 {
	d.t.Helper()
	log, err := api.OpLog.Call(d.ctx, d.svc, api.LogRequest{ID: id})
	if err != nil {
		d.t.Fatal(err)
	}
	i := slices.IndexFunc(log, func(c api.Commit) bool { return c.Author == "mint" })
	if i < 0 {
		d.t.Fatal("no commit of mint's")
	}
	return log[i].Seq
}

// TestNoAgentGivesNotesAway: nothing that an agent does has a text sent to another computer
// that was not before, whatever it is granted, for vectors, ranking or summaries.
func TestNoAgentGivesNotesAway(t *testing.T) {
	spell := []string{"EMBED=t", "embed=t", "Embed+=T", "EMBED+=t", "EMBED\u3164=t", "EMBED\u200b=t", " EMBED=t", "EMBED =t", "EMBED:=t", "EMBED_ALL=t"}
	for _, role := range []api.Role{api.Agent, api.Keeper} {
		w, far := farWorld(t)
		d := w.minted(role, "ingest-tree", "restore", "refile")
		d.add(working.Block{Type: working.File, Location: "tasks.org"}, working.Block{Type: working.File, Location: "tasks/jobs.org"},
			working.Block{Type: working.File, Location: "tasks/given.org"},
			working.Block{Type: working.History, ActionType: "think", Result: "ZY9BLOCK" + longText("pump")})
		got := d.sent(far)
		for _, given := range []string{"an open pump", "already a pump", "Summarize"} {
			if !strings.Contains(got, given) || strings.Contains(got, "ZY9") {
				t.Fatalf("before, it was sent %s", got)
			}
		}
		held := func(how string, err error, fine bool) {
			t.Helper()
			if fovea.KindOf(err) != fovea.Invalid && !fine {
				t.Errorf("%s, %s: %v", role, how, err)
			}
			if got := d.sent(far); strings.Contains(got, "ZY9") {
				t.Errorf("%s, %s: it was sent %s", role, how, got)
			}
		}
		for _, p := range spell {
			held("edit "+p, call(d, api.OpEdit, api.EditRequest{ID: "private", Property: []string{p}}), false)
			held("edit a file "+p, call(d, api.OpEdit, api.EditRequest{ID: "tasks.org", Property: []string{p}}), false)
			held("remember "+p, call(d, api.OpRemember, api.RememberRequest{Title: "New " + p, Body: "ZY9NEW pump", Property: []string{p}}), false)
			text, err := json.Marshal(api.EditRequest{ID: "private", Property: []string{p}})
			if err != nil {
				t.Fatal(err)
			}
			held("propose "+p, call(d, ops.OpPropose, ops.ProposeRequest{Op: "edit", Request: text}), false)
		}
		for _, body := range []string{":PROPERTIES:\n:EMBED: t\n:END:\nx", "#+PROPERTY: EMBED t\nx", "#+property: embed t",
			"* Sub\n:PROPERTIES:\n:EMBED: t\n:END:\n"} {
			held("append "+body, call(d, api.OpEdit, api.EditRequest{ID: "private", Append: &body}), true)
			held("append to a file "+body, call(d, api.OpEdit, api.EditRequest{ID: "tasks/jobs.org", Append: &body}), true)
			held("body "+body, call(d, api.OpRemember, api.RememberRequest{Title: "B " + body, Under: "private", Body: body + "\nZY9B pump"}), true)
			held("title "+body, call(d, api.OpEdit, api.EditRequest{ID: "child", Title: &body}), true)
		}
		for i, g := range givers {
			held(g.how, g.give(d), i == len(givers)-1)
		}
		if role == api.Agent { // what the owner has given stays given, and what is written there goes with it
			held("remember there", call(d, api.OpRemember, api.RememberRequest{Title: "Of mint's", Under: "public", Body: "a new pump"}), true)
			held("move what is given", d.refile("own", "another"), true)
		}
		w.save("tasks.org", strings.Replace(keptBack["tasks.org"], ":ID: private", ":ID: private\n:EMBED: t", 1))
		if got = d.sent(far); !strings.Contains(got, "ZY9OWNER") || !strings.Contains(got, "ZY9CHILD") || strings.Contains(got, "ZY9BACK") {
			t.Errorf("given by its owner, it was sent %s", got)
		}
	}
}

// TestObeyedRows: of each name in the table, by each way of writing it, the owner and agents
// set what they may, and what they may not is refused or does not act.
func TestObeyedRows(t *testing.T) {
	w := newWorld(t, map[string]string{
		"tasks.org":         "* TODO Task\n:PROPERTIES:\n:ID: task\n:END:\n",
		"agents/mint/x.org": "* Mine\n:PROPERTIES:\n:ID: mine\n:END:\n",
	})
	w.ingest()
	d := w.minted(api.Agent, "ingest-tree")
	owner := &agentDesk{w, author.WithGrant(t.Context(), api.Grant{Role: api.Owner}), d.svc}
	var imported strings.Builder
	for _, row := range inert.Table {
		for name := range strings.FieldsSeq(strings.ReplaceAll(row.Names, "*", "X")) {
			value := map[bool]string{true: "1:30", false: "v"}[name == "EFFORT"]
			switch row.Kind {
			case "keyword":
				line := "#+" + strings.ToLower(name) + ": " + value
				for _, id := range []string{"mine", "task", "agents/mint/x.org"} {
					if err := call(d, api.OpEdit, api.EditRequest{ID: id, Append: &line}); err != nil {
						t.Errorf("%s: %v", name, err)
					}
				}
			case "tag":
				err := call(d, api.OpEdit, api.EditRequest{ID: "mine", Tag: []string{name}})
				fmt.Fprintf(&imported, `{"id":"t-%s","title":"Title :%s:","text":"# Below :x:%s:","labels":[%q]}`+"\n", name, name, name, name)
				if (err == nil) != (row.By != inert.ByOwner) {
					t.Errorf("the tag %s, by %s: %v", name, row.By, err)
				}
			default:
				may := row.By == inert.ByWriter || row.By == inert.ByAnyone || row.Only != ""
				for _, pair := range []string{name + "=" + value, strings.ToLower(name) + "=" + value} {
					propose, err := json.Marshal(api.EditRequest{ID: "task", Property: []string{pair}})
					if err != nil {
						t.Fatal(err)
					}
					for how, err := range map[string]error{
						"edit":         call(d, api.OpEdit, api.EditRequest{ID: "mine", Property: []string{pair}}),
						"edit a task":  call(d, api.OpEdit, api.EditRequest{ID: "task", Property: []string{pair}}),
						"edit a file":  call(d, api.OpEdit, api.EditRequest{ID: "agents/mint/x.org", Property: []string{pair}}),
						"take away":    call(d, api.OpEdit, api.EditRequest{ID: "mine", RemoveProperty: []string{strings.TrimSuffix(pair, "="+value)}}),
						"remember":     call(d, api.OpRemember, api.RememberRequest{Title: "New " + pair, Property: []string{pair}}),
						"below a note": call(d, api.OpRemember, api.RememberRequest{Title: "Below " + pair, Under: "mine", Property: []string{pair}}),
						"propose":      call(d, ops.OpPropose, ops.ProposeRequest{Op: "edit", Request: propose}),
					} {
						isName := name == "ID" && (how == "remember" || how == "below a note") // of a new note
						refused := err != nil && strings.Contains(err.Error(), "is not an agent's to set")
						if !isName && refused == may {
							t.Errorf("%s %s, by %s: %v", how, pair, row.By, err)
						}
					}
					if !may {
						err := call(d, api.OpEdit, api.EditRequest{ID: "mine", Property: []string{strings.Replace(pair, "=", "+=", 1)}})
						if err == nil || !strings.Contains(err.Error(), "is not an agent's to set") {
							t.Errorf("added %s, by %s: %v", pair, row.By, err)
						}
					}
				}
				if err := call(owner, api.OpEdit, api.EditRequest{ID: "task", Property: []string{name + "=" + value}}); err != nil &&
					strings.Contains(err.Error(), "an agent's") {
					t.Errorf("the owner's %s: %v", name, err)
				}
				tree := fmt.Sprintf(`{"type":"headline","properties":{"ID":"tree-%s","TITLE":"T",%q:%q}}`, strings.ToLower(name), name, value)
				err := call(d.memex(), api.OpIngestTree, api.IngestTreeRequest{AST: []byte(tree)})
				if strings.HasPrefix(row.Why, "is the heading") || name == "ID" { // twice in the tree, or of another kind
					break
				}
				if taken := may || row.By == inert.ByTree; (err == nil) != taken {
					t.Errorf("a tree with %s, by %s: %v", name, row.By, err)
				}
				fmt.Fprintf(&imported, `{"id":"i-%s","title":"Title %s","text":"x",%q:%q}`+"\n", name, name, name, value)
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(w.dir, "agents/mint/x.org"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(strings.TrimSpace(line), "#+") {
			t.Errorf("a keyword of an agent stands: %q", line)
		}
	}
	for name, into := range map[string]string{"all.jsonl": "", "inbox.jsonl": "agents/bob"} {
		lines := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(lines, []byte(imported.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ops.OpImport.Call(owner.ctx, owner.svc, ops.ImportRequest{Kind: "jsonl", Source: lines, Into: into}); err != nil {
			t.Fatal(err)
		}
	}
	texts := 0
	for n := range w.m.View().All() {
		if !strings.HasPrefix(n.Path, "imports/") && n.Path != "agents/bob/inbox.org" || n.Parent == "" {
			continue
		}
		texts++
		for _, tag := range n.Derived.Tags {
			if row := inert.Lookup("tag", tag); row.Kind != "" {
				t.Errorf("an imported text sets the tag %s, by %s: %s", tag, row.By, n.Content)
			}
		}
		for _, p := range n.Derived.Properties {
			row := inert.Lookup("property", p.Key)
			if row.Only != "" && strings.HasPrefix(n.Path, "agents/") {
				t.Errorf("an imported text sets %s in an inbox", p.Key)
			}
			if row.By != inert.ByAnyone && row.Only == "" && !strings.HasPrefix(p.Key, "IMPORTED_") && p.Key != "ID" {
				t.Errorf("an imported text sets %s, by %s", p.Key, row.By)
			}
		}
	}
	if texts < 100 {
		t.Errorf("%d imported texts", texts)
	}
}
