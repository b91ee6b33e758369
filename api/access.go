// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/archive"
	"github.com/fovea-memory/fovea/node"
)

// Access is what an operation that is defined in another package has of a call and of the
// memory that the call is about.
type Access struct {
	Memex   *fovea.Memory
	Over    []string // the scopes that lie over the memex
	Call    Call
	Options LocalOptions

	l *Local
}

// DefineOn is [Define] for an operation of another package.
func DefineOn[Q, A any](o Operation, run func(context.Context, Access, Q) (A, error)) Op[Q, A] {
	return Define(o, func(ctx context.Context, l *Local, req Q) (A, error) {
		return run(ctx, Access{l.memex, l.over, l.call, l.opts, l}, req)
	})
}

// Seals are what bundles are sealed for, and what opens those that are sealed for this
// machine.
type Seals struct {
	For []archive.Recipient
	Own archive.Identity
}

// Conflicts returns conflicts as answers have them.
func Conflicts(all []document.Conflict) []Conflict { return each(all, legibleConflict) }

// View reads the folder first and returns what the caller may see.
func (a Access) View(ctx context.Context) (*fovea.View, error) { return a.l.seen(ctx) }

// Find returns the node of a view that a name means. Errors: those of fovea.View.Resolve, as
// of the operation op.
func (a Access) Find(v *fovea.View, op, name string) (*node.Node, error) {
	n, err := v.Resolve(a.l.below(name))
	if err != nil {
		return nil, named(err, op, "-", "")
	}
	return n, nil
}

// Memory returns the memory of a scope, and makes a session that is not there yet.
func (a Access) Memory(ctx context.Context, scope string) (*fovea.Memory, error) {
	on, err := a.l.in(ctx, scope)
	return on.m, err
}

// ByOwner reports whether the owner calls, and not in the name of an agent.
func (a Access) ByOwner(ctx context.Context) bool { return a.l.m.Guard().ByOwner(ctx) }

// AgentAndSession names the agent that calls, or the one that the owner names, and the scope of
// the session that keeps what is its own; "" if there is none.
func (a Access) AgentAndSession(ctx context.Context, named string) (agent, session string) {
	return agentAndSession(ctx, a.l, named)
}

// Scopes are those that the call names, or else the options.
func (a Access) Scopes(ctx context.Context) author.Scopes { return a.l.scopes(ctx) }

// Serve carries out a further call on the same memex.
func (a Access) Serve(ctx context.Context, c Call) (any, error) { return a.l.serve(ctx, c) }

// Write returns the options of a write under the key of the call.
func (a Access) Write() *fovea.WriteOptions { return a.l.write() }
