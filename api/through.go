// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import "context"

// Caller carries out an operation: req is of type op.Request, and so must the
// answer be of type op.Answer. It is safe for concurrent use.
type Caller func(ctx context.Context, op *Operation, req any) (answer any, err error)

// Through returns a Service whose every method is one call of c: for a service
// that is somewhere else, and for one that looks at each request first.
func Through(c Caller) Service { return through{c} }

// Around is Through for a Caller that passes requests on to svc: the result goes on
// knowing what svc has carried out under which key.
func Around(svc Service, c Caller) Service {
	if known, ok := svc.(recalling); ok {
		return around{through{c}, known}
	}
	return through{c}
}

type around struct {
	through
	recalling
}

// Pass calls the method of svc with a request of type o.Request. A Caller ends
// with it when it lets a request through.
func (o *Operation) Pass(ctx context.Context, svc Service, req any) (any, error) {
	return o.call(ctx, svc, req)
}

type through struct{ call Caller }

// by calls the operation of that name.
func by[A any](ctx context.Context, t through, name string, req any) (A, error) {
	answer, err := t.call(ctx, OperationNamed(name), req)
	if err != nil {
		var none A
		return none, err
	}
	return answer.(A), nil
}

func (t through) Context(ctx context.Context, req ContextRequest) (*ContextResponse, error) {
	return by[*ContextResponse](ctx, t, "context", req)
}

func (t through) Query(ctx context.Context, req QueryRequest) ([]Node, error) {
	return by[[]Node](ctx, t, "query", req)
}

func (t through) Search(ctx context.Context, req SearchRequest) ([]Hit, error) {
	return by[[]Hit](ctx, t, "search", req)
}

func (t through) Show(ctx context.Context, req ShowRequest) (*Shown, error) {
	return by[*Shown](ctx, t, "show", req)
}

func (t through) Status(ctx context.Context, req StatusRequest) (*Status, error) {
	return by[*Status](ctx, t, "status", req)
}

func (t through) Log(ctx context.Context, req LogRequest) ([]Commit, error) {
	return by[[]Commit](ctx, t, "log", req)
}

func (t through) Diff(ctx context.Context, req DiffRequest) (*Difference, error) {
	return by[*Difference](ctx, t, "diff", req)
}

func (t through) Blame(ctx context.Context, req BlameRequest) (*BlameResponse, error) {
	return by[*BlameResponse](ctx, t, "blame", req)
}

func (t through) Snapshot(ctx context.Context, req SnapshotRequest) (*Snapshot, error) {
	return by[*Snapshot](ctx, t, "snapshot", req)
}

func (t through) Snapshots(ctx context.Context) ([]Snapshot, error) {
	return by[[]Snapshot](ctx, t, "snapshots", struct{}{})
}

func (t through) Rollback(ctx context.Context, req RollbackRequest) (*RollbackResponse, error) {
	return by[*RollbackResponse](ctx, t, "rollback", req)
}

func (t through) Drift(ctx context.Context, req DriftRequest) (*DriftResponse, error) {
	return by[*DriftResponse](ctx, t, "drift", req)
}

func (t through) Revert(ctx context.Context, req RevertRequest) (*RevertResponse, error) {
	return by[*RevertResponse](ctx, t, "revert", req)
}

func (t through) Merge(ctx context.Context, req MergeRequest) (*MergeResponse, error) {
	return by[*MergeResponse](ctx, t, "merge", req)
}

func (t through) Resolve(ctx context.Context, req ResolveRequest) (*EditResponse, error) {
	return by[*EditResponse](ctx, t, "resolve", req)
}

func (t through) Edit(ctx context.Context, req EditRequest) (*EditResponse, error) {
	return by[*EditResponse](ctx, t, "edit", req)
}

func (t through) Remember(ctx context.Context, req RememberRequest) (*EditResponse, error) {
	return by[*EditResponse](ctx, t, "remember", req)
}

func (t through) Forget(ctx context.Context, req MoveRequest) (*EditResponse, error) {
	return by[*EditResponse](ctx, t, "forget", req)
}

func (t through) Forgotten(ctx context.Context, req ForgottenRequest) (*ForgottenResponse, error) {
	return by[*ForgottenResponse](ctx, t, "forgotten", req)
}

func (t through) Refile(ctx context.Context, req MoveRequest) (*EditResponse, error) {
	return by[*EditResponse](ctx, t, "refile", req)
}

func (t through) Archive(ctx context.Context, req MoveRequest) (*EditResponse, error) {
	return by[*EditResponse](ctx, t, "archive", req)
}

func (t through) AssignIDs(ctx context.Context, req AssignRequest) ([]Node, error) {
	return by[[]Node](ctx, t, "assign-ids", req)
}

func (t through) Checkpoint(ctx context.Context, req CheckpointRequest) (*Checkpoint, error) {
	return by[*Checkpoint](ctx, t, "checkpoint", req)
}

func (t through) Restore(ctx context.Context, req RestoreRequest) (*RestoreResponse, error) {
	return by[*RestoreResponse](ctx, t, "restore", req)
}

func (t through) Head(ctx context.Context) (*Head, error) {
	return by[*Head](ctx, t, "head", struct{}{})
}

func (t through) Verify(ctx context.Context, req VerifyRequest) (*VerifyResponse, error) {
	return by[*VerifyResponse](ctx, t, "verify", req)
}

func (t through) Repair(ctx context.Context, req RepairRequest) (*RepairResponse, error) {
	return by[*RepairResponse](ctx, t, "repair", req)
}

func (t through) Retain(ctx context.Context, req RetainRequest) (*RetainResponse, error) {
	return by[*RetainResponse](ctx, t, "retain", req)
}

func (t through) Purge(ctx context.Context, req PurgeRequest) (*PurgeResponse, error) {
	return by[*PurgeResponse](ctx, t, "purge", req)
}

func (t through) Guard(ctx context.Context) (*Protection, error) {
	return by[*Protection](ctx, t, "guard", struct{}{})
}

func (t through) GuardDiff(ctx context.Context, req GuardDiffRequest) (*GuardDiff, error) {
	return by[*GuardDiff](ctx, t, "guard-diff", req)
}

func (t through) GuardAdopt(ctx context.Context, req GuardRequest) (*GuardDecision, error) {
	return by[*GuardDecision](ctx, t, "guard-adopt", req)
}

func (t through) GuardReject(ctx context.Context, req GuardRequest) (*GuardDecision, error) {
	return by[*GuardDecision](ctx, t, "guard-reject", req)
}

func (t through) Skills(ctx context.Context) (*Skills, error) {
	return by[*Skills](ctx, t, "skills", struct{}{})
}

func (t through) Skill(ctx context.Context, req SkillRequest) (*SkillSource, error) {
	return by[*SkillSource](ctx, t, "skill", req)
}

func (t through) Trigger(ctx context.Context, req TriggerRequest) (*Triggered, error) {
	return by[*Triggered](ctx, t, "trigger", req)
}

func (t through) IngestTree(ctx context.Context, req IngestTreeRequest) (*IngestTreeResponse, error) {
	return by[*IngestTreeResponse](ctx, t, "ingest-tree", req)
}

func (t through) Ingest(ctx context.Context, req IngestRequest) (*Status, error) {
	return by[*Status](ctx, t, "ingest", req)
}
