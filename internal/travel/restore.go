// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package travel

import (
	"context"
	"fmt"
	"slices"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
)

// RestoreFiles is that of fovea.History.
func (h *History) RestoreFiles(ctx context.Context, paths []string, at string, opts *scope.WriteOptions) (chain.Commit, []string, error) {
	if !h.scope.HasFiles() {
		return chain.Commit{}, nil, fault.Errorf("restore", h.scope.Name, fault.Invalid, "a scope without files has none to restore")
	}
	return h.perform(ctx, "restore", graph.KindRollback, opts, func(r *rollback) (string, error) {
		here := h.scope.Present()
		draft := here.Edit(h.scope.Options.Now().UnixMilli())
		for _, path := range paths {
			text, opaque, err := fileAt(ctx, h, path, at)
			if err != nil {
				return "", err
			}
			if have, ok := here.Text(path); !ok || have != text {
				draft.Put(path, document.File(text, opaque))
			}
		}
		r.target, _ = draft.Seal()
		r.restoresLost = func(path string) bool { return len(paths) == 0 || slices.Contains(paths, path) }
		return "of " + scope.Abbreviate(paths, "what was missing"), nil
	})
}

// fileAt returns a file's text at a moment, by default its newest. The caller is the chain's writer.
func fileAt(ctx context.Context, h *History, path, at string) (text string, opaque bool, err error) {
	if at == "" {
		if at, err = lastWith(ctx, h, path); err != nil {
			return "", false, err
		}
	}
	seq, err := resolve(ctx, h, at)
	if err != nil {
		return "", false, err
	}
	v, err := h.scope.Chain.PartAt(ctx, seq)
	if err != nil {
		return "", false, fault.Wrap("restore", path, goneKind(err), err)
	}
	d, ok := v.State.Document(path)
	if !ok || document.IsMemory(path) {
		return "", false, fault.Errorf("restore", path, fault.NotFound, "there was no such file at commit %d", seq)
	}
	if scope.IsLost(v.State.Nodes(path)) {
		return "", false, fault.Errorf("restore", path, fault.NotFound, "the text that it had at commit %d is not kept any more", seq)
	}
	text, _ = v.State.Text(path)
	return text, d.Derived.Opaque, nil
}

// lastWith returns a reference to the newest commit whose state has a file.
func lastWith(ctx context.Context, h *History, path string) (string, error) {
	head := h.scope.Chain.Head()
	if _, ok := head.State.Document(path); ok {
		return "head", nil
	}
	left := uint64(0) // the newest commit that changed it, which dropped it
	err := h.scope.Chain.Commits(ctx, 1, head.Commit.Seq, func(c *graph.Commit) error {
		if slices.ContainsFunc(c.Delta, func(r graph.Record) bool { return r.Old != nil && r.Old.Path == path }) {
			left = c.Seq
		}
		return nil
	})
	switch {
	case err != nil:
		return "", fault.Wrap("restore", path, fault.Corrupt, err)
	case left < 2:
		return "", fault.Errorf("restore", path, fault.NotFound, "memory never had such a file; fovea log lists what it had")
	}
	return fmt.Sprintf("seq:%d", left-1), nil
}

// lost lists, sorted, the files that are equal in the target and in memory, and so not in the
// delta, but missing from the folder. It leaves out files that the caller may not write, and
// protected ones unless the caller is the owner. A file whose path is blocked, for instance by a
// dangling link, does not stop the others. If there is nothing else to do, it is listed, and
// restoring it fails with the reason.
func (r *rollback) lost(ctx context.Context, delta *graph.Delta) []string {
	if r.restoresLost == nil || r.opts.MemoryOnly || !r.history.scope.HasFiles() {
		return nil
	}
	changed := map[string]bool{}
	for _, path := range delta.Paths {
		changed[path] = true
	}
	var lost, barred []string
	byOwner, may := r.history.rights.ByOwner(ctx), r.history.rights.May(ctx)
	for _, path := range r.target.Paths() {
		switch {
		case !r.history.scope.IsFile(path), changed[path], r.history.scope.Drift().Removed(path), !r.restoresLost(path), !byOwner && r.history.rights.Protected(path):
		case may != nil && may(path) != nil:
		case scope.IsLost(r.target.Nodes(path)):
		case r.history.scope.Root.Vacant(path):
			lost = append(lost, path)
		case r.history.scope.Root.Lost(path):
			barred = append(barred, path)
		}
	}
	if len(lost) == 0 && delta.Empty() {
		return barred
	}
	return lost
}
