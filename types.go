// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/ingest"
	"github.com/fovea-memory/fovea/internal/notes"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/travel"
	"github.com/fovea-memory/fovea/internal/view"
)

// The types that a Memory takes and returns.
type (
	// Options configure Open. The zero value is usable except for StateDir.
	Options = scope.Options
	// IngestOptions configure Ingest. nil means the zero value.
	IngestOptions = ingest.Options
	// WriteOptions are the options of one write. nil is the zero value.
	WriteOptions = scope.WriteOptions
	// View is the content of a memory at one moment.
	View = view.View
	// Hit is a node found by View.Search, with its score and the contribution of each ranker.
	Hit = view.Hit
	// Difference lists the nodes that were added, removed, changed or moved between two views.
	Difference = view.Difference
	// Commit is one durable step of the history, as the log shows it.
	Commit = chain.Commit
	// Snapshot is a commit kept for rollback. Index 0 is the newest.
	Snapshot = travel.Snapshot
)

// SimilarFrom is the minimum Jaccard similarity of words, 0 to 1, for a node to be reported
// by notes.Remember.
const SimilarFrom = notes.SimilarFrom

// WithActor returns a context whose operations have an actor.
func WithActor(ctx context.Context, a author.Actor) context.Context { return author.WithActor(ctx, a) }

// Diff returns what changed from one view to another, in O(changes).
func Diff(from, to *View) Difference { return view.Diff(from, to) }

// Error is an operation that failed: its name, its subject, the kind of failure and
// the cause. Read it with errors.AsType[*fovea.Error].
type Error = fault.Error

// Kind classifies an error by what a caller can do about it. The values are
// stable: exit codes and HTTP status follow them.
type Kind = fault.Kind

// The kinds of errors.
const (
	Other       = fault.Other       // none of the kinds below: a fault of the file system or of the program
	Invalid     = fault.Invalid     // the request is malformed: correct it
	NotFound    = fault.NotFound    // the named thing does not exist
	Ambiguous   = fault.Ambiguous   // several things have that name: use an id
	Conflict    = fault.Conflict    // the base of the request has changed, or another process holds the store: try again
	Budget      = fault.Budget      // the pinned parts exceed the token budget: raise it, or degrade
	Held        = fault.Held        // a scan found too many documents gone: check, then accept the deletions
	Corrupt     = fault.Corrupt     // the store is damaged or of an unknown format
	ReadOnly    = fault.ReadOnly    // the store stopped writing after a fault: reopen it once the cause is gone; or a file is read-only
	Busy        = fault.Busy        // an editor has unsaved changes of the file: save or revert them there
	Denied      = fault.Denied      // the caller has no right to do this: a person can grant it
	Locked      = fault.Locked      // a protected file was changed outside Fovea: review, then adopt or reject the change
	Unreachable = fault.Unreachable // another machine or program does not answer: try again when it does
)

// KindOf returns the kind of an *Error in the chain of err, else Other.
func KindOf(err error) Kind { return fault.KindOf(err) }

// fail is fault.Wrap.
func fail(op, what string, kind Kind, err error) error { return fault.Wrap(op, what, kind, err) }
