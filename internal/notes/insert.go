// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package notes

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/merkle"
)

// Insert is that of fovea.Notes.
func (ns *Notes) Insert(ctx context.Context, under string, h document.InsertHeadline, opts *scope.WriteOptions) (chain.Commit, string, error) {
	tx := ns.scope.Chain.Begin()
	defer tx.End()
	return ns.insert(ctx, tx, editAction("insert", opts), under, h)
}

// insert is Insert within a write of its caller.
func (ns *Notes) insert(ctx context.Context, tx *chain.Tx, a scope.Action, under string, h document.InsertHeadline) (chain.Commit, string, error) {
	id := ""
	for _, p := range h.Properties {
		if strings.EqualFold(p.Key, "ID") {
			id = p.Value
		}
	}
	if id == "" {
		id = uuid.NewString()
		h.Properties = append([]document.Property{{Key: "ID", Value: id}}, slices.Clone(h.Properties)...)
	}
	c, first, err := ns.perform(ctx, tx, a, func(e *editing) error {
		if n, ok := ns.scope.Present().Get(under); ok && ns.scope.Present().IsTree(n.Path) {
			return e.insertTree(ctx, under, h)
		}
		name, doc, i, err := e.place(ctx, under)
		if err != nil {
			return err
		}
		splices, err := doc.Edit(i, e.action.Now, h)
		if err != nil {
			return fault.Wrap(e.action.Name, under, fault.Invalid, err)
		}
		e.action.Message, e.adds = name+": "+h.Title, 1
		return e.splice(name, doc.Source(), splices)
	})
	switch {
	case err != nil:
		return chain.Commit{}, "", err
	case first != nil:
		return c, scope.Inserted(first), nil
	}
	return c, id, nil
}

// place returns the document and the index of the headline that becomes the parent, -1 for
// the document itself. A file that does not exist is an empty document.
func (e *editing) place(ctx context.Context, under string) (name string, doc document.Text, i int, err error) {
	if _, ok := e.ns.scope.Present().Get(under); ok {
		n, err := e.node(ctx, under, merkle.Digest{}, change{})
		switch {
		case err != nil:
			return "", nil, 0, err
		case n.Derived.Encrypted:
			return "", nil, 0, fault.Wrap(e.action.Name, under, fault.Invalid, errEncrypted)
		}
		return n.Path, e.document(n.Path), e.headline(n), nil
	}
	if !e.ns.scope.Options.Formats.Owns(under) {
		return "", nil, 0, fault.Wrap(e.action.Name, under, fault.NotFound, errors.New("no such node, and no name for an Org file"))
	}
	if doc, err = e.existing(ctx, under); err != nil {
		return "", nil, 0, err
	}
	if d, ok := e.ns.scope.Present().Document(under); ok && d.Derived.Encrypted {
		return "", nil, 0, fault.Wrap(e.action.Name, under, fault.Invalid, errEncrypted)
	}
	if doc == nil {
		doc = parse(e.ns.scope.Present(), under, "")
	}
	return under, doc, -1, nil
}
