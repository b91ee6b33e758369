// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"reflect"
	"slices"
)

// Call is a request on its way to a memory, with what belongs to this request alone. Who
// makes it and in which scopes is in the context, see author.WithGrant and author.WithScopes.
type Call struct {
	Op      *Operation
	Request any // of type Op.Request

	// Key is the idempotency key of a write, "" for none: a write whose key was seen
	// before is answered as the first time.
	Key string
	// Sync is what the call does about the folder first.
	Sync Sync
	// Warn receives what a person should know although the call succeeds. It runs in the
	// goroutine of the call. nil stands for LocalOptions.Warn.
	Warn func(error)
	// DryRun checks a change and makes none; see fovea.WriteOptions. A request with a field of
	// this name sets it, see IsDryRun.
	DryRun bool
	// Further marks a call that the answer to another one takes, see Within.
	Further bool
}

// IsDryRun reports whether a request asks only what would be done: its field DryRun is set.
func IsDryRun(request any) bool {
	set, _ := flag(request, "DryRun")
	return set
}

// flag returns a truth value of a request, and whether the request has one of this name.
func flag(request any, name string) (set, has bool) {
	v := reflect.ValueOf(request)
	if v.Kind() != reflect.Struct {
		return false, false
	}
	field := v.FieldByName(name)
	has = field.IsValid() && field.Kind() == reflect.Bool
	return has && field.Bool(), has
}

// Service carries out calls. The answer is of type Call.Op.Answer, or the error is not
// nil. A Service is safe for concurrent use.
type Service func(ctx context.Context, c Call) (any, error)

// Middleware returns a service that does something before, after or instead of next.
type Middleware func(next Service) Service

// Chain puts middlewares before a service; the first one sees each call first.
func Chain(svc Service, middlewares ...Middleware) Service {
	for _, m := range slices.Backward(middlewares) {
		svc = m(svc)
	}
	return svc
}

// WithKey returns a service whose calls have this idempotency key; "" returns svc itself.
func WithKey(svc Service, key string) Service {
	if key == "" {
		return svc
	}
	return changing(svc, func(c *Call) { c.Key = key })
}

// WithSync returns a service whose calls treat the folder in this way.
func WithSync(svc Service, sync Sync) Service { return changing(svc, func(c *Call) { c.Sync = sync }) }

// WithWarn returns a service whose calls tell warn what LocalOptions.Warn is told of others.
func WithWarn(svc Service, warn func(error)) Service {
	return changing(svc, func(c *Call) { c.Warn = warn })
}

// Within returns a service for further calls that the answer to c takes: they share its
// key, its sync and its warnings.
func (c Call) Within(svc Service) Service {
	return changing(svc, func(further *Call) {
		further.Key, further.Sync, further.Warn, further.Further = c.Key, c.Sync, c.Warn, true
	})
}

// changing returns a service that changes each call before it is made.
func changing(svc Service, change func(*Call)) Service {
	return func(ctx context.Context, c Call) (any, error) {
		change(&c)
		return svc(ctx, c)
	}
}

// OpReplay finds the answer to a call whose key the history has: see Operation.Replay. It
// changes nothing, and stands in no table.
var OpReplay = unlisted("replay", replay)

// unlisted returns an operation that is not in the table, so that only a memory in this
// process knows it, and nothing that takes it for another operation can carry out its request.
func unlisted[Q, A any](name string, run func(context.Context, *Local, Q) (A, error)) Op[Q, A] {
	o := Op[Q, A]{&Operation{Name: name}}
	o.complete(run)
	return o
}

// Replayed is the outcome of a request that was carried out before.
type Replayed struct {
	Answer any
	Err    error
}

// replay looks the key of the call up in each scope; nil stands for a request that was
// not carried out.
func replay(ctx context.Context, l *Local, c Call) (*Replayed, error) {
	if c.Op.Replay == "" || c.Key == "" {
		return nil, nil
	}
	for _, scope := range append([]string{""}, l.Over...) {
		on, err := l.InScope(ctx, scope)
		if err != nil {
			return nil, err
		}
		id, done, err := on.On.Notes().Done(ctx, c.Key, c.Op.Replay)
		if err != nil {
			return nil, err
		}
		if done {
			on.known = id
			answer, err := c.Op.run(ctx, on, c.Request)
			return &Replayed{answer, err}, nil
		}
	}
	return nil, nil
}

// FileRequest names a file below the memex.
type FileRequest struct{ Path string }

// OpProtected reports whether the policy of the memory protects a file. It stands in no table.
var OpProtected = unlisted("protected", func(_ context.Context, l *Local, r FileRequest) (bool, error) {
	return l.Memex.Guard().Protected(r.Path), nil
})
