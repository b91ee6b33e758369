// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package testhook

import (
	"context"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// In what follows memory is a *fovea.Memory, view a *fovea.View, commit a fovea.Commit, and
// opts a *fovea.WriteOptions.
var (
	// SetBehind sets how many bytes of journal are behind the newest image.
	SetBehind func(memory any, bytes int64)
	// SetStore makes the memory that opens with opts, a *fovea.Options, keep its history in
	// the store that open returns for its state folder.
	SetStore func(opts any, open func(state vfs.FS) store.Store)
	// Rewrite edits the files of several nodes in one commit.
	Rewrite func(ctx context.Context, memory any, base merkle.Digest, ids []string, edit func(path, text string) string) error
	// RememberTogether remembers notes of these titles that arrived while another writer
	// was busy.
	RememberTogether func(ctx context.Context, memory any, under string, titles ...string) error
	// MergeStore is Memory.Merge from a state folder in any file system.
	MergeStore func(ctx context.Context, memory any, state vfs.FS, opts any) (commit any, files []string, conflicts []document.Conflict, err error)
	// Fresh returns the same view with indexes made from nothing.
	Fresh func(view any) any
	// State returns the state that a view shows.
	State func(view any) *graph.State
	// ViewOf returns a view of a state.
	ViewOf func(state *graph.State) any
)
