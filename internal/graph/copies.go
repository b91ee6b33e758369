// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"iter"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/internal/champ"
	"github.com/fovea-memory/fovea/node"
)

// copies says which documents are conflict copies: files that are called after a file beside
// them and share its ids or most of its text. It is a function of the documents alone.
type copies struct {
	named champ.Map[champ.Map[bool]] // path -> documents that can be copies of it by their names
	of    champ.Map[string]          // conflict copy -> the file that it is a copy of
}

// copies returns the conflict copies of the state. The first call for a state that no draft
// made looks at every name.
func (s *State) copies() *copies {
	s.copiesOnce.Do(func() {
		if s.copied != nil {
			return
		}
		s.copied = &copies{}
		for path := range s.documents.All() {
			s.copied.name(path, true)
		}
		for path := range s.documents.All() {
			if of := node.CopyOf(path, s.Nodes); of != "" {
				s.copied.of = s.copied.of.Set(path, of)
			}
		}
	})
	return s.copied
}

// CopyOf returns the path of the file that the document at path is a conflict copy of, ""
// for an ordinary document.
func (s *State) CopyOf(path string) string {
	of, _ := s.copies().of.Get(path)
	return of
}

// isCopy reports whether the document at path is a conflict copy.
func (c *copies) isCopy(path string) bool {
	of, _ := c.of.Get(path)
	return of != ""
}

// moved lists the documents that are copies of others than before, or began or ceased to be.
func moved(from, to *copies) (paths []string) {
	for _, way := range [][2]*copies{{from, to}, {to, from}} {
		for path, of := range way[0].of.All() {
			if now, _ := way[1].of.Get(path); now != of {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// Copies yields the conflict copies, each with the file that it is a copy of.
func (s *State) Copies() iter.Seq2[string, string] { return s.copies().of.All() }

// name enters a document under the names of its possible originals, or removes it.
func (c *copies) name(path string, there bool) {
	originals, _ := node.Originals(path)
	for _, of := range originals {
		list, _ := c.named.Get(of)
		if list = list.Delete(path); there {
			list = list.Set(path, true)
		}
		if c.named = c.named.Set(of, list); list.Len() == 0 {
			c.named = c.named.Delete(of)
		}
	}
}

// judge finds which of the changed documents, and of those called after them, are conflict
// copies now, and reads those again that have become or ceased to be.
func (d *Draft) judge() {
	c, paths := *d.copied, maps.Clone(d.changed)
	for path := range d.changed {
		c.name(path, d.current(path) != nil)
	}
	for path := range d.changed {
		named, _ := c.named.Get(path)
		maps.Insert(paths, named.All())
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		of := node.CopyOf(path, d.current)
		if c.of = c.of.Delete(path); of != "" {
			c.of = c.of.Set(path, of)
		}
		if c.isCopy(path) != d.copied.isCopy(path) {
			d.retry = append(d.retry, path)
		}
	}
	d.copied = &c
	d.settle("")
}

// ReadCopies takes ids from conflict copies that bear them, as in states of older versions.
func (d *Draft) ReadCopies() {
	for path := range d.copied.of.All() {
		if slices.ContainsFunc(d.current(path), func(n *node.Node) bool { return n.ID == n.Derived.DeclaredID }) {
			d.retry = append(d.retry, path)
		}
	}
	d.settle("")
}
