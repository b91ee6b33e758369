// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/node"
)

// step is what a commit did to one node: how it was called and what it was before
// and after. A nil entry is a node that was not there; the children stand in an entry
// where the node came, left or was renamed.
type step struct {
	commit        *graph.Commit
	was, is       string
	before, after *node.Entry
	kids          graph.KidsEdit // where it is in both, under one id: what became of its children
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

// stepOf returns what a commit did to the node that goes by an id after it, or went
// by it last; nil for nothing.
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

// trail walks what commits from to to to from did to a node, newest first, through
// renames and moves. id is what it goes by after them, see heir. fn may end it with
// chain.ErrStop. It returns what the node went by before them.
func (m *Memory) trail(ctx context.Context, id string, from, to uint64, fn func(*step) error) (string, error) {
	err := m.chain.About(ctx, &id, from, to, func(c *graph.Commit) error {
		s := stepOf(c, id)
		if s == nil {
			return nil
		}
		id = s.was
		return fn(s)
	})
	return id, err
}

// currentID returns what a node goes by in a view, or went by last, that once went by
// id. An id that the view has stands for itself: derived ids are borne again.
func (m *Memory) currentID(ctx context.Context, v *View, id string) (string, error) {
	if _, ok := v.Get(id); ok {
		return id, nil
	}
	next, left := "", uint64(0)
	if err := m.chain.About(ctx, &id, 1, v.commit.Seq, func(c *graph.Commit) error {
		for _, e := range c.Lineage {
			if e.Old == id {
				next, left = e.New, c.Seq
				return chain.ErrStop
			}
		}
		if stepOf(c, id) != nil { // its last word: it left without an heir
			return chain.ErrStop
		}
		return nil
	}); err != nil || next == "" {
		return id, err
	}
	err := m.chain.AboutSince(ctx, &next, left+1, v.commit.Seq, func(c *graph.Commit) error {
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

// Was returns what a node of the present went by at an earlier moment, "" where it
// was not there. Errors: Corrupt. It costs a read for each commit since.
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
