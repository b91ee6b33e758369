// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ingest

import (
	"slices"
	"sync/atomic"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/merkle"
)

// Reader ingests the folder, and trees without files, into the memory of a scope.
type Reader struct {
	scope  *scope.Scope
	rights *scope.Rules

	published atomic.Pointer[Report]
	removals  removals

	// The chain's writer guards these fields.
	table     *corpus.Table
	tableOld  bool             // it changed since it was loaded or saved
	tableRoot merkle.Digest    // the root at that time
	problems  []corpus.Problem // of the last scan
	missing   []string         // files absent from it whose deletion is held back, sorted
}

// New returns the reader of a scope.
func New(s *scope.Scope, r *scope.Rules) *Reader { return &Reader{scope: s, rights: r} }

// BufferedFile returns the file whose document a tree names, "" for none, and the scope that
// holds it. Such a tree is the unsaved buffer of an editor: a session's document under the path of
// the file. The drift of the session holds the digest that the file had when the buffer was sent.
func BufferedFile(in *scope.Scope, t *ast.Tree) (holder *scope.Scope, path string) {
	for _, s := range in.WithFiles() {
		state := s.Present()
		if n, ok := state.Get(t.ID()); ok && n.Parent == "" && !state.IsTree(n.Path) {
			return s, n.Path
		}
		if t.Type != "org-data" && t.Type != document.TypeDocument {
			continue
		}
		for _, key := range []string{"PATH", "FILE"} {
			name, inside := s.Root.Relative(t.Text(key))
			if _, ok := state.Document(name); ok && inside && t.Text(key) != "" {
				return s, name
			}
		}
	}
	return nil, ""
}

// Buffers returns the unsaved buffers of editors; nil if there are none.
func (r *Reader) Buffers() *corpus.Buffers { return r.scope.Options.Buffers }

// Locate returns the place of a file that an editor names, absolute or below the memex, and
// whether a format reads it. The file need not exist. Errors: corpus.ErrOutside, and those of
// corpus.Root.Place.
func (r *Reader) Locate(name string) (place corpus.Place, parsed bool, err error) {
	for _, s := range r.scope.WithFiles() {
		if path, inside := s.Root.Relative(name); inside && path != "." && s.Root.InRegion(path) {
			place, err = s.Root.Place(path)
			admitted, unsure := s.Root.Admits(path)
			return place, admitted && unsure == nil, err
		}
	}
	return place, false, corpus.ErrOutside
}

// Wrote reports whether the memory itself wrote all files at paths, given below the memex
// without links, so that Ingest would find nothing that the memory does not hold or is about to
// hold. If in doubt it returns false. It does not wait for file writes, and costs a stat per path.
func (r *Reader) Wrote(paths []string) bool {
	if slices.ContainsFunc(r.scope.Sessions(), overFiles) {
		return false // a change of a file drops the buffer over it
	}
	holders := r.scope.WithFiles()
	for _, path := range paths {
		i := slices.IndexFunc(holders, func(s *scope.Scope) bool { return s.Root.InRegion(path) })
		if i < 0 || !wrote(holders[i], path) {
			return false
		}
		for j, s := range holders {
			if j != i && s.Present().Asked(path) {
				return false // it has its own copy of that setup file
			}
		}
	}
	return true
}

// wrote is Wrote for one path of one scope.
func wrote(s *scope.Scope, path string) bool {
	defer s.Chain.Reading()()
	doc, ok := s.Present().Document(path)
	return ok && len(doc.Derived.Setup) == 0 && // setup files may be outside the scanned folders
		s.Root.Wrote(path) && s.Chain.Store().Err() == nil
}

// overFiles reports whether a session holds buffers of files.
func overFiles(s *scope.Scope) bool {
	defer s.Chain.Begin().End()
	return len(s.Drift()) > 0
}
