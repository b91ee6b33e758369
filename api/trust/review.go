// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package trust

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/agents"
)

// errReviewed refuses writes that cannot be proposed.
var errReviewed = errors.New("is reviewed by the owner: remember, edit, refile, archive and forget become proposals there, and nothing else is done")

// isReviewed reports whether a change of a file by the agent becomes a proposal.
func (t *judge) isReviewed(file string) bool {
	return !t.unreviewed && (t.proposing || slices.Contains(t.g.Review, "/") || within(file, t.g.Review))
}

// propose keeps an admitted request for the owner.
func (t *judge) propose(ctx context.Context, next api.Service, c api.Call) (any, error) {
	if !c.Op.Proposable {
		if c.Op.Name == agents.OpPropose.Name {
			return next(ctx, c)
		}
		return nil, t.denied("", "what this would change %w", errReviewed)
	}
	text, err := json.Marshal(c.Request)
	if err != nil {
		return nil, invalid(c.Op.Name, err)
	}
	c.Op, c.Request = agents.OpPropose.Operation, agents.ProposeRequest{Op: t.op.Name, Request: text}
	answer, err := next(ctx, c)
	if err != nil {
		return nil, t.named(err)
	}
	p := answer.(*agents.Proposal)
	return &api.EditResponse{Proposal: p.ID, Path: p.Path}, nil
}

// admitProposal holds the proposed request to what an agent's own would be held to, but for
// the place: an agent may propose a change of every file that is not protected.
func admitProposal(ctx context.Context, t *judge, r agents.ProposeRequest) (agents.ProposeRequest, error) {
	op, err := agents.Proposed(r.Op)
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
