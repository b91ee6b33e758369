// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/merkle"
)

// guarding holds the state of the protected files of a memory. The targets of its
// pointers are immutable, so readers take no lock.
type guarding struct {
	policy  *guard.Policy
	watched atomic.Pointer[protectedDocs]
	cleared atomic.Pointer[guardedView]
}

// protectedDocs are the protected documents of a state, while links lead where they do.
type protectedDocs struct {
	state  *graph.State
	linked any // see corpus.Root.Linked
	paths  []string
}

// policyOf makes the policy of a memory: what the options say, and what is locked
// down where they say nothing. Skills that lie elsewhere, as somebody's SKILLS_DIR may
// have it, do not end the protection of those that are here.
func policyOf(o *Options, skills string) (*guard.Policy, error) {
	if skills == "" {
		skills = defaultSkills
	}
	return guard.NewPolicy(o.Guard, []string{"/agents/*/ROM*", "/" + literal(skills) + "/"})
}

// literal makes a pattern that matches a path alone.
func literal(path string) string {
	var b strings.Builder
	for _, c := range []byte(path) {
		if strings.IndexByte(`\*?[ `, c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// Protected reports whether a file of this path, below the memex, may be written
// by its owner alone, and is compared with what that one trusted at each read: by its
// path, or by another one from where a link leads to it.
func (m *Memory) Protected(path string) bool { return m.mode(path) != guard.Trusted }

// Guarded returns a view for readers: v, or the present view if v is nil, without the
// protected files that were changed outside Fovea since their owner trusted them. It
// reads and hashes every protected file instead of relying on times and sizes.
// View.Lockdown and View.Unreviewed list the files found; Options.Alert is called once
// for each change. Files of other scopes in the view are compared as well. If nothing
// changed, it returns v itself. Errors: those of ctx. O(bytes of protected files).
func (m *Memory) Guarded(ctx context.Context, v *View) (*View, error) {
	present := v == nil
	if present {
		v = m.View()
	}
	var found []guard.FileStatus
	for _, h := range m.scopesOf(v) {
		if err := ctx.Err(); err != nil {
			return nil, fail("read", m.dir, Other, err)
		}
		amiss := h.changedFiles(v.state)
		if hasNews(h.trust().book, amiss) {
			amiss = h.recordAlerts(ctx, v, present && h == m)
			if present {
				v = m.View()
			}
		}
		found = append(found, amiss...)
	}
	if len(found) == 0 {
		return v, nil
	}
	return m.guardedFrom(v, found), nil
}

// scopesOf are the memories whose files a view shows.
func (m *Memory) scopesOf(v *View) []*Memory {
	out := []*Memory{m}
	for _, name := range v.layers {
		if s := m.openedScope(name); s != nil && s != m && s.hasFiles() {
			out = append(out, s)
		}
	}
	return out
}

// openedScope returns a scope that is open, nil for one that is not.
func (m *Memory) openedScope(name string) *Memory {
	top := m.memex()
	if name == scopeMemex {
		return top
	}
	top.scopes.mu.Lock()
	defer top.scopes.mu.Unlock()
	return top.scopes.open[name]
}

// changedFiles lists the protected files that are not as they were trusted, or whose nodes
// in a state are not.
func (m *Memory) changedFiles(state *graph.State) []guard.FileStatus {
	var out []guard.FileStatus
	for _, s := range m.fileStatuses(state) {
		if s.State != guard.Same {
			out = append(out, s)
		}
	}
	return out
}

// fileStatuses compares each protected file of the memory: what has a baseline, and
// what a state has of it.
func (m *Memory) fileStatuses(state *graph.State) []guard.FileStatus {
	book := m.trust().book
	paths := book.Paths()
	for _, path := range m.protectedPaths(state) {
		if m.root.InRegion(path) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	var out []guard.FileStatus
	for _, path := range slices.Compact(paths) {
		if m.Protected(path) {
			out = append(out, m.fileStatus(book, state, path))
		}
	}
	return out
}

// fileStatus reads a protected file and compares it. Before the first baselines are
// taken nothing is protected yet: a file is taken as it is.
func (m *Memory) fileStatus(book *guard.Book, state *graph.State, path string) guard.FileStatus {
	s := guard.FileStatus{Path: path, Mode: m.mode(path), State: guard.Same, Baseline: book.Baseline(path)}
	text, _, err := m.root.Read(path, 0)
	switch {
	case err == nil:
		s.File = merkle.Sum([]byte(text))
	case errors.Is(err, corpus.ErrVanished):
		s.File = guard.Absent
	case errors.Is(err, corpus.ErrUnstable):
		s.State, s.Why = guard.BeingWritten, err.Error()
		return s
	default:
		s.State, s.Why = guard.Unreadable, err.Error()
		s.File = merkle.Sum([]byte(s.Why))
		return s
	}
	switch doubt := m.trust().doubt; {
	case doubt != "":
		s.State, s.Why = guard.Unsigned, doubt
	case book.Initialized():
		s.State = guard.Compare(s.Baseline, s.File, state.Nodes(path))
	}
	return s
}

// protectedPaths lists the protected documents of a state. Those of the state before it
// are known: only what changed is looked at.
func (m *Memory) protectedPaths(state *graph.State) []string {
	was, linked := m.guard.watched.Load(), m.root.Linked()
	switch {
	case was == nil, was.linked != linked:
		was = &protectedDocs{state: state, linked: linked}
		for _, path := range state.Paths() {
			if m.Protected(path) {
				was.paths = append(was.paths, path)
			}
		}
	case was.state == state:
		return was.paths
	default:
		was = &protectedDocs{state, linked, slices.Clone(was.paths)}
		for _, path := range graph.Diff(m.guard.watched.Load().state, state).Paths {
			if !m.Protected(path) {
				continue
			}
			was.paths = slices.DeleteFunc(was.paths, func(p string) bool { return p == path })
			if _, has := state.Document(path); has {
				was.paths = append(was.paths, path)
			}
		}
	}
	m.guard.watched.Store(was)
	return was.paths
}
