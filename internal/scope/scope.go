// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/options"
)

// Scope is one chain of a memory and the region of the memex folder that it holds. Its
// fields are set once, on opening.
type Scope struct {
	Options  options.Open
	Name     string        // memex, project/NAME or session/ID
	Dir      string        // absolute path of the memex
	StateDir string        // the state folder, "" when Options.Store was given
	Root     *corpus.Root  // the files of this scope
	Annex    *corpus.Annex // of a memex: the folder of skills, if it is outside; else nil
	FS       vfs.FS        // the files of the store
	Chain    *chain.Chain
	drift    chain.Slot[Drift]
	Parent   *Scope          // the memex of a project or a session, else nil
	Open     func() []*Scope // lists the open projects and sessions of the memex by name; the caller owns the list

	Unwritable error // why the state folder of a memex cannot be written, or nil
	Fence      Fence // holds writers to the claims of tasks; nil for none

	closed    bool // the chain's writer guards it
	recovered atomic.Pointer[string]
}

// Fence rejects writes that break the claim of a task. Its methods are called by the chain's
// writer, so that no claim can change before the write is done.
type Fence interface {
	// Enter rejects an action under a claim that is no longer in force.
	Enter(ctx context.Context, a Action) error
	// Change rejects changes of a state at or below a task that another agent has claimed.
	Change(ctx context.Context, a Action, before *graph.State, delta *graph.Delta) error
}

// Close marks the scope as closed: operations return ErrClosed.
func (s *Scope) Close(*chain.Tx) { s.closed = true }

// IsClosed reports whether the scope is closed.
func (s *Scope) IsClosed(*chain.Tx) bool { return s.closed }

// SetRecovered records what recovery or a repair did.
func (s *Scope) SetRecovered(_ *chain.Tx, what string) { s.recovered.Store(&what) }

// Recovered returns what recovery or a repair did, "" for nothing. It does not wait for
// writers.
func (s *Scope) Recovered() string {
	if what := s.recovered.Load(); what != nil {
		return *what
	}
	return ""
}

// View returns an immutable view of the present state: one atomic load.
func (s *Scope) View() *view.View { return s.Chain.Head().Derived.(*view.View) }

// Present returns the newest state.
func (s *Scope) Present() *graph.State { return s.Chain.Head().State }

// CheckKinds rejects a state folder that contains anything but regular files and folders.
func (s *Scope) CheckKinds(op string) error {
	return fault.Wrap(op, s.StateDir, fault.Corrupt, disk.CheckKinds(s.FS))
}

// InPlace returns an error if the path of the memex now leads to another folder.
func (s *Scope) InPlace(op string) error {
	return fault.Wrap(op, s.Dir, fault.Conflict, s.Root.InPlace())
}

// WithFiles returns the memex and its open projects that hold files.
func (s *Scope) WithFiles() []*Scope {
	return append([]*Scope{s.Memex()}, slices.DeleteFunc(s.Open(), func(o *Scope) bool { return !o.HasFiles() })...)
}

// Reached returns the scopes of Scope.WithFiles that the caller of ctx may name.
func Reached(ctx context.Context, s *Scope) []*Scope {
	g := author.GrantOf(ctx)
	return slices.DeleteFunc(s.WithFiles(), func(o *Scope) bool { return !g.Reaches(o.Name) })
}

// Sessions returns the open sessions of the memex.
func (s *Scope) Sessions() []*Scope {
	return slices.DeleteFunc(s.Open(), func(o *Scope) bool { return !o.IsSession() })
}

// OpenCopy opens the history in a folder that only this process uses, or creates one if the folder
// is empty. It is for copies of a memory, also while they are made. memex is the path that a new
// folder records, empty if the copy belongs to no folder. The error for a damaged copy is a
// store.Corruption. The head is the newest commit, even if a process was killed before it recorded
// a head. The caller closes the store.
func OpenCopy(in vfs.FS, memex string) (store.Store, error) {
	opened, found, err := disk.Open(in, &disk.Options{Memex: memex})
	if err != nil {
		return nil, err
	}
	if found.Corrupt != nil {
		return nil, errors.Join(found.Corrupt, opened.Close())
	}
	kept := store.Span{From: opened.Head().Seq + 1, To: math.MaxUint64}
	err = opened.Commits(context.Background(), kept, func(r store.Record) error {
		seq, err := graph.CommitSeq(r.Data)
		if err == nil {
			opened.SetHead(store.Head{Seq: seq, Commit: merkle.Sum(r.Data)})
		}
		return err
	})
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return opened, nil
}
