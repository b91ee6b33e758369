// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"reflect"

	"github.com/fovea-memory/fovea/author"
)

// MayAsk returns why the caller of the context may not use an operation, whatever the
// request says; nil where that depends on the request. A face asks it before it reads
// what somebody sent. Errors: Denied.
func MayAsk(ctx context.Context, op *Operation) error {
	g := GrantOf(ctx)
	if g.Role == Owner {
		return nil
	}
	return (&trust{g: g}).mayAsk(ctx, op)
}

func (t *trust) mayAsk(ctx context.Context, op *Operation) error {
	switch t.g.Role {
	case Agent, Keeper, Reader:
	default:
		return t.denied(op.Name, "", "role %q is none", t.g.Role)
	}
	if err := t.scoped(ctx, op.Name); err != nil {
		return err
	}
	if op.Effect == Reads {
		return nil
	}
	if t.g.Role == Reader {
		return t.denied(op.Name, "", "a reader changes nothing")
	}
	if err := author.Check(t.g.Agent); err != nil {
		return t.denied(op.Name, "", "%w", err)
	}
	switch reflect.Zero(op.Request).Interface().(type) {
	case SnapshotRequest, CheckpointRequest, TriggerRequest, EditRequest, ResolveRequest, RememberRequest,
		MoveRequest, AssignRequest, RollbackRequest, RevertRequest, IngestRequest:
		return nil // what is asked for decides
	}
	return t.granted(op.Name)
}
