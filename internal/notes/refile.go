// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package notes

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/ingest"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/org"
)

// Refile is that of fovea.Notes.
func (ns *Notes) Refile(ctx context.Context, id, target string, opts *scope.WriteOptions) (chain.Commit, error) {
	opts = opts.OrZero()
	return ns.edit(ctx, editAction("refile", opts), func(e *editing) error {
		if err := e.requireHere(id, target); err != nil {
			return err
		}
		n, err := branch(ctx, e, id, opts.Base, unchanged)
		if err != nil {
			return err
		}
		kind := unchanged.filesOnly()
		if document.IsMemory(n.Path) {
			kind = unchanged // a tree also moves to a tree
		}
		to, err := e.node(ctx, target, merkle.Digest{}, kind)
		if err != nil {
			return err
		}
		e.action.Message = described(n) + " to " + described(to)
		switch {
		case document.IsMemory(to.Path):
			put, ok := ingest.MoveBranch(e.ns.scope.Present(), n, to)
			if !ok {
				return fault.Wrap(e.action.Name, n.ID, fault.Invalid, errors.New("a node cannot move below itself"))
			}
			e.trees = append(e.trees, put)
			return nil
		case document.IsMemory(n.Path):
			return e.refileTree(n, to)
		}
		from := e.document(n.Path)
		dest := from
		if to.Path != n.Path {
			dest = e.document(to.Path)
		}
		out, in, err := refiled(from, e.headline(n), dest, e.headline(to), e.action.Now)
		if err != nil {
			return fault.Wrap(e.action.Name, id, fault.Invalid, err)
		}
		if dest != from {
			if err := e.splice(to.Path, dest.Source(), in); err != nil {
				return err
			}
		}
		return e.splice(n.Path, from.Source(), out)
	})
}

// requireHere refuses nodes of other open scopes: their histories are separate, and no single
// commit could record a move.
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
			return fault.Wrap(e.action.Name, id, fault.Invalid, fmt.Errorf("it is of %s, and a note moves only within its scope, here %s; %s", s.Name, here.Name, way))
		}
	}
	return nil
}

// Archive is that of fovea.Notes.
func (ns *Notes) Archive(ctx context.Context, id string, opts *scope.WriteOptions) (chain.Commit, error) {
	opts = opts.OrZero()
	return ns.edit(ctx, editAction("archive", opts), func(e *editing) error {
		n, err := branch(ctx, e, id, opts.Base, unchanged.filesOnly())
		if err != nil {
			return err
		}
		from, i := e.document(n.Path), e.headline(n)
		if i < 0 {
			return fault.Wrap(e.action.Name, id, fault.Invalid, errors.New("a whole document is not archived; move the file"))
		}
		name, err := e.archiveOf(from, i, n.Path)
		if err != nil {
			return fault.Wrap(e.action.Name, id, fault.Invalid, err)
		}
		if err := ns.rights.MayWrite(ctx, e.action, name); err != nil {
			return err
		}
		archive, err := e.existing(ctx, name)
		if err != nil {
			return err
		}
		out, in, err := archived(from, i, filepath.Join(ns.scope.Dir, filepath.FromSlash(n.Path)), archive, e.action.Now)
		if err != nil {
			return fault.Wrap(e.action.Name, id, fault.Invalid, err)
		}
		e.action.Message = fmt.Sprintf("%s: %s to %s", n.Path, n.Title(), name)
		source := ""
		if archive != nil {
			source = archive.Source()
		}
		if err := e.splice(name, source, in); err != nil {
			return err
		}
		return e.splice(n.Path, from.Source(), out)
	})
}

// archiveOf returns the path of a headline's archive relative to the memex.
func (e *editing) archiveOf(from document.Text, i int, file string) (string, error) {
	doc, err := orgOf(from)
	if err != nil {
		return "", err
	}
	name, err := org.ArchiveFile(doc, i, file)
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
		return "", errors.New("its archive is the file it stands in")
	}
	return name, nil
}

// existing brings memory up to date with a file and parses it; nil if there is none. A scan
// must list the file, or would list it if it existed.
func (e *editing) existing(ctx context.Context, name string) (document.Text, error) {
	if _, there, err := e.present(ctx, name); err != nil || !there {
		return nil, err
	}
	if err := e.isParsed(name); err != nil {
		return nil, err
	}
	return e.document(name), nil
}

// present is existing without parsing: it returns the text of the file.
func (e *editing) present(ctx context.Context, name string) (text string, there bool, err error) {
	switch ok, err := e.ns.scope.Root.Admits(name); {
	case err != nil:
		return "", false, scope.FailWrite(e.action.Name, name, err)
	case !ok:
		return "", false, fault.Wrap(e.action.Name, name, fault.Invalid, errors.New("an Org file of this path would be no part of the memex"))
	}
	_, known := e.ns.scope.Present().Document(name)
	text, err = ingest.Refresh(ctx, e.tx, e.ns.folder, e.action, name)
	if errors.Is(err, corpus.ErrVanished) && !known {
		return "", false, nil
	}
	return text, err == nil, err
}

// splice applies splices to a file's text and sets the result.
func (e *editing) splice(name, source string, splices []document.Splice) error {
	text, err := document.Apply(source, splices)
	if err != nil {
		return fault.Wrap(e.action.Name, name, fault.Other, err)
	}
	e.put(name, text)
	return nil
}

// refiled is org.Refile for texts.
func refiled(from document.Text, i int, to document.Text, target int, now time.Time) (out, in []document.Splice, err error) {
	a, err := orgOf(from)
	if err != nil {
		return nil, nil, err
	}
	b, err := orgOf(to)
	if err != nil {
		return nil, nil, err
	}
	return org.Refile(a, i, b, target, now)
}

// archived is org.Archive for texts; archive is nil for a new file.
func archived(from document.Text, i int, name string, archive document.Text, now time.Time) (out, in []document.Splice, err error) {
	a, err := orgOf(from)
	if err != nil {
		return nil, nil, err
	}
	var b *org.Document
	if archive != nil {
		if b, err = orgOf(archive); err != nil {
			return nil, nil, err
		}
	}
	return org.Archive(a, i, name, b, now)
}
