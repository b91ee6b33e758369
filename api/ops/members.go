// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/place"
)

// The operations on the members of a remote.
var (
	OpMembers = api.Define(api.Operation{Name: "remote-members", Private: true,
		Summary: "List the members of a remote, whose logs are merged"}, members)
	OpAdmit = api.Define(api.Operation{Name: "remote-admit", Effect: api.Mends,
		Summary: "Put a machine on the list of members of a remote"}, admit)
	OpExpel = api.Define(api.Operation{Name: "remote-expel", Effect: api.Mends,
		Summary: "Remove a machine from the list of members of a remote"}, expel)
)

// Members is the list of a remote.
type Members = place.Members

// AdmitRequest names a member.
type AdmitRequest struct {
	Name   string   `json:"name" jsonschema:"of the remote" arg:"NAME"`
	Member string   `json:"member" jsonschema:"the name of its machine: lower-case letters, digits and hyphens" arg:"MEMBER"`
	Key    string   `json:"key" jsonschema:"its public key, the line of its file key.pub" arg:"KEY"`
	Seal   string   `json:"seal,omitempty" jsonschema:"of a sealed remote: what fovea bundle key prints on that machine" flag:"<RECIPIENT>"`
	Agents []string `json:"agents,omitempty" jsonschema:"those it acts for; by default it acts as the owner" flag:"--for <AGENT> alone; may be repeated"`
}

// ExpelRequest names a member.
type ExpelRequest struct {
	Name   string `json:"name" jsonschema:"of the remote" arg:"NAME"`
	Member string `json:"member" jsonschema:"the name of its machine" arg:"MEMBER"`
}

func members(ctx context.Context, a *api.Local, req RemoteRequest) (*Members, error) {
	return listed(ctx, a, "remote members", req.Name, func(r *place.Remote) (Members, error) { return r.Members(ctx) })
}

func admit(ctx context.Context, a *api.Local, req AdmitRequest) (*Members, error) {
	return listed(ctx, a, "remote admit", req.Name, func(r *place.Remote) (Members, error) {
		return r.Amend(ctx, req.Member, place.Member{Name: req.Member, Key: req.Key, Seal: req.Seal, Agents: req.Agents})
	})
}

func expel(ctx context.Context, a *api.Local, req ExpelRequest) (*Members, error) {
	return listed(ctx, a, "remote expel", req.Name, func(r *place.Remote) (Members, error) { return r.Amend(ctx, req.Member) })
}

// listed opens a remote for do, and returns the list of members that do returns.
func listed(ctx context.Context, a *api.Local, op, name string, do func(*place.Remote) (Members, error)) (*Members, error) {
	var list Members
	if err := checkRemote(op, name); err != nil {
		return nil, err
	}
	_, err := with(op, func(_ context.Context, _ *api.Local, r *place.Remote, _ SyncRequest, _ *SyncResponse) (err error) {
		list, err = do(r)
		return err
	})(ctx, a, SyncRequest{Name: name, DryRun: true})
	return &list, err
}
