// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/fovea-memory/fovea/api"
)

// described is the OpenAPI document, as far as a client goes by it.
type described struct {
	Paths      map[string]map[string]describedOperation
	Components struct{ Schemas map[string]json.RawMessage }

	resolved map[string]*jsonschema.Resolved // by the text of the schema
}

type describedOperation struct {
	Parameters  []describedParameter
	RequestBody struct{ Content map[string]describedContent }
	Responses   map[string]struct {
		Headers map[string]struct{ Description string }
		Content map[string]describedContent
	}
}

type describedParameter struct {
	Name, In string
	Required bool
	Schema   json.RawMessage
}

type describedContent struct{ Schema json.RawMessage }

// description reads the document of a server.
func (s *site) description() *described {
	s.t.Helper()
	text := s.ask("GET", "/v1/openapi.json", "").body
	d := &described{resolved: map[string]*jsonschema.Resolved{}}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(text), "#/components/schemas/", "#/$defs/")), d); err != nil {
		s.t.Fatal(err)
	}
	return d
}

// validate holds a value against a schema of the document.
func (d *described) validate(t *testing.T, what string, schema json.RawMessage, value any) {
	t.Helper()
	if d.resolved[string(schema)] == nil {
		d.resolved[string(schema)] = d.resolve(t, schema)
	}
	if err := d.resolved[string(schema)].Validate(value); err != nil {
		t.Errorf("%s is not as described: %v", what, err)
	}
}

// resolve compiles a schema with those that it refers to.
func (d *described) resolve(t *testing.T, schema json.RawMessage) *jsonschema.Resolved {
	t.Helper()
	defs := map[string]json.RawMessage{}
	d.define(t, schema, defs)
	text, err := json.Marshal(map[string]any{"$defs": defs, "allOf": []any{schema}})
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

var references = regexp.MustCompile(`"#/\$defs/([^"]+)"`)

// define adds the schemas that a schema refers to.
func (d *described) define(t *testing.T, schema json.RawMessage, defs map[string]json.RawMessage) {
	t.Helper()
	for _, m := range references.FindAllSubmatch(schema, -1) {
		name := string(m[1])
		if _, there := defs[name]; there {
			continue
		}
		if defs[name] = d.Components.Schemas[name]; defs[name] == nil {
			t.Fatalf("the document has no schema %s", name)
		}
		d.define(t, defs[name], defs)
	}
}

// counting are the headers of answers by which a client acts: the document names each.
var counting = []string{"Retry-After", api.HeaderWarning}

// hold compares an answer with the document's description of an operation.
func (d *described) hold(t *testing.T, op *describedOperation, r reply) {
	t.Helper()
	said, ok := op.Responses[fmt.Sprint(r.status)]
	if !ok {
		if said, ok = op.Responses["default"]; !ok || r.status < 400 {
			t.Fatalf("nothing is said of %d: %s", r.status, r.body)
		}
	}
	for _, name := range counting {
		if _, ok := said.Headers[name]; !ok && r.header.Get(name) != "" {
			t.Errorf("%d: nothing is said of the header %s: %q", r.status, name, r.header.Get(name))
		}
	}
	kind, _, err := mime.ParseMediaType(r.header.Get("Content-Type"))
	if len(said.Content) == 0 {
		if len(r.body) > 0 {
			t.Errorf("%d has a body: %s", r.status, r.body)
		}
		return
	}
	content, ok := said.Content[kind]
	if err != nil || !ok {
		t.Fatalf("%d is %q (%v), want one of %q", r.status, kind, err, slices.Collect(maps.Keys(said.Content)))
	}
	var value any = string(r.body)
	if strings.HasSuffix(kind, "json") {
		if err := json.Unmarshal(r.body, &value); err != nil {
			t.Fatal(err)
		}
	}
	d.validate(t, fmt.Sprintf("%d %s", r.status, r.body), content.Schema, value)
}

// reads are good requests of operations that read; repeated has those that write.
var reads = map[string]string{
	"context": `{"focus":"One","explain":true}`, "query": `{"query":"level:1","limit":1,"content":true}`,
	"search": `{"text":"secret","content":true,"match":80}`, "show": `{"id":"One"}`, "status": `{"diagnostics":true}`, "log": `{"limit":1}`,
	"diff": `{"from":"seq:1","to":"head","text":true}`, "blame": `{"id":"One"}`, "snapshots": `{}`, "head": `{}`, "verify": `{"files":true}`,
	"forgotten": `{"notes":[{"title":"Two"}]}`, "guard": `{}`, "guard-diff": `{"path":"skills/plan.org","text":true}`,
	"blocks": `{"agent":"ada"}`, "windows": `{"agent":"ada"}`, "skills": `{}`, "skill": `{"name":"plan"}`, "suggest": `{"text":"secrat","notes":2}`,
	"prove": `{"id":"One"}`, "check-proof": `{"proof":"{}"}`,
	"logs":   `{"limit":2}`,
	"agents": `{}`, "messages": `{"agent":"ada"}`, "tasks": `{"all":true}`, "review": `{}`, "remotes": `{}`, "news": `{}`, "feedback-status": `{}`,
	"remote-members": `{"name":"stick"}`,
	"conversation":   `{"session":"s1","changes":true}`,
}

// wrong are requests that are refused for what they mean; an unknown key is what the
// others are refused for.
var wrong = map[string]string{
	"context": `{"focus":"Nobody"}`, "query": `{"query":"todo:("}`, "search": `{"text":"a","query":"todo:("}`, "show": `{"id":"Nobody"}`,
	"log": `{"id":"Nobody"}`, "diff": `{"from":"seq:99"}`, "blame": `{"id":"Nobody"}`, "guard-diff": `{"path":"a.org"}`, "skill": `{"name":"no"}`,
	"verify": `{"anchors":["x"]}`, "rollback": `{"to":"seq:99"}`, "drift": `{"action":"x"}`, "revert": `{"author":"nobody"}`, "merge": `{"state":"/no"}`,
	"resolve": `{"id":"Nobody"}`, "edit": `{"id":"Nobody","title":"x"}`, "remember": `{"title":""}`, "forget": `{"id":"Nobody"}`,
	"refile": `{"id":"Nobody","to":"One"}`, "archive": `{"id":"Nobody"}`, "assign-ids": `{"ids":["Nobody"]}`, "restore": `{"name":"none"}`,
	"retain": `{"hourly":"x"}`, "purge": `{"text":"nowhere"}`, "guard-adopt": `{"path":"a.org"}`, "guard-reject": `{"path":"a.org"}`,
	"event": `{"event":""}`, "logs": `{"limit":1001}`, "buffer-update": `{"client":"none","path":"a.org"}`,
	"ingest-tree": `{"ast":{}}`, "blocks": `{"agent":"a/b"}`, "block-add": `{"blocks":[{"type":"x"}]}`,
	"agents": `{"name":"nobody"}`, "messages": `{"agent":"a/b"}`, "message-send": `{"to":"owner","subject":""}`, "message-read": `{"ids":["none"]}`,
	"tasks": `{"status":"x"}`, "task-claim": `{"task":"none"}`, "task-renew": `{"task":"none","number":1}`, "task-release": `{"task":"none"}`,
	"task-done": `{"task":"none"}`, "windows": `{"agent":"ada","id":"1"}`, "review": `{"id":"none"}`, "propose": `{"op":"purge","request":{}}`,
	"review-edit": `{"id":"none"}`, "review-accept": `{"id":"none"}`, "review-reject": `{"id":"none"}`, "review-withdraw": `{"id":"none"}`,
	"news-seen": `{"upto":{"project/none":1}}`, "conversation": `{"session":""}`,
	"bundle-write": `{"file":"here","plain":true}`, "bundle-read": `{"file":"/no"}`, "remote-add": `{"name":"x","url":"no"}`,
	"import": `{"kind":"okf","source":"no"}`, "export": `{"kind":"okf","to":"no"}`,
	"remote-remove": `{"name":"x"}`, "push": `{"name":"x"}`, "pull": `{"name":"x"}`, "sync": `{"name":"x"}`,
	"remote-scrub":   `{"name":"x"}`,
	"remote-members": `{"name":"x"}`, "remote-admit": `{"name":"x","member":"box","key":"x"}`, "remote-expel": `{"name":"x","member":"box"}`,
	"block-remove": `{"ids":["none"]}`, "block-score": `{"id":"none","confidence":1}`, "feedback": `{"question":"One"}`,
}

// TestEveryOperationIsAsDescribed: what each operation of the document answers, where
// it is asked well and where it is not, is what the document says.
func TestEveryOperationIsAsDescribed(t *testing.T) {
	calm := scene(t)
	calm.placed()
	d := calm.description()
	for path, methods := range d.Paths {
		name := strings.TrimPrefix(path, "/v1/")
		op := api.OperationNamed(name)
		if op == nil {
			continue // TestBesideIsAsDescribed has it
		}
		for method, said := range methods {
			t.Run(method+" "+name, func(t *testing.T) {
				s, body := calm.of(t), reads[name]
				headers := []string{}
				if op.Effect != api.Reads {
					s, body, headers = written(t, name)
				}
				if body == "" {
					t.Fatal("no case asks for it")
				}
				d.describes(t, op, &said, method, body)
				for _, bad := range d.missing(t, op, &said, method, body) {
					if r := s.asked(method, name, bad); r.status < 400 && name != "forgotten" { // of no notes none was
						t.Errorf("without what is required it is answered %d: %s", r.status, bad)
					}
				}
				wrong := wrong[name]
				if wrong == "" {
					wrong = `{"no_such_key":"x"}`
				}
				bad := s.asked(method, name, wrong, headers...)
				if bad.problem(t); bad.status < 400 {
					t.Errorf("%s is answered %d", wrong, bad.status)
				}
				d.hold(t, &said, bad)
				good := s.asked(method, name, body, headers...)
				if good.status != 200 {
					t.Fatalf("%s: %d %s", body, good.status, good.body)
				}
				d.hold(t, &said, good)
			})
		}
	}
	for _, op := range api.Operations {
		if d.Paths["/v1/"+op.Name] == nil {
			t.Errorf("%s is not described", op.Name)
		}
	}
}

// describes checks that the document names the headers that count for an operation,
// and that a good request is one by it.
func (d *described) describes(t *testing.T, op *api.Operation, said *describedOperation, method, body string) {
	t.Helper()
	has := map[string]bool{}
	for _, p := range said.Parameters {
		has[p.In+" "+p.Name] = true
	}
	want := map[string]bool{
		"query sync": true, "header " + api.HeaderSession: true, "header " + api.HeaderProject: true, "header " + api.HeaderAgent: true,
		"header " + api.HeaderRole: true, "header " + api.HeaderOp: op.Effect != api.Reads,
	}
	for name, want := range want {
		if has[name] != want {
			t.Errorf("the parameter %s is described: %v, want %v", name, has[name], want)
		}
	}
	if method == "post" {
		var value any
		if err := json.Unmarshal([]byte(body), &value); err != nil {
			t.Fatal(err)
		}
		d.validate(t, "the request "+body, said.RequestBody.Content["application/json"].Schema, value)
	}
}

// missing makes requests that lack one of what the document says is required.
func (d *described) missing(t *testing.T, op *api.Operation, said *describedOperation, method, body string) []string {
	t.Helper()
	var schema struct{ Required []string }
	if text := d.Components.Schemas[op.Request.Name()]; method == "post" && text != nil {
		if err := json.Unmarshal(text, &schema); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range said.Parameters {
		if p.Required {
			schema.Required = append(schema.Required, p.Name)
		}
	}
	var all []string
	for _, name := range schema.Required {
		request := map[string]any{}
		if err := json.Unmarshal([]byte(body), &request); err != nil {
			t.Fatal(err)
		}
		delete(request, name)
		text, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	return all
}

// asked asks for an operation: a request of a GET is its parameters.
func (s *site) asked(method, name, body string, headers ...string) reply {
	s.t.Helper()
	if method == "post" {
		return s.ask("POST", "/v1/"+name, body, headers...)
	}
	request := map[string]any{}
	if err := json.Unmarshal([]byte(body), &request); err != nil {
		s.t.Fatal(err)
	}
	q := url.Values{}
	for key, value := range request {
		if list, ok := value.([]any); ok {
			for _, one := range list {
				q.Add(key, fmt.Sprint(one))
			}
			continue
		}
		q.Set(key, fmt.Sprint(value))
	}
	return s.ask("GET", "/v1/"+name+"?"+q.Encode(), "", headers...)
}

// of is the same site for another test.
func (s *site) of(t *testing.T) *site {
	one := *s
	one.t = t
	return &one
}

// written makes a site where an operation that writes can be asked for, and returns how.
func written(t *testing.T, name string) (s *site, body string, headers []string) {
	t.Helper()
	s = scene(t)
	i := slices.IndexFunc(repeated, func(tc repetition) bool { return tc.op == name })
	if i < 0 {
		return s, "", nil
	}
	tc := repeated[i]
	if tc.before != nil {
		tc.before(s)
	}
	if tc.agent {
		headers = []string{"Authorization", "Bearer agent"}
	}
	return s, s.filled(tc.body), headers
}

// TestBesideIsAsDescribed: so are paths that are no operations of the memory.
func TestBesideIsAsDescribed(t *testing.T) {
	s := scene(t)
	d := s.description()
	cases := map[string]struct {
		good, bad string   // of a path, what follows it
		headers   []string // of the bad one
	}{
		"/v1/hello":  {headers: []string{"Authorization", ""}},
		"/v1/events": {good: "?since=0", bad: "?since=x"},
	}
	for path, methods := range d.Paths {
		if api.OperationNamed(strings.TrimPrefix(path, "/v1/")) != nil {
			continue
		}
		tc, ok := cases[path]
		if !ok || len(methods) != 1 {
			t.Errorf("%s: no case asks for it", path)
			continue
		}
		said := methods["get"]
		r := s.ask("GET", path+tc.bad, "", tc.headers...)
		r.problem(t)
		d.hold(t, &said, r)
		if path == "/v1/events" {
			r = s.begin(path + tc.good)
		} else {
			r = s.ask("GET", path+tc.good, "")
		}
		if r.status != 200 {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
		d.hold(t, &said, r)
	}
}
