// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/filetx"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/internal/ingest"
	"github.com/fovea-memory/fovea/internal/mend"
	"github.com/fovea-memory/fovea/internal/notes"
	"github.com/fovea-memory/fovea/internal/protect"
	"github.com/fovea-memory/fovea/internal/rights"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/travel"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// Memory is one memex and its history, or one of its scopes. It is safe for concurrent use:
// readers take a View without a lock, writers run one at a time.
type Memory struct {
	memex   *memex // shared with the other scopes
	scope   *scope.Scope
	rights  *rights.Rules
	files   *filetx.Files
	folder  *ingest.Reader
	guard   *protect.Guard
	notes   *notes.Notes
	history *travel.History
	mender  *mend.Mender
	tokens  tokenCounts
}

// newMemory returns the memory of a scope whose chain is not opened yet.
func newMemory(x *memex, s *scope.Scope, policy *guard.Policy) *Memory {
	m := &Memory{memex: x, scope: s}
	m.rights = rights.New(s, policy)
	m.files = filetx.New(s, m.rights)
	m.folder = ingest.New(s, m.rights, m.files)
	m.guard = protect.New(s, m.rights, m.files, m.folder, x.guardOf)
	m.notes = notes.New(s, m.rights, m.files, m.folder)
	m.history = travel.New(s, m.rights, m.files, m.folder, func(in vfs.FS, name string) (*chain.Chain, error) {
		return openCopy(s, in, name)
	})
	m.mender = mend.New(s, m.rights, m.folder, mend.Owner{
		Scopes: x.names, Open: x.menderOf,
		Store: func() (store.Store, error) { return openStore(s) },
		Load:  func(ctx context.Context) error { return load(ctx, m) },
	})
	return m
}

// Open opens the memory of a memex, and creates it if needed. It reads the store, not the
// folder: call Ingest for that. One process at a time can have a store open; another one
// waits for Options.Wait, then fails with Conflict, naming the holder. A store that cannot
// be written, such as on a read-only disk, is opened for reading; changes in the folder are
// then held in memory only. Errors: NotFound (no such folder), Conflict, Corrupt (the store
// has an unknown format or belongs to another folder), Held and Ambiguous (see
// Options.Stores), ReadOnly, Invalid (an unusable state folder).
func Open(ctx context.Context, dir string, opts *Options) (*Memory, error) {
	s := &scope.Scope{Options: scope.WithDefaults(opts), Name: scope.Memex}
	s.Family = scope.NewFamily(s)
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fail("open", dir, Invalid, err)
	}
	s.Dir = abs
	files := &corpus.Options{SkillsDir: s.Options.SkillsDir, Opaque: s.Options.Opaque, Parses: s.Options.Formats.Owns, FS: s.Options.Folder}
	if s.Root, err = corpus.Open(abs, files); err != nil {
		return nil, fail("open", dir, NotFound, withHistory(err, s.Options.StateDir))
	}
	policy, err := rights.NewPolicy(&s.Options, s.Root.SkillsDir())
	if err == nil {
		err = scope.CheckProjects(s.Options.Projects, s.Root)
	}
	if err != nil {
		return nil, fail("open", dir, Invalid, errors.Join(err, s.Root.Close()))
	}
	if len(s.Options.Projects) > 0 {
		s.Root = s.Root.Region(s.Region(scope.Memex))
	}
	x := &memex{}
	m := newMemory(x, s, policy)
	x.top = m
	if err := x.openFolder(ctx); err != nil {
		return nil, errors.Join(err, m.release())
	}
	if err := x.openChain(ctx, m); err != nil {
		return nil, errors.Join(fail("open", s.StateDir, scope.OpenKind(err), err), m.release())
	}
	x.openProjects(ctx)
	x.markFolder()
	v := m.View()
	s.Options.Log.Info("opened", "memex", s.Dir, "commit", v.Head().Seq, "nodes", v.Len())
	return m, nil
}

// View returns an immutable view of the present state: one atomic load.
func (m *Memory) View() *View { return m.scope.View() }

// Dir returns the memex folder.
func (m *Memory) Dir() string { return m.scope.Dir }

// Notes returns what edits, adds, moves and forgets notes.
func (m *Memory) Notes() *notes.Notes { return m.notes }

// History returns the history: snapshots, earlier views, rollback, revert and merge.
func (m *Memory) History() *travel.History { return m.history }

// Folder returns what was read of the folder.
func (m *Memory) Folder() *ingest.Reader { return m.folder }

// Guard returns what keeps protected files that were changed from outside away from readers.
func (m *Memory) Guard() *protect.Guard { return m.guard }

// Rights returns the rules that say who may write which file.
func (m *Memory) Rights() *rights.Rules { return m.rights }

// Mending returns what proves and repairs the memory, and drops content from its history.
func (m *Memory) Mending() *mend.Mender { return m.mender }

// Close saves the caches that speed up the next opening and releases the store; for a memex,
// it closes the scopes first. Acknowledged commits are already on disk. Closing twice is not
// an error.
func (m *Memory) Close() error {
	if m.scope.Parent != nil {
		m.memex.forget(m)
		return m.close()
	}
	return errors.Join(m.memex.closeScopes(), m.close())
}

func (m *Memory) close() error {
	defer m.scope.Chain.Begin().End()
	if m.scope.Closed {
		return nil
	}
	m.scope.Closed = true
	err := errors.Join(m.scope.Chain.Writer().Images().Finish(), m.folder.SaveTable(), m.tokens.save(m.scope))
	return fail("close", m.scope.StateDir, Other, errors.Join(err, m.release()))
}

// release closes everything that is open, in reverse order of opening.
func (m *Memory) release() error {
	var errs []error
	if m.scope.Chain != nil {
		errs = append(errs, m.scope.Chain.Store().Close())
	}
	if m.scope.Parent == nil { // the memex owns the rest
		errs = append(errs, m.memex.releaseFolder())
	}
	return errors.Join(errs...)
}
