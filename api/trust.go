// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"fmt"
	"slices"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
)

type (
	// Role is what a caller is to a memex.
	Role = author.Role
	// Grant names a caller and what that caller may do.
	Grant = author.Grant
	// Scopes are laid over the memex for a call.
	Scopes = author.Scopes
)

// The roles.
const (
	Owner  = author.RoleOwner
	Agent  = author.RoleAgent
	Reader = author.RoleReader
	Keeper = author.RoleKeeper
)

// Guarded returns a Service that lets pass what the grant of each context allows, see
// [Trusted].
func Guarded(next Service) Service {
	return func(ctx context.Context, c Call) (any, error) {
		return Trusted(next, author.GrantOf(ctx))(ctx, c)
	}
}

// As returns a Service whose calls are those of the grant's holder, see author.WithGrant.
func As(svc Service, g Grant) Service {
	return func(ctx context.Context, c Call) (any, error) { return svc(author.WithGrant(ctx, g), c) }
}

// Trusted returns a Service that lets pass what the grant allows and answers
// anything else with an error of kind Denied. What it does is recorded as by the
// holder of the grant, whoever the context names. An agent writes below
// agents/NAME/ and in tasks, which is also where a note without a place goes;
// forgets what it alone has written, rolls back what it alone has done since, and
// reverts its own commits where nobody has built on them.
func Trusted(next Service, g Grant) Service {
	if g.Role == Owner {
		return As(next, g)
	}
	return func(ctx context.Context, c Call) (any, error) {
		t := &trust{c.within(next), g, c.Op}
		if err := t.mayAsk(ctx); err != nil {
			return nil, err
		}
		ctx = fovea.WithActor(author.WithGrant(ctx, g), t.actor())
		req, err := t.admit(ctx, c.Request)
		if err == nil {
			c.Request = req
			return next(ctx, c)
		}
		// A repeated request may name a node that the first one renamed or removed.
		found, replayErr := t.svc(ctx, Call{Op: opReplay.Operation, Request: c})
		if r, ok := found.(*replayed); ok && replayErr == nil && r != nil && t.mayHear(r.answer) {
			return r.answer, r.err
		}
		return nil, err
	}
}

// MayAsk returns why the caller of the context may not use an operation, whatever the
// request says; nil where that depends on the request. A surface asks before it reads
// what somebody sent. Errors: Denied.
func MayAsk(ctx context.Context, op *Operation) error {
	g := author.GrantOf(ctx)
	if g.Role == Owner {
		return nil
	}
	return (&trust{g: g, op: op}).mayAsk(ctx)
}

// trust checks one call of an agent.
type trust struct {
	svc Service // for further calls
	g   Grant
	op  *Operation
}

func (t *trust) mayAsk(ctx context.Context) error {
	switch t.g.Role {
	case Agent, Keeper, Reader:
	default:
		return t.denied("", "role %q is none", t.g.Role)
	}
	if err := t.scoped(ctx); err != nil {
		return err
	}
	if t.op.Effect == Reads {
		return nil
	}
	if t.g.Role == Reader {
		return t.denied("", "a reader changes nothing")
	}
	if err := author.Check(t.g.Agent); err != nil {
		return t.denied("", "%w", err)
	}
	if t.op.admit != nil {
		return nil // the request decides
	}
	return t.granted()
}

// admit returns the request as it may go on, or why it may not.
func (t *trust) admit(ctx context.Context, req any) (any, error) {
	if t.op.admit == nil { // mayAsk has decided
		return req, nil
	}
	return t.op.admit(ctx, t, req)
}

// admitted lets every request pass.
func admitted[Q any](_ context.Context, _ *trust, req Q) (Q, error) { return req, nil }

func admitIngest(_ context.Context, t *trust, r IngestRequest) (IngestRequest, error) {
	if r.AcceptDeletions {
		return r, t.granted()
	}
	return r, nil
}

// actor is the holder of the grant as the memory knows it, for one operation.
func (t *trust) actor() author.Actor {
	a := t.g.Actor()
	a.May, a.Renames = t.mayWrite, t.isGranted()
	return a
}

// mayHear reports whether the holder of the grant is answered what an agent of its name did
// under the same key, who may have done it with another grant.
func (t *trust) mayHear(answer any) bool {
	e, ok := answer.(*EditResponse)
	return !ok || e == nil || e.Path == "" || t.mayWrite(e.Path) == nil
}

// scoped refuses scopes that the grant is not for.
func (t *trust) scoped(ctx context.Context) error {
	for _, name := range author.ScopesOf(ctx).Names() {
		if !t.g.Reaches(name) {
			return t.denied(name, "is none of the scopes of this token; the owner can make one that is for it")
		}
	}
	return nil
}

// isGranted reports whether the configuration grants the operation on anything that is not
// protected.
func (t *trust) isGranted() bool { return slices.Contains(t.g.Operations, t.op.Name) }

// granted refuses the operation unless the configuration grants it.
func (t *trust) granted() error {
	if t.isGranted() {
		return nil
	}
	return t.denied("", "agent %s may not; the owner can grant it in the configuration", t.g.Agent)
}

func (t *trust) denied(what, format string, a ...any) error {
	return &fovea.Error{Op: t.op.Name, What: what, Kind: fovea.Denied, Err: fmt.Errorf(format, a...)}
}
