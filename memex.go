// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/ingest"
	"github.com/fovea-memory/fovea/internal/meaning"
	"github.com/fovea-memory/fovea/internal/minds"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/internal/write"
)

// memex is what the scopes of one memex share: the lock, the open scopes, and the views that
// lay scopes over one another.
type memex struct {
	top  *Memory // the memex itself
	kin  string  // see Status.Kin
	lock *vfs.FileLock

	opening sync.Mutex // held while a scope is opened, and while all are closed
	closed  bool       // opening guards it
	mu      sync.Mutex
	open    map[string]*Memory // projects and sessions; mu guards it
	opened  atomic.Uint64      // incremented when a scope opens or closes

	meaning  meaning.Models
	overlays overlays
	sessions *minds.Sessions
	windows  *minds.Windows
}

// scopeOf returns the scope with a valid name, and whether this call opened it.
func (x *memex) scopeOf(ctx context.Context, name string) (m *Memory, fresh bool, err error) {
	x.opening.Lock()
	defer x.opening.Unlock()
	now := x.top.scope.Options.Now()
	if m := x.openedScope(name); m != nil {
		m.used.Store(now.UnixNano())
		return m, false, nil
	}
	if x.closed {
		return nil, false, fail("scope", name, Invalid, scope.ErrClosed)
	}
	opener := author.AgentOf(ctx)
	if err := makeRoom(x, name, opener, now); err != nil {
		return nil, false, fail("scope", name, Busy, err)
	}
	if m, err = x.openScope(ctx, name); err != nil {
		return nil, false, fail("scope", name, openKind(err), err)
	}
	m.opener = opener
	m.used.Store(now.UnixNano())
	x.mu.Lock()
	defer x.mu.Unlock()
	x.open[name] = m
	x.opened.Add(1)
	return m, true, nil
}

// Bounds of the sessions that one agent, or the owner, has open: each has descriptors and memory.
const (
	MaxSessions = 64
	sessionIdle = 15 * time.Minute // longer than an operation may take
)

// makeRoom closes the least recently used session of an opener that has MaxSessions and opens
// another. If all are in use, an agent is refused.
func makeRoom(x *memex, name, opener string, now time.Time) error {
	own := slices.DeleteFunc(x.list(), func(m *Memory) bool { return !m.scope.IsSession() || m.opener != opener })
	if !strings.HasPrefix(name, scope.Session+"/") || len(own) < MaxSessions {
		return nil
	}
	oldest := slices.MinFunc(own, func(a, b *Memory) int { return cmp.Compare(a.used.Load(), b.used.Load()) })
	switch {
	case now.Sub(time.Unix(0, oldest.used.Load())) > sessionIdle:
		return oldest.Close()
	case opener == "":
		return nil
	}
	return fmt.Errorf("%s has %d sessions in use, as many as an agent may have; continue in one of them, or wait %v", opener, len(own), sessionIdle)
}

// openScope opens the store of a scope in the memex's store.
func (x *memex) openScope(ctx context.Context, name string) (*Memory, error) {
	top := x.top.scope
	s := &scope.Scope{Options: top.Options, Dir: top.Dir, Parent: top, Name: name, Open: top.Open, Root: top.Root.Region(regionOf(top.Options.Projects, name))}
	s.Options.Committed = x.meaning.Changed // its commits are numbered separately
	folder := scope.Folder + "/" + scope.FolderOf(name)
	s.StateDir = filepath.Join(top.StateDir, filepath.FromSlash(folder))
	var err error
	if s.FS, err = vfs.Sub(top.FS, folder); err != nil {
		return nil, err
	}
	if err := s.CheckKinds("open"); err != nil {
		return nil, err
	}
	m := newMemory(x, s, x.top.rights.Policy)
	if err := x.openChain(ctx, m); err != nil {
		return nil, errors.Join(err, release(m))
	}
	return m, nil
}

// openProjects opens the projects with files, which completes interrupted operations before
// anything reads the folder. A project that fails to open does not affect the others: the
// next use of its name returns the error.
func (x *memex) openProjects(ctx context.Context) {
	for _, project := range slices.Sorted(maps.Keys(x.top.scope.Options.Projects)) {
		if _, err := x.scope(ctx, scope.Project+"/"+project); err != nil {
			x.top.scope.Options.Log.Error("a project cannot be opened", "error", err)
		}
	}
}

// scope is Memory.Scope.
func (x *memex) scope(ctx context.Context, name string) (*Memory, error) {
	if name == "" || name == scope.Memex {
		return x.top, nil
	}
	if err := scope.CheckName(name); err != nil {
		return nil, fail("scope", name, Invalid, err)
	}
	m, fresh, err := x.scopeOf(ctx, name)
	if err == nil && fresh && m.scope.IsSession() { // projects have drift but no buffers
		tx := m.scope.Chain.Begin()
		defer tx.End()
		err = write.DropSavedBuffers(ctx, tx, m.scope)
	}
	return m, err
}

// names is Memory.Scopes.
func (x *memex) names() ([]string, error) {
	top := x.top.scope
	entries, err := vfs.Entries(top.FS, scope.Folder)
	if err != nil {
		return nil, fail("scope", top.StateDir, Other, err)
	}
	var names []string
	for _, e := range entries {
		if name, ok := scope.NameOf(e.Name()); ok {
			names = append(names, name)
		}
	}
	for project := range top.Options.Projects {
		names = append(names, scope.Project+"/"+project)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// forget removes a closed scope from the open ones.
func (x *memex) forget(m *Memory) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.open[m.scope.Name] == m {
		delete(x.open, m.scope.Name)
	}
	x.opened.Add(1)
}

// list returns the open scopes by name.
func (x *memex) list() []*Memory {
	x.mu.Lock()
	defer x.mu.Unlock()
	var out []*Memory
	for _, name := range slices.Sorted(maps.Keys(x.open)) {
		out = append(out, x.open[name])
	}
	return out
}

// scopes is list for rooms, see scope.Scope.
func (x *memex) scopes() []*scope.Scope {
	var out []*scope.Scope
	for _, m := range x.list() {
		out = append(out, m.scope)
	}
	return out
}

// openedScope returns an open scope, or nil.
func (x *memex) openedScope(name string) *Memory {
	if name == scope.Memex {
		return x.top
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.open[name]
}

// guardOf returns the guard of an open scope, or nil.
func (x *memex) guardOf(name string) *ingest.Guard {
	if m := x.openedScope(name); m != nil {
		return m.guard
	}
	return nil
}

// closeScopes closes the scopes and prevents opening more.
func (x *memex) closeScopes() error {
	x.opening.Lock()
	x.closed = true
	x.opening.Unlock()
	var errs []error
	for _, m := range x.list() {
		errs = append(errs, m.Close())
	}
	return errors.Join(errs...)
}

// states returns the states of the open scopes that readers may see.
func (x *memex) states(ctx context.Context) (all []*graph.State) {
	for _, m := range append([]*Memory{x.top}, x.list()...) {
		if v, err := m.guard.View(ctx, nil); err == nil {
			all = append(all, v.State)
		}
	}
	return all
}

// checkProjects rejects invalid project names and paths.
func checkProjects(projects map[string][]string, root *corpus.Root) error {
	owner := map[string]string{}
	for _, project := range slices.Sorted(maps.Keys(projects)) {
		if err := scope.CheckName(scope.Project + "/" + project); err != nil {
			return fmt.Errorf("project %q: %w", project, err)
		}
		for _, name := range projects[project] {
			rel, ok := root.Relative(name)
			if !ok {
				return fmt.Errorf("project %s: %s lies outside the memex", project, name)
			}
			if other, taken := owner[rel]; taken && other != project {
				return fmt.Errorf("project %s: %s is a path of project %s, too", project, name, other)
			}
			owner[rel] = project
		}
	}
	return nil
}

// regionOf returns the paths of the memex folder that a scope holds, as arguments of
// corpus.Root.Region. The paths of a project belong neither to the memex nor to an enclosing
// project.
func regionOf(projects map[string][]string, name string) (within, without []string) {
	for project, paths := range projects {
		if scope.Project+"/"+project == name {
			within = append([]string{}, paths...)
		} else {
			without = append(without, paths...)
		}
	}
	if within == nil && name != scope.Memex {
		return nil, []string{"."}
	}
	return within, without
}
