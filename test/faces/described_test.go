// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package faces_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/fovea-memory/fovea/api"
)

// described is the OpenAPI document, as far as a client goes by it.
type described struct {
	Paths      map[string]map[string]describedOperation
	Components struct{ Schemas map[string]json.RawMessage }

	mu       sync.Mutex
	resolved map[string]*jsonschema.Resolved // by the text of the schema; guarded by mu
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

// openAPI is the document of all servers.
var openAPI struct {
	sync.Mutex
	*described
}

// description reads the document of a server.
func (w *world) description() *described {
	w.t.Helper()
	openAPI.Lock()
	defer openAPI.Unlock()
	if openAPI.described != nil {
		return openAPI.described
	}
	text := w.send("GET", "/v1/openapi.json", "", asOwner...).body
	d := &described{resolved: map[string]*jsonschema.Resolved{}}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(text), "#/components/schemas/", "#/$defs/")), d); err != nil {
		w.t.Fatal(err)
	}
	openAPI.described = d
	return d
}

// asOwner are the headers of the owner.
var asOwner = []string{"Authorization", "Bearer owner"}

// validate holds a value against a schema of the document.
func (d *described) validate(t *testing.T, what string, schema json.RawMessage, value any) {
	t.Helper()
	d.mu.Lock()
	if d.resolved[string(schema)] == nil {
		d.resolved[string(schema)] = d.resolve(t, schema)
	}
	resolved := d.resolved[string(schema)]
	d.mu.Unlock()
	if err := resolved.Validate(value); err != nil {
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

// TestEveryOperationIsAsDescribed: the document has each operation and what its example needs, GET is
// answered as it says, and what it says is required is. Answers to POST are held against it wherever this
// package asks over HTTP.
func TestEveryOperationIsAsDescribed(t *testing.T) {
	w := newWorld(t)
	w.placed()
	d := w.description()
	for _, e := range slices.Concat(reads, writes) {
		op := api.OperationNamed(e.op)
		if d.Paths["/v1/"+e.op] == nil {
			t.Errorf("%s is not described", e.op)
		}
		for method, as := range d.Paths["/v1/"+e.op] {
			t.Run(method+" "+e.title(), func(t *testing.T) {
				w, body := w.of(t), w.filled(e.body)
				d.describes(t, op, &as, method, body)
				for _, bad := range d.missing(t, op, &as, method, body) {
					if r := w.asked(method, e.op, bad, asOwner...); r.status < 400 && e.op != "forgotten" { // of no notes none was
						t.Errorf("without what is required it is answered %d: %s", r.status, bad)
					}
				}
				if method == "get" {
					d.hold(t, &as, w.asked(method, e.op, cmp.Or(e.wrong, `{"no_such_key":"x"}`), asOwner...))
					if good := w.asked(method, e.op, body, asOwner...); good.status == 200 {
						d.hold(t, &as, good)
					} else {
						t.Errorf("%s: %d %s", body, good.status, good.body)
					}
				}
			})
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
func (w *world) asked(method, name, body string, headers ...string) reply {
	w.t.Helper()
	if method == "post" {
		return w.send("POST", "/v1/"+name, body, headers...)
	}
	request := map[string]any{}
	if err := json.Unmarshal([]byte(body), &request); err != nil {
		w.t.Fatal(err)
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
	return w.send("GET", "/v1/"+name+"?"+q.Encode(), "", headers...)
}

// TestBesideIsAsDescribed: so are paths that are no operations of the memory.
func TestBesideIsAsDescribed(t *testing.T) {
	w := newWorld(t)
	d := w.description()
	cases := map[string]struct {
		good, bad string   // of a path, what follows it
		headers   []string // of the bad one
	}{
		"/v1/hello":  {},
		"/v1/events": {good: "?since=0", bad: "?since=x", headers: asOwner},
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
		as := methods["get"]
		d.hold(t, &as, w.send("GET", path+tc.bad, "", tc.headers...))
		r := w.begun(path + tc.good)
		if r.status != 200 {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
		d.hold(t, &as, r)
	}
}

// begun asks for an answer of which only the beginning is read: a stream has no end.
func (w *world) begun(path string) reply {
	w.t.Helper()
	ctx, stop := context.WithCancel(w.t.Context())
	defer stop()
	r, err := http.NewRequestWithContext(ctx, "GET", w.url+path, nil)
	w.must(err)
	r.Header.Set("Authorization", "Bearer owner")
	a, err := http.DefaultTransport.RoundTrip(r)
	w.must(err)
	defer a.Body.Close()
	text := make([]byte, 1<<10)
	n, err := a.Body.Read(text)
	if err != nil && !errors.Is(err, io.EOF) {
		w.t.Fatal(err)
	}
	return reply{a.StatusCode, a.Header, text[:n]}
}
