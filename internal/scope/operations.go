// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"context"
	"fmt"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
)

// maxOpBytes is the maximum length of an operation key.
const maxOpBytes = 200

// Repeated returns the commit of an earlier operation with the same key and kind, or nil.
// Every operation that commits calls it, so it also denies an agent without rights.
func (s *Scope) Repeated(ctx context.Context, tx *chain.Tx, key, name, kind string) (*graph.Commit, error) {
	if a := s.Actor(ctx); a.Author.Kind == author.Agent && a.May == nil {
		return nil, fault.Wrap(name, "", fault.Denied, ErrNoRights)
	}
	if key == "" {
		return nil, nil
	}
	want := s.Entry(ctx, key, kind, "", 0)
	if len(want.Op) > maxOpBytes {
		return nil, fault.Wrap(name, "", fault.Invalid, fmt.Errorf("an op is at most %d bytes long", maxOpBytes))
	}
	first, err := tx.FirstOf(ctx, want.Op)
	if err != nil {
		return nil, fault.Wrap(name, s.StateDir, fault.Corrupt, err)
	}
	if first == nil {
		return nil, nil
	}
	if first.Kind != kind || first.Author != want.Author {
		return nil, fault.Wrap(name, key, fault.Conflict,
			fmt.Errorf("the op is that of commit %d already, of the kind %s by %s", first.Seq, first.Kind, first.Author))
	}
	return first, nil
}

// Replay returns the result of an operation's first commit; zero for nil.
func (s *Scope) Replay(first *graph.Commit, answer func(*graph.Commit)) chain.Commit {
	if first == nil {
		return chain.Commit{}
	}
	if answer != nil {
		answer(first)
	}
	c := chain.Summary(first)
	if head := s.Chain.Head().Commit; head.Seq == c.Seq {
		c.Documents = head.Documents
	}
	return c
}
