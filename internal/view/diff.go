// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package view

import (
	"github.com/fovea-memory/fovea/history"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/node"
)

// Difference is what lies between two views, see package history.
type Difference = history.Difference

// Diff is that of package fovea.
func Diff(from, to *View) Difference { return Changed(graph.Diff(from.State, to.State)) }

// Changed returns what changed by a delta, as Diff does.
func Changed(delta graph.Delta) Difference {
	d := Difference{Renamed: delta.Lineage}
	for _, c := range delta.Changes {
		switch {
		case c.Old == nil:
			d.Added = append(d.Added, c.New)
		case c.New == nil:
			d.Removed = append(d.Removed, c.Old)
		case c.Old.Own != c.New.Own:
			d.Changed = append(d.Changed, [2]*node.Node{c.Old, c.New})
		case c.Old.Parent != c.New.Parent || c.Old.Path != c.New.Path:
			d.Moved = append(d.Moved, [2]*node.Node{c.Old, c.New})
		}
	}
	return d
}
