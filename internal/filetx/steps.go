// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package filetx

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
)

// AddSteps adds one commit for each step by which a file grows to its text.
func (files *Files) AddSteps(ctx context.Context, tx *chain.Tx, all *chain.Steps, path, text string, steps []Step) error {
	for _, s := range steps {
		if err := files.addStep(ctx, tx, all, s.Commit, map[string]string{path: text[:s.Length]}); err != nil {
			return err
		}
	}
	return nil
}

// addSplices adds one commit for each step of an intent. Errors: errSteps if the steps do not
// lead from the files before to those after.
func (files *Files) addSplices(ctx context.Context, tx *chain.Tx, all *chain.Steps, in *Intent) error {
	texts := make([]string, len(in.files))
	for i := range in.files {
		texts[i] = in.files[i].before(files.scope.Present()).Text
	}
	for i := range in.steps {
		next := map[string]string{}
		for j := range in.steps[i].Splices {
			s, ok := &in.steps[i].Splices[j], false
			if texts[s.File], ok = s.apply(texts[s.File]); !ok {
				return errSteps
			}
			next[in.files[s.File].path] = texts[s.File]
		}
		if err := files.addStep(ctx, tx, all, in.steps[i].Commit, next); err != nil {
			return err
		}
	}
	for i := range in.files {
		if merkle.SumText(texts[i]) != in.files[i].next {
			return errSteps
		}
	}
	return nil
}

// addStep adds a commit that gives files new texts.
func (files *Files) addStep(ctx context.Context, tx *chain.Tx, all *chain.Steps, c graph.Commit, texts map[string]string) error {
	head := all.Head(tx).State
	draft := head.Edit(c.Time)
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		draft.Put(path, document.File(texts[path], false))
	}
	files.scope.DropUnusedSetups(head, draft)
	state, delta := draft.Seal()
	if delta.Empty() {
		return fmt.Errorf("%s: a step changes nothing", c.Message)
	}
	return tx.Add(ctx, all, state, &delta, c, files.scope.DriftMarks(delta.Paths, nil)...)
}
