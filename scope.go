// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/internal/scope"
)

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
		if top.scope.Root.Region(top.scope.Region(scope.Project + "/" + project)).InRegion(path) {
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
	err := m.folder.Ingest(ctx, opts)
	if m.scope.Parent != nil {
		return err
	}
	for _, project := range slices.Sorted(maps.Keys(m.scope.Options.Projects)) {
		s, scopeErr := m.Scope(ctx, scope.Project+"/"+project)
		if scopeErr == nil {
			scopeErr = s.folder.Ingest(ctx, opts)
		}
		err = cmp.Or(err, scopeErr) // a failing project does not stop the others
	}
	for _, s := range m.scope.Family.Sessions() {
		if s := m.memex.openedScope(s.Name); s != nil {
			err = cmp.Or(err, s.folder.Ingest(ctx, opts))
		}
	}
	return cmp.Or(err, m.scope.StoreInPlace("ingest"), unwritten(m.scope, "ingest"))
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
	holder, path := m.folder.BufferedFile(&alone)
	if path != "" {
		if m, err = bufferScope(ctx, m, path); err != nil {
			return nil, "", Commit{}, err
		}
	} else if err := m.notes.CheckTree(ctx, &alone); err != nil {
		return nil, "", Commit{}, fail("ingest", "tree", Invalid, err)
	}
	id, c, err = m.folder.IngestTree(ctx, &alone, parent, opts.OrZero(), path, holder)
	return m, id, c, err
}

// bufferScope returns the memory of the session that keeps a file's buffer.
func bufferScope(ctx context.Context, m *Memory, path string) (*Memory, error) {
	if m.scope.IsSession() {
		return m, nil
	}
	session := m.scope.Entry(ctx, "", "", "", 0).Session
	if session == "" {
		return nil, fail("ingest", path, Invalid, errors.New("the tree is a buffer of this file; name the session that it belongs to"))
	}
	return m.Scope(ctx, scope.Session+"/"+session)
}
