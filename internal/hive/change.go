// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/write"
	"github.com/fovea-memory/fovea/node"
)

// change is one operation on messages and tasks.
type change struct {
	c   *write.Change
	h   *Hive
	ctx context.Context
}

// run performs an operation, see write.Writer.Do.
func (h *Hive) run(ctx context.Context, a scope.Action, do func(*change) error) (chain.Commit, *graph.Commit, error) {
	a.Kind = graph.KindEdit
	return h.writer.Do(ctx, a, func(c *write.Change) error { return do(&change{c, h, ctx}) })
}

// read brings a file up to date with memory, and returns its text, "" for a file that does not
// exist. It refuses an encrypted one.
func (w *change) read(path string) (string, error) {
	text, _, err := w.c.Read(path)
	if d, ok := w.c.State().Document(path); err == nil && ok && d.Derived.Encrypted {
		err = w.c.Fail(path, fault.Invalid, errors.New("the file is encrypted, so nothing is written into it"))
	}
	return text, err
}

// setOwn sets a property of headlines, and parses their own texts alone: a file of many is
// not parsed for each.
func (w *change) setOwn(nodes map[string]*node.Node, key, value string) error {
	files := map[string]bool{}
	for _, n := range nodes {
		files[n.Path] = true
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		var text strings.Builder
		for _, n := range w.c.State().Nodes(path) {
			own := n.Content
			if nodes[n.ID] != nil {
				var err error
				if own, err = write.Edited(write.Parse(w.c.State(), path, own), 0, w.c.Action.Now, document.SetProperty{Key: key, Value: value}); err != nil {
					return w.c.Fail(path, fault.Invalid, err)
				}
			}
			text.WriteString(own)
		}
		w.c.Put(path, text.String())
	}
	return nil
}
