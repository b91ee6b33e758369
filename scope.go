// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"cmp"
	"context"
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/node"
)

// A scope is a separate memory in a folder of the memex's store, under the memex's lock. It
// has its own journal, chain, snapshots and head.
const (
	scopeMemex    = "memex"
	kindProject   = "project"
	kindSession   = "session"
	scopesFolder  = "scopes"
	maxScopeBytes = 100
)

// scopes are the open scopes of a memex.
type scopes struct {
	mu     sync.Mutex
	open   map[string]*Memory
	closed bool
	opened atomic.Uint64 // incremented when a scope opens or closes
}

// Scope opens the memory of a scope, and creates it if needed. The name is project/NAME,
// session/ID, or memex for the memory that Open returned. NAME and ID are 1 to 100 bytes of
// UTF-8 without control characters. A project in Options.Projects holds the files below its
// paths; other projects and all sessions hold only ingested trees. The memex owns the memory
// and closes it. Errors: Invalid (the name, or a closed memory), Corrupt, Other.
func (m *Memory) Scope(ctx context.Context, name string) (*Memory, error) {
	top := m.memex()
	if name == "" || name == scopeMemex {
		return top, nil
	}
	if err := checkScope(name); err != nil {
		return nil, fail("scope", name, Invalid, err)
	}
	s, fresh, err := top.scopeOf(ctx, name)
	if err == nil && fresh && s.isSession() { // projects have drift but no buffers
		err = s.endBuffersNow(ctx)
	}
	return s, err
}

// scopeOf returns the scope with a valid name, and whether this call opened it.
func (m *Memory) scopeOf(ctx context.Context, name string) (s *Memory, fresh bool, err error) {
	m.scopes.mu.Lock()
	defer m.scopes.mu.Unlock()
	if s := m.scopes.open[name]; s != nil {
		return s, false, nil
	}
	if m.scopes.closed {
		return nil, false, fail("scope", name, Invalid, errClosed)
	}
	if s, err = m.openScope(ctx, name); err != nil {
		return nil, false, fail("scope", name, openKind(err), err)
	}
	if m.scopes.open == nil {
		m.scopes.open = map[string]*Memory{}
	}
	m.scopes.open[name] = s
	m.family.set(name, s)
	m.scopes.opened.Add(1)
	return s, true, nil
}

// Scopes lists the scopes other than memex, sorted: the projects in Options.Projects, and
// every project or session with ingested trees. Errors: Other.
func (m *Memory) Scopes() ([]string, error) {
	top := m.memex()
	names, err := scopesIn(top.fs)
	if err != nil {
		return nil, fail("scope", top.state, Other, err)
	}
	for project := range top.opts.Projects {
		names = append(names, kindProject+"/"+project)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// ScopeOfFile names the scope to which an Org file at a path below the memex would belong: a
// project by its paths, else memex.
func (m *Memory) ScopeOfFile(path string) string {
	top := m.memex()
	for _, project := range slices.Sorted(maps.Keys(top.opts.Projects)) {
		if top.root.Region(top.region(kindProject + "/" + project)).InRegion(path) {
			return kindProject + "/" + project
		}
	}
	return scopeMemex
}

// memex returns the memory of the memex to which m belongs, m itself if it is no scope.
func (m *Memory) memex() *Memory {
	if m.parent != nil {
		return m.parent
	}
	return m
}

// openScope opens the store of a scope in the memex's store.
func (m *Memory) openScope(ctx context.Context, name string) (*Memory, error) {
	s := &Memory{
		opts: m.opts, dir: m.dir, parent: m, scope: name, family: m.family,
		root: m.root.Region(m.region(name)),
	}
	s.opts.Committed = nil // its commits are numbered separately
	s.policy = m.policy
	folder := scopesFolder + "/" + scopeFolder(name)
	s.state = filepath.Join(m.state, filepath.FromSlash(folder))
	var err error
	if s.fs, err = vfs.Sub(m.fs, folder); err != nil {
		return nil, err
	}
	if err := s.checkKinds("open"); err != nil {
		return nil, err
	}
	opened, err := s.opts.openStore(s.fs, s.storeOptions())
	if err != nil {
		return nil, err
	}
	s.chain = s.newChain(opened)
	if err := s.recover(ctx); err != nil {
		return nil, errors.Join(err, s.release())
	}
	s.loadTable()
	s.publishStatus()
	return s, nil
}

// region returns the paths of the memex folder that a scope holds, as arguments of
// corpus.Root.Region. The paths of a project belong neither to the memex nor to an enclosing
// project.
func (m *Memory) region(scope string) (within, without []string) {
	for project, paths := range m.opts.Projects {
		if kindProject+"/"+project == scope {
			within = append([]string{}, paths...)
		} else {
			without = append(without, paths...)
		}
	}
	if within == nil && scope != scopeMemex {
		return nil, []string{"."}
	}
	return within, without
}

// hasFiles reports whether a scope holds files of the folder.
func (m *Memory) hasFiles() bool {
	project, ok := strings.CutPrefix(m.scope, kindProject+"/")
	_, configured := m.opts.Projects[project]
	return m.parent == nil || ok && configured
}

// isSession reports whether this is the memory of a session. Ingesting into a session takes
// no snapshot.
func (m *Memory) isSession() bool { return strings.HasPrefix(m.scope, kindSession+"/") }

// isFile reports whether a document of this memory is a file, rather than a tree or a buffer
// laid over a file.
func (m *Memory) isFile(path string) bool { return m.hasFiles() && !node.IsMemory(path) }

// openProjects opens the projects with files, which completes interrupted operations before
// anything reads the folder. A project that fails to open does not affect the others: the
// next use of its name returns the error.
func (m *Memory) openProjects(ctx context.Context) {
	for _, project := range slices.Sorted(maps.Keys(m.opts.Projects)) {
		if _, err := m.Scope(ctx, kindProject+"/"+project); err != nil {
			m.opts.Log.Error("a project cannot be opened", "error", err)
		}
	}
}

// checkProjects rejects invalid project names and paths.
func checkProjects(projects map[string][]string, root *corpus.Root) error {
	owner := map[string]string{}
	for _, project := range slices.Sorted(maps.Keys(projects)) {
		if err := checkScope(kindProject + "/" + project); err != nil {
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

// checkScope returns an error if the name of a scope is invalid.
func checkScope(name string) error {
	kind, rest, _ := strings.Cut(name, "/")
	switch {
	case kind != kindProject && kind != kindSession:
		return errors.New("a scope is memex, project/NAME or session/ID")
	case rest == "" || len(rest) > maxScopeBytes:
		return fmt.Errorf("the name behind %s/ has %d bytes, 1 to %d are possible", kind, len(rest), maxScopeBytes)
	case !utf8.ValidString(rest) || strings.ContainsFunc(rest, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return errors.New("the name of a scope is UTF-8 without control characters")
	}
	return nil
}

// coded encodes names that a file system might fold or refuse.
var coded = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// scopeFolder names the folder of a scope: KIND-NAME if NAME has only plain characters, else
// KIND=BASE32.
func scopeFolder(name string) string {
	kind, rest, _ := strings.Cut(name, "/")
	plain := func(r rune) bool { return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' || r == '_' }
	if strings.ContainsFunc(rest, func(r rune) bool { return !plain(r) }) {
		return kind + "=" + coded.EncodeToString([]byte(rest))
	}
	return kind + "-" + rest
}

// scopesIn lists the scopes with a store in a state folder.
func scopesIn(in vfs.FS) ([]string, error) {
	entries, err := in.ReadDir(scopesFolder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		kind, rest, plain := strings.Cut(e.Name(), "-")
		if k, code, ok := strings.Cut(e.Name(), "="); ok {
			b, _ := coded.DecodeString(code)
			kind, rest, plain = k, string(b), true
		}
		name := kind + "/" + rest
		if plain && checkScope(name) == nil && scopeFolder(name) == e.Name() {
			names = append(names, name)
		}
	}
	return names, err
}

// acrossScopes rejects a move between scopes: their histories are separate, and no single
// commit could record it.
func (m *Memory) acrossScopes(op string, ids ...string) error {
	for _, id := range ids {
		if _, here := m.present().Get(id); here {
			continue
		}
		for _, s := range append(m.withFiles(), m.memex().sessions()...) {
			n, there := s.present().Get(id)
			if !there {
				continue
			}
			way := "cut it out and paste it in an editor, and both files are read with the next ingest"
			if node.IsMemory(n.Path) {
				way = "take the tree in on the other side, then delete it where it was"
			}
			return fail(op, id, Invalid, fmt.Errorf("it is of %s, and a note moves only within its scope, here %s; %s", s.scope, m.scope, way))
		}
	}
	return nil
}

// closeAll closes the scopes of a memex and prevents opening more.
func (s *scopes) closeAll() error {
	s.mu.Lock()
	open := s.open
	s.closed, s.open = true, nil
	s.mu.Unlock()
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(open)) {
		open[name].family.set(name, nil)
		errs = append(errs, open[name].Close())
	}
	return errors.Join(errs...)
}

// forget removes a closed scope from the open ones.
func (s *scopes) forget(m *Memory) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[m.scope] == m {
		delete(s.open, m.scope)
		m.family.set(m.scope, nil)
	}
	s.opened.Add(1)
}

// Ingest commits the changes found in the folder: one operation, in one or more commits of
// whole documents, each durable before the next. An unchanged folder makes no commit.
// Unreadable files are listed in Status; the others are committed. Ingest of a memex also
// ingests its projects, each in commits of its own, and ends the buffers of open sessions
// whose files were saved. A scope without files has nothing to read. A memex that was moved
// or replaced since it was opened is a Conflict and is not read. Errors: Held (nothing was
// dropped; new and changed files were committed), Conflict, ReadOnly (also if files of the
// store were moved; the folder was read), Other. Complexity is that of one stat per file and
// of reading and parsing the changed files.
func (m *Memory) Ingest(ctx context.Context, opts *IngestOptions) error {
	if opts == nil {
		opts = &IngestOptions{}
	}
	if err := m.inPlace("ingest"); err != nil {
		return err
	}
	err := m.ingestOwn(ctx, opts)
	if m.parent != nil {
		return err
	}
	for _, project := range slices.Sorted(maps.Keys(m.opts.Projects)) {
		s, scopeErr := m.Scope(ctx, kindProject+"/"+project)
		if scopeErr == nil {
			scopeErr = s.ingestOwn(ctx, opts)
		}
		err = cmp.Or(err, scopeErr) // a failing project does not stop the others
	}
	for _, s := range m.sessions() {
		err = cmp.Or(err, s.ingestOwn(ctx, opts))
	}
	return cmp.Or(err, m.storeInPlace("ingest"), m.unwritten("ingest"))
}

// openedScope returns an open scope, or nil.
func (m *Memory) openedScope(name string) *Memory {
	top := m.memex()
	if name == scopeMemex {
		return top
	}
	top.scopes.mu.Lock()
	defer top.scopes.mu.Unlock()
	return top.scopes.open[name]
}
