// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/chain"
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
	// Difference is what lies between two views.
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
