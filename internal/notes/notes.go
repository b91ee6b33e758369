// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package notes

import (
	"cmp"
	"context"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/write"
)

// Notes writes the notes of a scope: it edits, adds, moves and forgets them.
type Notes struct {
	scope  *scope.Scope
	rights *scope.Rules
	writer *write.Writer
	slot   chain.Slot[tombstones]
	known  knownNotes // the chain's writer guards it
}

// New returns the notes of a writer's scope.
func New(w *write.Writer, r *scope.Rules) *Notes {
	return &Notes{scope: w.Scope(), rights: r, writer: w}
}

// Writer returns the writer of the scope.
func (ns *Notes) Writer() *write.Writer { return ns.writer }

// Done is that of fovea.Notes.
func (ns *Notes) Done(ctx context.Context, key, kind string) (id string, done bool, err error) {
	tx := ns.scope.Chain.Begin()
	defer tx.End()
	first, err := ns.scope.Earlier(ctx, tx, scope.Action{Name: "op", Kind: kind, Key: key})
	if first == nil || err != nil {
		return "", false, err
	}
	return subject(first), true, nil
}

// subject returns the id of the node that an edit changed: an added one, else one with a changed
// text or place, else a removed one.
func subject(c *graph.Commit) string {
	if id := scope.Inserted(c); id != "" {
		return id
	}
	moved, left, gone := "", "", map[string]bool{}
	for i := range c.Delta {
		switch r := &c.Delta[i]; {
		case r.New == nil:
			gone[r.ID] = true
		case r.Old != nil && r.Old.Own != r.New.Own:
			return r.ID
		case r.Old != nil && (r.Old.Parent != r.New.Parent || r.Old.Path != r.New.Path) && moved == "":
			moved = r.ID
		}
	}
	for i := range c.Delta {
		if r := &c.Delta[i]; gone[r.ID] && !gone[r.Old.Parent] {
			left = r.ID
		}
	}
	return cmp.Or(moved, left)
}
