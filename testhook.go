// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"time"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/testhook"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

func init() {
	testhook.SetBehind = func(memory any, bytes int64) {
		tx := memory.(*Memory).chain.Begin()
		defer tx.End()
		tx.Images().SetBehind(bytes)
	}
	testhook.SetStore = func(opts any, open func(state vfs.FS) store.Store) {
		opts.(*Options).openStore = func(in vfs.FS, _ *disk.Options) (store.Store, error) { return open(in), nil }
	}
	testhook.Rewrite = func(ctx context.Context, memory any, base merkle.Digest, ids []string, edit func(path, text string) string) error {
		return memory.(*Memory).rewriteNodes(ctx, base, ids, edit)
	}
	testhook.RememberTogether = func(ctx context.Context, memory any, under string, titles ...string) error {
		return memory.(*Memory).rememberTogether(ctx, under, titles)
	}
	testhook.MergeStore = func(ctx context.Context, memory any, state vfs.FS, opts any) (any, []string, []node.Conflict, error) {
		return memory.(*Memory).mergeStore(ctx, state, "copy", opts.(*WriteOptions))
	}
	testhook.Fresh = func(view any) any {
		v := view.(*View)
		return fresh(v)
	}
	testhook.State = func(view any) *graph.State { return view.(*View).state }
	testhook.ViewOf = func(state *graph.State) any { return viewOf(state, Commit{}, "") }
}

func (m *Memory) rewriteNodes(ctx context.Context, base merkle.Digest, ids []string, edit func(path, text string) string) error {
	_, err := m.edit(ctx, &WriteOptions{}, "edit", nil, func(e *editing) error {
		e.message = "rewritten"
		for _, id := range ids {
			n, err := e.node(ctx, id, base, change{file: func(doc *org.Document, _ int, _ time.Time) (string, error) { return edit("", doc.Source), nil }})
			if err != nil {
				return err
			}
			e.put(n.Path, edit(n.Path, e.document(n.Path).Source))
		}
		return nil
	})
	return err
}

func (m *Memory) rememberTogether(ctx context.Context, under string, titles []string) error {
	var all []*noting
	for _, title := range titles {
		r := &noting{ctx: ctx, opts: &WriteOptions{}, under: under, h: document.InsertHeadline{Title: title, Body: "of " + title}, author: m.actor(ctx).Author}
		if err := r.prepare(m); err != nil {
			return err
		}
		all = append(all, r)
	}
	defer m.chain.Begin().End()
	m.rememberAll(all)
	var errs []error
	for _, r := range all {
		errs = append(errs, r.err)
	}
	return errors.Join(errs...)
}
