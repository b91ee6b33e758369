// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/face"
)

// arguments are the arguments of a call, by name.
type arguments map[string]json.RawMessage

// argument is a field of a request that a tool offers. Its tag mcp has the name, by default the JSON key, and after a
// comma the description. A name that ends in {} is an object of properties; the field lists them as KEY=VALUE.
type argument struct {
	reflect.StructField
	name, about string
	pairs       bool
}

func argumentsOf(request reflect.Type) (list []argument) {
	for _, f := range reflect.VisibleFields(request) {
		tag, ok := f.Tag.Lookup("mcp")
		if !ok {
			continue
		}
		a := argument{StructField: f}
		a.name, a.about, _ = strings.Cut(tag, ",")
		if a.name == "" {
			a.name, _, _ = strings.Cut(f.Tag.Get("json"), ",")
		}
		a.name, a.pairs = strings.CutSuffix(a.name, "{}")
		list = append(list, a)
	}
	return list
}

// schema returns the schema of an argument. It omits that lists and optional values may be null,
// which would only cost a model tokens.
func (a *argument) schema() *jsonschema.Schema {
	t := a.Type
	if a.pairs {
		t = reflect.TypeFor[map[string]string]()
	}
	schema, err := jsonschema.ForType(t, &jsonschema.ForOptions{})
	if err != nil {
		panic(fmt.Sprintf("mcpserver: schema of %s: %v", a.name, err)) // programming error, found at the start
	}
	if len(schema.Types) == 2 {
		schema.Type, schema.Types = schema.Types[1], nil
	}
	schema.Description = a.about
	return schema
}

// extra holds the arguments of tools that belong to no request.
type extra struct {
	Action        string   `mcp:"action"`
	Mode          string   `mcp:"mode,lexical (default) or query"`
	RefileTo      string   `mcp:"refile_to,alone"`
	Task          string   `mcp:"task,alone; claim, renew, release or done"`
	Claim         uint64   `mcp:"claim,its number; not to claim"`
	Lease         string   `mcp:"lease,such as 15m"`
	To            string   `mcp:"to,send it to this agent or to owner instead"`
	Thread        string   `mcp:"thread"`
	MinSimilarity *float64 `mcp:"min-similarity"`
	Source        string   `mcp:"source"`
	CID           string   `mcp:"cid"`
}

// take fills the fields of a request, or of extra, with arguments.
func (a arguments) take(request any) error {
	v := reflect.ValueOf(request).Elem()
	for _, field := range argumentsOf(v.Type()) {
		text, ok := a[field.name]
		if !ok {
			continue
		}
		value := v.FieldByIndex(field.Index)
		to := value.Addr().Interface()
		var properties map[string]string
		if field.pairs {
			to = &properties
		}
		if err := json.Unmarshal(text, to); err != nil {
			return misuse("the field " + field.name + " is out of range")
		}
		for _, key := range slices.Sorted(maps.Keys(properties)) {
			value.Set(reflect.Append(value, reflect.ValueOf(key+"="+properties[key])))
		}
		if value.Kind() == reflect.Slice && value.Len() == 0 {
			value.SetZero() // an empty list counts as absent
		}
	}
	return nil
}

// action is an operation that a tool offers.
type action struct {
	*api.Operation
	call func(context.Context, api.Service, arguments) (face.Reply, error)
}

// name returns the value of the argument action that chooses the operation, "" for a tool's only one.
func (a action) name() string {
	_, name, _ := strings.Cut(a.Tool, " ")
	return name
}

// act returns an action that makes a request from the arguments and calls run.
func act[Q, A any](op api.Op[Q, A], run func(context.Context, api.Service, Q, extra) (face.Reply, error)) action {
	return action{Operation: op.Operation, call: func(ctx context.Context, svc api.Service, given arguments) (face.Reply, error) {
		var request Q
		var rest extra
		for _, to := range []any{&request, &rest} {
			if err := given.take(to); err != nil {
				return face.Reply{}, err
			}
		}
		return run(ctx, svc, request, rest)
	}}
}

// offer returns an action that calls its operation.
func offer(op *api.Operation) action {
	return action{Operation: op, call: func(ctx context.Context, svc api.Service, given arguments) (face.Reply, error) {
		request := reflect.New(op.Request)
		if err := given.take(request.Interface()); err != nil {
			return face.Reply{}, err
		}
		return reply(ctx, svc, op, request.Elem().Interface())
	}}
}

// reply calls an operation and returns its answer for a model.
func reply(ctx context.Context, svc api.Service, op *api.Operation, req any) (face.Reply, error) {
	m := face.NewModel()
	if err := put(ctx, svc, m, op, req); err != nil {
		return face.Reply{}, err
	}
	return m.Reply()
}

// put calls an operation and writes its answer to a page.
func put(ctx context.Context, svc api.Service, m *face.Model, op *api.Operation, req any) error {
	answer, err := svc(ctx, api.Call{Op: op, Request: req})
	if err == nil {
		m.Show(op, req, answer)
	}
	return err
}

// argued is middleware that converts arguments to the types of the tool, see Arguments. It refuses wrong ones with a text
// for a model that names the wrong field and the fields of the tool; the SDK would report in terms of schemas.
func (s *Server) argued(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if r, ok := req.(*mcp.CallToolRequest); ok && r.Params != nil {
			if schema := s.schemas[r.Params.Name]; schema != nil {
				given, err := Arguments(schema, r.Params.Arguments)
				if err != nil {
					var refused mcp.CallToolResult
					refused.SetError(toolError{r.Params.Name, advice{misuse(err.Error()), fieldsOf(schema)}})
					return &refused, nil
				}
				r.Params.Arguments = given
			}
		}
		return next(ctx, method, req)
	}
}

// fieldsOf returns the next step after wrong arguments.
func fieldsOf(schema *jsonschema.Schema) string {
	fields := slices.Sorted(maps.Keys(schema.Properties))
	if len(fields) == 0 {
		return "call it without arguments"
	}
	next := "use the fields " + strings.Join(fields, ", ")
	if len(schema.Required) > 0 {
		next += "; needed: " + strings.Join(schema.Required, ", ")
	}
	return next
}
