// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package filetx

import (
	"context"
	"fmt"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
)

// AddSteps adds one commit for each step by which a file reaches its text.
func (files *Files) AddSteps(ctx context.Context, tx *chain.Tx, all *chain.Steps, path, text string, steps []Step) error {
	for _, s := range steps {
		head := all.Head(tx).State
		draft := head.Edit(s.Commit.Time)
		draft.Put(path, document.File(text[:s.Length], false))
		files.scope.DropUnusedSetups(head, draft)
		state, delta := draft.Seal()
		if delta.Empty() {
			return fmt.Errorf("%s: a step changes nothing", path)
		}
		if err := tx.Add(ctx, all, state, &delta, s.Commit, files.scope.DriftMarks(delta.Paths, nil)...); err != nil {
			return err
		}
	}
	return nil
}
