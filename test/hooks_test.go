// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/testhook"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

func rewrite(ctx context.Context, m *fovea.Memory, ids []string, edit func(path, text string) string) error {
	return testhook.Rewrite(ctx, m, merkle.Digest{}, ids, edit)
}

func mergeStore(ctx context.Context, m *fovea.Memory, state vfs.FS, opts *fovea.WriteOptions) (fovea.Commit, []string, []document.Conflict, error) {
	c, files, conflicts, err := testhook.MergeStore(ctx, m, state, opts)
	return c.(fovea.Commit), files, conflicts, err
}

func fresh(v *fovea.View) *fovea.View { return testhook.Fresh(v).(*fovea.View) }

func viewOf(state *graph.State) *fovea.View { return testhook.ViewOf(state).(*fovea.View) }
