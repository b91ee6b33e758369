// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"fmt"
	"testing"

	"github.com/fovea-memory/fovea/internal/graph"
)

// viewsOf makes two states of so many nodes.
func viewsOf(nodes int) [2]*View {
	var out [2]*View
	d := (&graph.State{}).Edit(1)
	for i := range nodes / 10 {
		d.Put(fmt.Sprintf("f%d.org", i), "* a\n* b\n* c\n* d\n* e\n* f\n* g\n* h\n* i\n", false)
	}
	state, _ := d.Seal()
	for i := range out {
		d := state.Edit(2)
		d.Put("z.org", fmt.Sprintf("* %d\n", i), false)
		s, _ := d.Seal()
		out[i] = &View{state: s, commit: Commit{Seq: uint64(i + 1), Root: s.Root()}}
	}
	return out
}

// TestSnapshotsCostAPointer: an automatic snapshot allocates nothing at any
// size, and equal states in a row make one.
func TestSnapshotsCostAPointer(t *testing.T) {
	for _, nodes := range []int{10, 10_000} {
		views := viewsOf(nodes)
		var line timeline
		i := 0
		if n := testing.AllocsPerRun(100, func() { line.before(views[i%2]); i++ }); n != 0 {
			t.Errorf("%d nodes: %v allocations for a snapshot", nodes, n)
		}
		if n := len(line.list()); n != automatic {
			t.Errorf("%d nodes: %d snapshots are kept, want %d", nodes, n, automatic)
		}
		var equal timeline
		for range 3 {
			equal.before(views[0])
		}
		if n := len(equal.list()); n != 1 {
			t.Errorf("%d nodes: equal states make %d snapshots", nodes, n)
		}
	}
}
