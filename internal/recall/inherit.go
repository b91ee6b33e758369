// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"slices"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/node"
)

// inheritedProperty returns the values of a property in force at a node: its own values
// and the value that Org computes with inheritance.
func (r *reader) inheritedProperty(n *node.Node, key string) []string {
	value, ok := r.state.Property(n, key)
	if !ok {
		return nil
	}
	own := slices.DeleteFunc(n.Derived.Property(key), func(v string) bool { return v == "nil" })
	return append(own, value)
}

// inheritedTags returns the tags of all ancestors. The caller must not change the
// slice.
func (r *reader) inheritedTags(n *node.Node) []string {
	if n.Parent == "" {
		return nil
	}
	tags, ok := r.tags[n.Parent]
	if !ok {
		if parent, found := r.state.Get(n.Parent); found {
			tags = graph.JoinTags(r.inheritedTags(parent), parent.Derived.Tags)
		}
		r.tags[n.Parent] = tags
	}
	return tags
}

// outline returns the headings from the top down to the node's own, or none for a
// document.
func (r *reader) outline(n *node.Node) (titles []string) {
	for ok := true; ok && n.Type == document.TypeHeadline; n, ok = r.state.Get(n.Parent) {
		titles = append(titles, n.Title())
	}
	slices.Reverse(titles)
	return titles
}

// blocked reports whether an unfinished entry must wait, by the rules of Org's enforced
// dependencies: for an unfinished entry below it, or, where an ancestor has the
// property ORDERED, for an unfinished entry before it or before an unfinished ancestor.
// The property NOBLOCKING exempts an entry.
func (r *reader) blocked(n *node.Node) bool {
	if !isOpen(n) || isSet(n, "NOBLOCKING") {
		return false
	}
	if r.openKid(n) != "" {
		return true
	}
	for {
		parent, ok := r.state.Get(n.Parent)
		if !ok {
			return false
		}
		if isSet(parent, "ORDERED") && r.hasOpenBefore(parent, n) {
			return true
		}
		if !isOpen(parent) {
			return false
		}
		n = parent
	}
}

// hasOpenBefore reports whether an earlier sibling of an unfinished child has unfinished
// work.
func (r *reader) hasOpenBefore(parent, child *node.Node) bool {
	first, ok := r.firstOpen[parent.ID]
	if !ok {
		first = r.openKid(parent)
		r.firstOpen[parent.ID] = first
	}
	return first != child.ID
}

// openKid returns the id of the first child that is unfinished or has an unfinished
// descendant, "" for none.
func (r *reader) openKid(n *node.Node) string {
	for kid := range r.kids(n) {
		if isOpen(kid) || r.openKid(kid) != "" {
			return kid.ID
		}
	}
	return ""
}

func isOpen(n *node.Node) bool { return n.Derived.Todo != "" && !n.Derived.Done }

// isSet reports whether a node's own property has a value other than nil.
func isSet(n *node.Node, key string) bool {
	values := n.Derived.Property(key)
	return len(values) > 0 && values[0] != "" && values[0] != "nil"
}
