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

// errNoRights denies an agent without defined rights.
var errNoRights = errors.New("the agent has no rights; who asks for it says what it may write, see author.Actor.May and api.Trusted")

// rights returns the function that checks which files the actor may change; nil allows all
// files that are not protected.
func (m *Memory) rights(ctx context.Context) func(path string) error {
	a := m.actor(ctx)
	if a.May == nil && a.Author.Kind == author.Agent {
		return func(string) error { return errNoRights }
	}
	return a.May
}

// errSeveralNames denies a file with hard links: any of its names may be protected.
var errSeveralNames = errors.New("the file has several names (hard links), so an agent may not write it; its owner can make it a file of its own by copying it over itself")

// judge returns a function that authorizes each file of an operation by the author of c, nil
// if the author may write every file that is not locked down.
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

// mayChange returns why the actor may not change a file, and whether the reason is the
// target of its path.
func (m *Memory) mayChange(may func(string) error, p corpus.Place) (real bool, err error) {
	for _, path := range []string{p.Path, p.Real} {
		if slices.ContainsFunc(m.root.Names(path), m.policy.Covers) {
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

// mayWrite denies an operation that its author is not allowed to do, before it reads or
// reveals anything. Only the owner writes a protected file, and not over unreviewed changes;
// an agent writes where it has rights.
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

// unprotected denies an operation on protected documents, files or not, that its author may
// not change.
func (m *Memory) unprotected(name string, c *graph.Commit, paths []string) error {
	book, head := m.trust().book, m.present()
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

// mode returns the mode of a file: the strictest of all paths that lead to it.
func (m *Memory) mode(path string) guard.Mode { return m.modeBy(m.policy, path) }

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
