// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/node"
)

// step is the change that a commit made to one node: its id and entry before and after. A
// nil entry means that the node did not exist. Entries include the children if the node
// was added, removed or renamed.
type step struct {
	commit        *graph.Commit
	was, is       string
	before, after *node.Entry
	kids          graph.KidsEdit // change of its children, if it is in both under one id
}

// childrenBefore returns the ids of the node's children before the commit, given those
// after it.
func (s *step) childrenBefore(after []string) ([]string, error) {
	switch {
	case s.before == nil:
		return nil, nil
	case s.after == nil || s.was != s.is:
		return s.before.Kids, nil
	}
	return s.kids.Undo(after)
}

// stepOf returns the change that a commit made to a node, given its id after the commit
// or its last id; nil if there is none.
func stepOf(c *graph.Commit, id string) *step {
	s := step{commit: c, was: id, is: id}
	for _, e := range c.Lineage {
		if e.New == id {
			s.was = e.Old
		}
	}
	found := false
	for i := range c.Delta {
		if r := &c.Delta[i]; r.ID == id {
			s.before, s.after, s.kids, found = r.Old, r.New, r.Kids, true
		}
	}
	if s.was == id {
		if !found {
			return nil
		}
		return &s
	}
	for i := range c.Delta {
		if r := &c.Delta[i]; r.ID == s.was {
			s.before = r.Old
		}
	}
	return &s
}

// trail walks the changes of a node in the commits from..to, newest first, through
// renames and moves. id is the node's id after them, see currentID. fn may end the walk
// with chain.ErrStop. It returns the node's id before them.
func (m *Memory) trail(ctx context.Context, id string, from, to uint64, fn func(*step) error) (string, error) {
	err := m.chain.About(ctx, &id, store.Span{From: from, To: to, Backward: true}, func(c *graph.Commit) error {
		s := stepOf(c, id)
		if s == nil {
			return nil
		}
		id = s.was
		return fn(s)
	})
	return id, err
}

// currentID returns the present or last id of a node that once had id. An id that the
// view has is returned as it is, because derived ids are reused.
func (m *Memory) currentID(ctx context.Context, v *View, id string) (string, error) {
	if _, ok := v.Get(id); ok {
		return id, nil
	}
	next, left := "", uint64(0)
	if err := m.chain.About(ctx, &id, store.Span{From: 1, To: v.commit.Seq, Backward: true}, func(c *graph.Commit) error {
		for _, e := range c.Lineage {
			if e.Old == id {
				next, left = e.New, c.Seq
				return chain.ErrStop
			}
		}
		if stepOf(c, id) != nil { // it was removed without a successor
			return chain.ErrStop
		}
		return nil
	}); err != nil || next == "" {
		return id, err
	}
	err := m.chain.About(ctx, &next, store.Span{From: left + 1, To: v.commit.Seq}, func(c *graph.Commit) error {
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

// Was returns the id that a present node had at an earlier moment, "" if it did not exist
// then. Errors: Corrupt. Each commit since costs a read.
func (m *Memory) Was(ctx context.Context, id string, at *View) (string, error) {
	defer m.chain.Reading()()
	v := m.View()
	id, err := m.currentID(ctx, v, id)
	if err == nil {
		id, err = m.trail(ctx, id, at.commit.Seq+1, v.commit.Seq, func(*step) error { return nil })
	}
	if err != nil {
		return "", fail("history", id, Corrupt, err)
	}
	if _, ok := at.Get(id); !ok {
		return "", nil
	}
	return id, nil
}
