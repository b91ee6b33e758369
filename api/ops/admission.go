// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"

	"github.com/fovea-memory/fovea/api"
)

// admission checks the request of an agent, and returns the request to perform.
type admission func(ctx context.Context, t *judge, req any) (any, error)

// admissions has the checks of requests of agents without a grant, for operations that write. One that is not listed
// needs a grant.
var admissions = map[string]admission{
	api.OpRemember.Name:  by(api.OpRemember, admitNote),
	api.OpEdit.Name:      by(api.OpEdit, admitEdit),
	api.OpRefile.Name:    by(api.OpRefile, admitMove),
	api.OpArchive.Name:   by(api.OpArchive, admitMove),
	api.OpForget.Name:    by(api.OpForget, admitForget),
	api.OpAssignIDs.Name: by(api.OpAssignIDs, admitAssign),
	api.OpIngest.Name:    by(api.OpIngest, admitIngest),
	api.OpRollback.Name:  by(api.OpRollback, admitRollback),
	api.OpRevert.Name:    by(api.OpRevert, admitRevert),
	api.OpResolve.Name:   by(api.OpResolve, admitResolve),

	OpPropose.Name:     by(OpPropose, admitProposal),
	OpMessageSend.Name: by(OpMessageSend, admitMessage),
	OpTaskClaim.Name:   onTask(OpTaskClaim, func(r ClaimRequest) string { return r.Task }),
	OpTaskRenew.Name:   onTask(OpTaskRenew, func(r RenewRequest) string { return r.Task }),
	OpTaskRelease.Name: onTask(OpTaskRelease, func(r ClaimEndRequest) string { return r.Task }),
	OpTaskDone.Name:    onTask(OpTaskDone, func(r ClaimEndRequest) string { return r.Task }),

	OpReviewWithdraw.Name:  anything, // only proposals of the caller
	OpMessageRead.Name:     anything, // only messages of the caller
	api.OpSnapshot.Name:    anything,
	api.OpCheckpoint.Name:  by(api.OpCheckpoint, admitCheckpoint),
	api.OpEvent.Name:       anything,
	api.OpBlockAdd.Name:    anything,
	api.OpBlockRemove.Name: anything,
	api.OpBlockScore.Name:  anything,
	api.OpFeedback.Name:    anything, // only windows of the caller
}

// by makes an admission from a check with the type of the request.
func by[Q, A any](_ api.Op[Q, A], check func(context.Context, *judge, Q) (Q, error)) admission {
	return func(ctx context.Context, t *judge, req any) (any, error) { return check(ctx, t, req.(Q)) }
}

// onTask makes the admission of an operation on the claim of a task, which the agent must be able to write. A claim
// is not content of notes, so it needs no review.
func onTask[Q, A any](op api.Op[Q, A], task func(Q) string) admission {
	return by(op, func(ctx context.Context, t *judge, r Q) (Q, error) {
		t.unreviewed = true
		_, err := t.nodes(ctx, task(r))
		return r, err
	})
}

// anything admits every request.
func anything(_ context.Context, _ *judge, req any) (any, error) { return req, nil }
