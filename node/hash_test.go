// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
)

// TestHash holds Hash against digests that are made one by one, each child looked
// up by its id, on trees of any shape.
func TestHash(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := []*Node{{ID: "0", Type: document.TypeDocument}}
		open := []int{0} // the last node and those above it
		for i := 1; i <= rapid.IntRange(0, 40).Draw(t, "headlines"); i++ {
			open = open[:rapid.IntRange(1, len(open)).Draw(t, "level")]
			p := nodes[open[len(open)-1]]
			n := &Node{ID: fmt.Sprint(i), Type: document.TypeHeadline, Content: fmt.Sprintf("* %d\n", i)}
			p.Kids = append(p.Kids, n.ID)
			nodes, open = append(nodes, n), append(open, i)
		}
		Hash(nodes)
		at := map[string]*Node{}
		for _, n := range nodes {
			at[n.ID] = n
		}
		for _, n := range nodes {
			own, err := n.OwnBlock(nil)
			if err != nil || n.Own != own {
				t.Fatalf("node %s: own digest %s, want %s, %v", n.ID, n.Own, own, err)
			}
			var kids []merkle.Digest
			for _, k := range n.Kids {
				kids = append(kids, at[k].Version)
			}
			version, err := VersionBlock(own, kids, nil)
			if err != nil || n.Version != version {
				t.Fatalf("node %s: version %s, want %s, %v", n.ID, n.Version, version, err)
			}
		}
	})
}

// TestHashOfMissingChildren: nodes that name children that are not there get other
// digests, and nothing else happens.
func TestHashOfMissingChildren(t *testing.T) {
	n := &Node{ID: "a", Type: document.TypeDocument, Entry: Entry{Kids: []string{"b", "c"}}}
	Hash([]*Node{n})
	if n.Version != n.Own {
		t.Errorf("version %s, want that of a node alone, %s", n.Version, n.Own)
	}
}
