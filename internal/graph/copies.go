// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"iter"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/node"
)

// copies returns the conflict copies of the state. The first call for a state that no draft
// made looks at every name.
func (s *State) copies() *node.Copies {
	s.copiesOnce.Do(func() {
		if s.copied == nil {
			s.copied = new(node.Copies{}.Judge(slices.Values(s.Paths()), s.Nodes))
		}
	})
	return s.copied
}

// CopyOf returns the path of the file that the document at path is a conflict copy of, ""
// for an ordinary document.
func (s *State) CopyOf(path string) string { return s.copies().Of(path) }

// Copies yields the conflict copies, each with the file that it is a copy of.
func (s *State) Copies() iter.Seq2[string, string] { return s.copies().All() }

// judge reads documents again that have become or ceased to be conflict copies.
func (d *Draft) judge() {
	now := d.copied.Judge(maps.Keys(d.changed), d.current)
	d.retry, d.copied = append(d.retry, now.Moved(*d.copied)...), &now
	d.settle("")
}

// ReadCopies takes ids from conflict copies that bear them, as in states of older versions.
func (d *Draft) ReadCopies() {
	for path := range d.copied.All() {
		if slices.ContainsFunc(d.current(path), func(n *node.Node) bool { return n.ID == n.Derived.DeclaredID }) {
			d.retry = append(d.retry, path)
		}
	}
	d.settle("")
}
