// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain

import (
	"testing"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
)

// TestFollows: a commit goes on from the one before it, a merge from either parent.
func TestFollows(t *testing.T) {
	a, b := merkle.Sum([]byte("a")), merkle.Sum([]byte("b"))
	if b.Compare(a) < 0 {
		a, b = b, a
	}
	of := func(d ...merkle.Digest) []merkle.Digest { return d }
	tests := []struct {
		name   string
		commit graph.Commit
		head   Commit
		want   bool
	}{
		{"the first", graph.Commit{Seq: 1}, Commit{}, true},
		{"the first with a parent", graph.Commit{Seq: 1, Parents: of(a)}, Commit{}, false},
		{"the next", graph.Commit{Seq: 4, Parents: of(a)}, Commit{Seq: 3, Digest: a}, true},
		{"one that leaves one out", graph.Commit{Seq: 5, Parents: of(a)}, Commit{Seq: 3, Digest: a}, false},
		{"of another parent", graph.Commit{Seq: 4, Parents: of(b)}, Commit{Seq: 3, Digest: a}, false},
		{"of none", graph.Commit{Seq: 4}, Commit{Seq: 3, Digest: a}, false},
		{"a merge", graph.Commit{Seq: 4, Parents: of(a, b), Kind: graph.KindMerge}, Commit{Seq: 3, Digest: a}, true},
		{"a merge behind its second parent", graph.Commit{Seq: 4, Parents: of(a, b), Kind: graph.KindMerge}, Commit{Seq: 3, Digest: b}, true},
		{"a merge of others", graph.Commit{Seq: 4, Parents: of(a, b), Kind: graph.KindMerge}, Commit{Seq: 3, Digest: merkle.Sum(nil)}, false},
		{"a merge out of order", graph.Commit{Seq: 4, Parents: of(b, a), Kind: graph.KindMerge}, Commit{Seq: 3, Digest: b}, false},
		{"an edit of two parents", graph.Commit{Seq: 4, Parents: of(a, b), Kind: graph.KindEdit}, Commit{Seq: 3, Digest: a}, false},
		{"three parents", graph.Commit{Seq: 4, Parents: of(a, b, b), Kind: graph.KindMerge}, Commit{Seq: 3, Digest: a}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := Follows(&tt.commit, tt.head); (err == nil) != tt.want {
				t.Errorf("%v, want to follow: %v", err, tt.want)
			}
		})
	}
}
