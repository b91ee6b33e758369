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
	"github.com/fovea-memory/fovea/internal/write"
	"github.com/fovea-memory/fovea/merkle"
)

// Insert is that of fovea.Notes.
func (ns *Notes) Insert(ctx context.Context, under string, h document.InsertHeadline, opts *scope.WriteOptions) (chain.Commit, string, error) {
	h, id := withID(h)
	c, first, err := ns.perform(ctx, "insert", opts, func(e *editing) error { return e.insert(under, h) })
	switch {
	case err != nil:
		return chain.Commit{}, "", err
	case first != nil:
		return c, scope.Inserted(first), nil
	}
	return c, id, nil
}

// withID returns a headline with an ID, a new one unless it has one already, and that id.
func withID(h document.InsertHeadline) (document.InsertHeadline, string) {
	for _, p := range slices.Backward(h.Properties) {
		if strings.EqualFold(p.Key, "ID") {
			return h, p.Value
		}
	}
	id := uuid.NewString()
	h.Properties = slices.Concat([]document.Property{{Key: "ID", Value: id}}, h.Properties)
	return h, id
}

// insert adds a headline below a node or to a file.
func (e *editing) insert(under string, h document.InsertHeadline) error {
	if n, ok := e.c.State().Get(under); ok && e.c.State().IsTree(n.Path) {
		return e.insertTree(under, h)
	}
	name, doc, i, err := e.place(under)
	if err != nil {
		return err
	}
	splices, err := doc.Edit(i, e.c.Action.Now, h)
	if err != nil {
		return e.c.Fail(under, fault.Invalid, err)
	}
	e.c.Action.Message, e.adds = name+": "+h.Title, 1
	return e.c.Splice(name, doc.Source(), splices)
}

// place returns the document and the index of the headline that becomes the parent, -1 for
// the document itself. A file that does not exist is an empty document.
func (e *editing) place(under string) (name string, doc document.Text, i int, err error) {
	if _, ok := e.c.State().Get(under); ok {
		n, err := e.node(under, merkle.Digest{}, change{})
		switch {
		case err != nil:
			return "", nil, 0, err
		case n.Derived.Encrypted:
			return "", nil, 0, e.c.Fail(under, fault.Invalid, errEncrypted)
		}
		return n.Path, e.c.Document(n.Path), e.c.Headline(n), nil
	}
	if !e.ns.scope.Options.Formats.Owns(under) {
		return "", nil, 0, e.c.Fail(under, fault.NotFound, errors.New("no such node, and not the name of an Org file"))
	}
	if doc, err = e.existing(under); err != nil {
		return "", nil, 0, err
	}
	if d, ok := e.c.State().Document(under); ok && d.Derived.Encrypted {
		return "", nil, 0, e.c.Fail(under, fault.Invalid, errEncrypted)
	}
	if doc == nil {
		doc = write.Parse(e.c.State(), under, "")
	}
	return under, doc, -1, nil
}
