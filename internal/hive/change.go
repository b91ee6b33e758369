// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive

import (
	"context"
	"errors"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/write"
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

// read brings memory up to date with a file and returns its text, "" if it does not exist. It
// rejects an encrypted file.
func (w *change) read(path string) (string, error) {
	text, _, err := w.c.Read(path)
	if d, ok := w.c.State().Document(path); err == nil && ok && d.Derived.Encrypted {
		err = w.c.Fail(path, fault.Invalid, errors.New("the file is encrypted, so nothing is written into it"))
	}
	return text, err
}
