// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package notes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/node"
)

// ResolveConflicts is that of fovea.Notes.
func (ns *Notes) ResolveConflicts(ctx context.Context, id string, opts *scope.WriteOptions, take bool, which ...int) (chain.Commit, error) {
	return ns.edit(ctx, "resolve", opts, func(e *editing) error {
		n, err := e.node(id, e.base, unchanged.filesOnly())
		if err != nil {
			return err
		}
		apply, err := resolution(e.ns.scope.Options.Formats.Of(n.Path), n, take, which)
		if err != nil {
			kind := fault.Invalid
			if errors.Is(err, document.ErrMoved) {
				kind = fault.Conflict
			}
			return e.c.Fail(id, kind, err)
		}
		return e.change(n, apply)
	})
}

// resolution returns the change of a node's document that ends the conflicts.
func resolution(format document.Format, n *node.Node, take bool, which []int) (change, error) {
	var kept []document.Conflict
	keeper, ok := format.(document.Editor)
	if ok && !n.Derived.Opaque {
		kept = keeper.Conflicts(n.Part())
	}
	if len(kept) == 0 {
		return change{}, errors.New("the node keeps no conflict; fovea query tags-local:conflict lists those that do")
	}
	if len(which) == 0 {
		for i := range kept {
			which = append(which, i)
		}
	}
	for _, i := range which {
		if i < 0 || i >= len(kept) {
			return change{}, fmt.Errorf("no conflict %d; the node keeps %d", i+1, len(kept))
		}
	}
	if take && slices.ContainsFunc(which, func(i int) bool { return kept[i].Field == document.FieldDeleted }) {
		return typed(document.Delete{}).filesOnly(), nil
	}
	own, err := keeper.Resolved(n.Part(), take, which...)
	return change{file: func(doc document.Text, i int, _ time.Time) (string, error) {
		start, end := doc.Own(i)
		return document.Apply(doc.Source(), []document.Splice{{Start: start, End: end, New: own}})
	}}, err
}
