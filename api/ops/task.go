// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/hive"
	"github.com/fovea-memory/fovea/internal/place"
)

// The operations on tasks that agents share.
var (
	OpTasks = api.Define(api.Operation{Name: "tasks", Group: "agents", Tool: "history tasks",
		Summary: "List the tasks, and which agent holds each"}, listTasks)
	OpTaskClaim = api.Define(api.Operation{Name: "task-claim", Effect: api.Writes, Tool: "edit",
		Summary: "Claim a task for a time, unless another agent holds it"}, claimTask)
	OpTaskRenew = api.Define(api.Operation{Name: "task-renew", Effect: api.Writes, Tool: "edit",
		Summary: "Renew the lease of a claim"}, renewClaim)
	OpTaskRelease = api.Define(api.Operation{Name: "task-release", Effect: api.Writes, Tool: "edit",
		Summary: "Release a claim"}, ending("release", (*hive.Hive).Release))
	OpTaskDone = api.Define(api.Operation{Name: "task-done", Effect: api.Writes, Tool: "edit",
		Summary: "Finish a claimed task"}, ending("done", (*hive.Hive).Done))
)

// defaultLease is the lease of a claim without one.
const defaultLease = 15 * time.Minute

// Task is a headline that an agent can claim.
type Task = hive.Task

// TasksRequest selects tasks: without fields, those that are not done.
type TasksRequest = hive.Filter

// ClaimRequest names a task and the time for which it is claimed.
type ClaimRequest struct {
	Task  string `json:"task" jsonschema:"the id of the task" arg:"TASK"`
	Lease string `json:"lease,omitempty" jsonschema:"how long, such as 15m (the default) or 2h; at most 24h" flag:"TIME"`
}

// RenewRequest names a claim and the time for which it is renewed.
type RenewRequest struct {
	Task   string `json:"task" jsonschema:"the id of the task"`
	Number uint64 `json:"number" jsonschema:"of the claim"`
	Lease  string `json:"lease,omitempty" jsonschema:"how long from now, such as 15m (the default) or 2h; at most 24h" flag:"TIME"`
}

// ClaimEndRequest names a claim that ends.
type ClaimEndRequest struct {
	Task   string `json:"task" jsonschema:"the id of the task"`
	Number uint64 `json:"number,omitempty" jsonschema:"of the claim; the owner may leave it out and end any"`
}

// ClaimResponse is a claim that was made or renewed.
type ClaimResponse struct {
	Task string `json:"task" jsonschema:"the id of the task"`
	hive.Claim
	Seq uint64 `json:"seq" jsonschema:"of the commit"`
}

// TaskChange is the commit that ended a claim.
type TaskChange struct {
	Task string `json:"task" jsonschema:"the id of the task"`
	Seq  uint64 `json:"seq" jsonschema:"of the commit"`
}

func listTasks(ctx context.Context, a *api.Local, req TasksRequest) ([]Task, error) {
	if req.Status != "" && !slices.Contains([]string{hive.Pending, hive.InProgress, hive.Done}, req.Status) {
		return nil, fault.Invalidf("tasks", "status is %s, %s or %s, not %q", hive.Pending, hive.InProgress, hive.Done, req.Status)
	}
	v, err := a.View(ctx)
	if err != nil {
		return nil, err
	}
	out := fovea.HiveOf(a.Memex).Tasks(ctx, req)
	for _, name := range a.Over {
		if !strings.HasPrefix(name, author.ProjectPrefix) {
			continue // sessions have no files, and so no tasks
		}
		m, err := a.Memex.Scope(ctx, name)
		if err != nil {
			return nil, err
		}
		out = append(out, fovea.HiveOf(m).Tasks(ctx, req)...)
	}
	return append([]Task{}, slices.DeleteFunc(out, func(t Task) bool { return !isSeen(v, t.ID) })...), nil
}

// hiveOf finds a task by a name of its node, and the hive of its scope, with the referee of the memex.
func hiveOf(ctx context.Context, a *api.Local, op, task string) (*hive.Hive, string, error) {
	v, err := a.View(ctx)
	if err != nil {
		return nil, "", err
	}
	n, err := a.Find(v, op, task)
	if err != nil {
		return nil, "", err
	}
	m, err := a.Memex.Scope(ctx, v.Scope(n))
	if err != nil {
		return nil, "", err
	}
	h := *fovea.HiveOf(m)
	h.Referee = place.RefereeOf(a.Memex.Histories().State, a.Options.Places)
	return &h, n.ID, nil
}

// hold makes or renews a claim of a task by do.
func hold(ctx context.Context, a *api.Local, op, task, lease string,
	do func(h *hive.Hive, id string, lease time.Duration) (hive.Claim, fovea.Commit, error)) (*ClaimResponse, error) {
	long := defaultLease
	if lease != "" {
		var err error
		if long, err = time.ParseDuration(lease); err != nil {
			return nil, fault.Errorf(op, task, fault.Invalid, "%w, written such as 90s, 30m or 2h, not %q", hive.ErrLease, lease)
		}
	}
	h, id, err := hiveOf(ctx, a, op, task)
	if err != nil {
		return nil, err
	}
	c, commit, err := do(h, id, long)
	return &ClaimResponse{id, c, commit.Seq}, err
}

func claimTask(ctx context.Context, a *api.Local, req ClaimRequest) (*ClaimResponse, error) {
	return hold(ctx, a, "claim", req.Task, req.Lease, func(h *hive.Hive, id string, lease time.Duration) (hive.Claim, fovea.Commit, error) {
		return h.Claim(ctx, id, lease, a.Write())
	})
}

func renewClaim(ctx context.Context, a *api.Local, req RenewRequest) (*ClaimResponse, error) {
	return hold(ctx, a, "renew", req.Task, req.Lease, func(h *hive.Hive, id string, lease time.Duration) (hive.Claim, fovea.Commit, error) {
		return h.Renew(ctx, id, req.Number, lease, a.Write())
	})
}

// ending returns the handler of an operation that ends a claim.
func ending(op string, end func(*hive.Hive, context.Context, string, uint64, *fovea.WriteOptions) (fovea.Commit, error),
) func(context.Context, *api.Local, ClaimEndRequest) (*TaskChange, error) {
	return func(ctx context.Context, a *api.Local, req ClaimEndRequest) (*TaskChange, error) {
		h, id, err := hiveOf(ctx, a, op, req.Task)
		if err != nil {
			return nil, err
		}
		c, err := end(h, ctx, id, req.Number, a.Write())
		return &TaskChange{id, c.Seq}, err
	}
}
