// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package write

import (
	"context"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/merkle"
)

// FilesSaved drops, in the open sessions, the buffers of files that the memory itself has
// written. If that fails, the next ingest drops them.
func FilesSaved(ctx context.Context, s *scope.Scope) {
	for _, o := range s.Sessions() {
		tx := o.Chain.Begin()
		if err := DropSavedBuffers(ctx, tx, o); err != nil {
			s.Options.Log.Warn("a buffer of a file that was saved stays until the next ingest", "scope", o.Name, "error", err)
		}
		tx.End()
	}
}

// DropSavedBuffers removes a session's buffers of files that were saved since.
func DropSavedBuffers(ctx context.Context, tx *chain.Tx, s *scope.Scope) error {
	var saved []string
	for _, path := range slices.Sorted(maps.Keys(s.Drift())) {
		for _, holder := range s.WithFiles() {
			if holder.Root.InRegion(path) && scope.FileNow(holder.Present(), path) != s.Drift()[path] {
				saved = append(saved, path)
			}
		}
	}
	if len(saved) == 0 || s.Chain.Store().Err() != nil {
		return nil
	}
	now := s.Options.Now().UnixMilli()
	draft := s.Present().Edit(now)
	for _, path := range saved {
		draft.Drop(path)
	}
	state, delta := draft.Seal()
	_, err := Record(ctx, tx, state, &delta, graph.Commit{
		Kind: graph.KindIngest, Author: scope.ByFile, Session: s.Options.Actor.Session, Op: scope.Operation(), Time: now, Message: "saved: " + scope.Message(&delta),
	}, s.DriftMarks(saved, map[string]merkle.Digest{})...)
	return err
}
