// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/internal/hive"
	"github.com/fovea-memory/fovea/internal/ingest"
	"github.com/fovea-memory/fovea/internal/meaning"
	"github.com/fovea-memory/fovea/internal/mend"
	"github.com/fovea-memory/fovea/internal/minds"
	"github.com/fovea-memory/fovea/internal/notes"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/travel"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/internal/write"
	"github.com/fovea-memory/fovea/working"
)

// Memory is one memex and its history, or one of its scopes. It is safe for concurrent use:
// readers take a View without a lock, writers run one at a time.
type Memory struct {
	memex   *memex // shared with the other scopes
	scope   *scope.Scope
	rights  *scope.Rules
	writer  *write.Writer
	folder  *ingest.Reader
	guard   *ingest.Guard
	notes   *notes.Notes
	history *travel.History
	mender  *mend.Mender
	blocks  *minds.Blocks
	hive    *hive.Hive
	reviews *hive.Proposals
	tokens  minds.TokenCounts
	opener  string       // the agent that opened it, "" for the owner
	used    atomic.Int64 // time of the last use, in nanoseconds
}

// newMemory returns the memory of a scope whose chain is not opened yet.
func newMemory(x *memex, s *scope.Scope, policy *guard.Policy) *Memory {
	m := &Memory{memex: x, scope: s}
	m.rights = scope.NewRules(s, policy)
	m.folder = ingest.New(s, m.rights)
	m.writer = write.New(s, m.rights, m.folder)
	m.reviews = hive.NewProposals(m.writer)
	m.guard = ingest.NewGuard(m.writer, m.rights, m.folder, x.guardOf)
	m.notes = notes.New(m.writer, m.rights)
	m.history = travel.New(m.writer, m.rights, m.folder, func(in vfs.FS, name string) (*chain.Chain, error) {
		return openCopy(s, in, name)
	})
	if s.Parent == nil {
		m.blocks = minds.NewBlocks(m.writer, minds.NewFiles(s, m.rights))
		m.hive = hive.New(m.writer, nil)
		m.hive.Unreported = x.sessions.Unreported
	} else {
		m.blocks = minds.NewBlocks(m.writer, x.top.blocks.Files())
		m.hive = hive.New(m.writer, x.top.hive)
	}
	m.mender = mend.New(m.writer, m.rights, m.folder, mend.Host{
		Scopes: x.names,
		Open: func(ctx context.Context, name string) (*mend.Mender, error) {
			in, err := x.scope(ctx, name)
			if err != nil {
				return nil, err
			}
			return in.mender, nil
		},
		Store: func() (store.Store, error) { return openStore(s, s.FS, storeOptions(s)) },
		Load:  func(ctx context.Context, tx *chain.Tx) error { return load(ctx, tx, m) },
		Purge: func() error {
			x.windows.Forget()
			return errors.Join(x.sessions.Clear(), x.meaning.Forget(x.top.scope.FS), place.DropCopies(x.top.scope.FS))
		},
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
	s := &scope.Scope{Options: withDefaults(opts), Name: scope.Memex}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fail("open", dir, Invalid, err)
	}
	s.Dir = abs
	files := &corpus.Options{
		SkillsDir: s.Options.SkillsDir, Opaque: s.Options.Opaque, Parses: s.Options.Formats.Owns, FS: s.Options.Folder, Holder: s.Options.Buffers.Holder,
	}
	if s.Root, err = corpus.Open(abs, files); err != nil {
		return nil, fail("open", dir, NotFound, withHistory(err, s.Options.StateDir))
	}
	if s.Root.SkillsDir() == "" {
		s.Annex = corpus.NewAnnex(s.Options.SkillsDir, s.Dir, corpus.IsSkill)
	}
	policy, err := scope.NewPolicy(&s.Options, s.Root.SkillsDir())
	if err == nil {
		err = checkProjects(s.Options.Projects, s.Root)
	}
	if err != nil {
		return nil, fail("open", dir, Invalid, errors.Join(err, s.Root.Close()))
	}
	if len(s.Options.Projects) > 0 {
		s.Root = s.Root.Region(regionOf(s.Options.Projects, scope.Memex))
	}
	x := &memex{open: map[string]*Memory{}, sessions: minds.NewSessions(s)}
	if told := s.Options.Committed; s.Options.Embedder != nil {
		s.Options.Committed = func(c chain.Commit) {
			if x.meaning.Changed(c); told != nil {
				told(c)
			}
		}
	}
	s.Open = x.scopes
	m := newMemory(x, s, policy)
	x.top = m
	x.windows = newWindows(x)
	if err := x.openFolder(ctx); err != nil {
		return nil, withRelease(err, m)
	}
	if err := x.openChain(ctx, m); err != nil {
		return nil, withRelease(fail("open", s.StateDir, openKind(err), err), m)
	}
	x.meaning.Open(&s.Options, s.FS, x.states)
	m.blocks.Files().Summaries = x.meaning.Summaries
	m.blocks.Files().Present = func(ctx context.Context, scope string) (*view.View, error) { return x.guardOf(scope).View(ctx, nil) }
	x.openProjects(ctx)
	scope.MarkFolder(s)
	v := m.View()
	s.Options.Log.Info("opened", "memex", s.Dir, "commit", v.Head().Seq, "nodes", v.Len())
	return m, nil
}

// View returns an immutable view of the present state: one atomic load.
func (m *Memory) View() View { return m.scope.View() }

// Dir returns the memex folder.
func (m *Memory) Dir() string { return m.scope.Dir }

// Notes returns the writer of notes.
func (m *Memory) Notes() Notes { return m.notes }

// History returns the history: snapshots, earlier views, rollback, revert and merge.
func (m *Memory) History() History { return passage{m.history} }

// Folder returns the reader of the folder.
func (m *Memory) Folder() *ingest.Reader { return m.folder }

// Guard returns the guard of protected files.
func (m *Memory) Guard() *ingest.Guard { return m.guard }

// Blocks returns the working memories of the agents in a session; other scopes have none.
func (m *Memory) Blocks() Blocks { return desk{m.blocks} }

// HiveOf returns the messages and tasks of the agents. Messages are in the memex; each scope
// with files has tasks.
func HiveOf(m *Memory) *hive.Hive { return m.hive }

// WindowsOf returns the log of the windows that agents were given, with the feedback about them.
func WindowsOf(m *Memory) *minds.Windows { return m.memex.windows }

// ProposalsOf returns the proposals of agents, which a session keeps; other scopes have none.
func ProposalsOf(m *Memory) *hive.Proposals { return m.reviews }

// Meaning returns the vectors of nodes, nil without Options.Embedder.
func (m *Memory) Meaning() *meaning.Vectors { return m.memex.meaning.Vectors }

// Reranker returns the reranker of the best hits of a search, nil without Options.Reranker.
func (m *Memory) Reranker() *meaning.Reranker { return m.memex.meaning.Reranker }

// Mending returns the mender: it verifies, repairs, purges and thins.
func (m *Memory) Mending() *mend.Mender { return m.mender }

// Close saves the caches that speed up the next opening and releases the store; for a memex,
// it closes the scopes first. Acknowledged commits are already on disk. Closing twice is not
// an error.
func (m *Memory) Close() error {
	if m.scope.Parent != nil {
		m.memex.forget(m)
		return m.close()
	}
	m.memex.windows.Flush(context.Background())
	return errors.Join(m.memex.meaning.Close(), m.memex.closeScopes(), m.close())
}

func (m *Memory) close() error {
	tx := m.scope.Chain.Begin()
	defer tx.End()
	if m.scope.IsClosed(tx) {
		return nil
	}
	m.scope.Close(tx)
	err := errors.Join(tx.Images().Finish(), ingest.Save(m.folder), m.tokens.Save(m.scope))
	if m.scope.Parent == nil {
		err = errors.Join(err, m.memex.sessions.Save())
	}
	return fail("close", m.scope.StateDir, Other, errors.Join(err, release(m)))
}

// withRelease returns the error of an opening that failed, and that of releasing what it opened.
func withRelease(err error, m *Memory) error {
	if released := release(m); released != nil {
		return fail("open", m.scope.Dir, KindOf(err), errors.Join(err, released))
	}
	return err
}

// release closes everything that is open, in reverse order of opening.
func release(m *Memory) error {
	var err error
	if m.scope.Chain != nil {
		err = m.scope.Chain.Store().Close()
	}
	if m.scope.Parent == nil { // the memex owns the rest
		err = errors.Join(err, m.memex.releaseFolder())
	}
	return err
}

// Scope opens the memory of a scope, and creates it if needed. The name is project/NAME,
// session/ID, or memex for the memory that Open returned. NAME and ID are 1 to 100 bytes of
// UTF-8 without control characters. A project in Options.Projects holds the files below its
// paths; other projects and all sessions hold only ingested trees. The memex owns the memory
// and closes it. Errors: Invalid (the name, or a closed memory), Corrupt, Other.
func (m *Memory) Scope(ctx context.Context, name string) (*Memory, error) {
	return m.memex.scope(ctx, name)
}

// Scopes lists the scopes other than memex, sorted: the projects in Options.Projects, and
// every project or session with ingested trees. Errors: Other.
func (m *Memory) Scopes() ([]string, error) { return m.memex.names() }

// ScopeOfFile names the scope to which an Org file at a path below the memex would belong: a
// project by its paths, else memex.
func (m *Memory) ScopeOfFile(path string) string {
	top := m.memex.top
	for _, project := range slices.Sorted(maps.Keys(top.scope.Options.Projects)) {
		if top.scope.Root.Region(regionOf(top.scope.Options.Projects, scope.Project+"/"+project)).InRegion(path) {
			return scope.Project + "/" + project
		}
	}
	return scope.Memex
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
	if err := m.scope.InPlace("ingest"); err != nil {
		return err
	}
	err := ingest.Run(ctx, m.folder, opts)
	if m.scope.Parent != nil {
		return err
	}
	for _, project := range slices.Sorted(maps.Keys(m.scope.Options.Projects)) {
		s, scopeErr := m.Scope(ctx, scope.Project+"/"+project)
		if scopeErr == nil {
			scopeErr = ingest.Run(ctx, s.folder, opts)
		}
		err = cmp.Or(err, scopeErr) // a failing project does not stop the others
	}
	write.FilesSaved(ctx, m.scope)
	return cmp.Or(err, storeInPlace(m.scope, "ingest"), unwritten(m.scope, "ingest"))
}

// IngestTree commits a tree that belongs to no file (doc/format/ast.md), atomically and as
// one commit. The tree goes to the scope that it names, else to this one. IngestTree returns
// the memory of that scope, the id of the tree's root there, and the commit. The tree replaces
// a node with the same ID: the node keeps its parent, or moves below parent if that is not
// "", and children missing from the tree leave memory but not history. A root without an ID
// is matched by title, else by its whole contents. The same tree again makes no commit.
//
// A tree that names the document of a file, by its id or by the attribute PATH or FILE of a
// root of type org-data or document, is an editor's unsaved buffer: it overlays the file in
// the session of ctx or of Options until the file is saved.
//
// Except in a session, an automatic snapshot precedes the commit. Errors: Invalid (the tree,
// with the position of the fault; a parent inside the tree or in a file; a buffer without a
// session; see author.Actor.Author), NotFound (the parent), Conflict (an ID of a node of a
// file), ReadOnly. Complexity is that of hashing the tree; for an unchanged tree, of comparing
// it; for one part of a known tree, of hashing the part and its ancestors.
func (m *Memory) IngestTree(ctx context.Context, t *ast.Tree, parent string, opts *WriteOptions) (in *Memory, id string, c Commit, err error) {
	if err := t.Check(); err != nil {
		return nil, "", Commit{}, fail("ingest", "tree", Invalid, err)
	}
	if t.Scope != "" && t.Scope != m.scope.Name {
		if m, err = m.Scope(ctx, t.Scope); err != nil {
			return nil, "", Commit{}, err
		}
	}
	alone := *t // the scope is the destination, not a part of the tree
	alone.Scope = ""
	if slices.ContainsFunc(slices.Collect(alone.All()), func(part *ast.Tree) bool { return working.IsNodeID(part.ID()) }) || working.IsNodeID(parent) {
		return nil, "", Commit{}, fail("ingest", alone.ID(), Invalid, errors.New("the id is that of a block of working memory; add blocks with fovea block"))
	}
	holder, path := ingest.BufferedFile(m.scope, &alone)
	if path != "" {
		if m, err = bufferScope(ctx, m, path); err != nil {
			return nil, "", Commit{}, err
		}
	} else if err := notes.CheckTree(ctx, m.notes, &alone); err != nil {
		return nil, "", Commit{}, fail("ingest", "tree", Invalid, err)
	}
	id, c, err = ingest.RunTree(ctx, m.writer, ingest.Tree{Root: &alone, Parent: parent, Over: path, Holder: holder}, opts.OrZero())
	return m, id, c, err
}

// bufferScope returns the memory of the session that keeps a file's buffer.
func bufferScope(ctx context.Context, m *Memory, path string) (*Memory, error) {
	if m.scope.IsSession() {
		return m, nil
	}
	session := m.scope.Actor(ctx).Session
	if session == "" {
		return nil, fail("ingest", path, Invalid, errors.New("the tree is a buffer of this file; name the session that it belongs to"))
	}
	return m.Scope(ctx, scope.Session+"/"+session)
}
