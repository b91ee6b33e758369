// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
)

// Detach copies the strings of a node that is not yet in a state, so that it does not
// retain the whole file it was parsed from. Strings equal to those of was, its earlier
// version or nil, are shared with it. O(len(Content)).
func (n *Node) Detach(was *Node) {
	if was == nil {
		was = &Node{Derived: &document.Derived{}}
	}
	n.ID, n.Parent = ours(n.ID, was.ID), ours(n.Parent, was.Parent)
	n.Kids, n.Content = allOurs(n.Kids, was.Kids), ours(n.Content, was.Content)
	d, o := *n.Derived, was.Derived
	if d.Equal(o) {
		n.Derived = o
		return
	}
	for _, f := range []struct{ now, was *string }{
		{&d.Title, &o.Title}, {&d.Todo, &o.Todo}, {&d.Priority, &o.Priority}, {&d.Scheduled, &o.Scheduled}, {&d.Deadline, &o.Deadline},
		{&d.Closed, &o.Closed}, {&d.Category, &o.Category}, {&d.DeclaredID, &o.DeclaredID},
	} {
		*f.now = ours(*f.now, *f.was)
	}
	d.Tags, d.Links, d.Setup = allOurs(d.Tags, o.Tags), allOurs(d.Links, o.Links), allOurs(d.Setup, o.Setup)
	if slices.Equal(d.Properties, o.Properties) {
		d.Properties = o.Properties
	} else {
		d.Properties = slices.Clone(d.Properties)
		for i, p := range d.Properties {
			d.Properties[i] = document.Property{Key: strings.Clone(p.Key), Value: strings.Clone(p.Value)}
		}
	}
	d.TagGroups = slices.Clone(d.TagGroups)
	for i, g := range d.TagGroups {
		d.TagGroups[i] = document.TagGroup{Name: strings.Clone(g.Name), Exclusive: g.Exclusive, Members: allOurs(g.Members, nil)}
	}
	n.Derived = &d
}

// ours returns was if it is equal to s, else a copy of s.
func ours(s, was string) string {
	if s == was {
		return was
	}
	return strings.Clone(s)
}

// allOurs is ours for a list.
func allOurs(list, was []string) []string {
	if slices.Equal(list, was) && (list == nil) == (was == nil) {
		return was
	}
	list = slices.Clone(list)
	for i, s := range list {
		list[i] = strings.Clone(s)
	}
	return list
}
