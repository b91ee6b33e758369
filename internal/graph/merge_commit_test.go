// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
)

// TestMergeCommits: the same two commits give the same bytes in either order; the
// commit leads from its first parent to the merged state and back.
func TestMergeCommits(t *testing.T) {
	store := blocks{}
	tip := func(from Tip, by string, time int64, f folder) Tip {
		d := from.State.Edit(time)
		for _, p := range sorted(f) {
			d.Put(p, document.File(f[p], false))
		}
		state, delta := d.Seal()
		for _, c := range delta.Changes {
			if c.New != nil {
				if err := c.New.Blocks(store.emit); err != nil {
					t.Fatal(err)
				}
			}
		}
		c := &Commit{Seq: 1, State: state.Root(), Delta: delta.Records(), Lineage: delta.Lineage, Kind: KindEdit, Author: author.Named(by), Time: time}
		if from.Commit != nil {
			c.Seq, c.Parents = from.Commit.Seq+1, append(c.Parents, from.Commit.Digest)
		}
		if _, err := c.Encode(store.emit); err != nil {
			t.Fatal(err)
		}
		return Tip{c, state}
	}
	base := tip(Tip{State: Empty(orgFiles)}, "file", 1, folder{"a.org": "* A\n* B\n"})
	ann := tip(base, "ann", 5, folder{"a.org": "* Ann\n* B\n"})
	bob := tip(tip(base, "bob", 2, folder{"b.org": "* New\n"}), "bob", 3, folder{"a.org": "* Bob\n* TODO B\n"})

	c, state, delta, conflicts := MergeCommits(base.State, ann, bob)
	back, _, _, _ := MergeCommits(base.State, bob, ann)
	block, err := c.Encode(store.emit)
	if err != nil {
		t.Fatal(err)
	}
	turned, err := back.Encode(store.emit)
	if err != nil || string(block) != string(turned) {
		t.Errorf("another commit in the other order, %v: %s", err, cmp.Diff(c, back))
	}
	if len(conflicts) != 1 || conflicts[0].Kept != "Ann" || conflicts[0].Lost != "Bob" || c.Time != 5 || c.Author != merger {
		t.Errorf("conflicts %+v, time %d, author %s", conflicts, c.Time, c.Author)
	}
	for _, ch := range delta.Changes {
		if ch.New != nil {
			if err := ch.New.Blocks(store.emit); err != nil {
				t.Fatal(err)
			}
		}
	}
	first := ann
	if c.Parents[0] == bob.Commit.Digest {
		first = bob
	}
	if len(c.Parents) != 2 || c.Parents[0].Compare(c.Parents[1]) >= 0 || c.Seq != first.Commit.Seq+1 {
		t.Errorf("parents %v, number %d", c.Parents, c.Seq)
	}
	read, err := DecodeCommit(block, store.get)
	if err != nil {
		t.Fatal(err)
	}
	if next, err := first.State.Apply(read, store.get); err != nil || next.Root() != state.Root() {
		t.Errorf("applied to its first parent: %v", err)
	}
	if was, err := state.Undo(read, first.State.Root(), store.get); err != nil || was.Root() != first.State.Root() {
		t.Errorf("undone: %v", err)
	}
}
