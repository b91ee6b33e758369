// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package minds

import (
	"fmt"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/working"
)

// BenchmarkRemove takes blocks out of a working memory of 10,000 in RAM: out of a draft, and out of
// the state with its root, which a commit writes.
func BenchmarkRemove(b *testing.B) {
	const n = 10_000
	noon := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	draft := graph.Empty(document.Formats{ast.Format{}}).Edit(1)
	var paths []string
	for i := range n {
		block, err := working.Block{Type: working.Task, TaskID: fmt.Sprint(i), Description: fmt.Sprintf("task %d", i)}.Complete(noon)
		if err != nil {
			b.Fatal(err)
		}
		path := working.NodePath("ada", block.ID)
		parts, err := block.Tree("ada").Parts(path)
		if err != nil {
			b.Fatal(err)
		}
		draft.Put(path, parts...)
		paths = append(paths, path)
	}
	state, _ := draft.Seal()
	b.Run("draft", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if i%n == 0 {
				draft = state.Edit(2)
			}
			draft.Drop(paths[i%n])
		}
	})
	b.Run("sealed", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			draft := state.Edit(2)
			draft.Drop(paths[i%n])
			if _, delta := draft.Seal(); len(delta.Changes) != 1 {
				b.Fatal("nothing was removed")
			}
		}
	})
}
