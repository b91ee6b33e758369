// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"slices"

	"github.com/fovea-memory/fovea/node"
)

// inherited returns the values of a property in force at a node: its own and,
// as Org has it with inheritance, the one that they and those above come to.
func (r *reader) inheritedProperty(n *node.Node, key string) []string {
	value, ok := r.state.Property(n, key)
	if !ok {
		return nil
	}
	own := slices.DeleteFunc(n.Derived.Property(key), func(v string) bool { return v == "nil" })
	return append(own, value)
}

// above returns the tags that stand above a node. The caller must not change
// them.
func (r *reader) inheritedTags(n *node.Node) []string {
	if n.Parent == "" {
		return nil
	}
	tags, ok := r.tags[n.Parent]
	if !ok {
		if parent, found := r.state.Get(n.Parent); found {
			tags = mergeTags(r.inheritedTags(parent), parent.Derived.Tags)
		}
		r.tags[n.Parent] = tags
	}
	return tags
}

// join returns inherited tags and then those own ones that are not among them.
func mergeTags(inherited, own []string) []string {
	if len(inherited) == 0 {
		return own
	}
	out := slices.Clip(inherited)
	for _, t := range own {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// outline returns the headings from the top down to a node's own; none for a
// document. The caller must not change it.
func (r *reader) outline(n *node.Node) []string {
	if n.Type != node.TypeHeadline {
		return nil
	}
	parent, ok := r.state.Get(n.Parent)
	if !ok || parent.Type != node.TypeHeadline {
		return []string{n.Title()}
	}
	above, ok := r.outlines[parent.ID]
	if !ok {
		above = r.outline(parent)
		r.outlines[parent.ID] = above
	}
	return append(slices.Clip(above), n.Title())
}

// blocked reports whether an unfinished entry waits for another, as Org has it
// with enforced dependencies: for an unfinished one below it, or for one that
// stands before it, or before an unfinished entry that it is part of, where the
// property ORDERED is set above. The property NOBLOCKING frees an entry.
func (r *reader) blocked(n *node.Node) bool {
	if !isOpen(n) || isSet(n, "NOBLOCKING") {
		return false
	}
	for kid := range r.kids(n) {
		if r.hasOpen(kid) {
			return true
		}
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

// openBefore reports whether something unfinished stands before a child.
func (r *reader) hasOpenBefore(parent, child *node.Node) bool {
	for sibling := range r.kids(parent) {
		if sibling.ID == child.ID {
			return false
		}
		if r.hasOpen(sibling) {
			return true
		}
	}
	return false
}

// hasOpen reports whether a node or one below it is unfinished.
func (r *reader) hasOpen(n *node.Node) bool {
	if isOpen(n) {
		return true
	}
	for kid := range r.kids(n) {
		if r.hasOpen(kid) {
			return true
		}
	}
	return false
}

func isOpen(n *node.Node) bool { return n.Derived.Todo != "" && !n.Derived.Done }

// isSet reports whether a node's own property has a value other than nil.
func isSet(n *node.Node, key string) bool {
	values := n.Derived.Property(key)
	return len(values) > 0 && values[0] != "" && values[0] != "nil"
}
