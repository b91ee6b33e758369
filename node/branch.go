// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
)

// Replace reads a tree that replaces the last node of way, the path of nodes from the root
// of its tree. get finds siblings. Errors: those of ast.Tree.Branch.
func Replace(way []*Node, t *ast.Tree, get func(id string) (*Node, bool)) (*Outline, error) {
	up, n := way[len(way)-2], way[len(way)-1]
	o, err := t.Branch(up.above())
	if err != nil {
		return nil, err
	}
	at := &stem{above: []*Node{up}, place: func() merkle.Digest { return treePlace(way, get) }}
	if IsDerived(n.ID) {
		at.id = n.ID
	}
	return &Outline{Outline: o, path: n.Path, stem: at}, nil
}

// Extend reads the headlines that more text at the end of a file adds to its nodes. It
// returns nil if the new text, such as a setting, may change the meaning of the text
// before it, or the reverse. O(len(more) + length of the text before the first headline),
// and a scan of the rest.
func Extend(f document.Editor, nodes []*Node, more string, files document.Files) *Outline {
	top, last := nodes[0], nodes[len(nodes)-1]
	if top.Derived.Opaque || len(top.Derived.Setup) > 0 || last.Content != "" && !strings.HasSuffix(last.Content, "\n") {
		return nil
	}
	size := len(top.Content)
	for _, n := range nodes[1:] {
		if size += len(n.Content); !f.IsLocal(n.Content) {
			return nil
		}
	}
	o := f.Extend(top.Path, top.Content, more, size, len(nodes)-1, files)
	if o == nil || !o.Parts[0].Derived.Equal(top.Derived) {
		return nil
	}
	above := lastBranch(nodes)
	open := len(above) // number of nodes that can get children
	o.Parts = o.Parts[1:]
	for i := range o.Parts {
		p := &o.Parts[i]
		if p.Parent--; p.Parent < 0 {
			for open > 1 && above[open-1].Derived.Level >= p.Derived.Level {
				open--
			}
			p.Parent = -open
		}
		if !f.IsLocal(p.Content) || p.Parent < -1 && above[open-1].Derived.Encrypted {
			return nil
		}
	}
	return &Outline{Outline: o, path: top.Path, stem: &stem{above: above}}
}

// lastBranch returns the last node and its ancestors, the document first.
func lastBranch(nodes []*Node) []*Node {
	last := nodes[len(nodes)-1]
	open := []*Node{last}
	for _, n := range slices.Backward(nodes) {
		if n.ID == last.Parent {
			open, last = append(open, n), n
		}
	}
	slices.Reverse(open)
	return open
}

// treePlace returns the place of the last node of way. O(siblings on the way).
func treePlace(way []*Node, get func(id string) (*Node, bool)) merkle.Digest {
	place := outlineOf(way[0].ID)
	for i, n := range way[1:] {
		key, ordinal := n.siblingKey(), 0
		for _, id := range way[i].Kids {
			if id == n.ID {
				break
			}
			if k, ok := get(id); ok && k.siblingKey() == key {
				ordinal++
			}
		}
		place = placeOf(key, place, ordinal)
	}
	return place
}
