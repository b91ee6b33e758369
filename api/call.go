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
	v := reflect.ValueOf(request)
	if v.Kind() != reflect.Struct {
		return false
	}
	field := v.FieldByName("DryRun")
	return field.IsValid() && field.Bool()
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
	return func(ctx context.Context, c Call) (any, error) {
		c.Key = key
		return svc(ctx, c)
	}
}

// WithSync returns a service whose calls treat the folder in this way.
func WithSync(svc Service, sync Sync) Service {
	return func(ctx context.Context, c Call) (any, error) {
		c.Sync = sync
		return svc(ctx, c)
	}
}

// Within returns a service for further calls that the answer to c takes: they share its
// key, its sync and its warnings.
func (c Call) Within(svc Service) Service {
	return func(ctx context.Context, further Call) (any, error) {
		further.Key, further.Sync, further.Warn, further.Further = c.Key, c.Sync, c.Warn, true
		return svc(ctx, further)
	}
}
