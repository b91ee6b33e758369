// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"slices"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/graph"
)

// A setup file that is no Org file is an opaque document for as long as a
// document names it: what a state says depends on nothing outside it.

// addSetupFiles takes in setup files that are new or changed, and those that they name,
// before the commit that has their documents.
func (in *ingester) addSetupFiles(ctx context.Context, paths []string) error {
	for _, path := range paths {
		switch known, met := in.setup[path]; {
		case known || met, in.taken[path]:
		case in.changed[path]:
			if err := in.file(ctx, path); err != nil {
				return err
			}
		case !in.listed[path]:
			if err := in.addSetupFile(ctx, path); err != nil {
				return err
			}
		}
	}
	return nil
}

// addSetupFile finds a setup file that the scan does not list.
func (in *ingester) addSetupFile(ctx context.Context, path string) error {
	found, changed, err := in.m.root.Setup(path, in.m.table)
	in.setup[path] = found || err != nil // what cannot be read is not gone
	if err != nil {
		in.m.problems = append(in.m.problems, corpus.ProblemOf(path, err))
		return nil
	}
	if _, has := in.m.View().state.Document(path); !found || has && !changed {
		return nil
	}
	return in.file(ctx, path)
}

// refreshSetupFiles looks at all setup files that documents name: one may have changed, or
// come, where no document did.
func (in *ingester) refreshSetupFiles(ctx context.Context) error {
	for {
		before := len(in.setup)
		if err := in.addSetupFiles(ctx, in.draft.SetupFiles()); err != nil {
			return err
		}
		if len(in.setup) == before {
			return nil
		}
	}
}

// dropUnusedSetups takes out of a draft on top of a state the setup files that no
// document names any more, and returns their paths.
func (m *Memory) dropUnusedSetups(state *graph.State, draft *graph.Draft) []string {
	var out []string
	asked := draft.SetupFiles()
	for _, path := range state.SetupFiles() {
		_, has := state.Document(path)
		if _, still := slices.BinarySearch(asked, path); has && !still && !m.root.Lists(path) {
			draft.Drop(path)
			out = append(out, path)
		}
	}
	return out
}
