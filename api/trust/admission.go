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
	agents.OpTaskClaim.Name: by(agents.OpTaskClaim, func(ctx context.Context, t *judge, r agents.ClaimRequest) (agents.ClaimRequest, error) {
		return r, t.task(ctx, r.Task)
	}),
	agents.OpTaskRenew.Name: by(agents.OpTaskRenew, func(ctx context.Context, t *judge, r agents.RenewRequest) (agents.RenewRequest, error) {
		return r, t.task(ctx, r.Task)
	}),
	agents.OpTaskRelease.Name: by(agents.OpTaskRelease, admitClaimEnd),
	agents.OpTaskDone.Name:    by(agents.OpTaskDone, admitClaimEnd),

	agents.OpMessageRead.Name: anything, // it marks messages of the caller alone
	api.OpSnapshot.Name:       anything,
	api.OpCheckpoint.Name:     anything,
	api.OpTrigger.Name:        anything,
	api.OpBlockAdd.Name:       anything,
	api.OpBlockRemove.Name:    anything,
	api.OpBlockScore.Name:     anything,
}

// by makes an admission of a check that knows the type of the request.
func by[Q, A any](_ api.Op[Q, A], check func(context.Context, *judge, Q) (Q, error)) admission {
	return func(ctx context.Context, t *judge, req any) (any, error) { return check(ctx, t, req.(Q)) }
}

// anything admits every request.
func anything(_ context.Context, _ *judge, req any) (any, error) { return req, nil }
