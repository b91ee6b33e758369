// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/options"
)

// May returns the function that checks which files the actor may change; nil allows all
// files that are not protected.
func (r *Rules) May(ctx context.Context) func(path string) error {
	a := r.scope.Actor(ctx)
	if a.May == nil && a.Author.Kind == author.Agent {
		return func(string) error { return errNoRights }
	}
	return a.May
}

// Judge returns a function that authorizes each file of an operation by its actor, nil if the
// actor may write every file that is not locked down.
func (r *Rules) Judge(ctx context.Context, name string) func(corpus.Place) error {
	may := r.May(ctx)
	if may == nil && r.ByOwner(ctx) {
		return nil
	}
	return func(p corpus.Place) error {
		switch real, err := r.mayChange(may, p); {
		case err == nil:
			return nil
		case real:
			return fault.Errorf(name, p.Path, fault.Denied, "leads to %s: %w", p.Real, err)
		default:
			return fault.Wrap(name, p.Path, fault.Denied, err)
		}
	}
}

// mayChange returns why the actor may not change a file, and whether the reason is the
// target of its path.
func (r *Rules) mayChange(may func(string) error, p corpus.Place) (real bool, err error) {
	for _, path := range []string{p.Path, p.Real} {
		if may != nil && document.IsIgnore(path) || slices.ContainsFunc(r.scope.Root.Names(path), r.Policy.Covers) {
			return path != p.Path, errProtected
		}
		if may != nil {
			if err := may(path); err != nil {
				return path != p.Path, err
			}
		}
	}
	if may != nil && p.Links > 1 { // any of its names may be protected
		return false, errors.New("the file has several names (hard links), so an agent may not write it; its owner can make it a file of its own by copying " +
			"it over itself")
	}
	return false, nil
}

// MayWrite denies an action that its actor may not do, before it reads or reveals anything.
// Only the owner may write a protected file, but not over unreviewed changes; an agent may write
// where it has rights. place finds where a path leads, see corpus.Root.Place.
func (r *Rules) MayWrite(ctx context.Context, a Action, place func(string) (corpus.Place, error), paths ...string) error {
	if err := r.Unprotected(ctx, a, paths...); err != nil {
		return err
	}
	judge := r.Judge(ctx, a.Name)
	for _, path := range paths {
		if judge == nil || !r.scope.IsFile(path) {
			continue
		}
		p, err := place(path)
		if err != nil {
			return FailWrite(a.Name, path, err)
		}
		if err := judge(p); err != nil {
			return err
		}
	}
	return nil
}

// Unprotected denies an action on protected documents, files or not, that its actor may not
// change.
func (r *Rules) Unprotected(ctx context.Context, a Action, paths ...string) error {
	book, head, byOwner := r.Trust().Book, r.scope.Present(), r.ByOwner(ctx)
	byAgent := r.scope.Actor(ctx).Author.Kind == author.Agent
	for _, path := range paths {
		mode := r.Mode(path)
		switch {
		case !byOwner && mode != guard.Trusted, byAgent && document.IsIgnore(path):
			return fault.Wrap(a.Name, path, fault.Denied, errProtected)
		case mode == guard.Lockdown && a.Kind == graph.KindEdit && (r.Trust().Doubt != "" || !hasTrustedText(book, head, path)):
			return fault.Wrap(a.Name, path, fault.Locked, errLocked)
		}
	}
	return nil
}

// Keeps rejects a change by an agent after which a node may be sent to servers on other computers,
// see graph.State.Given, but not before. It also rejects such an added node if another node was
// removed that may not be sent: it may be the same. Errors: Invalid. O(changes).
func (r *Rules) Keeps(ctx context.Context, a Action, before, after *graph.State, delta *graph.Delta) error {
	if r.scope.Actor(ctx).Author.Kind != author.Agent {
		return nil
	}
	nodes, isLost := slices.Clone(delta.Reread), false
	for _, c := range delta.Changes {
		if c.New != nil {
			nodes = append(nodes, c.New)
		} else {
			isLost = isLost || !before.Given(c.Old)
		}
	}
	for _, n := range nodes {
		old, ok := before.Get(n.ID)
		if after.Given(n) && (!ok && isLost || ok && !before.Given(old)) {
			return fault.Errorf(a.Name, n.Path, fault.Invalid,
				"with this change the note would be sent to another computer, as the property EMBED there says; only the owner gives notes away")
		}
	}
	return nil
}

// Mode returns the mode of a file: the strictest of all paths that lead to it.
func (r *Rules) Mode(path string) guard.Mode { return r.modeBy(r.Policy, path) }

func (r *Rules) modeBy(policy *guard.Policy, path string) guard.Mode {
	mode := policy.Mode(path)
	if r.scope.Root.Linked() == nil {
		return mode
	}
	for _, other := range r.scope.Root.Names(path) {
		mode = max(mode, policy.Mode(other))
	}
	return mode
}

// Protected reports whether only the owner may write the file at a path below the memex, and each
// read compares it with its trusted text. Of all paths that lead to the file, the strictest rule
// applies.
func (r *Rules) Protected(path string) bool { return r.Mode(path) != guard.Trusted }

// Rules decide who may write which file of a scope. They are safe for concurrent use.
type Rules struct {
	scope   *Scope
	Policy  *guard.Policy                 // which files are protected
	slot    chain.Slot[Trust]             // what the owner trusts
	watched atomic.Pointer[protectedDocs] // of the last requested state
}

// NewRules returns the rules of a scope.
func NewRules(s *Scope, policy *guard.Policy) *Rules { return &Rules{scope: s, Policy: policy} }

// Prefixes of the op of a commit. A key with one of them is escaped, so no caller can make a commit
// look like one of a token.
const (
	opToken    = chain.VouchedOp // a token proves the author
	opAsserted = "asserted:"     // escapes a key that has one of the prefixes
)

// opOf returns the op of a commit that an actor makes with an idempotency key.
func opOf(a author.Actor, key string) string {
	switch {
	case a.Vouched:
		return opToken + key
	case strings.HasPrefix(key, opToken), strings.HasPrefix(key, opAsserted):
		return opAsserted + key
	}
	return key
}

// Actor returns the actor of an operation: that of the context, else that of Options.
func (s *Scope) Actor(ctx context.Context) author.Actor {
	a := author.ActorOf(ctx).Or(s.Options.Actor)
	a.Author = cmp.Or(a.Author, Owner)
	return a
}

// TakeLock makes this process the owner of a state folder. It retries for Options.Wait. The error
// names the current owner.
func TakeLock(ctx context.Context, opts *options.Open, in vfs.FS) (*vfs.FileLock, error) {
	holder := vfs.Holder{PID: os.Getpid(), Command: cmp.Or(opts.Command, filepath.Base(os.Args[0])), Since: opts.Now()}
	ctx, stop := context.WithTimeout(ctx, opts.Wait)
	defer stop()
	lock, err := vfs.LockFile(ctx, in, store.LockFile, holder)
	if held, ok := errors.AsType[*vfs.HeldError](err); ok {
		err = held
	}
	return lock, err
}
