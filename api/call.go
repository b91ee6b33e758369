// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"reflect"
	"slices"
)

// Call is a request to a memory, with the data of this request alone. The caller and the scopes
// are in the context, see author.WithGrant and author.WithScopes.
type Call struct {
	Op      *Operation
	Request any // of type Op.Request

	// Key is the idempotency key of a write, "" for none: a repeated key gets the answer of the first write.
	Key string
	// Sync says how the folder is read first.
	Sync Sync
	// Warn receives warnings of a call that succeeds, in its goroutine. nil means LocalOptions.Warn.
	Warn func(error)
	// DryRun checks a change without making it; see fovea.WriteOptions. A request can set it, see IsDryRun.
	DryRun bool
	// Further marks a call made to answer another one, see Within.
	Further bool
}

// IsDryRun reports whether the field DryRun of a request is set.
func IsDryRun(request any) bool {
	set, _ := flag(request, "DryRun")
	return set
}

// flag returns a boolean field of a request, and whether the request has one of this name.
func flag(request any, name string) (set, has bool) {
	v := reflect.ValueOf(request)
	if v.Kind() != reflect.Struct {
		return false, false
	}
	field := v.FieldByName(name)
	has = field.IsValid() && field.Kind() == reflect.Bool
	return has && field.Bool(), has
}

// Service performs calls. The answer has the type Call.Op.Answer, unless there is an error. It is safe for concurrent use.
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

// WithSync returns a service whose calls have this Sync.
func WithSync(svc Service, sync Sync) Service { return changing(svc, func(c *Call) { c.Sync = sync }) }

// WithWarn returns a service whose calls pass warnings to warn instead of LocalOptions.Warn.
func WithWarn(svc Service, warn func(error)) Service {
	return changing(svc, func(c *Call) { c.Warn = warn })
}

// Within returns a service for further calls made to answer c, which share its key, sync and warnings.
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

// OpReplay finds the answer to a call whose key is in history, see Operation.Replay. It changes nothing
// and is not in the table.
var OpReplay = unlisted("replay", replay)

// unlisted returns an operation that is not in the table: only a memory in this process performs it.
func unlisted[Q, A any](name string, run func(context.Context, *Local, Q) (A, error)) Op[Q, A] {
	o := Op[Q, A]{&Operation{Name: name}}
	o.complete(run)
	return o
}

// Replayed is the outcome of a request that was performed before.
type Replayed struct {
	Answer any
	Err    error
}

// replay looks up the key of the call in each scope. It returns nil if the request was not performed before.
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

// OpProtected reports whether the policy of the memory protects a file. It is not in the table.
var OpProtected = unlisted("protected", func(_ context.Context, l *Local, r FileRequest) (bool, error) {
	return l.Memex.Guard().Protected(r.Path), nil
})
