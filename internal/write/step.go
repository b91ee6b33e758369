// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package write

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Step is one commit of an operation, with what recovery needs to make it again.
type Step struct {
	Commit  graph.Commit // Kind, Author, Session, Op, Time, Message; Parents: the merged head
	Splices []Splice     // the changes of files, ordered by file; none in an operation of one step
	Marks   [][]byte     // written with the commit
	trees   []treePlan   // documents without files that change with it
	length  int          // of the only file after it, in an intent of format 1; else 0

	state *graph.State // after it; nil in an intent that was read
	delta graph.Delta
}

// planTrees sets the documents without files that the step changes.
func (s *Step) planTrees() {
	for _, path := range s.delta.Paths {
		if document.IsMemory(path) {
			s.trees = append(s.trees, treePlan{path, node.TreeOf(s.state.Nodes(path))})
		}
	}
}

// addSteps adds the commits of an intent with several. Errors: errSteps if the steps do not lead
// from the files before to those after.
func (w *Writer) addSteps(ctx context.Context, tx *chain.Tx, all *chain.Steps, in *Intent) error {
	texts := make([]string, len(in.files))
	for i := range in.files {
		texts[i] = in.files[i].before(w.scope.Present()).Text
	}
	for i := range in.steps {
		next := map[string]string{}
		for _, s := range in.steps[i].Splices {
			ok := false
			if texts[s.File], ok = s.apply(texts[s.File]); !ok {
				return errSteps
			}
			next[in.files[s.File].path] = texts[s.File]
		}
		if err := w.addStep(ctx, tx, all, &in.steps[i], next); err != nil {
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

// addStep adds the commit of a step that gives files new texts.
func (w *Writer) addStep(ctx context.Context, tx *chain.Tx, all *chain.Steps, s *Step, texts map[string]string) error {
	head := all.Head(tx).State
	draft := head.Edit(s.Commit.Time)
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		draft.Put(path, document.File(texts[path], false))
	}
	if err := putTrees(draft, s.trees); err != nil {
		return err
	}
	w.scope.DropUnusedSetups(head, draft)
	state, delta := draft.Seal()
	if delta.Empty() {
		return fmt.Errorf("%s: a step changes nothing", s.Commit.Message)
	}
	return tx.Add(ctx, all, state, &delta, s.Commit, append(w.scope.DriftMarks(delta.Paths, nil), s.Marks...)...)
}

// putTrees puts documents without files into a draft.
func putTrees(draft *graph.Draft, trees []treePlan) error {
	for _, t := range trees {
		if t.tree == nil {
			draft.Drop(t.path)
			continue
		}
		parts, err := t.tree.Parts(t.path)
		if err != nil {
			return err
		}
		draft.Put(t.path, parts...)
	}
	return nil
}
