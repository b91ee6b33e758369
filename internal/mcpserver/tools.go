// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/api"
)

// effect classifies what a tool can do to the memory, for its hints.
type effect uint8

const (
	reads   effect = iota
	adds           // changes no existing note
	changes        // changes notes; history keeps their versions
	sets           // likewise, and a second call with the same arguments changes nothing more
)

func (e effect) hints(title string) *mcp.ToolAnnotations {
	a := &mcp.ToolAnnotations{Title: title, OpenWorldHint: new(bool), ReadOnlyHint: e == reads, IdempotentHint: e == reads || e == sets}
	if e != reads {
		a.DestructiveHint = new(e != adds)
	}
	return a
}

// reply is the answer of a tool: text for the model, and data for a program, which quotes no
// notes. Data above maxData is left out.
type reply struct {
	text string
	data any
}

// maxData is the maximum number of bytes of the JSON data in an answer.
const maxData = 64 << 10

// small returns the data of a reply, nil if it exceeds maxData.
func (r reply) small() any {
	if text, err := json.Marshal(r.data); err != nil || len(text) > maxData {
		return nil
	}
	return r.data
}

// addTools registers the tools. The SDK lists them by name.
func (s *Server) addTools() {
	add(s, "context", "Context for a task", reads,
		"The notes that matter for a focus, question or task, chosen to fit a token budget. Ask this first.", contextTool)
	add(s, "recall", "Find notes", reads,
		"Find notes by words, or with mode query by conditions such as: todo:TODO tags:work deadline:to=+7 heading:budget.", recallTool)
	add(s, "read", "Read a note", reads,
		"A note: text, attributes, digest, children; or as it was at an earlier moment.", readTool)
	add(s, "remember", "Remember", adds,
		"Keep a new note: one fact, decision or task with a title that can be found again.", rememberTool)
	add(s, "edit", "Edit a note", changes,
		"Change fields of a note, or move it with refile_to. Give base, the digest you read, so that nobody's change is lost.", editTool)
	add(s, "forget", "Forget a note", changes,
		"Take a note and all below it out of the files. History keeps it.", forgetTool)
	add(s, "history", "History", adds,
		"log: commits, of a note if id is given. diff: what changed between two moments. blame: who wrote each line of a note. snapshots: states to go "+
			"back to. checkpoint: keep this state under a name.", historyTool,
		enum("action", historyActions.names()))
	add(s, "rollback", "Go back", sets,
		"rollback: make an earlier state the present one, files included. restore: likewise, a checkpoint by name. revert: take back commits or an "+
			"author's work and keep what others did since. resolve: end a note's conflict. All can be undone.", rollbackTool,
		enum("action", rollbackActions.names()))
}

// actions are the actions of a tool with a field action, in the order of its schema.
type actions[In any] []struct {
	name string
	call func(context.Context, api.Service, In) (reply, error)
}

func (a actions[In]) names() (names []string) {
	for _, action := range a {
		names = append(names, action.name)
	}
	return names
}

// do runs the named action.
func (a actions[In]) do(ctx context.Context, svc api.Service, name string, in In) (reply, error) {
	for _, action := range a {
		if action.name == name {
			return action.call(ctx, svc, in)
		}
	}
	names, last := a.names(), len(a)-1
	return reply{}, misuse("action is " + strings.Join(names[:last], ", ") + " or " + names[last])
}

// act returns an action that calls an operation and shows its answer.
func act[In, Q, A any](op api.Op[Q, A], request func(In) Q, show func(A) reply) func(context.Context, api.Service, In) (reply, error) {
	return func(ctx context.Context, svc api.Service, in In) (reply, error) {
		answer, err := op.Call(ctx, svc, request(in))
		if err != nil {
			return reply{}, err
		}
		return show(answer), nil
	}
}

// enum limits a property of a tool's schema to values.
func enum(property string, values []string) func(*jsonschema.Schema) {
	return func(schema *jsonschema.Schema) {
		for _, v := range values {
			schema.Properties[property].Enum = append(schema.Properties[property].Enum, v)
		}
	}
}

// add registers a tool whose arguments are an In.
func add[In any](s *Server, name, title string, e effect, description string, call func(context.Context, api.Service, In) (reply, error),
	adjust ...func(*jsonschema.Schema)) {
	schema := schemaOf[In](adjust...)
	s.schemas[name] = schema
	tool := &mcp.Tool{Name: name, Description: description, InputSchema: schema, Annotations: e.hints(title)}
	mcp.AddTool(s.mcp, tool, func(ctx context.Context, req *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		if e != reads {
			defer s.Changed(context.WithoutCancel(ctx))
		}
		key, err := keyOf(req.Params.Meta)
		if err != nil {
			return nil, nil, toolError{name, err}
		}
		r, err := call(ctx, api.WithKey(s.service, key), in)
		if err != nil {
			return nil, nil, toolError{name, err}
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: r.text}}}, r.small(), nil
	})
}

// metaOp is the field of a call's _meta with its idempotency key, as the header
// Idempotency-Key over HTTP: a tool writes once for each key.
const metaOp = "io.github.fovea-memory/idempotency-key"

// keyOf returns the idempotency key of a call, "" for none.
func keyOf(meta mcp.Meta) (string, error) {
	value, ok := meta[metaOp]
	if !ok {
		return "", nil
	}
	key, ok := value.(string)
	if !ok || key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", misuse("_meta: " + metaOp + " is printable ASCII, such as a random UUID")
	}
	return key, nil
}

// schemaOf infers the schema of a tool's arguments from its Go type. It leaves out that lists
// and optional values may be null, which would cost a model tokens and tell it nothing.
func schemaOf[In any](adjust ...func(*jsonschema.Schema)) *jsonschema.Schema {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(fmt.Sprintf("mcpserver: schema of %v: %v", reflect.TypeFor[In](), err)) // programming error, found at the start
	}
	for _, p := range schema.Properties {
		if len(p.Types) == 2 && p.Types[0] == "null" {
			p.Type, p.Types = p.Types[1], nil
		}
	}
	for _, f := range adjust {
		f(schema)
	}
	return schema
}

// listed is middleware that leaves the hidden tools out of the list.
func (s *Server) listed(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if list, ok := res.(*mcp.ListToolsResult); ok && err == nil {
			list.Tools = slices.DeleteFunc(list.Tools, func(t *mcp.Tool) bool { return s.hidden[t.Name] })
		}
		return res, err
	}
}
