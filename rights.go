// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/guard"
)

// errNoRights refuses an agent whose rights nobody has said.
var errNoRights = errors.New("the agent has no rights; who asks for it says what it may write, see author.Actor.May and api.Trusted")

// rights returns what says which files the actor of a context may change, nil for all that
// are not protected.
func (m *Memory) rights(ctx context.Context) func(path string) error {
	a := m.actor(ctx)
	if a.May == nil && a.Author.Kind == author.Agent {
		return func(string) error { return errNoRights }
	}
	return a.May
}

// errSeveralNames refuses a file with hard links: nobody can tell which of its names
// is protected.
var errSeveralNames = errors.New("the file has several names (hard links), so an agent may not write it; its owner can make it a file of its own by copying it over itself")

// judge returns what decides over each file of an operation by the author of c, nil
// where its author may write every file that is not locked down.
func (m *Memory) judge(ctx context.Context, name string, c *graph.Commit) func(corpus.Place) error {
	may := m.rights(ctx)
	if may == nil && c.Author == owner {
		return nil
	}
	return func(p corpus.Place) error {
		switch real, err := m.mayChange(may, p); {
		case err == nil:
			return nil
		case real:
			return fail(name, p.Path, Denied, fmt.Errorf("leads to %s: %w", p.Real, err))
		default:
			return fail(name, p.Path, Denied, err)
		}
	}
}

// mayChange says why a file is not an agent's to change, and whether that is for where
// the path leads.
func (m *Memory) mayChange(may func(string) error, p corpus.Place) (real bool, err error) {
	for _, path := range []string{p.Path, p.Real} {
		if slices.ContainsFunc(m.root.Names(path), m.guard.policy.Covers) {
			return path != p.Path, errProtected
		}
		if may != nil {
			if err := may(path); err != nil {
				return path != p.Path, err
			}
		}
	}
	if may != nil && p.Links > 1 {
		return false, errSeveralNames
	}
	return false, nil
}

// mayWrite refuses an operation that is not its author's to do, before anything of the
// documents is read or shown: a protected file is written by its owner alone, and not
// on top of what nobody has looked at; an agent writes what it has rights to.
func (m *Memory) mayWrite(ctx context.Context, name string, c *graph.Commit, paths ...string) error {
	if err := m.unprotected(name, c, paths); err != nil {
		return err
	}
	judge := m.judge(ctx, name, c)
	for _, path := range paths {
		if judge == nil || !m.isFile(path) {
			continue
		}
		p, err := m.root.Place(path)
		if err != nil {
			return failWrite(name, path, err)
		}
		if err := judge(p); err != nil {
			return err
		}
	}
	return nil
}

// unprotected refuses an operation on protected documents that its author may not
// change, files or not.
func (m *Memory) unprotected(name string, c *graph.Commit, paths []string) error {
	book, head := m.trust().book, m.View().state
	for _, path := range paths {
		mode := m.mode(path)
		switch {
		case mode == guard.Trusted:
		case c.Author != owner:
			return fail(name, path, Denied, errProtected)
		case mode == guard.Lockdown && c.Kind == graph.KindEdit && (m.trust().doubt != "" || !hasTrustedText(book, head, path)):
			return fail(name, path, Locked, errLocked)
		}
	}
	return nil
}

// mode is that of a file: the strictest of all paths that lead to it.
func (m *Memory) mode(path string) guard.Mode { return m.modeBy(m.guard.policy, path) }

func (m *Memory) modeBy(policy *guard.Policy, path string) guard.Mode {
	mode := policy.Mode(path)
	if m.root.Linked() == nil {
		return mode
	}
	for _, other := range m.root.Names(path) {
		mode = max(mode, policy.Mode(other))
	}
	return mode
}
