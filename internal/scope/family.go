// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"context"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
)

// WithFiles returns the memex and its open projects that hold files.
func (s *Scope) WithFiles() []*Scope {
	return append([]*Scope{s.Memex()}, slices.DeleteFunc(s.Open(), func(o *Scope) bool { return !o.HasFiles() })...)
}

// Reached returns those of Scope.WithFiles that the caller of ctx may name.
func Reached(ctx context.Context, s *Scope) []*Scope {
	g := author.GrantOf(ctx)
	return slices.DeleteFunc(s.WithFiles(), func(o *Scope) bool { return !g.Reaches(o.Name) })
}

// Sessions returns the open sessions of the memex.
func (s *Scope) Sessions() []*Scope {
	return slices.DeleteFunc(s.Open(), func(o *Scope) bool { return !o.IsSession() })
}

// FilesSaved drops, in the open sessions, the buffers of files that the memory itself has
// written. If that fails, the next ingest drops them.
func (s *Scope) FilesSaved(ctx context.Context) {
	for _, o := range s.Sessions() {
		tx := o.Chain.Begin()
		if err := o.DropSavedBuffers(ctx, tx); err != nil {
			s.Options.Log.Warn("a buffer of a file that was saved stays until the next ingest", "scope", o.Name, "error", err)
		}
		tx.End()
	}
}

// DropSavedBuffers removes a session's buffers of files that were saved since.
func (s *Scope) DropSavedBuffers(ctx context.Context, tx *chain.Tx) error {
	var saved []string
	for _, path := range slices.Sorted(maps.Keys(s.Drift())) {
		for _, holder := range s.WithFiles() {
			if holder.Root.InRegion(path) && FileNow(holder.Present(), path) != s.Drift()[path] {
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
	_, err := tx.Commit(context.WithoutCancel(ctx), state, &delta, graph.Commit{
		Kind: graph.KindIngest, Author: ByFile, Session: s.Options.Actor.Session, Op: Operation(), Time: now, Message: "saved: " + Message(&delta),
	}, s.DriftMarks(saved, map[string]merkle.Digest{})...)
	return err
}
