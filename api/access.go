// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"fmt"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/travel"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/node"
)

// Access is what an operation that is defined in another package has of a call and of the
// memory that the call is about.
type Access struct {
	Memex   *fovea.Memory
	Over    []string // the scopes that lie over the memex
	Call    Call
	Options LocalOptions

	l *Local
}

// DefineOn is [Define] for an operation of another package.
func DefineOn[Q, A any](o Operation, run func(context.Context, Access, Q) (A, error)) Op[Q, A] {
	return Define(o, func(ctx context.Context, l *Local, req Q) (A, error) {
		return run(ctx, accessOf(l), req)
	})
}

// accessOf is what other packages have of a call.
func accessOf(l *Local) Access { return Access{l.memex, l.over, l.call, l.opts, l} }

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

// View reads the folder first and returns what the caller may see.
func (a Access) View(ctx context.Context) (*view.View, error) { return a.l.seen(ctx) }

// In is the access of the same call in the scopes of a context.
func (a Access) In(ctx context.Context) Access {
	on := *a.l
	on.over = on.scopes(ctx).Names()
	return accessOf(&on)
}

// WithBlocks lays the working memory of the agent that calls over the views of this call, as
// windows do.
func (a Access) WithBlocks(ctx context.Context) { withBlocks(ctx, a.l) }

// Readable is View without what is locked down, for the owner as well: what leaves the memory.
func (a Access) Readable(ctx context.Context) (*view.View, error) { return a.l.reading(ctx) }

// ViewAt is View for a moment of the history of the scope that the call is about: it omits
// what the caller may not read. An empty moment is the present.
func (a Access) ViewAt(ctx context.Context, at string) (*view.View, error) {
	return a.l.viewAt(ctx, at)
}

// On is the memory of the scope that the call is about.
func (a Access) On() *fovea.Memory { return a.l.m }

// Below returns the path below the memex of a file that a request names, which may be absolute.
func (a Access) Below(path string) string { return a.l.below(path) }

// Sync reads the folder first, as far as the call asks for it.
func (a Access) Sync(ctx context.Context) error { return a.l.sync(ctx) }

// WarnOthers names the scopes that an operation on one history was not about. Those whose names
// begin with covered were done, too.
func (a Access) WarnOthers(covered ...string) { warnOthers(a.l, covered...) }

// FormerID returns the id that a name stands for, also of a node that is gone. Errors: those of
// fovea.View.FormerID, as of the operation op.
func (a Access) FormerID(op, name string) (string, error) {
	id, err := view.Of(a.l.m.View()).FormerID(name)
	if err != nil {
		return "", named(err, op, "-", "")
	}
	return id, nil
}

// History is that of the scope that the call is about.
func (a Access) History() *travel.History { return travel.Of(a.l.m.History()) }

// Find returns the node of a view that a name means. Errors: those of fovea.View.Resolve, as
// of the operation op.
func (a Access) Find(v *view.View, op, name string) (*node.Node, error) {
	n, err := v.Resolve(a.l.below(name))
	if err != nil {
		return nil, named(err, op, "-", "")
	}
	return n, nil
}

// Memory returns the memory of a scope, and makes a session that is not there yet.
func (a Access) Memory(ctx context.Context, scope string) (*fovea.Memory, error) {
	on, err := a.l.in(ctx, scope)
	return on.m, err
}

// Log lists the newest commits of a scope as the caller is told of them, newest first, at most
// limit (0: all).
func (a Access) Log(ctx context.Context, scope string, limit int) ([]Commit, error) {
	on, err := a.l.in(ctx, scope)
	if err != nil {
		return nil, err
	}
	v, err := on.seen(ctx)
	if err != nil {
		return nil, err
	}
	commits, err := on.m.History().Log(ctx, "", limit)
	return each(commits, func(c fovea.Commit) Commit { return visibleCommit(ctx, on, v, c) }), err
}

// Between says what lies between two commits of a scope, as the caller may see it.
func (a Access) Between(ctx context.Context, scope string, from, to uint64, text bool) (*Difference, error) {
	on, err := a.l.in(ctx, scope)
	if err != nil {
		return nil, err
	}
	return on.between(ctx, fmt.Sprintf("seq:%d", from), fmt.Sprintf("seq:%d", to), text)
}

// Warn tells the caller what a person should know though the operation goes on.
func (a Access) Warn(err error) { a.l.warn(err) }

// ByOwner reports whether the owner calls, and not in the name of an agent.
func (a Access) ByOwner(ctx context.Context) bool { return a.l.m.Guard().ByOwner(ctx) }

// AgentAndSession names the agent that calls, or the one that the owner names, and the scope of
// the session that keeps what is its own; "" if there is none.
func (a Access) AgentAndSession(ctx context.Context, named string) (agent, session string) {
	return agentAndSession(ctx, a.l, named)
}

// Scopes are those that the call names, or else the options.
func (a Access) Scopes(ctx context.Context) author.Scopes { return a.l.scopes(ctx) }

// RolledBack says what a commit of a scope did to files, or would do: see RollbackResponse.
func (a Access) RolledBack(ctx context.Context, scope string, c fovea.Commit, files []string, memoryOnly bool) (RollbackResponse, error) {
	on, err := a.l.in(ctx, scope)
	if err != nil {
		return RollbackResponse{}, err
	}
	return rolledBack(ctx, on, c, files, memoryOnly), nil
}

// Would says what the dry run that returned a commit would change, as far as the caller may
// know; nil for a commit that was made.
func (a Access) Would(ctx context.Context, c fovea.Commit) *Difference { return wouldFor(ctx, a.l, c) }

// Serve carries out a further call on the same memex.
func (a Access) Serve(ctx context.Context, c Call) (any, error) { return a.l.serve(ctx, c) }

// Write returns the options of a write under the key of the call.
func (a Access) Write() *fovea.WriteOptions { return a.l.write() }
