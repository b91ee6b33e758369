// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package notes

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/ingest"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/org"
)

// Refile is that of fovea.Notes.
func (ns *Notes) Refile(ctx context.Context, id, target string, opts *scope.WriteOptions) (chain.Commit, error) {
	return ns.edit(ctx, "refile", opts, func(e *editing) error {
		if err := e.requireHere(id, target); err != nil {
			return err
		}
		n, err := branch(e, id, e.base, unchanged)
		if err != nil {
			return err
		}
		kind := unchanged.filesOnly()
		if document.IsMemory(n.Path) {
			kind = unchanged // a tree also moves to a tree
		}
		to, err := e.node(target, merkle.Digest{}, kind)
		if err != nil {
			return err
		}
		e.c.Action.Message = described(n) + " to " + described(to)
		switch {
		case document.IsMemory(to.Path):
			put, ok := ingest.MoveBranch(e.c.State(), n, to)
			if !ok {
				return e.c.Fail(n.ID, fault.Invalid, errors.New("a node cannot move below itself"))
			}
			e.tree(func(_ *graph.State, d *graph.Draft) error { return put(d) })
			return nil
		case document.IsMemory(n.Path):
			return e.refileTree(n, to)
		}
		from := e.c.Document(n.Path)
		dest := from
		if to.Path != n.Path {
			dest = e.c.Document(to.Path)
		}
		docs, err := orgOf(from, dest)
		if err != nil {
			return e.c.Fail(id, fault.Invalid, err)
		}
		out, in, err := org.Refile(docs[0], e.c.Headline(n), docs[1], e.c.Headline(to), e.c.Action.Now)
		if err != nil {
			return e.c.Fail(id, fault.Invalid, err)
		}
		if dest != from {
			if err := e.c.Splice(to.Path, dest.Source(), in); err != nil {
				return err
			}
		}
		return e.c.Splice(n.Path, from.Source(), out)
	})
}

// requireHere rejects nodes of other open scopes: their histories are separate, so no single
// commit could record the move.
func (e *editing) requireHere(ids ...string) error {
	here := e.ns.scope
	for _, id := range ids {
		if _, has := here.Present().Get(id); has {
			continue
		}
		for _, s := range append(here.WithFiles(), here.Sessions()...) {
			n, there := s.Present().Get(id)
			if !there {
				continue
			}
			way := "cut it out and paste it in an editor, and both files are read with the next ingest"
			if document.IsMemory(n.Path) {
				way = "take the tree in on the other side, then delete it where it was"
			}
			return e.c.Fail(id, fault.Invalid, fmt.Errorf("it is of %s, and a note moves only within its scope, here %s; %s", s.Name, here.Name, way))
		}
	}
	return nil
}

// Archive is that of fovea.Notes.
func (ns *Notes) Archive(ctx context.Context, id string, opts *scope.WriteOptions) (chain.Commit, error) {
	return ns.edit(ctx, "archive", opts, func(e *editing) error {
		n, err := branch(e, id, e.base, unchanged.filesOnly())
		if err != nil {
			return err
		}
		from, i := e.c.Document(n.Path), e.c.Headline(n)
		if i < 0 {
			return e.c.Fail(id, fault.Invalid, errors.New("a whole document is not archived; move the file"))
		}
		name, err := e.archiveOf(from, i, n.Path)
		if err != nil {
			return e.c.Fail(id, fault.Invalid, err)
		}
		archive, err := e.existing(name)
		if err != nil {
			return err
		}
		docs, err := orgOf(from, archive)
		if err != nil {
			return e.c.Fail(id, fault.Invalid, err)
		}
		out, in, err := org.Archive(docs[0], i, filepath.Join(ns.scope.Dir, filepath.FromSlash(n.Path)), docs[1], e.c.Action.Now)
		if err != nil {
			return e.c.Fail(id, fault.Invalid, err)
		}
		e.c.Action.Message = fmt.Sprintf("%s: %s to %s", n.Path, n.Title(), name)
		source := ""
		if archive != nil {
			source = archive.Source()
		}
		if err := e.c.Splice(name, source, in); err != nil {
			return err
		}
		return e.c.Splice(n.Path, from.Source(), out)
	})
}

// archiveOf returns the path of a headline's archive relative to the memex.
func (e *editing) archiveOf(from document.Text, i int, file string) (string, error) {
	docs, err := orgOf(from)
	if err != nil {
		return "", err
	}
	name, err := org.ArchiveFile(docs[0], i, file)
	if err != nil {
		return "", err
	}
	home := strings.HasPrefix(name, "~") || strings.Contains(name, "/~") // Org reads it as the home folder
	below, ok := e.ns.scope.Root.Relative(filepath.FromSlash(name))
	if !ok || home {
		return "", fmt.Errorf("its archive, %s, lies outside the memex, and notes stay in it; let #+ARCHIVE or the property ARCHIVE name a file of the memex, as "+
			"in %q", name, "%s_archive::")
	}
	name = below
	if name == file {
		return "", errors.New("its archive is the file that it is already in")
	}
	return name, nil
}

// existing brings memory up to date with a file and parses it; nil if there is none.
func (e *editing) existing(name string) (document.Text, error) {
	if _, there, err := e.c.Read(name); err != nil || !there {
		return nil, err
	}
	return e.c.Document(name), nil
}
