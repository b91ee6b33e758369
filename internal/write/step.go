// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package write

import (
	"context"
	"errors"
	"fmt"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Step is one commit of an operation, with the data that recovery needs to repeat it.
type Step struct {
	Commit  graph.Commit // Kind, Author, Session, Op, Time, Message; Parents: the merged head
	Splices []Splice     // the changes of files, ordered by file; none in an operation of one step
	Marks   [][]byte     // written with the commit
	trees   []treePlan   // documents without files that change with it

	state *graph.State // after it; nil in an intent that was read
	delta graph.Delta
}

// planTrees records the documents without files that the step changes.
func (s *Step) planTrees() {
	for _, path := range s.delta.Paths {
		if document.IsMemory(path) {
			s.trees = append(s.trees, treePlan{path, node.TreeOf(s.state.Nodes(path))})
		}
	}
}

// addSteps adds the commits of an intent with several. Errors: errSteps if the steps do not turn
// the old files into the new ones.
func (w *Writer) addSteps(ctx context.Context, tx *chain.Tx, all *chain.Steps, in *Intent) error {
	texts := make([]string, len(in.files))
	for i := range in.files {
		texts[i] = in.files[i].before(w.scope.Present()).Text
	}
	for i := range in.steps {
		put := func(draft *graph.Draft) error {
			for _, s := range in.steps[i].Splices {
				text, ok := s.apply(texts[s.File])
				if !ok {
					return errSteps
				}
				texts[s.File] = text
				draft.Put(in.files[s.File].path, document.File(text, false))
			}
			return nil
		}
		if err := w.addStep(ctx, tx, all, &in.steps[i], put); err != nil {
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

// errNothing is returned for a step that changes nothing.
var errNothing = errors.New("a step changes nothing")

// addStep adds the commit of a step; put changes its files. paths are the files that then match
// memory, by default those that the step changes. Errors: errNothing.
func (w *Writer) addStep(ctx context.Context, tx *chain.Tx, all *chain.Steps, s *Step, put func(*graph.Draft) error, paths ...string) error {
	head := all.Head(tx).State
	draft := head.Edit(s.Commit.Time)
	if err := put(draft); err != nil {
		return err
	}
	if err := putTrees(draft, s.trees); err != nil {
		return err
	}
	w.scope.DropUnusedSetups(head, draft)
	state, delta := draft.Seal()
	if delta.Empty() {
		return fmt.Errorf("%s: %w", s.Commit.Message, errNothing)
	}
	if len(paths) == 0 {
		paths = delta.Paths
	}
	return tx.Add(ctx, all, state, &delta, s.Commit, append(w.scope.DriftMarks(paths, nil), s.Marks...)...)
}

// putTrees puts documents without files into a draft.
func putTrees(draft *graph.Draft, trees []treePlan) error {
	for _, t := range trees {
		if err := draft.PutTree(t.path, t.tree); err != nil {
			return err
		}
	}
	return nil
}
