// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"fmt"
	"slices"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
)

// Role is what a caller is to a memex.
type Role string

// The roles. A role that is none of these may do nothing.
const (
	Owner  Role = "owner"  // the person: everything
	Agent  Role = "agent"  // reads all, writes what is its own
	Reader Role = "reader" // reads all
	// Keeper is an Agent that keeps files in its folder by a program of Fovea: its text is
	// checked as that of every agent, but refused and not changed where it would act, and
	// it forgets what stands in its folder, whoever wrote it.
	Keeper Role = "keeper"
)

// Grant says who calls and what that caller may do.
type Grant struct {
	// Agent is the name of an agent, see author.Check. With the role Owner "" is the
	// person; a name is the person's own hand in the name of that agent, who may write
	// everywhere but in protected files, and whose text is checked as that of every agent.
	Agent string
	Role  Role
	// Paths are files and folders (with a slash at the end) below the memex that
	// an agent may write besides its own.
	Paths []string
	// Operations are those that an agent may use on anything that is not
	// protected, by name.
	Operations []string
	// Scopes are the projects and sessions that a request may name, such as
	// project/river or session/*; nil is any.
	Scopes []string
	// Vouched is set where a token says who calls; otherwise the caller does.
	Vouched bool
	// Protected reports whether no agent may write a path, whatever it is
	// granted: Memory.Protected. nil asks the service for its policy.
	Protected func(path string) bool `json:"-"`
}

// Trusted returns a Service that lets pass what the grant allows and answers
// anything else with an error of kind Denied. What it does is recorded as by the
// holder of the grant, whoever the context names. An agent writes below
// agents/NAME/ and in tasks, which is also where Remember without a place writes;
// forgets what it alone has written, rolls back what it alone has done since, and
// reverts its own commits where nobody has built on them.
func Trusted(svc Service, g Grant) Service {
	if g.Role == Owner {
		return As(svc, g)
	}
	return Through(func(ctx context.Context, op *Operation, req any) (any, error) {
		t := &trust{svc, g}
		if err := t.mayAsk(ctx, op); err != nil {
			return nil, err
		}
		ctx = fovea.WithActor(with(ctx, g), t.actor(op))
		admitted, err := t.admit(ctx, op, req)
		if err == nil {
			return op.Pass(ctx, svc, admitted)
		}
		if before, ok := svc.(recalling); ok { // the node may have left with what was asked for
			if answer, done, againErr := before.again(ctx, op, req); done && t.mayHear(op, answer) {
				return answer, againErr
			}
		}
		return nil, err
	})
}

type trust struct {
	svc Service
	g   Grant
}

// actor is the holder of the grant as the memory knows it, for one operation.
func (t *trust) actor(op *Operation) author.Actor {
	a := t.g.actor()
	a.May = func(path string) error { return t.mayWrite(op.Name, path) }
	a.Renames = slices.Contains(t.g.Operations, op.Name)
	return a
}

// admit returns the request as it may go on, or why it may not. An operation that
// it does not know of is refused.
func (t *trust) admit(ctx context.Context, op *Operation, req any) (any, error) {
	if op.Effect == Reads {
		return req, nil
	}
	switch r := req.(type) {
	case SnapshotRequest, CheckpointRequest, TriggerRequest:
		return req, nil
	case EditRequest:
		if _, err := t.node(ctx, op.Name, r.ID); err != nil {
			return req, err
		}
		return t.inertEdit(r)
	case ResolveRequest:
		_, err := t.node(ctx, op.Name, r.ID)
		return req, err
	case RememberRequest:
		return t.remember(ctx, op.Name, r)
	case MoveRequest:
		return req, t.move(ctx, op.Name, r)
	case AssignRequest:
		return req, t.assign(ctx, op.Name, r)
	case RollbackRequest:
		return t.rollback(ctx, op.Name, r)
	case RevertRequest:
		return t.revert(ctx, op.Name, r)
	case IngestRequest:
		if !r.AcceptDeletions {
			return req, nil
		}
	}
	return req, t.granted(op.Name)
}

// mayHear reports whether the holder of the grant is answered what an agent of its name did
// under the same key, who may have done it with another grant.
func (t *trust) mayHear(op *Operation, answer any) bool {
	e, ok := answer.(*EditResponse)
	return !ok || e == nil || e.Path == "" || t.mayWrite(op.Name, e.Path) == nil
}

// scoped refuses scopes that the grant is not for.
func (t *trust) scoped(ctx context.Context, op string) error {
	for _, name := range ScopesOf(ctx).names() {
		if !t.g.reaches(name) {
			return t.denied(op, name, "is none of the scopes of this token; the owner can make one that is for it")
		}
	}
	return nil
}

// granted refuses an operation unless the configuration grants it.
func (t *trust) granted(op string) error {
	if slices.Contains(t.g.Operations, op) {
		return nil
	}
	return t.denied(op, "", "agent %s may not; the owner can grant it in the configuration", t.g.Agent)
}

func (t *trust) denied(op, what, format string, a ...any) error {
	return &fovea.Error{Op: op, What: what, Kind: fovea.Denied, Err: fmt.Errorf(format, a...)}
}
