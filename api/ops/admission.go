// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"

	"github.com/fovea-memory/fovea/api"
)

// admission checks the request of an agent, and returns it as it may go on.
type admission func(ctx context.Context, t *judge, req any) (any, error)

// admissions says what an agent without a grant may ask of the operations that write. One
// that is not named here needs a grant.
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

	OpReviewWithdraw.Name:  anything, // of what the caller proposed
	OpMessageRead.Name:     anything, // it marks messages of the caller alone
	api.OpSnapshot.Name:    anything,
	api.OpCheckpoint.Name:  by(api.OpCheckpoint, admitCheckpoint),
	api.OpEvent.Name:       anything,
	api.OpBlockAdd.Name:    anything,
	api.OpBlockRemove.Name: anything,
	api.OpBlockScore.Name:  anything,
	api.OpFeedback.Name:    anything, // it is about the windows of the caller alone
}

// by makes an admission of a check that knows the type of the request.
func by[Q, A any](_ api.Op[Q, A], check func(context.Context, *judge, Q) (Q, error)) admission {
	return func(ctx context.Context, t *judge, req any) (any, error) { return check(ctx, t, req.(Q)) }
}

// onTask makes an admission of an operation on the claim of a task, which the agent must be
// able to write. A claim is no content of notes, and needs no review.
func onTask[Q, A any](op api.Op[Q, A], task func(Q) string) admission {
	return by(op, func(ctx context.Context, t *judge, r Q) (Q, error) {
		t.unreviewed = true
		_, err := t.nodes(ctx, task(r))
		return r, err
	})
}

// anything admits every request.
func anything(_ context.Context, _ *judge, req any) (any, error) { return req, nil }
