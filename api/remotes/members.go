// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package remotes

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/place"
)

// The operations on the members of a remote.
var (
	OpMembers = api.Define(api.Operation{Name: "remote-members", Group: "history", Private: true,
		Summary: "List the members of a remote, whose logs are merged"},
		func(ctx context.Context, a api.Access, req RemoteRequest) (*Members, error) {
			return members(ctx, a, "remote members", req.Name, nil)
		})
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
	Agents []string `json:"agents,omitempty" jsonschema:"those it acts for; without any it acts as the owner" flag:"<AGENT> that it acts for, or several"`
}

// ExpelRequest names a member.
type ExpelRequest struct {
	Name   string `json:"name" jsonschema:"of the remote" arg:"NAME"`
	Member string `json:"member" jsonschema:"what its machine is called" arg:"MEMBER"`
}

// Members is the list of a remote.
type Members struct {
	Remote      string         `json:"remote" jsonschema:"its name"`
	Number      uint64         `json:"number" jsonschema:"of the list, one more with each change; 0 where there is none, and each log is merged"`
	Owner       string         `json:"owner,omitempty" jsonschema:"the public key that signs the list"`
	Fingerprint string         `json:"fingerprint,omitempty" jsonschema:"of that key; compare it with the one that the owner's machine shows"`
	Members     []place.Member `json:"members" jsonschema:"whose logs are merged, the owner first"`
	Note        string         `json:"note,omitempty" jsonschema:"what one who was expelled still can"`
}

// members answers with the list of a remote, after a change if there is one.
func members(ctx context.Context, a api.Access, op, name string, change func(*place.Members) error) (_ *Members, err error) {
	over, err := turn(ctx, a)
	if err != nil {
		return nil, fault.Wrap(op, name, fault.Other, err)
	}
	defer over()
	r, err := opened(ctx, a, op, name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Place.Close()) }()
	var list place.Members
	if change != nil {
		list, err = r.Amend(ctx, change)
	} else {
		list, _, err = r.Members(ctx)
	}
	if err != nil {
		return nil, fault.Wrap(op, name, kindOf(err), err)
	}
	done := &Members{Remote: name, Number: list.Number, Owner: list.Owner, Members: append([]place.Member{}, list.List...)}
	if list.Number > 0 {
		done.Fingerprint = place.Fingerprint(list.Owner)
	}
	return done, nil
}

func admit(ctx context.Context, a api.Access, req AdmitRequest) (*Members, error) {
	return members(ctx, a, "remote admit", req.Name, func(list *place.Members) error {
		one := place.Member{Name: req.Member, Key: req.Key, Agents: req.Agents}
		i := slices.IndexFunc(list.List, func(m place.Member) bool { return m.Name == req.Member })
		switch {
		case i == 0:
			return fault.Errorf("remote admit", req.Member, fault.Invalid, "it is the owner of the list, which stays as it is")
		case i > 0:
			list.List[i] = one
		default:
			list.List = append(list.List, one)
		}
		return nil
	})
}

func expel(ctx context.Context, a api.Access, req ExpelRequest) (*Members, error) {
	done, err := members(ctx, a, "remote expel", req.Name, func(list *place.Members) error {
		i := slices.IndexFunc(list.List, func(m place.Member) bool { return m.Name == req.Member })
		switch {
		case i < 0:
			return fault.Errorf("remote expel", req.Member, fault.NotFound, "it is no member; fovea remote members %s shows them", req.Name)
		case i == 0:
			return fault.Errorf("remote expel", req.Member, fault.Invalid, "it is the owner of the list, which stays")
		}
		list.List = slices.Delete(list.List, i, i+1)
		return nil
	})
	if err == nil {
		done.Note = fmt.Sprintf("%s still can read all that was pushed, and what is pushed there from now on: it has the passphrase. "+
			"With the credentials of the place it can delete what is there; change those. So that it reads nothing new, fovea remote add "+
			"an empty place with another passphrase on each machine that remains, fovea sync, and fovea remote remove %s", req.Member, req.Name)
	}
	return done, err
}
