// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/testhook"
	"github.com/fovea-memory/fovea/internal/travel"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/merkle"
)

func init() {
	testhook.SetBehind = func(memory any, bytes int64) {
		tx := memory.(*Memory).scope.Chain.Begin()
		defer tx.End()
		tx.Images().SetBehind(bytes)
	}
	testhook.SetStore = func(opts any, open func(state vfs.FS) store.Store) {
		opts.(*Options).OpenStore = func(in vfs.FS) (store.Store, error) { return open(in), nil }
	}
	testhook.Rewrite = func(ctx context.Context, memory any, base merkle.Digest, ids []string, edit func(path, text string) string) error {
		return memory.(*Memory).notes.RewriteNodes(ctx, base, ids, edit)
	}
	testhook.RememberTogether = func(ctx context.Context, memory any, under string, titles ...string) error {
		return memory.(*Memory).notes.RememberTogether(ctx, under, titles)
	}
	testhook.MergeStore = func(ctx context.Context, memory any, state vfs.FS, opts any) (any, []string, []document.Conflict, error) {
		return travel.MergeStore(ctx, memory.(*Memory).history, state, "copy", opts.(*WriteOptions))
	}
	testhook.Fresh = func(v any) any { return view.Fresh(v.(*View)) }
	testhook.State = func(v any) *graph.State { return view.StateOf(v.(*View)) }
	testhook.ViewOf = func(state *graph.State) any { return view.New(state, Commit{}, "") }
}
