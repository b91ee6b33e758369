// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/fault"
)

// Effect classes an operation by what it can do to the memory.
type Effect uint8

// The effects of operations.
const (
	Reads  Effect = iota // changes no notes and no history
	Writes               // adds or changes notes, or marks a moment; history keeps the earlier text
	Mends                // changes many notes at once, or history itself
)

// Operation is one row of the table, with all that the surfaces need. Its fields must not be changed.
type Operation struct {
	Name    string // as in a URL
	Summary string // one line, without a full stop
	Effect  Effect
	// History marks an operation on the history of one scope: the narrowest one that the call names.
	History bool
	// Private marks an operation that reads data of the owner, such as where remotes are: an agent needs a grant for it.
	Private bool
	// Scan reads the folder before the operation begins. Others read it after they have checked the request.
	Scan bool
	// Replay is the kind of the commit that the operation makes, if a repeated request may fail because the
	// first one renamed or removed its node, or others committed since. Otherwise it is "".
	Replay string
	// Proposable marks a change of notes that an agent can propose. Its request names a node by id, with base, or a place by under.
	Proposable bool
	// Tool is the MCP tool that offers the operation, with its action if it has several ("history log"); "" means none.
	// Fields of the request with a tag mcp are its arguments: the tag has the argument's name, if that is not
	// the JSON key, and after a comma its description.
	Tool string
	// Group is the group of the verb in fovea --help: read, write, history, agents or care; "" means the operation has
	// no verb of its own. Fields of the request with a tag arg are the verb's arguments, those with a tag flag its flags.
	Group string

	Request, Answer reflect.Type // set by Define

	decodeRequest func([]byte) (any, error)
	decodeAnswer  func([]byte) (any, error)
	run           func(context.Context, *Local, any) (any, error)
}

// Op is an operation with the types of its request and its answer.
type Op[Q, A any] struct{ *Operation }

// None is the request of an operation without one.
type None = struct{}

// Operations is the table, by name. The slice must not be changed.
var Operations []*Operation

// Define adds an operation to the table; run performs it. api/ops/admission.go says what agents may ask of it;
// an operation that writes and is not listed there needs a grant. Call Define during initialization only.
func Define[Q, A any](o Operation, run func(context.Context, *Local, Q) (A, error)) Op[Q, A] {
	op := Op[Q, A]{&o}
	op.complete(run)
	i, _ := position(o.Name)
	Operations = slices.Insert(Operations, i, &o)
	return op
}

// complete fills in the fields that derive from the types and from run.
func (o Op[Q, A]) complete(run func(context.Context, *Local, Q) (A, error)) {
	o.Request, o.Answer = reflect.TypeFor[Q](), reflect.TypeFor[A]()
	o.decodeRequest = func(text []byte) (any, error) { return decode[Q](text) }
	o.decodeAnswer = func(text []byte) (any, error) {
		var a A
		err := json.Unmarshal(text, &a)
		return a, err
	}
	o.run = func(ctx context.Context, l *Local, req any) (any, error) {
		if o.Scan {
			if err := l.Sync(ctx); err != nil {
				return nil, err
			}
		}
		return run(ctx, l, req.(Q))
	}
}

// Call calls the operation on a service.
func (o Op[Q, A]) Call(ctx context.Context, svc Service, req Q) (A, error) {
	answer, err := svc(ctx, Call{Op: o.Operation, Request: req})
	if err != nil {
		var none A
		return none, err
	}
	return answer.(A), nil
}

// OperationNamed returns the operation with a name, nil if there is none.
func OperationNamed(name string) *Operation {
	if i, ok := position(name); ok {
		return Operations[i]
	}
	return nil
}

// position returns where an operation is in the table, or where it would be.
func position(name string) (int, bool) {
	return slices.BinarySearchFunc(Operations, name, func(o *Operation, name string) int { return strings.Compare(o.Name, name) })
}

// DecodeRequest reads a request: a JSON object with known keys, or an empty text. Errors: Invalid.
func (o *Operation) DecodeRequest(text []byte) (any, error) {
	req, err := o.decodeRequest(text)
	if err != nil {
		return nil, invalid(o.Name, err)
	}
	return req, nil
}

// DecodeAnswer reads an answer as a Service returns it.
func (o *Operation) DecodeAnswer(text []byte) (any, error) {
	a, err := o.decodeAnswer(text)
	if err != nil {
		return nil, fault.Errorf(o.Name, "", fault.Other, "the answer cannot be read: %w", err)
	}
	return a, nil
}

// decode reads one JSON object into a request. Its errors speak of JSON, not of Go.
func decode[Q any](text []byte) (Q, error) {
	var req Q
	switch trimmed := bytes.TrimSpace(text); {
	case len(trimmed) == 0:
		return req, nil
	case bytes.Equal(trimmed, []byte("null")): // json.Unmarshal would ignore it
		return req, errors.New("null is not a request; send one JSON object")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&req); err != nil {
		return req, fault.OfJSON("the request", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return req, errors.New("something follows the request; send one JSON object")
	}
	return req, nil
}
