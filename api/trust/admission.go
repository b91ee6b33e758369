// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package trust

import (
	"context"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/agents"
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

	agents.OpPropose.Name:     by(agents.OpPropose, admitProposal),
	agents.OpMessageSend.Name: by(agents.OpMessageSend, admitMessage),
	agents.OpTaskClaim.Name:   onTask(agents.OpTaskClaim, func(r agents.ClaimRequest) string { return r.Task }),
	agents.OpTaskRenew.Name:   onTask(agents.OpTaskRenew, func(r agents.RenewRequest) string { return r.Task }),
	agents.OpTaskRelease.Name: onTask(agents.OpTaskRelease, func(r agents.ClaimEndRequest) string { return r.Task }),
	agents.OpTaskDone.Name:    onTask(agents.OpTaskDone, func(r agents.ClaimEndRequest) string { return r.Task }),

	agents.OpReviewWithdraw.Name: anything, // of what the caller proposed
	agents.OpMessageRead.Name:    anything, // it marks messages of the caller alone
	api.OpSnapshot.Name:          anything,
	api.OpCheckpoint.Name:        by(api.OpCheckpoint, admitCheckpoint),
	api.OpEvent.Name:             anything,
	api.OpBlockAdd.Name:          anything,
	api.OpBlockRemove.Name:       anything,
	api.OpBlockScore.Name:        anything,
	api.OpFeedback.Name:          anything, // it is about the windows of the caller alone
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
