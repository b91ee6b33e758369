// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package travel

import (
	"fmt"
	"testing"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/org"
)

// momentsOf makes two moments whose states have this many nodes.
func momentsOf(nodes int) [2]*chain.Moment {
	var out [2]*chain.Moment
	d := graph.Empty(document.Formats{org.Format{}}).Edit(1)
	for i := range nodes / 10 {
		d.Put(fmt.Sprintf("f%d.org", i), document.File("* a\n* b\n* c\n* d\n* e\n* f\n* g\n* h\n* i\n", false))
	}
	state, _ := d.Seal()
	for i := range out {
		d := state.Edit(2)
		d.Put("z.org", document.File(fmt.Sprintf("* %d\n", i), false))
		s, _ := d.Seal()
		out[i] = &chain.Moment{State: s, Commit: chain.Commit{Seq: uint64(i + 1), Root: s.Root()}}
	}
	return out
}

// TestSnapshotsCostAPointer: an automatic snapshot is one allocation, at any size, and equal states in a row make one.
func TestSnapshotsCostAPointer(t *testing.T) {
	for _, nodes := range []int{10, 10_000} {
		moments := momentsOf(nodes)
		var list snapshots
		i := 0
		if n := testing.AllocsPerRun(100, func() { list.push(moments[i%2]); i++ }); n > 1 {
			t.Errorf("%d nodes: %v allocations for a snapshot", nodes, n)
		}
		if n := len(list.list()); n != maxAutomatic {
			t.Errorf("%d nodes: %d snapshots are kept, want %d", nodes, n, maxAutomatic)
		}
		var equal snapshots
		for range 3 {
			equal.push(moments[0])
		}
		if n := len(equal.list()); n != 1 {
			t.Errorf("%d nodes: equal states make %d snapshots", nodes, n)
		}
	}
}
