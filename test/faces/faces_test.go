// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package faces_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/cli"
	"github.com/fovea-memory/fovea/internal/face"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/httpapi"
	"github.com/fovea-memory/fovea/internal/mcpserver"
)

// outcome is what a face answers, without what differs from world to world.
type outcome struct {
	answer string // JSON
	text   string // as the face shows it
	err    string // with its kind; "" for none
}

// elsewhere is the project in which a caller asks: who may name one alone names another one.
func elsewhere(g api.Grant) string {
	if g.Scopes != nil {
		return "lake"
	}
	return ""
}

// direct asks the service as the daemon guards it.
func (w *world) direct(g api.Grant, op, body, key string) (any, error) {
	o := api.OperationNamed(op)
	req, err := o.DecodeRequest([]byte(body))
	if err != nil {
		return nil, err
	}
	ctx := author.WithScopes(author.WithGrant(w.t.Context(), g), author.Scopes{Project: elsewhere(g)})
	return ops.Guarded(w.svc)(ctx, api.Call{Op: o, Request: req, Key: key})
}

func (w *world) outcome(answer any, err error) outcome {
	w.t.Helper()
	if err != nil {
		return outcome{err: w.steady(fovea.KindOf(err).String() + ": " + err.Error())}
	}
	text, err := json.Marshal(answer)
	w.must(err)
	return outcome{answer: w.steady(string(text))}
}

func (w *world) overAPI(who string, e *example, key string) outcome {
	w.t.Helper()
	return w.outcome(w.direct(callers[who], e.op, w.filled(e.body), key))
}

// reply is a response of HTTP.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// send sends a request over HTTP; headers are name and value in turn.
func (w *world) send(method, path, body string, headers ...string) reply {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, strings.NewReader(body))
	w.must(err)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	a, err := http.DefaultTransport.RoundTrip(r)
	w.must(err)
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	w.must(err)
	return reply{a.StatusCode, a.Header, text}
}

func (w *world) overHTTP(who string, e *example, key string) outcome {
	w.t.Helper()
	headers := []string{"Authorization", "Bearer " + who, api.HeaderProject, elsewhere(callers[who])}
	if key != "" {
		headers = append(headers, api.HeaderOp, key)
	}
	r := w.send("POST", "/v1/"+e.op, w.filled(e.body), headers...)
	d := w.description()
	as := d.Paths["/v1/"+e.op]["post"]
	d.hold(w.t, &as, r)
	if r.status == http.StatusOK {
		return outcome{answer: w.steady(string(bytes.TrimSpace(r.body)))}
	}
	var f api.Fault
	w.must(json.Unmarshal(r.body, &f))
	return outcome{err: w.steady(f.Title + ": " + f.Detail)}
}

// byGET asks over HTTP as the owner, with the request as parameters.
func (w *world) byGET(e *example) outcome {
	w.t.Helper()
	return outcome{answer: w.steady(string(bytes.TrimSpace(w.asked("get", e.op, w.filled(e.body), asOwner...).body)))}
}

// overMCP calls the tool of the operation in a session of the caller.
func (w *world) overMCP(who string, e *example, key string) outcome {
	w.t.Helper()
	tool, action, _ := strings.Cut(api.OperationNamed(e.op).Tool, " ")
	args := map[string]any{}
	w.must(json.Unmarshal([]byte(w.filled(e.args)), &args))
	if action != "" {
		args["action"] = action
	}
	return w.call(w.model(who), tool, args, key)
}

// call calls a tool.
func (w *world) call(c *mcp.ClientSession, tool string, args map[string]any, key string) outcome {
	w.t.Helper()
	meta := mcp.Meta{}
	if key != "" {
		meta["io.github.fovea-memory/idempotency-key"] = key
	}
	r, err := c.CallTool(w.t.Context(), &mcp.CallToolParams{Meta: meta, Name: tool, Arguments: args})
	w.must(err)
	text := r.Content[0].(*mcp.TextContent).Text
	if r.IsError {
		return outcome{err: w.steady(text)}
	}
	if r.StructuredContent == nil {
		return outcome{text: w.steady(text)}
	}
	data, err := json.Marshal(r.StructuredContent)
	w.must(err)
	same(w.t, "the text for a model", outcome{answer: text}, outcome{answer: string(data)}) // models read one or the other
	return outcome{answer: w.steady(string(data)), text: w.steady(text)}
}

// beside reads a resource or gets a prompt.
func (w *world) beside(c *mcp.ClientSession, what, args string) outcome {
	w.t.Helper()
	var answer any
	var err error
	if name, ok := strings.CutPrefix(what, "prompt "); ok {
		p := &mcp.GetPromptParams{Name: name}
		w.must(json.Unmarshal([]byte(args), &p.Arguments))
		answer, err = c.GetPrompt(w.t.Context(), p)
	} else {
		answer, err = c.ReadResource(w.t.Context(), &mcp.ReadResourceParams{URI: what})
	}
	if err != nil {
		return outcome{err: w.steady(err.Error())}
	}
	text, err := json.MarshalIndent(answer, "", " ")
	w.must(err)
	return outcome{text: w.steady(strings.ReplaceAll(string(text), `\n`, "\n"))}
}

// TestCalls: clients of MCP are answered as the golden file says.
func TestCalls(t *testing.T) {
	w := newWorld(t)
	w.job()
	sessions := map[string]*mcp.ClientSession{"ada": w.model("ada"), "bob": w.model("bob"), "owner": w.model("owner")}
	r := &record{}
	for _, c := range calls {
		var got outcome
		if strings.Contains(c.what, ":") || strings.ContainsAny(c.what, " %") {
			got = w.beside(sessions[c.by], c.what, c.args)
		} else {
			args := map[string]any{}
			w.must(json.Unmarshal([]byte(c.args), &args))
			got = w.call(sessions[c.by], c.what, args, "")
		}
		fmt.Fprintf(r, "=== %s %s %s\n", c.by, c.what, c.args)
		r.forModel(got)
	}
	foveatest.Golden(t, "calls.txt", []byte(r.String()))
}

// model begins a session of MCP over the HTTP client, as fovea mcp does.
func (w *world) model(who string) *mcp.ClientSession {
	w.t.Helper()
	s := mcpserver.New(httpapi.HTTP(w.url, &httpapi.ClientOptions{Token: who, Project: elsewhere(callers[who])}).Service, nil)
	here, there := mcp.NewInMemoryTransports()
	ctx := w.t.Context()
	go func() { _ = s.Run(ctx, there) }()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, here, nil)
	w.must(err)
	w.t.Cleanup(func() { _ = c.Close() })
	return c
}

// overCLI runs a verb over the HTTP client, in the name of the caller, with what it prints on standard
// output, and after a line of dashes on standard error.
func (w *world) overCLI(who string, e *example, asJSON bool) outcome {
	w.t.Helper()
	var out, beside bytes.Buffer
	client := httpapi.HTTP(w.url, &httpapi.ClientOptions{Token: "owner"})
	s := &cli.Session{
		Console: &cli.Console{Out: face.NewStream(&out, 0, false), Err: face.NewStream(&beside, 0, true), JSON: asJSON},
		Service: func(context.Context) (api.Service, error) { return client.Service, nil },
		Begun:   func() bool { return true }, Memex: func() string { return w.dir },
		Agent: func() string { return who },
		Look:  func() (color, pager string) { return "never", "" },
	}
	if who == "owner" {
		who = ""
	}
	root := &cobra.Command{Use: "fovea", SilenceErrors: true, SilenceUsage: true}
	for _, id := range []string{"read", "write", "history", "agents", "care"} {
		root.AddGroup(&cobra.Group{ID: id, Title: id})
	}
	root.AddCommand(cli.Commands(s)...)
	words := strings.Fields(w.filled(e.words))
	for i := range words {
		if words[i] == "a_secret" {
			words[i] = "a secret"
		}
	}
	root.SetArgs(words)
	root.PersistentFlags().StringVar(&who, "agent", who, "")
	if err := root.ExecuteContext(w.t.Context()); err != nil {
		w.t.Errorf("fovea %s: %v", strings.Join(words, " "), err)
	}
	w.must(errors.Join(s.Out.Close(), s.Err.Close()))
	if asJSON {
		return outcome{answer: w.steady(strings.TrimSpace(out.String()))}
	}
	text := out.String()
	if beside.Len() > 0 {
		text += "---\n" + beside.String()
	}
	return outcome{text: w.steady(text)}
}

// compact returns a JSON text as another one is compared with.
func compact(t *testing.T, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return text
	}
	out, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// same fails the test if two faces differ.
func same(t *testing.T, what string, want, got outcome) {
	t.Helper()
	if d := diff.Diff(want.err+compact(t, want.answer), got.err+compact(t, got.answer)); d != "" {
		t.Errorf("%s differs (-want +got):\n%s", what, d)
	}
}

// forModel adds what a model reads.
func (r *record) forModel(o outcome) {
	r.add("data for a model", o.answer)
	r.add("error for a model", o.err)
	if o.answer == "" {
		r.add("text for a model", o.text)
	}
}

// sameData fails the test if data for a model differs from the answer in a field that both have.
func sameData(t *testing.T, answer, data string) {
	t.Helper()
	var want, got map[string]any
	if data == "" || json.Unmarshal([]byte(answer), &want) != nil || json.Unmarshal([]byte(data), &got) != nil {
		return
	}
	for key, value := range got {
		if w, ok := want[key]; ok && key != "files" && !diff.Equal(w, value) {
			t.Errorf("a model reads %s: %v, the answer has %v", key, value, w)
		}
	}
}

// record is the part of the golden file that an example writes.
type record struct{ strings.Builder }

func (r *record) add(name, text string) {
	if text = strings.TrimSuffix(text, "\n"); text != "" {
		fmt.Fprintf(r, "--- %s\n%s\n", name, text)
	}
}

// rights asks as everybody who is not the owner, and reports whether all were refused. All faces refuse
// the same, and nobody is told what is withheld.
func rights(w *world, e *example, r *record) (all bool) {
	w.t.Helper()
	writes := api.OperationNamed(e.op).Effect != api.Reads
	before := ""
	if all = true; writes {
		before = w.standing()
	}
	for _, who := range []string{"reader", "foreign", "ada"} {
		if who == e.by {
			continue
		}
		want := w.overAPI(who, e, "")
		r.add("asked by "+who, cmp.Or(want.err, "is answered"))
		told := want.err + want.answer
		if writes {
			now := w.standing()
			if d := diff.Diff(before, now); d != "" && want.err != "" {
				w.t.Errorf("refused to %s, and yet (-before +after):\n%s", who, d)
			}
			before = now
		}
		if strings.HasPrefix(want.err, fovea.Conflict.String()) {
			all = false // now it has seen what it did not know
			continue
		}
		if all = all && want.err != ""; want.err != "" || !writes {
			got := w.overHTTP(who, e, "")
			same(w.t, "HTTP for "+who, want, got)
			told += got.err + got.answer
			if e.args != "" {
				got := w.overMCP(who, e, "")
				if kind, why, _ := strings.Cut(want.err, ": "); (got.err != "") != (want.err != "") ||
					!strings.Contains(got.err, kind) || !strings.Contains(got.err, why) {
					w.t.Errorf("MCP tells %s %s%s, want %s", who, got.err, got.text, want.err)
				}
				told += got.err + got.text + got.answer
			}
		}
		if strings.Contains(strings.ToLower(told), "zy9") {
			w.t.Errorf("%s is told what is withheld: %s", who, told)
		}
	}
	return all
}

// refused asks for what is refused for what it means; every face says the same.
func refused(w *world, e *example, r *record) {
	w.t.Helper()
	if e.wrong == "" {
		return
	}
	bad := *e
	bad.body = e.wrong
	who := cmp.Or(e.by, "owner")
	want := w.overAPI(who, &bad, "")
	if want.err == "" {
		w.t.Errorf("%s is answered %s", e.wrong, want.answer)
	}
	same(w.t, "HTTP, refusing,", want, w.overHTTP(who, &bad, ""))
	r.add("refused "+e.wrong, want.err)
}

// title is how an example is called in the golden file.
func (e *example) title() string {
	return fmt.Sprintf("=== %s %s by %s\n", cmp.Or(e.name, e.op), e.body, cmp.Or(e.by, "the owner"))
}

// book is a golden file with a part for each example.
type book struct {
	name  string
	want  map[string]string // parts by their titles
	parts []*record         // as the faces answer
}

func open(t *testing.T, name string, examples []example) *book {
	t.Helper()
	b := &book{name: name, want: map[string]string{}, parts: make([]*record, len(examples))}
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil && !foveatest.Updating() {
		t.Fatal(err)
	}
	for part := range strings.SplitSeq(string(text), "=== ") {
		title, rest, _ := strings.Cut(part, "\n")
		b.want["=== "+title+"\n"] = rest
	}
	for i := range examples {
		b.parts[i] = &record{}
		if _, ok := b.want[examples[i].title()]; !ok && !foveatest.Updating() {
			t.Errorf("%s has no part %s", name, examples[i].title())
		}
	}
	return b
}

// hold compares the part of an example.
func (b *book) hold(t *testing.T, e *example, got *record) {
	t.Helper()
	if d := diff.Diff(b.want[e.title()], got.String()); d != "" && !foveatest.Updating() {
		t.Errorf("%s (-want +got):\n%s", b.name, d)
	}
}

// close writes the file where the flag -update asks for it.
func (b *book) close(t *testing.T, examples []example) {
	t.Helper()
	if !foveatest.Updating() {
		return
	}
	var all strings.Builder
	for i, r := range b.parts {
		all.WriteString(examples[i].title() + r.String())
	}
	foveatest.Golden(t, b.name, []byte(all.String()))
}

// TestReads: each face answers what an operation reads, and the same.
func TestReads(t *testing.T) {
	w := newWorld(t)
	w.placed()
	b := open(t, "reads.txt", reads)
	for i := range reads {
		t.Run(cmp.Or(reads[i].name, reads[i].op), func(t *testing.T) {
			read(w.of(t), &reads[i], b.parts[i])
			b.hold(t, &reads[i], b.parts[i])
		})
	}
	b.close(t, reads)
}

// read asks one example that reads at every face.
func read(w *world, e *example, r *record) {
	w.t.Helper()
	if e.before != nil {
		e.before(w)
	}
	want := w.overAPI("owner", e, "")
	r.add("answer", want.err+compact(w.t, want.answer))
	same(w.t, "HTTP", want, w.overHTTP("owner", e, ""))
	if e.op != "forgotten" { // of any number of notes
		same(w.t, "GET", want, w.byGET(e))
	}
	if e.words != "" && e.words != "-" {
		same(w.t, "the command line", want, w.overCLI("owner", e, true))
		r.add("fovea "+e.words, w.overCLI("owner", e, false).text)
	}
	if e.args != "" {
		got := w.overMCP("owner", e, "")
		r.forModel(got)
	}
	if api.OperationNamed(e.op).Private {
		r.asGranted(w, e)
	}
	rights(w, e, r)
	refused(w, e, r)
}

// of is the same world for another test.
func (w *world) of(t *testing.T) *world {
	one := *w
	one.t = t
	return &one
}

// TestWrites: each face carries out an operation that writes, and answers the same; a repeated request is
// answered as the first time, and carried out once.
func TestWrites(t *testing.T) {
	b := open(t, "writes.txt", writes)
	t.Run("all", func(t *testing.T) {
		for i := range writes {
			t.Run(writes[i].name, func(t *testing.T) {
				t.Parallel()
				write(t, &writes[i], b.parts[i])
				b.hold(t, &writes[i], b.parts[i])
			})
		}
	})
	b.close(t, writes)
}

// write asks one example that writes at every face, each in a memory of its own.
func write(t *testing.T, e *example, r *record) {
	t.Helper()
	fresh := func() *world {
		w := newWorld(t)
		if e.before != nil {
			e.before(w)
		}
		return w
	}
	who := cmp.Or(e.by, "owner")
	w := fresh()
	if !rights(w, e, r) {
		w = fresh()
	}
	want := w.overAPI(who, e, "")
	if want.err != "" {
		t.Fatal(want.err)
	}
	r.add("answer", compact(t, want.answer))
	w = fresh()
	refused(w, e, r)
	first := w.overHTTP(who, e, "k1")
	same(t, "HTTP", want, first)
	repeated(t, w, e, first)
	if e.words != "" && e.words != "-" {
		r.add("fovea "+e.words, fresh().overCLI(who, e, false).text)
	}
	if e.args != "" {
		w := fresh()
		got := w.overMCP(who, e, "k1")
		sameData(t, want.answer, got.answer)
		r.forModel(got)
		before := w.standing()
		if again := w.overMCP(who, e, "k1"); again != got {
			t.Errorf("MCP answers %+v again, was %+v", again, got)
		}
		if d := diff.Diff(before, w.standing()); d != "" {
			t.Errorf("MCP: done again (-before +after):\n%s", d)
		}
	}
	if e.by == "" {
		r.asGranted(fresh(), e)
	}
}

// asGranted asks as an agent that was granted the operation.
func (r *record) asGranted(w *world, e *example) {
	w.t.Helper()
	grant := api.Grant{Role: api.Agent, Agent: "bob", Paths: []string{"a.org", "b.org", "agents/ada/"}, Operations: []string{e.op}}
	r.add("asked by bob, who was granted it", cmp.Or(w.outcome(w.direct(grant, e.op, w.filled(e.body), "")).err, "is answered"))
}

// repeated asks again under a key, of the same server and of one that began since.
func repeated(t *testing.T, w *world, e *example, first outcome) {
	t.Helper()
	w.write("later.org", "* Written since\n")
	w.do("ingest", "{}")
	before := w.standing()
	check := func(when string, answers bool) {
		t.Helper()
		again := w.overHTTP(cmp.Or(e.by, "owner"), e, "k1")
		if answers {
			same(t, when, first, again)
		} else if again.err != "" {
			t.Errorf("%s: %s", when, again.err)
		}
		if d := diff.Diff(before, w.standing()); d != "" {
			t.Errorf("%s: done again (-before +after):\n%s", when, d)
		}
	}
	check("a repeated request", true)
	if !e.forgets {
		w.serve()
		check("a request repeated to a new server", !e.less)
	}
}

// apart are operations whose tool does more than ask for them: package mcpserver tests these.
var apart = []string{"suggest", "message-read", "feedback"}

// TestEveryOperationHasAnExample: the table has all operations, with words where there is a verb and
// arguments where there is a tool.
func TestEveryOperationHasAnExample(t *testing.T) {
	verbs := map[string]bool{}
	for _, row := range face.Rows() {
		if words, _ := row.Words(); row.Operation != nil && words != "-" {
			verbs[row.Name] = true
		}
	}
	for _, op := range api.Operations {
		table := writes
		if op.Effect == api.Reads {
			table = reads
		}
		i := slices.IndexFunc(table, func(e example) bool { return e.op == op.Name })
		if i < 0 {
			t.Errorf("%s has no example", op.Name)
			continue
		}
		if e := table[i]; verbs[op.Name] && e.words == "" {
			t.Errorf("%s has a verb, and its example no words", op.Name)
		} else if op.Tool != "" && e.args == "" && !slices.Contains(apart, op.Name) {
			t.Errorf("%s has a tool, and its example no arguments", op.Name)
		}
	}
}
