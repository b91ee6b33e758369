// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package travel

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
)

// WriteFiles writes texts to files, by path, in one commit with a message. It is for imports that
// were decided on at Head of opts. Conditions, results and errors are those of Rollback; a path
// that Fovea does not read is Invalid. It can be canceled until the first file is written.
func WriteFiles(ctx context.Context, h *History, texts map[string]string, message string, opts *scope.WriteOptions) (chain.Commit, []string, error) {
	const name = "import"
	return h.perform(ctx, name, graph.KindEdit, opts, func(r *rollback) (string, error) {
		draft := h.scope.Present().Edit(h.scope.Options.Now().UnixMilli())
		for _, path := range slices.Sorted(maps.Keys(texts)) {
			if err := ctx.Err(); err != nil {
				return "", fault.Wrap(name, path, fault.Other, err)
			}
			read, err := Reads(h, path)
			if err == nil && !read {
				err = errors.New("no note is read from this path; name another folder")
			}
			if err != nil {
				return "", fault.Wrap(name, path, fault.Invalid, err)
			}
			draft.Put(path, document.File(texts[path], false))
		}
		r.target, _ = draft.Seal()
		return message, nil
	})
}

// Reads reports whether Fovea reads a file at a path; the file need not exist. It returns an error
// if the path leads to another file.
func Reads(h *History, path string) (bool, error) {
	admitted, err := h.scope.Root.Admits(path)
	return admitted && h.scope.IsFile(path), err
}

// Had returns the ids among some that a node of this scope ever had. It reads all commits:
// O(their changes).
func Had(ctx context.Context, h *History, ids map[string]bool) (map[string]bool, error) {
	defer h.scope.Chain.Reading()()
	had := map[string]bool{}
	if len(ids) == 0 {
		return had, nil
	}
	err := h.scope.Chain.Commits(ctx, 1, h.scope.Chain.Head().Commit.Seq, func(c *graph.Commit) error {
		for i := range c.Delta {
			if id := c.Delta[i].ID; ids[id] {
				had[id] = true
			}
		}
		return nil
	})
	if err != nil {
		err = fault.Wrap("history", h.scope.Name, fault.Corrupt, err)
	}
	return had, err
}
