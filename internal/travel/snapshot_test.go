// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package travel

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

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

// TestSnapshotsCostAPointer: an automatic snapshot keeps a pointer that the moment has, at any size, and equal states in a row make one.
func TestSnapshotsCostAPointer(t *testing.T) {
	for _, nodes := range []int{10, 10_000} {
		moments := momentsOf(nodes)
		var list snapshots
		i := 0
		if n := testing.AllocsPerRun(100, func() { list.push(moments[i%2]); i++ }); n > 0 {
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

// TestSnapshotsNeverChange: a value that was published keeps its list, and its state in
// memory, whatever is made of it later. The list is that of a naive model.
func TestSnapshotsNeverChange(t *testing.T) {
	moments := momentsOf(10)
	type facts struct {
		Seqs, Held []uint64 // oldest first
	}
	read := func(s *snapshots) (f facts) {
		for _, e := range slices.Backward(s.list()) {
			f.Seqs = append(f.Seqs, e.seq)
			if e.state != nil {
				f.Held = append(f.Held, e.seq)
			}
		}
		return f
	}
	rapid.Check(t, func(t *rapid.T) {
		values, want := []*snapshots{{}}, []facts{{}}
		for i := range rapid.IntRange(1, 60).Draw(t, "steps") {
			from := len(values) - 1 - rapid.IntRange(0, min(2, i)).Draw(t, "back") // a commit that failed is left aside
			var next *snapshots
			model := facts{slices.Clone(want[from].Seqs), slices.Clone(want[from].Held)}
			if rapid.IntRange(0, 9).Draw(t, "release") == 0 {
				next = new(*values[from])
				next.release()
				model.Held = nil
			} else {
				next = new(*values[from])
				at := &chain.Moment{State: moments[i%2].State, Commit: moments[i%2].Commit}
				at.Commit.Seq, at.Commit.Root[0] = uint64(i+1), byte(i)
				next.push(at)
				model.Seqs, model.Held = append(model.Seqs, at.Commit.Seq), []uint64{at.Commit.Seq}
				model.Seqs = model.Seqs[max(0, len(model.Seqs)-maxAutomatic):]
			}
			values, want = append(values, next), append(want, model)
		}
		for i, v := range values {
			if diff := cmp.Diff(want[i], read(v)); diff != "" {
				t.Fatalf("value %d of %d: %s", i, len(values), diff)
			}
		}
	})
}
