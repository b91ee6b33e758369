// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive

import (
	"context"
	"errors"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/write"
)

// Hive keeps the messages and tasks of a scope. It is safe for concurrent use.
type Hive struct {
	scope  *scope.Scope
	writer *write.Writer
	clock  *clock // one for all scopes of a memex
	rate   *rate
	seen   *seen

	// Referee holds claims so that no other machine can take them; a claim that it cannot hold is
	// provisional. It may be nil.
	Referee place.Referee
	// Owner records what the owner of the memex has seen.
	Owner *OwnerView
	// Unreported returns the ids that a session has not been told about, and records them as told.
	// key names the session and the kind of things; fresh forgets all that was recorded under it.
	// Set by the memory, only in the hive of the memex.
	Unreported func(key string, ids []string, fresh bool) []string
}

// New returns the hive of a writer's scope, and makes it the scope's fence. memex is the hive of the
// memex, nil if this scope is the memex.
func New(w *write.Writer, memex *Hive) *Hive {
	s := w.Scope()
	h := &Hive{scope: s, writer: w, clock: &clock{}, rate: &rate{sent: map[string][]int64{}}, seen: &seen{}, Owner: &OwnerView{scope: s.Memex()}}
	if memex != nil {
		h.clock, h.Owner = memex.clock, memex.Owner
	}
	s.Fence = h
	return h
}

// ownerName is the name of the owner in messages and claims. No agent can have this name.
const ownerName = "owner"

// caller returns the name under which the actor of ctx sends, reads and claims.
func (h *Hive) caller(ctx context.Context, op string) (string, error) {
	by := h.scope.Actor(ctx).Author
	err := errors.New("only an agent or the owner can have an inbox or claim tasks")
	switch by.Kind {
	case author.Owner:
		err = nil
	case author.Agent:
		err = author.Check(by.Name)
	}
	return nameOf(by), fault.Wrap(op, by.String(), fault.Invalid, err)
}

// nameOf returns the name of an author in messages and claims.
func nameOf(by author.Author) string {
	if by.Kind == author.Agent {
		return by.Name
	}
	return by.String()
}
