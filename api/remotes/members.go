// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package remotes

import (
	"context"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/place"
)

// The operations on the members of a remote.
var (
	OpMembers = api.Define(api.Operation{Name: "remote-members", Group: "history", Private: true,
		Summary: "List the members of a remote, whose logs are merged"}, members)
	OpAdmit = api.Define(api.Operation{Name: "remote-admit", Effect: api.Mends,
		Summary: "Put a machine on the list of members of a remote"}, admit)
	OpExpel = api.Define(api.Operation{Name: "remote-expel", Effect: api.Mends,
		Summary: "Take a machine from the list of members of a remote"}, expel)
)

// AdmitRequest names a member.
type AdmitRequest struct {
	Name   string   `json:"name" jsonschema:"of the remote" arg:"NAME"`
	Member string   `json:"member" jsonschema:"what its machine is called: lower-case letters, digits and hyphens" arg:"MEMBER"`
	Key    string   `json:"key" jsonschema:"its public key, the line of its file key.pub" arg:"KEY"`
	Seal   string   `json:"seal,omitempty" jsonschema:"of a sealed remote: what fovea bundle key prints on that machine" flag:"<RECIPIENT>"`
	Agents []string `json:"agents,omitempty" jsonschema:"those it acts for; without any it acts as the owner" flag:"--agent <NAME> that it acts for; may be repeated"`
}

// ExpelRequest names a member.
type ExpelRequest struct {
	Name   string `json:"name" jsonschema:"of the remote" arg:"NAME"`
	Member string `json:"member" jsonschema:"what its machine is called" arg:"MEMBER"`
}

// Members is the list of a remote.
type Members struct {
	Remote  string         `json:"remote" jsonschema:"its name"`
	Number  uint64         `json:"number" jsonschema:"of the list, one more with each change; 0 where there is none, and each log is merged"`
	Members []place.Member `json:"members" jsonschema:"whose logs are merged, the owner first; compare its key with key.pub of the owner's machine"`
	Note    string         `json:"note,omitempty" jsonschema:"what one who was expelled still can"`
}

// listed answers with the list of members that do returns.
func listed(ctx context.Context, a api.Access, op, name string, do func(*place.Remote) (place.Members, error)) (*Members, error) {
	var list place.Members
	done, err := with(ctx, a, op, SyncRequest{Name: name},
		func(_ context.Context, _ api.Access, r *place.Remote, _ SyncRequest, _ *SyncResponse) (err error) {
			list, err = do(r)
			return err
		})
	if err != nil {
		return nil, err
	}
	return &Members{Remote: done.Remote, Number: list.Number, Members: append([]place.Member{}, list.List...)}, nil
}

func members(ctx context.Context, a api.Access, req RemoteRequest) (*Members, error) {
	return listed(ctx, a, "remote members", req.Name, func(r *place.Remote) (place.Members, error) { return r.Members(ctx) })
}

func admit(ctx context.Context, a api.Access, req AdmitRequest) (*Members, error) {
	return listed(ctx, a, "remote admit", req.Name, func(r *place.Remote) (place.Members, error) {
		return r.Amend(ctx, req.Member, place.Member{Name: req.Member, Key: req.Key, Seal: req.Seal, Agents: req.Agents})
	})
}

func expel(ctx context.Context, a api.Access, req ExpelRequest) (*Members, error) {
	done, err := listed(ctx, a, "remote expel", req.Name, func(r *place.Remote) (place.Members, error) { return r.Amend(ctx, req.Member) })
	if err == nil {
		done.Note = req.Member + " still can read what was pushed before, and what a machine pushes until it has seen this list. What is sealed " +
			"from then on has a new key; a plain remote has none, and stays readable. With the credentials of the place it can delete what is there: change those"
	}
	return done, err
}
