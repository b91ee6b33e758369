// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/failure"
	"github.com/fovea-memory/fovea/history"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/notes"
	"github.com/fovea-memory/fovea/options"
)

// The types that a Memory takes and returns.
type (
	// Options configure Open. The zero value is usable except for StateDir. Package options has the fields, in Open.
	Options = options.Open
	// IngestOptions configure Memory.Ingest. nil means the zero value. Package options has the fields, in Ingest.
	IngestOptions = options.Ingest
	// WriteOptions are the options of one write. nil is the zero value. Package history has the fields.
	WriteOptions = history.WriteOptions
	// Commit is one durable step of the history, as the log shows it. Package history has the fields.
	Commit = history.Commit
)

// SimilarFrom is the minimum Jaccard similarity of words, 0 to 1, for a node to be reported
// by notes.Remember.
const SimilarFrom = notes.SimilarFrom

// WithActor returns a context whose operations an actor performs; without one, the owner performs them.
func WithActor(ctx context.Context, a author.Actor) context.Context { return author.WithActor(ctx, a) }

// Error is an operation that failed: its name, its subject, the kind of failure and
// the cause. Read it with errors.AsType[*fovea.Error]. Package failure has the fields.
type Error = failure.Error

// Kind classifies an error by what a caller can do about it. The values are
// stable: exit codes and HTTP status follow them.
type Kind = failure.Kind

// The kinds of errors.
const (
	Other       = failure.Other       // none of the kinds below: a fault of the file system or of the program
	Invalid     = failure.Invalid     // the request is malformed: correct it
	NotFound    = failure.NotFound    // the named thing does not exist
	Ambiguous   = failure.Ambiguous   // several things have that name: use an id
	Conflict    = failure.Conflict    // the base of the request has changed, or another process holds the store: try again
	Budget      = failure.Budget      // the pinned parts exceed the token budget: raise it, or degrade
	Held        = failure.Held        // a scan found too many documents gone: check, then accept the deletions
	Corrupt     = failure.Corrupt     // the store is damaged or of an unknown format
	ReadOnly    = failure.ReadOnly    // the store stopped writing after a fault: reopen it once the cause is gone; or a file is read-only
	Busy        = failure.Busy        // an editor has unsaved changes of the file: save or revert them there
	Denied      = failure.Denied      // the caller has no right to do this: a person can grant it
	Locked      = failure.Locked      // a protected file was changed outside Fovea: review, then adopt or reject the change
	Unreachable = failure.Unreachable // another machine or program does not answer: try again when it does
)

// KindOf returns the kind of an *Error in the chain of err, else Other.
func KindOf(err error) Kind { return failure.KindOf(err) }

// fail is fault.Wrap.
func fail(op, what string, kind Kind, err error) error { return fault.Wrap(op, what, kind, err) }
