// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package view

import (
	"slices"
	"testing"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/org"
)

// TestWithoutCopies leaves out a file of which there are copies, and copies of copies.
func TestWithoutCopies(t *testing.T) {
	d := graph.Empty(document.Formats{org.Format{}}).Edit(1)
	for _, path := range []string{"a.org", "a (1).org", "a (1) (1).org", "a (1) (1) (1).org", "Copy of a (1) (1).org", "b.org", "b (1).org"} {
		d.Put(path, document.File("* Gate\n:PROPERTIES:\n:ID: "+path[:1]+"\n:END:\nThe code is 7120.\n", false))
	}
	state, _ := d.Seal()
	v := New(state, chain.Commit{}, "memex")
	paths := append(make([]string, 0, 9), "a.org")
	left := []string{}
	for top := range v.Without(paths...).Documents() {
		left = append(left, top.Path)
	}
	if want := []string{"b (1).org", "b.org"}; !slices.Equal(left, want) || paths[:2][1] != "" {
		t.Errorf("left are %q, want %q; the caller has %q", left, want, paths[:2])
	}
}
