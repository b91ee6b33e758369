// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	signednote "golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/embed"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/merkle"
)

// planted is a text of which no reader but the owner may learn a word that begins with
// zy9: titles, tags, properties, ids, links, blocks. It also claims the id and the title
// of a note that everybody may read.
const planted = `:PROPERTIES:
:ID:       zy9-doc
:SKILL_PRIORITY: 7
:SKILL_TRIGGERS: zy9trigger
:END:
#+TITLE: Zy9doc
* TODO Zy9title one :zy9tag:
:PROPERTIES:
:ID:       zy9-id
:ZYXPROP:  zy9value
:END:
zy9body of words [[id:zy9-nowhere]] [[id:task]]
#+begin_src sh
echo zy9src
#+end_src
** Zy9child
zy9childbody
* Task
:PROPERTIES:
:ID:       zy9-twin
:END:
zy9twin
* Another
:PROPERTIES:
:ID:       task
:END:
zy9claim
* Plan
Look around
zy9look
`

// plain is the same without any of it.
const plain = ":PROPERTIES:\n:ID: plandoc\n:END:\n* Plan\n:PROPERTIES:\n:ID: plan\n:END:\nLook around\n"

// reading is a memory that holds planted text somewhere, and who may not read it.
type reading struct {
	t       *testing.T
	memory  *fovea.Memory
	owner   api.Service
	options api.LocalOptions
	grants  []api.Grant
	scopes  []api.Scopes // of requests
	ids     []string     // of planted nodes, and the digests of them
	digests []string
	asked   int
	brief   bool              // not every name is asked for at every moment
	paths   []string          // more names of files
	allowed map[string]string // operations that may tell, and why
	leaks   map[string]int    // not nil: what tells is counted and is no error
}

// newReading opens a memory with some files, and reads them.
func newReading(t *testing.T, files map[string]string, opts *fovea.Options) *reading {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		put(t, dir, name, text)
	}
	return openReading(t, dir, opts)
}

// openReading opens the memory of a folder, and reads it.
func openReading(t *testing.T, dir string, opts *fovea.Options) *reading {
	t.Helper()
	opts.StateDir = filepath.Join(t.TempDir(), "state")
	opts.Signer, opts.Verifiers = testKey(t)
	opts.Buffers = &corpus.Buffers{}
	opts.Embedder = func(ctx context.Context) (embed.Embedder, error) { return embed.Open(ctx, embed.Config{}) }
	m, err := fovea.Open(t.Context(), dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	options := api.LocalOptions{Fill: true, EmbedTimeout: time.Minute, Logs: logsOfOthers} // or who is quick is answered otherwise
	r := &reading{t: t, memory: m, options: options, owner: api.NewLocal(m, nil), scopes: []api.Scopes{{}}, grants: []api.Grant{
		{Agent: "ada", Role: api.Agent}, {Agent: "ada", Role: api.Reader},
		{Agent: "ada", Role: api.Agent, Paths: []string{"notes/", "skills/"},
			Operations: []string{"revert", "edit", "refile", "archive", "resolve", "drift", "restore", "assign-ids", "ingest"}},
	}}
	r.step("ingest")
	return r
}

// logsOfOthers are lines of the daemon's log, and about calls of others than ada.
func logsOfOthers() (log, calls []string) {
	return []string{"time=2026-11-27T10:00:00.000Z level=INFO msg=committed what=zy9title"},
		[]string{`{"msg":"call","agent":"bob","op":"show","error":"zy9-id"}`, `{"msg":"call","agent":"owner","op":"show","error":"zy9-id,\"agent\":\"ada\""}`}
}

// testKey is a key that signs heads.
func testKey(t *testing.T) (signednote.Signer, signednote.Verifiers) {
	t.Helper()
	secret, public, err := signednote.GenerateKey(nil, "machine")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := signednote.NewSigner(secret)
	if err != nil {
		t.Fatal(err)
	}
	key, err := signednote.NewVerifier(public)
	if err != nil {
		t.Fatal(err)
	}
	return signer, signednote.VerifierList(key)
}

// step reads the folder, and keeps the moment under a name; it notes what is planted.
func (r *reading) step(name string) {
	r.t.Helper()
	ctx := r.t.Context()
	if _, err := api.OpIngest.Call(ctx, r.owner, api.IngestRequest{}); err != nil {
		r.t.Fatal(err)
	}
	if _, err := api.OpSnapshot.Call(ctx, r.owner, api.SnapshotRequest{Name: name}); err != nil {
		r.t.Fatal(err)
	}
	r.note(view.Of(r.memory.View()))
}

// note keeps the names that planted nodes have in a view.
func (r *reading) note(v *view.View) {
	for n := range v.All() {
		if strings.HasPrefix(n.Path, "skills/") || strings.Contains(strings.ToLower(n.Content), "zy9") {
			r.ids, r.digests = append(r.ids, n.ID), append(r.digests, n.Own.String(), n.Version.String())
		}
	}
	slices.Sort(r.ids)
	slices.Sort(r.digests)
	r.ids, r.digests = slices.Compact(r.ids), slices.Compact(r.digests)
}

// some are a few of many.
func some(of []string) []string {
	const few = 8
	var out []string
	for i := 0; i < len(of); i += max(1, len(of)/few) {
		out = append(out, of[i])
	}
	return out
}

// save is what another program saves.
func (r *reading) save(name, text string) {
	r.t.Helper()
	put(r.t, r.memory.Dir(), name, text)
}

// common are files beside what is planted.
func common(more map[string]string) map[string]string {
	files := map[string]string{
		"tasks.org": "* Task\n:PROPERTIES:\n:ID: task\n:END:\nsee [[id:zebra]]\n", "notes/n.org": "* Note\n:PROPERTIES:\n:ID: note\n:END:\ntext\n",
		"agents/ada/own.org": "* Mine\n:PROPERTIES:\n:ID: mine\n:END:\nmine\n",
	}
	maps.Copy(files, more)
	return files
}

// hidden are the ways in which text comes to be withheld.
var hidden = map[string]func(t *testing.T) *reading{
	"changed": func(t *testing.T) *reading {
		r := newReading(t, common(map[string]string{"skills/plan.org": plain}), &fovea.Options{})
		r.save("skills/plan.org", planted)
		r.step("changed")
		return r
	},
	"new": func(t *testing.T) *reading {
		r := newReading(t, common(nil), &fovea.Options{})
		r.save("skills/plan.org", planted)
		r.step("new")
		return r
	},
	"changed after its owner wrote it": func(t *testing.T) *reading {
		r := newReading(t, common(map[string]string{"skills/plan.org": plain}), &fovea.Options{})
		if _, err := api.OpEdit.Call(t.Context(), r.owner, api.EditRequest{ID: "plan", Title: new("Zy9owners plan")}); err != nil {
			t.Fatal(err)
		}
		r.step("edited")
		r.save("skills/plan.org", planted)
		r.step("changed")
		return r
	},
	"proposed by another": func(t *testing.T) *reading {
		r := newReading(t, common(nil), &fovea.Options{})
		bob := author.WithGrant(t.Context(), api.Grant{Agent: "bob", Role: api.Agent, Review: []string{"/"}})
		svc := ops.Guarded(r.owner)
		if _, err := api.OpRemember.Call(bob, svc, api.RememberRequest{Title: "Zy9title one", Body: "zy9body of words", Tag: []string{"zy9tag"}}); err != nil {
			t.Fatal(err)
		}
		if _, err := api.OpEdit.Call(bob, svc, api.EditRequest{ID: "note", Title: new("Zy9child"), Body: new("zy9childbody")}); err != nil {
			t.Fatal(err)
		}
		for _, p := range proposals(t, r.owner) {
			r.ids = append(r.ids, p.ID)
		}
		if len(r.ids) != 2 {
			t.Fatalf("proposals %q", r.ids)
		}
		r.scopes = []api.Scopes{{}, {Session: "bob"}, {Session: "ada"}}
		return r
	},
	"taken away": func(t *testing.T) *reading {
		r := newReading(t, common(map[string]string{"skills/plan.org": planted}), &fovea.Options{})
		if err := os.Remove(filepath.Join(r.memory.Dir(), "skills/plan.org")); err != nil {
			t.Fatal(err)
		}
		r.step("gone")
		return r
	},
	"behind a link": func(t *testing.T) *reading {
		r := newReading(t, common(map[string]string{"notes/plan.org": plain}), &fovea.Options{})
		symlink(t, r.memory.Dir(), "skills/plan.org", "../notes/plan.org")
		r.save("notes/plan.org", planted)
		r.step("linked")
		return r
	},
	"behind a link of a folder": func(t *testing.T) *reading {
		r := newReading(t, common(map[string]string{"plans/plan.org": plain}), &fovea.Options{})
		symlink(t, r.memory.Dir(), "skills", "plans")
		r.save("plans/plan.org", planted)
		r.step("linked")
		return r
	},
	"rejected": func(t *testing.T) *reading {
		r := newReading(t, common(map[string]string{"skills/plan.org": plain}), &fovea.Options{})
		r.save("skills/plan.org", planted)
		r.step("changed")
		r.reject("skills/plan.org")
		return r
	},
	"rejected and removed": func(t *testing.T) *reading {
		r := newReading(t, common(nil), &fovea.Options{})
		r.save("skills/plan.org", planted)
		r.step("new")
		r.reject("skills/plan.org")
		return r
	},
	"rejected, and adopted otherwise": func(t *testing.T) *reading {
		r := newReading(t, common(map[string]string{"skills/plan.org": plain}), &fovea.Options{})
		r.save("skills/plan.org", planted)
		r.step("changed")
		r.save("skills/plan.org", plain+"* More\n")
		r.step("changed again")
		if _, err := api.OpGuardAdopt.Call(t.Context(), r.owner, api.GuardRequest{Path: "skills/plan.org"}); err != nil {
			t.Fatal(err)
		}
		r.step("adopted")
		return r
	},
	"in a project": func(t *testing.T) *reading {
		r := newReading(t, common(map[string]string{"lake/l.org": planted, "river/r.org": "* River\n:PROPERTIES:\n:ID: river\n:END:\n"}),
			&fovea.Options{Projects: map[string][]string{"lake": {"lake"}, "river": {"river"}}, Guard: guard.Rules{}})
		return r.foreign("project/lake")
	},
	"locked in a project": func(t *testing.T) *reading {
		r := newReading(t, common(map[string]string{"lake/l.org": "* Lake\n", "lake/rules.org": plain}),
			&fovea.Options{Projects: map[string][]string{"lake": {"lake"}}, Guard: guard.Rules{Lockdown: []string{"rules.org"}}})
		r.save("lake/rules.org", planted)
		r.step("changed")
		lake, err := r.memory.Scope(t.Context(), "project/lake")
		if err != nil {
			t.Fatal(err)
		}
		r.note(view.Of(lake.View()))
		r.scopes = []api.Scopes{{}, {Project: "lake"}, {Project: "lake", Session: "s1"}}
		return r
	},
	"in a buffer of a session": func(t *testing.T) *reading { return inBuffer(t).foreign("session/other") },
	"in a buffer of the readers' session": func(t *testing.T) *reading {
		r := inBuffer(t)
		r.scopes = []api.Scopes{{}, {Session: "other"}}
		return r
	},
	"in a session": func(t *testing.T) *reading {
		r := newReading(t, common(nil), &fovea.Options{})
		tree := `{"type":"headline","properties":{"ID":"zy9-tree","TITLE":"Zy9tree"},"raw-content":"zy9text"}`
		if _, err := api.OpIngestTree.Call(t.Context(), r.owner, api.IngestTreeRequest{AST: json.RawMessage(tree), Scope: "session/other"}); err != nil {
			t.Fatal(err)
		}
		return r.foreign("session/other")
	},
}

// inBuffer is a memory whose owner has the text in a buffer of the session other.
func inBuffer(t *testing.T) *reading {
	r := newReading(t, common(map[string]string{"notes/plan.org": plain}), &fovea.Options{})
	held := r.memory.Folder().Buffers()
	t.Cleanup(held.Join("editor"))
	one := corpus.Buffer{Path: "notes/plan.org", Real: "notes/plan.org", Name: "plan.org", Session: "other", Text: planted, Shown: true}
	if _, err := held.Put("editor", one, false); err != nil {
		t.Fatal(err)
	}
	v, err := r.memory.Over(t.Context(), "session/other")
	if err != nil {
		t.Fatal(err)
	}
	if r.note(view.Of(v)); len(r.ids) == 0 {
		t.Fatal("the session does not see the buffer")
	}
	return r
}

// reject puts back what was trusted.
func (r *reading) reject(path string) {
	r.t.Helper()
	if _, err := api.OpGuardReject.Call(r.t.Context(), r.owner, api.GuardRequest{Path: path}); err != nil {
		r.t.Fatal(err)
	}
	r.step("rejected")
}

// foreign makes the readers those of tokens for another scope than the one given, which
// is also the one that the service means where none is named.
func (r *reading) foreign(scope string) *reading {
	m, err := r.memory.Scope(r.t.Context(), scope)
	if err != nil {
		r.t.Fatal(err)
	}
	r.note(view.Of(m.View()))
	kind, name, _ := strings.Cut(scope, "/")
	r.options.Project, r.options.Session = "lake", ""
	r.scopes = []api.Scopes{{}, {Project: name}, {Session: "s1"}, {Project: "river", Session: name}}
	if kind == "session" {
		r.options.Project, r.options.Session = "", name
		r.scopes = []api.Scopes{{}, {Session: name}, {Project: "river"}}
	}
	for i := range r.grants {
		r.grants[i].Scopes, r.grants[i].Vouched = []string{"project/river", "session/s1"}, true
		r.grants[i].Paths = append(r.grants[i].Paths, "lake/")
	}
	return r
}

// TestNobodyReadsWhatIsWithheld: every operation, asked for every name, at every moment,
// by who is not the owner, answers without a word of what is withheld that was not in
// the question.
func TestNobodyReadsWhatIsWithheld(t *testing.T) {
	for name, make := range hidden {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := make(t)
			r.brief = os.Getenv("FOVEA_CAMPAIGN") != "long"
			for _, effect := range []api.Effect{api.Reads, api.Writes, api.Mends} {
				for _, op := range api.Operations {
					if op.Effect == effect {
						r.ask(op, r.requests(op))
					}
				}
			}
			r.askBlocks()                                  // late: then its names are in blocks of the agent
			r.ask(api.OperationNamed("remember"), knowing) // last: then the words are in notes of the agent
			t.Logf("%d answers", r.asked)
		})
	}
}

// knowing are notes whose text is that of planted ones, or nearly.
var knowing = []any{
	api.RememberRequest{Title: "Zy9child", Body: "zy9childbody"}, api.RememberRequest{Title: "one", Body: "zy9body of words"},
	api.RememberRequest{Title: "Zy9tree"},
	api.RememberRequest{Title: "Task", Body: "zy9twin"}, api.RememberRequest{Title: "Plan", Body: "Look around\nzy9look"},
}

// ask asks requests of an operation, in every scope, as everybody; with -short in the first
// scope as the first caller, and of the others in every third.
func (r *reading) ask(op *api.Operation, requests []any) {
	svc := ops.Guarded(api.NewLocal(r.memory, &r.options))
	n := 0
	for _, req := range requests {
		for i, g := range r.grants {
			if i > 0 && op.Effect == api.Reads {
				break // readers and agents read the same
			}
			for j, scopes := range r.scopes {
				if n++; i+j > 0 && foveatest.Thin(n, 3) {
					continue
				}
				told := ""
				ctx := author.WithScopes(author.WithGrant(r.t.Context(), g), scopes)
				answer, err := svc(ctx, api.Call{Op: op, Request: req, Sync: api.SyncNone, Warn: func(err error) { told += "warning: " + err.Error() + "\n" }})
				text, _ := json.Marshal(answer)
				if told += digests.ReplaceAllString(string(text), ""); err != nil {
					told += err.Error()
					if e, ok := errors.AsType[*fovea.Error](err); ok {
						told += e.Mine + e.Theirs
					}
				}
				r.asked++
				if leak := leaked(told, req); leak != "" && r.allowed[op.Name] == "" {
					asked, _ := json.Marshal(req)
					r.t.Errorf("%s %s of %s in %+v tells %s: %.600s", op.Name, asked, g.Role, scopes, leak, told)
				}
			}
		}
	}
}

// digests are the bytes of digests and signatures in proofs, which may look like a word, and
// what the caller itself asked before, which the list of its windows repeats.
var digests = regexp.MustCompile(`[A-Za-z0-9+/]{40,}=*|"(?:question|task|event)":"(?:task|zy9body|Zy9title one|zy9trigger)"`)

var secret = regexp.MustCompile(`zy9[a-z-]*`)

// leaked finds in an answer a planted word that the request does not have.
func leaked(answer string, req any) string {
	asked, _ := json.Marshal(req)
	for _, word := range secret.FindAllString(strings.ToLower(answer), -1) {
		if !strings.Contains(strings.ToLower(string(asked)), word) {
			return word
		}
	}
	return ""
}

// templates are what requests have beside what is varied, where nothing else would
// do anything.
var templates = map[string][]any{
	"edit": {api.EditRequest{Append: new("x")}, api.EditRequest{Append: new("x"), Base: "zero"}, api.EditRequest{Body: new("x")},
		api.EditRequest{Append: new("x"), Base: merkle.Sum([]byte("of another text")).String()}},
	"remember":    {api.RememberRequest{Title: "A new note"}},
	"refile":      {api.MoveRequest{To: "mine"}, api.MoveRequest{ID: "mine"}},
	"ingest-tree": {api.IngestTreeRequest{AST: json.RawMessage(`{"type":"headline","properties":{"ID":"tree","TITLE":"Tree"}}`)}},
	"revert":      {api.RevertRequest{DryRun: true}},
	"assign-ids":  {api.AssignRequest{}, api.AssignRequest{List: true}},
	"blame":       {api.BlameRequest{}},
	"forgotten":   {ops.ForgottenRequest{Notes: []ops.NoteText{{Title: "Zy9child", Body: "zy9childbody"}}}},
	"rollback":    {api.RollbackRequest{}, api.RollbackRequest{MemoryOnly: true}},
}

// requests varies every field of an operation's request over all names, moments and
// words, a name and a moment at a time.
func (r *reading) requests(op *api.Operation) []any {
	list := templates[op.Name]
	if list == nil {
		list = []any{reflect.Zero(op.Request).Interface()}
	}
	var out []any
	for _, template := range list {
		out = append(out, template)
		out = append(out, r.varied(op, template)...)
	}
	return out
}

// varied sets each field to each of its values, and beside it a moment or a condition. Of such
// pairs -short takes one in four.
func (r *reading) varied(op *api.Operation, template any) []any {
	var out []any
	pairs := 0
	pair := func(req any) {
		if pairs++; !foveatest.Thin(pairs, 4) {
			out = append(out, req)
		}
	}
	fields := fieldsOf(op.Request)
	values := make([][]any, len(fields))
	for i, f := range fields {
		values[i] = r.values(op, f)
	}
	for i, f := range fields {
		for _, value := range values[i] {
			one := with(template, f, value)
			out = append(out, one)
			if text, ok := value.(string); ok && r.brief && !timely(op, f) && !strings.Contains(strings.ToLower(text), "zy9") {
				continue
			}
			for j, g := range fields {
				if op.Effect != api.Reads || !timely(op, g) || g.Name == f.Name || timely(op, f) && f.Name > g.Name {
					continue
				}
				for _, moment := range values[j] {
					pair(with(one, g, moment))
				}
			}
			for _, g := range fields {
				if g.Type.Kind() == reflect.Bool && f.Type.Kind() != reflect.Bool && op.Effect == api.Reads {
					pair(with(one, g, true))
				}
			}
		}
	}
	return out
}

// fieldsOf lists the fields that come in a request.
func fieldsOf(request reflect.Type) []reflect.StructField {
	var out []reflect.StructField
	for f := range request.Fields() {
		if f.Tag.Get("json") != "-" && f.IsExported() {
			out = append(out, f)
		}
	}
	return out
}

// timely reports a field that names a moment.
func timely(op *api.Operation, f reflect.StructField) bool {
	key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return key == "at" || key == "from" || key == "since" || key == "to" && slices.Contains([]string{"diff", "rollback"}, op.Name)
}

// with returns a request with a field set, a list to that one value.
func with(req any, f reflect.StructField, value any) any {
	out := reflect.New(reflect.TypeOf(req)).Elem()
	out.Set(reflect.ValueOf(req))
	at, v := out.FieldByName(f.Name), reflect.ValueOf(value)
	switch {
	case at.Kind() == reflect.Slice && v.Kind() != reflect.Slice:
		at.Set(reflect.Append(reflect.MakeSlice(at.Type(), 0, 1), v))
	case at.Kind() == reflect.Pointer:
		p := reflect.New(at.Type().Elem())
		p.Elem().Set(v)
		at.Set(p)
	default:
		at.Set(v)
	}
	return out.Interface()
}

// values lists what a field is set to. A string that nothing is known of fails the test:
// a new field is to be given values here.
func (r *reading) values(op *api.Operation, f reflect.StructField) []any {
	key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	var of []string
	switch {
	case f.Type.Kind() == reflect.Bool:
		return []any{true}
	case timely(op, f):
		of = r.moments()
	case slices.Contains([]string{"id", "ids", "focus", "foveal_focus", "to", "under", "parent", "path", "paths", "commits", "thread"}, key),
		key == "task" && strings.HasPrefix(op.Name, "task-"), key == "name" && op.Name == "skill":
		of = r.names()
		if key == "commits" {
			of = r.moments()
		}
	case slices.Contains([]string{"useful", "not", "cites"}, key):
		of = r.names()
	case key == "base":
		of = r.digests[:min(3, len(r.digests))]
	case slices.Contains([]string{"question", "task", "text", "event"}, key):
		of = []string{"task", "zy9body", "Zy9title one", "zy9trigger"}
	case key == "query":
		of = []string{"", "todo:TODO", "heading:task", "regexp:\"zy9[a-z]*\"", "tags:zy9tag", "type:src-block", "path:\"skills\"", "(todo)"}
	case key == "named":
		of = []string{api.ActiveProjects, api.Completed}
	case key == "format":
		of = []string{"markdown", "json"}
	case key == "policy":
		of = []string{"foveal", "shares"}
	case key == "mode":
		of = []string{"lexical", "semantic", "hybrid"}
	case key == "layout":
		of = []string{"tree", "sticky"}
	case key == "scope":
		of = []string{"project/lake", "session/other", "memex"}
	case key == "author":
		of = []string{"file", "person", "ada"}
	case key == "status":
		of = []string{"pending"}
	case key == "agent", key == "holder":
		of = []string{"ada", "bob"}
	case key == "take":
		of = []string{"theirs"}
	case key == "action" && op.Name == "drift":
		of = []string{"adopt", "apply"}
	case f.Type.Kind() != reflect.String, slices.Contains([]string{
		"counter", "session", "sha256", "state", "kind", "label", "into", "file", "url", "passphrase", "since", "for", "source", "cid",
		"name", "title", "todo", "priority", "schedule", "deadline", "body", "action", "keep_all",
		"hourly", "daily", "subject", "client", "buffer", "lease", "op", "reason", "proof", "key", "member", "seal",
	}, key):
		return nil // numbers, what is only written, and what names none of the nodes
	default:
		r.t.Errorf("%s: give the field %s values in reading.values", op.Name, key)
	}
	out := make([]any, len(of))
	for i := range of {
		out[i] = of[i]
	}
	return out
}

// names are those of planted nodes and of some others, in every form, and how titles and ids of planted nodes begin.
func (r *reading) names() []string {
	return append([]string{
		"task", "Task", "mine", "Another", "Plan", "plan", "Zy9title one", "zy9-custom", "skills/plan.org", "skills/plan.org:7", "skills/plan.org:+40",
		"skills/plan.org:12",
		"tasks.org", "notes/plan.org", "notes/plan.org:7", "lake/l.org", "lake/l.org:7", "task::src-block.1", "zy9-id::src-block.1", "agents/ada/own.org",
		"agents/ada/", "lake/", "zy", "zy9-",
	}, append(slices.Clone(r.paths), r.ids...)...)
}

// moments are all that there are, in every form.
func (r *reading) moments() []string {
	out := []string{"head"}
	commits, err := api.OpLog.Call(r.t.Context(), r.owner, api.LogRequest{})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, c := range commits {
		out = append(out, fmt.Sprintf("seq:%d", c.Seq))
	}
	if out = append(out, "0", "1", "2100-01-01"); len(commits) > 1 {
		out = append(out, commits[len(commits)/2].Commit, commits[0].Root)
	}
	kept, err := api.OpSnapshots.Call(r.t.Context(), r.owner, api.None{})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, s := range kept {
		if s.Name != "" {
			out = append(out, s.Name)
		}
	}
	if out = append(out, some(r.digests)...); r.brief {
		return some(out)
	}
	return out
}
