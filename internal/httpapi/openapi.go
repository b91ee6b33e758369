// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/window"
)

// object is a JSON object of the description.
type object = map[string]any

// description makes the OpenAPI document from the table of operations, once.
var description = sync.OnceValues(func() (object, error) {
	paths, schemas := object{}, object{}
	fault, err := schemaOf(reflect.TypeFor[api.Fault](), schemas)
	if err != nil {
		return nil, err
	}
	problem := object{"description": "A problem (RFC 9457); title is the kind",
		"headers": object{api.HeaderWarning: headerSchema("what a person should know beside the answer, quoted; may be repeated")},
		"content": object{"application/problem+json": object{"schema": fault}}}
	for _, op := range api.Operations {
		item, err := pathOf(op, schemas, problem)
		if err != nil {
			return nil, fmt.Errorf("openapi: %s: %w", op.Name, err)
		}
		paths["/v1/"+op.Name] = item
	}
	hello, err := schemaOf(reflect.TypeFor[api.Hello](), schemas)
	if err != nil {
		return nil, err
	}
	maps.Copy(paths, beside(hello, problem))
	return object{
		"openapi":    "3.1.0",
		"info":       object{"title": "Fovea", "version": fmt.Sprint(api.Protocol), "description": "One memory of a folder of Org files; doc/http.md says more."},
		"paths":      paths,
		"components": object{"schemas": schemas, "securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}}},
		"security":   []any{object{"token": []any{}}, object{}},
	}, nil
})

// pathOf describes one operation.
func pathOf(op *api.Operation, schemas, problem object) (object, error) {
	request, err := schemaOf(op.Request, schemas)
	if err != nil {
		return nil, err
	}
	result, err := schemaOf(op.Answer, schemas)
	if err != nil {
		return nil, err
	}
	sh := shapeOf(op)
	item := object{"post": object{
		"operationId": op.Name, "summary": op.Summary, "parameters": sh.asked(),
		"responses":   sh.responses(result, problem),
		"requestBody": object{"content": object{"application/json": object{"schema": request}}},
	}}
	if sh.gettable() {
		item["get"] = object{
			"operationId": "get-" + op.Name, "summary": op.Summary,
			"parameters": append(parametersOf(sh, schemas), sh.asked()...),
			"responses":  sh.responses(result, problem),
		}
	}
	return item, nil
}

// parametersOf lists the parameters of a GET; the schema of the request describes each.
func parametersOf(s *shape, schemas object) []any {
	list := []any{}
	request, ok := schemas[s.op.Request.Name()].(*jsonschema.Schema)
	if !ok {
		return list // the request has no fields
	}
	for _, key := range slices.Sorted(maps.Keys(s.fields)) {
		kind := kindOf(s.fields[key])
		if kind == "" {
			continue
		}
		one := parameterOf(key, kind, request.Properties[key].Description)
		if s.required[key] {
			one["required"] = true
		}
		list = append(list, one)
	}
	return list
}

func parameterOf(name, kind, about string) object {
	schema := object{"type": kind}
	if kind == "array" {
		schema["items"] = object{"type": "string"}
	}
	return object{"name": name, "in": "query", "schema": schema, "description": about}
}

// foreign are the types whose JSON does not follow from their kind: JSON itself, and texts.
var foreign = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[json.RawMessage](): {Type: "object"},
	reflect.TypeFor[merkle.Digest]():   {Type: "string"},
	reflect.TypeFor[window.Level]():    {Type: "string"},
}

// schemaOf adds the schema of a type to schemas and returns a reference to it.
func schemaOf(t reflect.Type, schemas object) (object, error) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Slice {
		items, err := schemaOf(t.Elem(), schemas)
		return object{"type": "array", "items": items}, err
	}
	if t.Name() == "" {
		return object{"type": "object", "additionalProperties": false}, nil
	}
	if _, ok := schemas[t.Name()]; !ok {
		schema, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: foreign})
		if err != nil {
			return nil, err
		}
		if !strings.HasSuffix(t.Name(), "Request") {
			extensible(schema)
		}
		schemas[t.Name()] = schema
	}
	return object{"$ref": "#/components/schemas/" + t.Name()}, nil
}

// extensible lets an answer have keys that later versions add.
func extensible(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil {
		s.AdditionalProperties = nil
	}
	extensible(s.Items)
	for _, p := range s.Properties {
		extensible(p)
	}
}

func (s *Server) openAPI(w http.ResponseWriter, r *http.Request) {
	doc, err := description()
	if err != nil {
		fail(w, "openapi", err)
		return
	}
	s.answer(w, r, doc)
}

// asked describes the parameters of an operation in addition to its request.
func (s *shape) asked() []any {
	sync := parameterOf("sync", "string", "scan reads the whole folder first, none leaves it alone")
	sync["schema"] = object{"type": "string", "enum": []string{string(api.SyncScan), string(api.SyncNone)}}
	list := append([]any{sync}, who()...)
	if s.op.Effect != api.Reads {
		list = append(list, headerOf(api.HeaderOp, "a request that was carried out under the same key is answered as the first time; use a random UUID"))
	}
	return list
}

// who describes the headers that name the caller and the scopes.
func who() []any {
	role := headerOf(api.HeaderRole, "what the request is held to; counts where "+api.HeaderAgent+" does")
	role["schema"] = object{"type": "string", "enum": []string{string(api.Owner), string(api.Agent), string(api.Reader)}}
	return []any{
		headerOf(api.HeaderAgent, "the name of an agent; counts over the socket and with the person's own token"), role,
		headerOf(api.HeaderSession, "the session: its scope is seen, and commits record it"),
		headerOf(api.HeaderClaim, "TASK:NUMBER, the claim of a task: a write fails once it is not in force any more"),
		headerOf(api.HeaderProject, "the project whose scope is seen"),
	}
}

func headerOf(name, about string) object {
	return object{"name": name, "in": "header", "schema": object{"type": "string"}, "description": about}
}

// responses describes the answers of an operation.
func (s *shape) responses(result, problem object) object {
	responses := object{"default": problem, "200": object{
		"description": "The answer", "headers": problem["headers"],
		"content": object{"application/json": object{"schema": result}, "text/plain": object{"schema": object{"type": "string"}}},
	}}
	if s.op.Effect != api.Reads {
		busy := maps.Clone(problem)
		busy["description"], busy["headers"] = "The agent writes too often", object{"Retry-After": headerSchema("seconds")}
		responses["429"] = busy
	}
	return responses
}

// headerSchema describes a header of an answer.
func headerSchema(about string) object {
	return object{"description": about, "schema": object{"type": "string"}}
}

// beside describes the paths that are not operations of the memory.
func beside(hello, problem object) object {
	get := func(summary, kind string, schema object, parameters ...any) object {
		return object{"get": object{
			"summary": summary, "parameters": append(who(), parameters...),
			"responses": object{"200": object{"description": "The answer", "content": object{kind: object{"schema": schema}}}, "default": problem},
		}}
	}
	text := object{"type": "string"}
	return object{
		"/v1/hello": get("Identify the daemon", "application/json", hello),
		"/v1/events": get("Stream commits, notices and progress as server-sent events", "text/event-stream", text,
			parameterOf("since", "integer", "begin after the commit with this number"),
			headerOf("Last-Event-ID", "the same, from a client that lost the stream; since overrides it")),
	}
}
