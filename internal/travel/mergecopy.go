// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package travel

import (
	"context"
	"errors"
	"slices"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/text"
)

// MergeCopy merges the conflict copy at path into the original file, with their last common version
// as merge base, and removes the copy. If history has no such version, the merge keeps the text of
// both. opts are those of Rollback, with Base of the copy; the errors are those of Rollback, and
// Invalid for a document that is no conflict copy.
func MergeCopy(ctx context.Context, h *History, path string, opts *scope.WriteOptions) (chain.Commit, error) {
	c, _, err := h.perform(ctx, "resolve", graph.KindEdit, opts, func(r *rollback) (string, error) {
		here := h.scope.Present()
		of := here.CopyOf(path)
		if of == "" {
			return "", fault.Errorf("resolve", path, fault.Invalid, "the file is no conflict copy")
		}
		if n, _ := here.Document(path); !r.opts.Base.IsZero() && r.opts.Base != n.Version && r.opts.Base != n.Own {
			return "", fault.Errorf("resolve", path, fault.Conflict, "the copy changed since it was read; look at it and try again")
		}
		ours, _ := here.Text(of)
		theirs, _ := here.Text(path)
		base, err := copyBase(ctx, h, of, path, ours, theirs)
		if err != nil {
			return "", fault.Wrap("resolve", path, fault.Corrupt, err)
		}
		merged, _ := graph.MergeFile(h.scope.Options.Formats, of, base, ours, theirs, func(text string) string {
			if text == ours {
				return of
			}
			return path
		})
		draft := here.Edit(h.scope.Options.Now().UnixMilli())
		original, _ := here.Document(of)
		draft.Put(of, document.File(merged, original.Derived.Opaque))
		draft.Drop(path)
		r.target, _ = draft.Seal()
		return path + " into " + of, nil
	})
	return c, err
}

// maxMergeBases is the maximum number of versions of a file that are compared with its copy.
const maxMergeBases = 32

// copyBase returns the version of a file that differs least from its conflict copy, among those
// older than the copy; "" for none. A copy that equals a version of the file is the local text that
// the file of another machine has replaced: then copyBase compares the present file instead, with
// still older versions.
func copyBase(ctx context.Context, h *History, of, path, ours, theirs string) (string, error) {
	var seqs []uint64
	came := false
	has := func(c *graph.Commit, path string) bool {
		return slices.ContainsFunc(c.Delta, func(r graph.Record) bool { return r.New != nil && r.New.Path == path })
	}
	err := h.scope.Chain.Commits(ctx, 1, h.scope.Chain.Head().Commit.Seq, func(c *graph.Commit) error {
		if came = came || has(c, path); !came && has(c, of) {
			seqs = append(seqs, c.Seq)
		}
		return nil
	})
	base, least := "", -1
	for _, seq := range slices.Backward(seqs[max(0, len(seqs)-maxMergeBases):]) {
		v, lookErr := h.scope.Chain.PartAt(ctx, seq)
		if err != nil || lookErr != nil {
			return "", errors.Join(err, lookErr)
		}
		was, _ := v.State.Text(of)
		if was == theirs {
			theirs, base, least = ours, "", -1
			continue
		}
		cost := 0
		for _, hunk := range text.Diff(text.SplitLines(was), text.SplitLines(theirs)) {
			cost += 2*(hunk.End-hunk.Start) + hunk.NewEnd - hunk.NewStart // missing lines may have been added later
		}
		if least < 0 || cost <= least {
			base, least = was, cost
		}
	}
	return base, err
}
