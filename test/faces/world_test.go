// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package faces_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/httpapi"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC // moments are local for a person
	os.Exit(m.Run())
}

// callers are who asks, by the word that is the token of each.
var callers = map[string]api.Grant{
	"owner":   {Role: api.Owner},
	"ada":     {Role: api.Agent, Agent: "ada"},
	"bob":     {Role: api.Agent, Agent: "bob"},
	"reader":  {Role: api.Reader, Agent: "ada"},
	"foreign": {Role: api.Agent, Agent: "ada", Scopes: []string{"project/river"}, Vouched: true},
}

// world is a memory of its own, which every face can reach.
type world struct {
	t    *testing.T
	dir  string
	m    *fovea.Memory
	feed *api.Feed
	svc  api.Service // of the memory, for anybody
	url  string

	held     uint64 // the number of ada's claim
	proposal string // the id of what ada proposes

	one, hers string // handles
}

const planSkill = ":PROPERTIES:\n:ID: plan\n:SKILL_PRIORITY: 7\n:END:\n#+TITLE: Plan\n"

// withheld is a protected file that another program brought: only the owner learns a word of it that
// begins with zy9.
const withheld = ":PROPERTIES:\n:ID: zy9-id\n:SKILL_TRIGGERS: zy9trigger\n:END:\n#+TITLE: Zy9title\n* Zy9head :zy9tag:\na zy9secret of One\n"

// newWorld is a memory of notes of the owner and of ada, with a checkpoint before hers, and of a file
// that is withheld.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: filepath.Join(t.TempDir(), "memex"), feed: &api.Feed{}}
	w.write("a.org", "* One\na secret\n")
	w.write("b.org", "* Two\n")
	w.write("skills/plan.org", planSkill)
	secret, public, err := note.GenerateKey(nil, "test")
	w.must(err)
	signer, err := note.NewSigner(secret)
	w.must(err)
	key, err := note.NewVerifier(public)
	w.must(err)
	w.m, err = fovea.Open(t.Context(), w.dir, &fovea.Options{
		StateDir: w.dir + "-state", Committed: w.feed.Committed, Buffers: &w.feed.Buffers, Signer: signer, PublicKey: public,
		Verifiers: note.VerifierList(key), Now: foveatest.Ticking(time.Date(2030, 5, 6, 7, 8, 9, 0, time.UTC), 0),
	})
	w.must(err)
	t.Cleanup(func() { _ = w.m.Close() })
	logs := func() (log, calls []string) { return []string{"1 one", "3 three"}, []string{"2 two"} }
	w.svc = api.NewLocal(w.m, &api.LocalOptions{Logs: logs})
	w.serve()
	w.do("ingest", "{}")
	w.write("skills/held.org", withheld)
	w.do("ingest", "{}")
	w.do("checkpoint", `{"name":"start"}`)
	w.doAs("ada", "remember", `{"title":"Of ada","property":["ID=hers"],"under":"agents/ada/notes.org"}`)
	w.one, w.hers = w.handle("One"), w.handle("hers")
	return w
}

// handle is the handle of a note.
func (w *world) handle(name string) string {
	w.t.Helper()
	var n api.Shown
	w.must(json.Unmarshal(w.do("show", fmt.Sprintf(`{"id":%q}`, name)), &n))
	return n.Handle
}

// serve begins a server over the memory, which remembers nothing of another.
func (w *world) serve() {
	hello := func() api.Hello { return api.Hello{Protocol: api.Protocol, Memex: w.dir} }
	server := httptest.NewServer(httpapi.New(httpapi.Options{Service: w.svc, Feed: w.feed, Hello: hello}).Handler(admit))
	w.t.Cleanup(server.Close)
	w.url = server.URL
}

func admit(r *http.Request) (api.Grant, error) {
	word := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if g, ok := callers[word]; ok {
		if word == "owner" { // as at the socket
			g.Agent = r.Header.Get(api.HeaderAgent)
		}
		return g, nil
	}
	return api.Grant{}, errors.New("no token, or a wrong one")
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) write(name, text string) {
	w.t.Helper()
	file := filepath.Join(w.dir, filepath.FromSlash(name))
	w.must(os.MkdirAll(filepath.Dir(file), 0o755))
	w.must(os.WriteFile(file, []byte(text), 0o644))
}

// do asks as the owner for what has to succeed.
func (w *world) do(op, body string) []byte { w.t.Helper(); return w.doAs("owner", op, body) }

func (w *world) doAs(who, op, body string) []byte {
	w.t.Helper()
	answer, err := w.direct(callers[who], op, w.filled(body), "")
	w.must(err)
	text, err := json.Marshal(answer)
	w.must(err)
	return text
}

// filled fills in what a request names and only the world knows.
func (w *world) filled(body string) string {
	return strings.NewReplacer("COPY", w.dir+"-copy", "NUMBER", strconv.FormatUint(w.held, 10), "PROPOSAL", w.proposal,
		"ONE", w.one, "HERS", w.hers,
		"BUNDLE", w.dir+"-b.car", "PLACE", w.dir+"-place", "TREE", w.dir+"-tree.json").Replace(body)
}

// varying is what differs from world to world.
var varying = []struct {
	what *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`bafy[a-z2-7]{20,}…?`), "CID"},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UUID"},
	{regexp.MustCompile(`\b[0-9a-f]{40,64}\b`), "DIGEST"},
	{regexp.MustCompile(`test\+[0-9a-f]{8}(\+[A-Za-z0-9+/=]+)?`), "KEY"},
	{regexp.MustCompile(`[A-Za-z0-9+/]{40,}=*`), "SIGNATURE"},
	{regexp.MustCompile(`[a-z0-9-]+\.[0-9a-f]{12}\b`), "MACHINE"},
	{regexp.MustCompile(`"(elapsed|took|bytes|size|disk|version|commit|cid|stored|journal)[a-z_]*":[0-9.]+`), `"$1":N`},
	{regexp.MustCompile(`"proof":"(\\.|[^"\\])*"`), `"proof":"PROOF"`},
	{regexp.MustCompile(`"scopes":\["session/ada"\],`), ""}, // begun beside a call, so sooner or later
	{regexp.MustCompile(`(checked\\?":|recomputed )[0-9]+`), "${1}N"},
	{regexp.MustCompile(`"handle":"[a-z]{5,}"`), `"handle":"HANDLE"`},
	{regexp.MustCompile(`20[0-9]{2}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+(Z|[+-][0-9:]+| UTC)?`), "TIME"},
	{regexp.MustCompile(`20[0-9]{2}-[0-9]{2}-[0-9]{2}`), "DAY"},
}

// steady returns a text without what differs from world to world.
func (w *world) steady(text string) string {
	text = strings.NewReplacer(w.dir+"-copy", "COPY", w.dir+"-b.car", "BUNDLE", w.dir+"-place", "PLACE", w.dir+"-state", "STATE",
		w.dir, "MEMEX").Replace(text)
	for _, v := range varying {
		text = v.what.ReplaceAllString(text, v.name)
	}
	return text
}

// standing is all that an operation can change.
func (w *world) standing() string {
	w.t.Helper()
	var b bytes.Buffer
	for _, op := range []string{"log", "snapshots", "drift", "guard", "remotes", "review"} {
		b.Write(w.do(op, "{}"))
	}
	b.Write(w.do("blocks", `{"agent":"ada"}`))
	names, err := filepath.Glob(filepath.Join(w.dir, "*.org"))
	w.must(err)
	for _, name := range names {
		text, err := os.ReadFile(name)
		w.must(err)
		fmt.Fprintf(&b, "%s\n%s", filepath.Base(name), text)
	}
	return b.String()
}

// What is done before a request.

func (w *world) useful() { w.do("feedback", `{"question":"One","useful":["One"]}`) }
func (w *world) block() {
	w.doAs("ada", "block-add", `{"blocks":[{"type":"task","task_id":"T"}]}`)
}
func (w *world) bundled() {
	w.do("bundle-write", `{"file":"BUNDLE","plain":true}`)
	w.do("remember", `{"title":"Later","property":["ID=later"]}`)
}
func (w *world) exported()   { w.do("export", `{"kind":"jsonl","to":"BUNDLE"}`) }
func (w *world) placed()     { w.do("remote-add", `{"name":"stick","url":"PLACE","plain":true}`) }
func (w *world) admits()     { w.placed(); w.do("remote-admit", admitted) }
func (w *world) post()       { w.do("message-send", `{"to":"ada","subject":"Hello","body":"Rain."}`) }
func (w *world) driftApart() { w.do("rollback", `{"to":"seq:2","memory_only":true}`) }
func (w *world) seen()       { w.doAs("ada", "show", `{"id":"hers"}`) }
func (w *world) editing()    { w.t.Cleanup(w.feed.Buffers.Join("editor")) }

func (w *world) job() {
	w.do("remember", `{"title":"Job","todo":"TODO","property":["ID=job"],"under":"tasks.org"}`)
}

// claimed adds a task, and ada claims it.
func (w *world) claimed() {
	w.job()
	var c ops.ClaimResponse
	w.must(json.Unmarshal(w.doAs("ada", "task-claim", `{"task":"job"}`), &c))
	w.held = c.Number
}

// proposed lets ada propose a note.
func (w *world) proposed() {
	var p ops.Proposal
	w.must(json.Unmarshal(w.doAs("ada", "propose", proposal), &p))
	w.proposal = p.ID
}

const proposal = `{"op":"remember","request":{"title":"New","property":["ID=new"],"under":"inbox.org"}}`

// admitted puts a machine on the list of members of the remote.
const admitted = `{"name":"stick","member":"box","key":"PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW","agents":["ada"]}`

// removed takes a secret out of the file, so that history alone has it.
func (w *world) removed() {
	w.write("a.org", "* One\n")
	w.do("ingest", "{}")
}

// conflicting leaves two versions of ada's note.
func (w *world) conflicting() {
	w.do("edit", `{"id":"hers","title":"Of both"}`)
	w.do("revert", `{"commits":["3"]}`)
}

// tamper changes a protected file from outside.
func (w *world) tamper() {
	w.write("skills/plan.org", planSkill+"* Another step\n")
	w.do("ingest", "{}")
}

// tree writes the AST that a command line takes in.
func (w *world) tree() { w.must(os.WriteFile(w.dir+"-tree.json", []byte(ast), 0o600)) }

const ast = `{"type":"headline","properties":{"ID":"t1","title":"Of a buffer"},"contents":[]}`

// depart makes a copy of the memory with further commits.
func (w *world) depart() {
	w.t.Helper()
	state, memex := w.dir+"-copy", w.dir+"-memex"
	w.must(errors.Join(os.CopyFS(state, os.DirFS(w.m.Status().StateDir)), os.CopyFS(memex, os.DirFS(w.dir))))
	m, err := fovea.Open(w.t.Context(), memex, &fovea.Options{StateDir: state, Adopt: true})
	w.must(err)
	_, err = m.Notes().Edit(w.t.Context(), "hers", nil, document.AddTag{Tag: "there"})
	w.must(errors.Join(err, m.Close()))
}
