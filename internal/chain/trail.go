// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain

import (
	"context"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/node"
)

// Step is the change that a commit made to one node: its id and entry before and after. A nil entry means that
// the node did not exist. Entries include the children if the node was added, removed or renamed.
type Step struct {
	Commit        *graph.Commit
	Was, Is       string
	Before, After *node.Entry
	kids          graph.KidsEdit // change of its children, if it is in both under one id
}

// ChildrenBefore returns the ids of the node's children before the commit, given those
// after it.
func (s *Step) ChildrenBefore(after []string) ([]string, error) {
	switch {
	case s.Before == nil:
		return nil, nil
	case s.After == nil || s.Was != s.Is:
		return s.Before.Kids, nil
	}
	return s.kids.Undo(after)
}

// stepOf returns the change that a commit made to a node, given its id after the commit
// or its last id; nil if there is none.
func stepOf(c *graph.Commit, id string) *Step {
	s := Step{Commit: c, Was: id, Is: id}
	for _, e := range c.Lineage {
		if e.New == id {
			s.Was = e.Old
		}
	}
	found := s.Was != id
	for i := range c.Delta {
		r := &c.Delta[i]
		if r.ID == id {
			s.After, s.kids, found = r.New, r.Kids, true
		}
		if r.ID == s.Was {
			s.Before = r.Old
		}
	}
	if !found {
		return nil
	}
	return &s
}

// Trail walks the changes of a node in the commits from..to, newest first, through
// renames and moves. id is the node's id after them, see CurrentID. fn may end the walk
// with ErrStop. It returns the node's id before them.
func (c *Chain) Trail(ctx context.Context, id string, from, to uint64, fn func(*Step) error) (string, error) {
	err := c.About(ctx, &id, store.Span{From: from, To: to, Backward: true}, func(c *graph.Commit) error {
		s := stepOf(c, id)
		if s == nil {
			return nil
		}
		id = s.Was
		return fn(s)
	})
	return id, err
}

// CurrentID returns the present or last id of a node that once had id. An id in the moment is returned as it
// is, because derived ids are reused.
func (c *Chain) CurrentID(ctx context.Context, at *Moment, id string) (string, error) {
	if _, ok := at.State.Get(id); ok {
		return id, nil
	}
	next, left := "", uint64(0)
	if err := c.About(ctx, &id, store.Span{From: 1, To: at.Commit.Seq, Backward: true}, func(c *graph.Commit) error {
		for _, e := range c.Lineage {
			if e.Old == id {
				next, left = e.New, c.Seq
				return ErrStop
			}
		}
		if stepOf(c, id) != nil { // it was removed without a successor
			return ErrStop
		}
		return nil
	}); err != nil || next == "" {
		return id, err
	}
	err := c.About(ctx, &next, store.Span{From: left + 1, To: at.Commit.Seq}, func(c *graph.Commit) error {
		for _, e := range c.Lineage {
			if e.Old == next {
				next = e.New
				break
			}
		}
		return nil
	})
	return next, err
}
