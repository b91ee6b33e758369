// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"testing"

	"github.com/fovea-memory/fovea/document"
)

// TestSetupFileGoneMeansDefaults: a setup file counts while it is there, and a
// change of it is a change of those that name it.
func TestSetupFileGoneMeansDefaults(t *testing.T) {
	d := Empty(orgFiles).Edit(1)
	d.Put("a.org", document.File("#+SETUPFILE: theme.setup\n* WAIT Call\n", false))
	d.Put("theme.setup", document.File("#+TODO: WAIT | OVER\n#+TAGS: [ G : a ]\n", true))
	s, _ := d.Seal()
	if n := s.Nodes("a.org")[1]; n.Derived.Todo != "WAIT" || n.Title() != "Call" {
		t.Errorf("with the setup file: keyword %q, title %q", n.Derived.Todo, n.Title())
	}
	if g := s.Nodes("a.org")[0].Derived.TagGroups; len(g) != 1 || g[0].Name != "G" {
		t.Errorf("tag groups %v, want those of the setup file", g)
	}
	d = s.Edit(2)
	d.Drop("theme.setup")
	next, delta := d.Seal()
	if n := next.Nodes("a.org")[1]; n.Derived.Todo != "" || n.Title() != "WAIT Call" {
		t.Errorf("without it: keyword %q, title %q", n.Derived.Todo, n.Title())
	}
	if len(delta.Lineage) != 1 {
		t.Errorf("lineage %v, want the headline, whose derived id goes by its title", delta.Lineage)
	}
	if files := next.SetupFiles(); len(files) != 1 || files[0] != "theme.setup" {
		t.Errorf("setup files asked for: %v", files)
	}
}
