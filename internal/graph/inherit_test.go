// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/org"
)

// TestInheritanceAsInFile: a node inherits from the state what its headline
// inherits in its file, which package org holds against Emacs.
func TestInheritanceAsInFile(t *testing.T) {
	lines := []string{
		"* H\n", "** K\n", "*** L\n", ":PROPERTIES:\n:A: 1\n:END:\n", ":PROPERTIES:\n:A+: 2\n:A: 3\n:a: 4\n:END:\n",
		":PROPERTIES:\n:A+: 5\n:CATEGORY: own\n:END:\n", ":PROPERTIES:\n:A: nil\n:category:\n:END:\n",
		"#+PROPERTY: A 6\n", "#+PROPERTY: a+ 7\n", "#+PROPERTY: CATEGORY no\n", "#+CATEGORY: file\n",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(lines), 0, 12).Draw(t, "lines"), "")
		s, doc := fresh(folder{"d/f.org": text}, []string{"d/f.org"}), org.Parse(text, nil)
		for i, n := range s.Nodes("d/f.org") {
			got, has := s.Property(n, "A")
			want, should := doc.Property(i-1, "A", true)
			if got != want || has != should {
				t.Fatalf("%q: node %d: A is %q, %v, want %q, %v", text, i, got, has, want, should)
			}
			if got, want := s.Category(n), doc.CategoryOf(i-1, "d/f.org"); got != want {
				t.Fatalf("%q: node %d: category %q, want %q", text, i, got, want)
			}
		}
	})
}
