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

// guarding is what a memory knows of its protected files. Readers take no lock:
// what the pointers lead to is immutable.
type guarding struct {
	policy  *guard.Policy
	book    atomic.Pointer[guard.Book] // stored by the writer
	watched atomic.Pointer[watched]
	cleared atomic.Pointer[cleared]
	doubt   atomic.Pointer[string] // why nothing vouches for the baselines, nil if something does; stored by the writer
}

// watched are the protected documents of a state.
type watched struct {
	state *graph.State
	paths []string
}

// cleared is a view without what is locked down, for the next reader.
type cleared struct {
	of   *View
	key  string
	view *View
}

// policyOf makes the policy of a memory: what the options say, and what is locked
// down where they say nothing.
func policyOf(o *Options, skills string) (*guard.Policy, error) {
	standard := []string{"/agents/*/ROM*"}
	if skills != "" {
		standard = append(standard, "/"+literal(skills)+"/")
	}
	return guard.NewPolicy(o.Guard, standard)
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
// by its owner alone, and is compared with what that one trusted at each read.
func (m *Memory) Protected(path string) bool { return m.guard.policy.Mode(path) != guard.Trusted }

// Guarded returns a view as readers may have it: v, or the present one where v is
// nil, without the protected files that somebody else changed since their owner
// trusted them. Each protected file is read and hashed for it: times and sizes are
// not believed. View.Lockdown and View.Unreviewed name what it found; Options.Alert
// is told of each change once. What a view holds of other scopes is compared as
// well. Where nothing is amiss, v itself comes back. Errors: those of ctx.
// Complexity is O(bytes of protected files).
func (m *Memory) Guarded(ctx context.Context, v *View) (*View, error) {
	present := v == nil
	if present {
		v = m.View()
	}
	var found []guard.Standing
	for _, h := range m.holders(v) {
		if err := ctx.Err(); err != nil {
			return nil, fail("read", m.dir, Other, err)
		}
		amiss := h.amiss(v.state)
		if news(h.guard.book.Load(), amiss) {
			amiss = h.notice(ctx, v, present && h == m)
			if present {
				v = m.View()
			}
		}
		found = append(found, amiss...)
	}
	if len(found) == 0 {
		return v, nil
	}
	return m.clear(v, found), nil
}

// holders are the memories whose files a view shows.
func (m *Memory) holders(v *View) []*Memory {
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

// amiss lists the protected files that are not as they were trusted, or whose nodes
// in a state are not.
func (m *Memory) amiss(state *graph.State) []guard.Standing {
	var out []guard.Standing
	for _, s := range m.standings(state) {
		if s.State != guard.Same {
			out = append(out, s)
		}
	}
	return out
}

// standings compares each protected file of the memory: what has a baseline, and
// what a state has of it.
func (m *Memory) standings(state *graph.State) []guard.Standing {
	book := m.guard.book.Load()
	paths := book.Paths()
	for _, path := range m.watch(state) {
		if m.root.Holds(path) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	var out []guard.Standing
	for _, path := range slices.Compact(paths) {
		if m.Protected(path) {
			out = append(out, m.standing(book, state, path))
		}
	}
	return out
}

// standing reads a protected file and compares it. Before the first baselines are
// taken nothing is protected yet: a file is taken as it is.
func (m *Memory) standing(book *guard.Book, state *graph.State, path string) guard.Standing {
	s := guard.Standing{Path: path, Mode: m.guard.policy.Mode(path), State: guard.Same, Baseline: book.Baseline(path)}
	text, _, err := m.root.Read(path, 0)
	switch {
	case err == nil:
		s.File = merkle.Sum([]byte(text))
	case errors.Is(err, corpus.ErrVanished):
		s.File = guard.Absent
	case errors.Is(err, corpus.ErrUnstable):
		s.State, s.Why = guard.Unrest, err.Error()
		return s
	default:
		s.State, s.Why = guard.Unread, err.Error()
		s.File = merkle.Sum([]byte(s.Why))
		return s
	}
	switch doubt := m.guard.doubt.Load(); {
	case doubt != nil:
		s.State, s.Why = guard.Unvouched, *doubt
	case book.Begun():
		s.State = guard.Judge(s.Baseline, s.File, state.Nodes(path))
	}
	return s
}

// watch lists the protected documents of a state. Those of the state before it
// are known: only what changed is looked at.
func (m *Memory) watch(state *graph.State) []string {
	was := m.guard.watched.Load()
	switch {
	case was == nil:
		was = &watched{state: state}
		for _, path := range state.Paths() {
			if m.Protected(path) {
				was.paths = append(was.paths, path)
			}
		}
	case was.state == state:
		return was.paths
	default:
		was = &watched{state, slices.Clone(was.paths)}
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

// news reports whether what is amiss is not what the owner was told of.
func news(book *guard.Book, amiss []guard.Standing) bool {
	told := 0
	for i := range amiss {
		if !amiss[i].Alarming() {
			continue
		}
		if book.Told(amiss[i].Path) != amiss[i].File {
			return true
		}
		told++
	}
	return told != book.Tellings()
}

// notice looks again while nobody writes, writes down what is told of from now on,
// and tells it.
func (m *Memory) notice(ctx context.Context, v *View, present bool) []guard.Standing {
	m.mu.Lock()
	defer m.mu.Unlock()
	if present {
		v = m.View()
	}
	found := m.amiss(v.state)
	if m.closed {
		return found
	}
	book := m.guard.book.Load()
	entries, err := m.tellOwner(found)
	if err == nil {
		err = m.mark(background(ctx), m.withBook(ctx, guardMarks(entries...))...)
	}
	if err != nil {
		m.opts.Log.Warn("that a change was told of could not be written down", "error", err)
		m.guard.book.Store(book.With(entries...)) // until this process ends it is not told again
	}
	return found
}

// tellOwner alerts to what is news among the files that are amiss, and returns what
// is told then. Where nothing vouches for any baseline, that is one alert. m.mu is
// held.
func (m *Memory) tellOwner(found []guard.Standing) (entries []guard.Entry, err error) {
	book, amiss := m.guard.book.Load(), map[string]bool{}
	var fresh []*guard.Standing
	for i := range found {
		s := &found[i]
		if !s.Alarming() {
			continue
		}
		amiss[s.Path] = true
		if book.Told(s.Path) != s.File {
			entries = append(entries, guard.Entry{Told: s.Path, File: s.File})
			fresh = append(fresh, s)
		}
	}
	for i, s := range fresh {
		more := 0
		if s.State == guard.Unvouched {
			if i > 0 {
				break
			}
			more = len(fresh) - 1
		}
		err = errors.Join(err, m.alert(s, more))
	}
	for _, path := range book.ToldOf() {
		if !amiss[path] {
			entries = append(entries, guard.Entry{Told: path})
		}
	}
	return entries, err
}

// alert tells the owner of a change, and of how many other files the same holds.
// It returns an error where the owner is to be told again. m.mu is held.
func (m *Memory) alert(s *guard.Standing, more int) error {
	tell := m.opts.Log.Info // the alert speaks louder
	if m.opts.Alert == nil {
		tell = m.opts.Log.Warn
	}
	tell("a protected file changed from outside", "path", s.Path, "state", string(s.State), "mode", s.Mode.String(), "more", more)
	if m.opts.Alert == nil {
		return nil
	}
	a := guard.Alert{Memex: m.dir, Path: s.Path, Mode: s.Mode, State: s.State, File: s.File, Time: m.opts.Now(), More: more}
	if s.State == guard.Changed {
		a.Changes = m.changes(s)
	}
	return m.opts.Alert(a)
}

// clear takes what is locked down out of a view.
func (m *Memory) clear(v *View, found []guard.Standing) *View {
	locked, unreviewed := map[string]guard.State{}, []string(nil)
	var key strings.Builder
	for i := range found {
		s := &found[i]
		switch {
		case s.Locked():
			locked[s.Path] = s.State
			key.WriteString(s.Path + "\x00" + string(s.State) + "\x00")
		case s.Unreviewed():
			unreviewed = append(unreviewed, s.Path)
			key.WriteString("?" + s.Path + "\x00")
		}
	}
	if c := m.guard.cleared.Load(); c != nil && c.of == v && c.key == key.String() {
		return c.view
	}
	out := v.without(locked, unreviewed)
	m.guard.cleared.Store(&cleared{v, key.String(), out})
	return out
}
