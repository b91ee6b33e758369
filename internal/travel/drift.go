// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package travel

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/write"
	"github.com/fovea-memory/fovea/merkle"
)

// Drift is that of fovea.History.
func (h *History) Drift() map[string][2]merkle.Digest {
	defer h.scope.Chain.Begin().End()
	out := map[string][2]merkle.Digest{}
	if h.scope.HasFiles() {
		for path, seen := range h.scope.Drift() {
			out[path] = [2]merkle.Digest{digestOf(seen), digestOf(scope.FileNow(h.scope.Present(), path))}
		}
	}
	return out
}

// AdoptDrift is that of fovea.History.
func (h *History) AdoptDrift(ctx context.Context, opts *scope.WriteOptions, paths ...string) (chain.Commit, []string, error) {
	tx := h.scope.Chain.Begin()
	defer tx.End()
	opts = opts.OrZero()
	action := scope.Action{Name: "drift", Kind: graph.KindIngest, Key: opts.Key}
	if first, err := h.scope.Enter(ctx, tx, action); first != nil || err != nil {
		return h.scope.Replay(first), filesOf(first), err
	}
	paths, err := drifting(h.scope, paths)
	if err != nil || len(paths) == 0 {
		return chain.Commit{}, nil, err
	}
	action.Now = h.scope.Options.Now()
	draft := h.scope.Present().Edit(action.Now.UnixMilli())
	for _, path := range paths {
		text, f, err := h.scope.Root.Read(path, 0)
		switch {
		case errors.Is(err, corpus.ErrVanished):
			draft.Drop(path)
		case err != nil:
			return chain.Commit{}, nil, scope.FailWrite("drift", path, err)
		default:
			draft.Put(path, document.File(text, f.Opaque))
		}
	}
	h.scope.DropUnusedSetups(h.scope.Present(), draft)
	state, delta := draft.Seal()
	action.Message = scope.Message(&delta)
	done, err := write.Record(ctx, tx, state, &delta, h.scope.NewCommit(ctx, action), h.scope.DriftMarks(paths, nil)...)
	return done, paths, err
}

// ApplyDrift is that of fovea.History.
func (h *History) ApplyDrift(ctx context.Context, paths ...string) ([]string, error) {
	tx := h.scope.Chain.Begin()
	defer tx.End()
	action := scope.Action{Name: "drift", Kind: graph.KindRollback, Message: "files follow memory", Now: h.scope.Options.Now()}
	if _, err := h.scope.Enter(ctx, tx, action); err != nil {
		return nil, err
	}
	named := len(paths) > 0
	paths, err := drifting(h.scope, paths)
	if paths = slices.DeleteFunc(paths, func(path string) bool { return !named && document.IsIgnore(path) }); err != nil || len(paths) == 0 {
		return nil, err
	}
	op := h.writer.Begin(ctx, tx, action)
	var writes []write.FileWrite
	head := h.scope.Chain.Head()
	for _, path := range paths {
		text, wanted := head.State.Text(path)
		w := write.FileWrite{Path: path, Base: digestOf(h.scope.Drift()[path]), Next: corpus.Next{Text: text, Gone: !wanted, Setup: head.State.Asked(path)}}
		if w.Base == digestOf(scope.FileNow(h.scope.Present(), path)) {
			op.Follow(path, w.Base)
			continue
		}
		writes = append(writes, w)
	}
	if err := op.Prepare(writes...); err != nil {
		return nil, err
	}
	_, err = op.Run(ctx, head.State, &graph.Delta{Paths: paths})
	return paths, err
}

// drifting returns the named or all drifting files, sorted.
func drifting(s *scope.Scope, paths []string) ([]string, error) {
	switch {
	case !s.HasFiles():
		return nil, fault.Errorf("drift", s.Name, fault.Invalid, "a scope without files has no drift")
	case len(paths) == 0: // all but those that only memory has, see rollback.judge
		return slices.DeleteFunc(slices.Sorted(maps.Keys(s.Drift())), func(path string) bool {
			text, _ := s.Present().Text(path)
			verdict, _ := corpus.Judge(s.Root, path, s.Present().Asked(path) && corpus.HoldsSettings(text), nil)
			return verdict != corpus.Listed
		}), nil
	}
	for _, path := range paths {
		if _, ok := s.Drift()[path]; !ok {
			return nil, fault.Errorf("drift", path, fault.NotFound, "this file does not drift; fovea drift lists those that do")
		}
	}
	paths = slices.Clone(paths)
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// digestOf returns the digest that a drifting file had; zero for no file.
func digestOf(seen merkle.Digest) merkle.Digest {
	if seen == scope.NoFile {
		return merkle.Digest{}
	}
	return seen
}
