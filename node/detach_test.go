// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node_test

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// TestDetach: a detached node says the same, and none of its strings stand in the
// bytes of the file.
func TestDetach(t *testing.T) {
	read := func(text string) []*node.Node {
		nodes, _ := node.Read(document.Formats{org.Format{}}, "a.org", nil, document.File(text, false)).Nodes(func(node.Claim) bool { return true })
		return nodes
	}
	head := "#+TITLE: Aim\n#+FILETAGS: :all:\n#+CATEGORY: things\n#+TAGS: [ group : member ]\n#+TODO: NEXT | FINE\n"
	tree := "* NEXT [#A] Title :one:two:\nSCHEDULED: <2026-01-02 Fri>\n:PROPERTIES:\n:ID: node-1\n:EFFORT: 1:00\n:END:\nSee [[id:other][there]].\n** Kid\n" +
		":PROPERTIES:\n:ID: kid-1\n:END:\n"
	text := strings.Clone(head + tree)
	for _, c := range []struct {
		name string
		was  []*node.Node
	}{
		{"a new node", nil},
		{"the same node before", read(strings.Clone(text))},
		{"another node before", read("* x\n* y\n* z\n")},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i, n := range read(text) {
				want := *n
				var was *node.Node
				if c.was != nil {
					was = c.was[i]
				}
				n.Detach(was)
				if diff := cmp.Diff(&want, n, cmpopts.IgnoreUnexported(node.Node{})); diff != "" {
					t.Errorf("another node (-before +after):\n%s", diff)
				}
				for _, s := range stringsOf(n) {
					if within(s, text) {
						t.Errorf("%q of %s still stands in the file", s, n.ID)
					}
				}
			}
		})
	}
}

func stringsOf(n *node.Node) []string {
	d := n.Derived
	all := []string{n.ID, n.Parent, n.Content, d.Title, d.Todo, d.Priority, d.Scheduled, d.Deadline, d.Closed, d.Category, d.DeclaredID}
	for _, list := range [][]string{n.Kids, d.Tags, d.Links, d.Setup} {
		all = append(all, list...)
	}
	for _, p := range d.Properties {
		all = append(all, p.Key, p.Value)
	}
	for _, g := range d.TagGroups {
		all = append(append(all, g.Name), g.Members...)
	}
	return all
}

func within(s, text string) bool {
	at, begin := uintptr(unsafe.Pointer(unsafe.StringData(s))), uintptr(unsafe.Pointer(unsafe.StringData(text)))
	return s != "" && at >= begin && at < begin+uintptr(len(text))
}
