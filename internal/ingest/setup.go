// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ingest

import (
	"context"

	"github.com/fovea-memory/fovea/internal/corpus"
)

// A setup file that is not Org is kept as an opaque document while a document names it, so
// that a state is self-contained.

// addSetupFiles ingests new and changed setup files, and the ones that they name, before the
// commit of the documents that use them.
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

// addSetupFile ingests a setup file that the scan does not list.
func (in *ingester) addSetupFile(ctx context.Context, path string) error {
	root := in.reader.scope.Root
	found, changed, err := root.Setup(path, in.reader.table)
	if p, _ := root.Place(path); corpus.Elsewhere(root, path) || corpus.Elsewhere(root, p.Real) { // its readers are others
		found, err = false, nil
	}
	in.setup[path] = found || err != nil // unreadable is not absent
	if err != nil {
		in.reader.problems = append(in.reader.problems, corpus.ProblemOf(path, err))
		return nil
	}
	if _, has := in.reader.scope.Present().Document(path); !found || has && !changed {
		return nil
	}
	return in.file(ctx, path)
}

// refreshSetupFiles checks all setup files that documents name: they can change or appear
// without a change of a document.
func (in *ingester) refreshSetupFiles(ctx context.Context) error {
	for {
		before := len(in.setup)
		if err := in.addSetupFiles(ctx, in.next.draft.SetupFiles()); err != nil {
			return err
		}
		if len(in.setup) == before {
			return nil
		}
	}
}
