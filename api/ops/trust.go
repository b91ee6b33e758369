// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/fault"
)

// Guarded returns a Service that allows what the grant of each context allows, see [Hold].
func Guarded(next api.Service) api.Service {
	return func(ctx context.Context, c api.Call) (any, error) {
		return Hold(next, author.GrantOf(ctx))(ctx, c)
	}
}

// Hold returns a Service that performs what the grant allows, and returns an error of kind Denied for anything else. Commits
// are recorded under the holder of the grant, whoever the context names. An agent writes below agents/NAME/, where notes
// without a place go, and in tasks; forgets what it alone wrote, rolls back to a moment since which it alone wrote, and
// reverts its own commits if nobody has built on them.
func Hold(next api.Service, g api.Grant) api.Service {
	if g.Role == api.Owner {
		return api.As(next, g)
	}
	return func(ctx context.Context, c api.Call) (any, error) {
		t := &judge{svc: c.Within(next), g: g, op: c.Op, table: admissions}
		if err := t.mayAsk(ctx); err != nil {
			return nil, err
		}
		ctx = fovea.WithActor(author.WithGrant(ctx, g), t.actor())
		req, err := t.admit(ctx, c.Request)
		if err == nil {
			c.Request = req
			if t.reviewed {
				return t.propose(ctx, next, c)
			}
			return next(ctx, c)
		}
		// A repeated request may name a node that the first one renamed or removed.
		found, replayErr := t.svc(ctx, api.Call{Op: api.OpReplay.Operation, Request: c})
		if r, ok := found.(*api.Replayed); ok && replayErr == nil && r != nil && t.mayHear(r.Answer) {
			return r.Answer, r.Err
		}
		return nil, err
	}
}

// MayAsk returns why the caller of the context may not use an operation with any request; nil if it may, or if that
// depends on the request. A surface calls it before it reads a request. Errors: Denied.
func MayAsk(ctx context.Context, op *api.Operation) error {
	g := author.GrantOf(ctx)
	if g.Role == api.Owner {
		return nil
	}
	return (&judge{g: g, op: op}).mayAsk(ctx)
}

// judge checks one call of an agent.
type judge struct {
	svc api.Service // for further calls
	g   api.Grant
	op  *api.Operation

	table      map[string]admission // admissions, which would refer to itself otherwise
	proposing  bool                 // the request is a proposed one
	unreviewed bool                 // the request changes no content of notes
	reviewed   bool                 // the request changes what is reviewed
}

func (t *judge) mayAsk(ctx context.Context) error {
	switch t.g.Role {
	case api.Agent, api.Keeper, api.Reader:
	default:
		return t.denied("", "there is no role %q", t.g.Role)
	}
	if err := t.scoped(ctx); err != nil {
		return err
	}
	if t.op.Effect == api.Reads {
		if t.op.Private {
			return t.granted()
		}
		return nil
	}
	if t.g.Role == api.Reader {
		return t.denied("", "a reader changes nothing")
	}
	if err := author.Check(t.g.Agent); err != nil {
		return t.denied("", "%w", err)
	}
	if admissions[t.op.Name] != nil {
		return nil // the request decides
	}
	return t.granted()
}

// admit returns the request to perform, or why it is refused.
func (t *judge) admit(ctx context.Context, req any) (any, error) {
	admit := t.table[t.op.Name]
	if admit == nil { // mayAsk has decided
		return req, nil
	}
	return admit(ctx, t, req)
}

func admitIngest(_ context.Context, t *judge, r api.IngestRequest) (api.IngestRequest, error) {
	if r.AcceptDeletions {
		return r, t.granted()
	}
	return r, nil
}

// actor returns the holder of the grant as the memory sees it, for one operation.
func (t *judge) actor() author.Actor {
	a := t.g.Actor()
	a.May, a.Renames = t.mayWrite, t.isGranted()
	return a
}

// mayHear reports whether the holder of the grant may see the answer to an earlier request with the same key, which may
// have been made under another grant.
func (t *judge) mayHear(answer any) bool {
	e, ok := answer.(*api.EditResponse)
	return !ok || e == nil || e.Path == "" || t.mayWrite(e.Path) == nil
}

// scoped refuses scopes that the grant does not cover.
func (t *judge) scoped(ctx context.Context) error {
	for _, name := range author.ScopesOf(ctx).Names() {
		if !t.g.Reaches(name) {
			return t.denied(name, "is a scope that this token does not cover; the owner can make one that does")
		}
	}
	return nil
}

// isGranted reports whether the configuration grants the operation on all unprotected files.
func (t *judge) isGranted() bool { return slices.Contains(t.g.Operations, t.op.Name) }

// granted refuses the operation unless the configuration grants it.
func (t *judge) granted() error {
	if t.isGranted() {
		return nil
	}
	operations, _ := json.Marshal(append(slices.Clone(t.g.Operations), t.op.Name)) // as TOML writes a list; strings never fail
	return t.denied("", "agent %s may not; the owner can grant it in the configuration: [grants.%s] operations = %s", t.g.Agent, t.g.Agent, operations)
}

func (t *judge) denied(what, format string, a ...any) error {
	return &fovea.Error{Op: t.op.Name, What: what, Kind: fovea.Denied, Err: fmt.Errorf(format, a...)}
}

// errReviewed refuses writes that cannot be proposed.
var errReviewed = errors.New("is reviewed by the owner: remember, edit, refile, archive and forget become proposals there, and nothing else is allowed")

// isReviewed reports whether a change of a file by the agent becomes a proposal.
func (t *judge) isReviewed(file string) bool {
	return !t.unreviewed && (t.proposing || slices.Contains(t.g.Review, "/") || within(file, t.g.Review))
}

// propose turns an admitted request into a proposal.
func (t *judge) propose(ctx context.Context, next api.Service, c api.Call) (any, error) {
	if !c.Op.Proposable {
		if c.Op.Name == OpPropose.Name {
			return next(ctx, c)
		}
		return nil, t.denied("", "what this would change %w", errReviewed)
	}
	text, err := json.Marshal(c.Request)
	if err != nil {
		return nil, fault.Wrap(c.Op.Name, "", fault.Invalid, err)
	}
	c.Op, c.Request = OpPropose.Operation, ProposeRequest{Op: t.op.Name, Request: text}
	answer, err := next(ctx, c)
	if err != nil {
		return nil, api.Named(err, t.op.Name)
	}
	p := answer.(*Proposal)
	return &api.EditResponse{Proposal: p.ID, Path: p.Path}, nil
}

// admitProposal checks the proposed request like one of the agent itself, except for the place: an agent may propose a
// change of every unprotected file.
func admitProposal(ctx context.Context, t *judge, r ProposeRequest) (ProposeRequest, error) {
	op, err := Proposed(r.Op)
	if err != nil {
		return r, err
	}
	inner := &judge{svc: t.svc, g: t.g, op: op, table: t.table, proposing: true}
	req, err := op.DecodeRequest(r.Request)
	if err == nil {
		req, err = inner.admit(ctx, req)
	}
	if err == nil {
		r.Request, err = json.Marshal(req)
	}
	return r, err
}
