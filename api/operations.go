// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea"
)

// Effect classes an operation by what it can do to the memory.
type Effect uint8

// The effects of operations.
const (
	Reads  Effect = iota // changes nothing that anybody made
	Writes               // adds or changes notes, or marks a moment; history keeps what was
	Mends                // changes many notes at once, or history itself
)

// Operation is one method of Service under its name, for faces that are told by
// name what to call. Its fields must not be changed.
type Operation struct {
	Name    string // as in a URL; the method's name in lower case, words joined by "-"
	Summary string // one line, without a full stop
	Effect  Effect
	// Request and Answer are the types of the method's parameter and result. A
	// method without a parameter has the empty struct.
	Request, Answer reflect.Type

	decode func([]byte) (any, error)
	answer func([]byte) (any, error)
	call   func(context.Context, Service, any) (any, error)
}

// Operations are all methods of Service, each once, in the order of Service.
// The slice must not be changed.
var Operations = []Operation{
	operation("context", Reads, "Choose and render what a model sees within a token budget", Service.Context),
	operation("query", Reads, "List the nodes that match a query", Service.Query),
	operation("search", Reads, "Rank nodes by words, best first", Service.Search),
	operation("show", Reads, "Return one node, now or as it was", Service.Show),
	operation("status", Reads, "Say how the memory is", Service.Status),
	operation("log", Reads, "List commits, newest first", Service.Log),
	operation("diff", Reads, "Compare two moments", Service.Diff),
	operation("blame", Reads, "Say of each line of a node which commit brought it", Service.Blame),
	operation("snapshot", Writes, "Keep the present state for a rollback", Service.Snapshot),
	operation("snapshots", Reads, "List the states kept, newest first", alone(Service.Snapshots)),
	operation("rollback", Mends, "Make an earlier state the present one, files included", Service.Rollback),
	operation("drift", Mends, "List the files that differ from memory on purpose, or end that", Service.Drift),
	operation("revert", Mends, "Take back what commits did, and keep what was done since", Service.Revert),
	operation("merge", Mends, "Bring in what another copy of the memory has done", Service.Merge),
	operation("resolve", Writes, "End conflicts that a node keeps", Service.Resolve),
	operation("edit", Writes, "Change one node, and its file in the same step", Service.Edit),
	operation("remember", Writes, "Add a headline", Service.Remember),
	operation("forget", Writes, "Take a headline away with all below it; history keeps it", Service.Forget),
	operation("forgotten", Reads, "Say which notes were forgotten, so that an import leaves them out", Service.Forgotten),
	operation("refile", Writes, "Move a headline, with all below it, below another node", Service.Refile),
	operation("archive", Writes, "Move a headline, with all below it, to the archive of its file", Service.Archive),
	operation("assign-ids", Writes, "List headlines without an id of their own, or give them one", Service.AssignIDs),
	operation("checkpoint", Writes, "Write an image of the present state and keep it under a name", Service.Checkpoint),
	operation("restore", Mends, "Go back to a checkpoint, files included", Service.Restore),
	operation("head", Reads, "Give the newest commit as a signed note", alone(Service.Head)),
	operation("verify", Reads, "Prove the memory from its bytes, and against heads kept elsewhere", Service.Verify),
	operation("repair", Mends, "Make a damaged memory whole again, as far as that can be", Service.Repair),
	operation("retain", Mends, "Thin the history by age", Service.Retain),
	operation("purge", Mends, "Take content out of history for good", Service.Purge),
	operation("guard", Reads, "List the protected files and how each stands", alone(Service.Guard)),
	operation("guard-diff", Reads, "Say what became of a protected file since its owner trusted it", Service.GuardDiff),
	operation("guard-adopt", Mends, "Trust a protected file as it is", Service.GuardAdopt),
	operation("guard-reject", Mends, "Put back what was trusted of a protected file", Service.GuardReject),
	operation("skills", Reads, "List the skills, highest priority first", alone(Service.Skills)),
	operation("skill", Reads, "Return the source of one skill", Service.Skill),
	operation("trigger", Writes, "Answer an event as the built-in skill does, and say which skills answer to it", Service.Trigger),
	operation("ingest-tree", Writes, "Take in an AST that stands in no file", Service.IngestTree),
	operation("ingest", Mends, "Read what changed in the folder", Service.Ingest),
}

// operation makes the row of a method.
func operation[Q, A any](name string, effect Effect, summary string, method func(Service, context.Context, Q) (A, error)) Operation {
	return Operation{
		Name: name, Summary: summary, Effect: effect,
		Request: reflect.TypeFor[Q](), Answer: reflect.TypeFor[A](),
		decode: func(text []byte) (any, error) { return decode[Q](text) },
		answer: func(text []byte) (any, error) {
			var a A
			err := json.Unmarshal(text, &a)
			return a, err
		},
		call: func(ctx context.Context, svc Service, req any) (any, error) { return method(svc, ctx, req.(Q)) },
	}
}

// alone gives a method without a parameter an empty one.
func alone[A any](method func(Service, context.Context) (A, error)) func(Service, context.Context, struct{}) (A, error) {
	return func(svc Service, ctx context.Context, _ struct{}) (A, error) { return method(svc, ctx) }
}

// OperationNamed finds an operation, nil if there is none of that name.
func OperationNamed(name string) *Operation {
	i := slices.IndexFunc(Operations, func(o Operation) bool { return o.Name == name })
	if i < 0 {
		return nil
	}
	return &Operations[i]
}

// Call decodes a request, which is a JSON object of known keys, or nothing for
// one without any, and calls the method of svc. A request that is none is Invalid.
func (o *Operation) Call(ctx context.Context, svc Service, request []byte) (any, error) {
	req, err := o.decode(request)
	if err != nil {
		return nil, invalid(o.Name, err)
	}
	return o.call(ctx, svc, req)
}

// Decode reads an answer as the method returns it.
func (o *Operation) Decode(answer []byte) (any, error) {
	a, err := o.answer(answer)
	if err != nil {
		return nil, &fovea.Error{Op: o.Name, Err: fmt.Errorf("the answer is not one: %w", err)}
	}
	return a, nil
}

// decode reads one JSON value into a request; what is wrong with it is said in
// the words of JSON, not of Go.
func decode[Q any](text []byte) (Q, error) {
	var req Q
	switch trimmed := bytes.TrimSpace(text); {
	case len(trimmed) == 0:
		return req, nil
	case bytes.Equal(trimmed, []byte("null")): // which json.Unmarshal takes for no change
		return req, errors.New("null is no request; send one JSON object")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&req); err != nil {
		return req, requestError(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return req, errors.New("something follows the request; send one JSON object")
	}
	return req, nil
}

func requestError(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field == "" {
			return fmt.Errorf("the request is a JSON %s; send an object", wrong.Value)
		}
		return fmt.Errorf("%s: a %s cannot stand here; it wants %s", wrong.Field, wrong.Value, jsonKind(wrong.Type))
	}
	if key, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("unknown key %s", key)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the request ends in the middle of its JSON")
	}
	return fmt.Errorf("the request is not JSON: %w", err)
}

// jsonKind names what a Go type is in JSON.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Pointer:
		return jsonKind(t.Elem())
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "a whole number in range"
}
