// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"fmt"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/travel"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/node"
)

// Access is what an operation has of a call and of the memory that the call is about.
type Access = *Local

// Seals are what bundles are sealed for, and what opens those that are sealed for this
// machine.
type Seals struct {
	For []place.Recipient
	Own place.Identity
}

// IPFS carries checkpoints to a node of IPFS and back; package api/remotes makes it.
type IPFS struct {
	// Check refuses a request before anything is done.
	Check func(req CheckpointRequest) error
	// Push puts the memory there with all its projects.
	Push func(ctx context.Context, a Access, req CheckpointRequest) (Archived, error)
	// Restore makes the newest state of what a CID names the present one of the memex, as a commit
	// that a rollback undoes, and that of projects theirs, whose files are in others.
	Restore func(ctx context.Context, a Access, req RestoreRequest) (c fovea.Commit, files []string, others RollbackResponse, err error)
	// Address returns the URL of the daemon.
	Address func() (string, error)
	// Configured says that a daemon is named in the configuration.
	Configured bool
}

// Archived is a memory that is on IPFS.
type Archived struct {
	CID     string `json:"cid" jsonschema:"on IPFS: of the newest commit, of a sealed archive that of the archive, without history the root; empty elsewhere"`
	Archive string `json:"archive,omitempty" jsonschema:"the CID with which all history comes back"`
	Sealed  bool   `json:"sealed" jsonschema:"whether a key opens it"`
	Commits uint64 `json:"-"` // that were not there before
	Bytes   int64  `json:"-"` // that were sent
}

// Conflicts returns conflicts as answers have them.
func Conflicts(all []document.Conflict) []Conflict { return each(all, legibleConflict) }

// In is the access of the same call in the scopes of a context.
func (l *Local) In(ctx context.Context) Access {
	on := *l
	on.Over = on.Scopes(ctx).Names()
	return &on
}

// On is the memory of the scope that the call is about.
func (l *Local) On() *fovea.Memory { return l.m }

// History is that of the scope that the call is about.
func (l *Local) History() *travel.History { return travel.Of(l.m.History()) }

// Find returns the node of a view that a name means. Errors: those of fovea.View.Resolve, as
// of the operation op.
func (l *Local) Find(v *view.View, op, name string) (*node.Node, error) {
	n, err := v.Resolve(l.Below(name))
	if err != nil {
		return nil, Named(err, op)
	}
	return n, nil
}

// Memory returns the memory of a scope, and makes a session that is not there yet.
func (l *Local) Memory(ctx context.Context, scope string) (*fovea.Memory, error) {
	return l.Memex.Scope(ctx, scope)
}

// Log lists the newest commits of a scope as the caller is told of them, newest first, at most
// limit (0: all).
func (l *Local) Log(ctx context.Context, scope string, limit int) ([]Commit, error) {
	on, err := inScope(ctx, l, scope)
	if err != nil {
		return nil, err
	}
	v, err := on.View(ctx)
	if err != nil {
		return nil, err
	}
	commits, err := on.History().Log(ctx, "", limit)
	return each(commits, func(c fovea.Commit) Commit { return visibleCommit(ctx, on, v, c) }), err
}

// Between says what lies between two commits of a scope, as the caller may see it.
func (l *Local) Between(ctx context.Context, scope string, from, to uint64, text bool) (*Difference, error) {
	on, err := inScope(ctx, l, scope)
	if err != nil {
		return nil, err
	}
	return between(ctx, on, fmt.Sprintf("seq:%d", from), fmt.Sprintf("seq:%d", to), text)
}

// ByOwner reports whether the owner calls, and not in the name of an agent.
func (l *Local) ByOwner(ctx context.Context) bool { return l.m.Guard().ByOwner(ctx) }

// RolledBack says what a commit of a scope did to files, or would do: see RollbackResponse.
func (l *Local) RolledBack(ctx context.Context, scope string, c fovea.Commit, files []string, memoryOnly bool) (RollbackResponse, error) {
	on, err := inScope(ctx, l, scope)
	if err != nil {
		return RollbackResponse{}, err
	}
	return rolledBack(ctx, on, c, files, memoryOnly), nil
}
