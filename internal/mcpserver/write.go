// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"reflect"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/face"
)

// rememberTool keeps a note, or sends its title and body as a message.
func rememberTool(ctx context.Context, svc api.Service, req api.RememberRequest, in extra) (face.Reply, error) {
	switch {
	case in.To == "" && in.Thread == "":
		return reply(ctx, svc, api.OpRemember.Operation, req)
	case in.To == "":
		return face.Reply{}, misuse("thread goes with to, who receives the message; leave both out to keep a note")
	case !reflect.DeepEqual(req, api.RememberRequest{Title: req.Title, Body: req.Body, IDPrefix: req.IDPrefix}):
		return face.Reply{}, misuse("a message has a title and a body alone; leave the other fields out")
	}
	return reply(ctx, svc, ops.OpMessageSend.Operation, ops.MessageSendRequest{To: in.To, Subject: req.Title, Body: req.Body, Thread: in.Thread})
}

// editTool changes fields of a node, moves it, or performs the action of the argument task.
func editTool(ctx context.Context, svc api.Service, req api.EditRequest, in extra) (face.Reply, error) {
	const alone = " cannot be combined with other changes; change the fields in another call"
	switch {
	case in.Task != "" || in.Claim != 0 || in.Lease != "":
		if !reflect.DeepEqual(req, api.EditRequest{ID: req.ID}) || in.RefileTo != "" {
			return face.Reply{}, misuse("task" + alone)
		}
		return taskTool(ctx, svc, req.ID, in)
	case in.RefileTo == "":
		return reply(ctx, svc, api.OpEdit.Operation, req)
	case !reflect.DeepEqual(req, api.EditRequest{ID: req.ID, Base: req.Base}):
		return face.Reply{}, misuse("refile_to" + alone)
	}
	return reply(ctx, svc, api.OpRefile.Operation, api.MoveRequest{ID: req.ID, To: in.RefileTo, Base: req.Base})
}

// taskTool claims a task, or renews or ends a claim.
func taskTool(ctx context.Context, svc api.Service, id string, in extra) (face.Reply, error) {
	switch in.Task {
	case "claim":
		return reply(ctx, svc, ops.OpTaskClaim.Operation, ops.ClaimRequest{Task: id, Lease: in.Lease})
	case "renew":
		return reply(ctx, svc, ops.OpTaskRenew.Operation, ops.RenewRequest{Task: id, Number: in.Claim, Lease: in.Lease})
	case "release":
		return reply(ctx, svc, ops.OpTaskRelease.Operation, ops.ClaimEndRequest{Task: id, Number: in.Claim})
	case "done":
		return reply(ctx, svc, ops.OpTaskDone.Operation, ops.ClaimEndRequest{Task: id, Number: in.Claim})
	}
	return face.Reply{}, misuse("task is claim, renew, release or done")
}

// inboxTool hands over the oldest unread messages of the caller; see Server.handOver.
func inboxTool(ctx context.Context, svc api.Service, req ops.MessageReadRequest, _ extra) (face.Reply, error) {
	req.Peek = true
	return reply(ctx, svc, ops.OpMessageRead.Operation, req)
}
