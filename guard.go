// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/merkle"
)

// protectedDocs caches the protected documents of a state, valid while no link changes.
type protectedDocs struct {
	state  *graph.State
	linked any // see corpus.Root.Linked
	paths  []string
}

// policyOf returns the policy of a memory: the rules of the options, then the default
// lockdown. A skills folder outside the memex does not end the protection of the one inside.
func policyOf(o *Options, skills string) (*guard.Policy, error) {
	if skills == "" {
		skills = defaultSkills
	}
	return guard.NewPolicy(o.Guard, []string{"/agents/*/ROM*", "/" + literal(skills) + "/"})
}

// literal returns a pattern that matches only a path.
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

// Protected reports whether only the owner may write the file at a path below the memex, and
// each read compares it with its trusted text. Of all paths that lead to the file, the
// strictest rule applies.
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
		amiss := h.changedFiles(stateOf(v))
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

// scopesOf returns the memories whose files a view shows.
func (m *Memory) scopesOf(v *View) []*Memory {
	out := []*Memory{m}
	for _, name := range layersOf(v) {
		if s := m.openedGuard(name); s != nil && s != m && s.hasFiles() {
			out = append(out, s)
		}
	}
	return out
}

// changedFiles lists the protected files that differ from their baselines, in the folder or
// in a state.
func (m *Memory) changedFiles(state *graph.State) []guard.FileStatus {
	var out []guard.FileStatus
	for _, s := range m.fileStatuses(state) {
		if s.State != guard.Same {
			out = append(out, s)
		}
	}
	return out
}

// fileStatuses compares each protected file of the memory that has a baseline or is in a
// state.
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

// fileStatus reads a protected file and compares it. Before the first baselines, every file
// is accepted as it is.
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

// protectedPaths lists the protected documents of a state. It updates the cached list of the
// previous state by their difference.
func (m *Memory) protectedPaths(state *graph.State) []string {
	was, now := m.watched.Load(), &protectedDocs{state: state, linked: m.root.Linked()}
	switch {
	case was == nil, was.linked != now.linked:
		for _, path := range state.Paths() {
			if m.Protected(path) {
				now.paths = append(now.paths, path)
			}
		}
	case was.state == state:
		return was.paths
	default:
		now.paths = slices.Clone(was.paths)
		for _, path := range graph.Diff(was.state, state).Paths {
			if !m.Protected(path) {
				continue
			}
			now.paths = slices.DeleteFunc(now.paths, func(p string) bool { return p == path })
			if _, has := state.Document(path); has {
				now.paths = append(now.paths, path)
			}
		}
	}
	m.watched.Store(now)
	return now.paths
}
