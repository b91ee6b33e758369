// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/node"
)

// Doubled describes the other nodes that declare the ID of a node, and the original of its file if
// that is a conflict copy; "" for neither.
func (v *View) Doubled(n *node.Node) string {
	var others []*node.Node
	if id := n.Derived.DeclaredID; id != "" {
		for _, o := range v.declaring(id) {
			if o.ID != n.ID {
				others = append(others, o)
			}
		}
	}
	remark := ""
	if of := v.CopyOf(n.Path); of != "" {
		remark = fmt.Sprintf("%q is a conflict copy of %q; fovea resolve %q merges it into that file. ", n.Path, of, n.Path)
	}
	if len(others) > 0 {
		remark += fmt.Sprintf("The ID %s is declared in %s as well.", n.Derived.DeclaredID, v.places(others))
	}
	return strings.TrimSpace(remark)
}

// declaring returns all nodes that declare an id, in documents that claim it and in conflict copies.
func (v *View) declaring(id string) (out []*node.Node) {
	var paths []string
	if n, ok := v.Get(id); ok {
		paths = append(paths, n.Path)
		for _, o := range v.Rivals(n) {
			paths = append(paths, o.Path)
		}
	}
	for path := range v.Copies() {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		for n := range v.Document(path) {
			if n.Derived.DeclaredID == id {
				out = append(out, n)
			}
		}
	}
	return out
}

// maxPlaces is the maximum number of places that a remark names.
const maxPlaces = 10

// places lists the files and lines of nodes.
func (v *View) places(nodes []*node.Node) string {
	var out []string
	for i, line := range v.Lines(nodes) {
		out = append(out, fmt.Sprintf("%s:%d", nodes[i].Path, line))
	}
	more := ""
	if len(out) > maxPlaces {
		more = fmt.Sprintf(" and %d more", len(out)-maxPlaces)
	}
	return strings.Join(out[:min(len(out), maxPlaces)], ", ") + more
}

// Branch returns a node and all below it, nil if there is none.
func (v *View) Branch(id string) []*node.Node {
	n, ok := v.Get(id)
	if !ok {
		return nil
	}
	out := []*node.Node{n}
	for _, kid := range n.Kids {
		out = append(out, v.Branch(kid)...)
	}
	return out
}

// StillHeld describes where the text of forgotten nodes of a file remains: in nodes with their IDs
// or with equal text, and in conflict copies of the file, which no search finds, also in longer
// texts. The text of an empty note is its title, for which it searches only the copies. It returns
// "" if nothing remains. O(nodes).
func (v *View) StillHeld(gone []*node.Node) string {
	var left []*node.Node
	forgotten, texts, file := map[string]bool{}, []string{}, ""
	for _, n := range gone {
		text, _ := saying(n)
		forgotten["id "+n.Derived.DeclaredID], forgotten[text] = n.Derived.DeclaredID != "", !strings.HasSuffix(text, "\n")
		texts, file = append(texts, text), n.Path
	}
	for n := range v.All() {
		text, whole := saying(n)
		if forgotten["id "+n.Derived.DeclaredID] || forgotten[text] || v.CopyOf(n.Path) == file && slices.ContainsFunc(texts, func(text string) bool {
			return text != "\n" && strings.Contains(whole, text)
		}) {
			left = append(left, n)
		}
	}
	if len(left) == 0 {
		return ""
	}
	return fmt.Sprintf("The text, or its ID, is still in %s; forget it there as well.", v.places(left))
}

// minSaying is the number of bytes from which a text is recognized without its title.
const minSaying = 12

// saying returns the text of a node with white space normalized, preceded by its title if the text
// is short, and whole, which always has the title.
func saying(n *node.Node) (text, whole string) {
	text = strings.Join(strings.Fields(n.Body()), " ")
	if whole = n.Title() + "\n" + text; len(text) < minSaying {
		text = whole
	}
	return text, whole
}
