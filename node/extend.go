// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
)

// Extend returns the nodes that more text at the end of a file adds, or nil where it may
// do anything but add headlines with ids of their own: where it sets something for the
// whole file, an id has to be derived, or the format is no document.Extender. nodes are
// those of the file, in document order; free reports whether nobody claims an id. The
// parents of the new nodes are set, the children of the present nodes are not; the result
// shares no memory with more. O(len(more) + length of the text before the first
// headline), and a scan of the rest.
func Extend(f document.Format, nodes []*Node, more string, files document.Files, free func(id string) bool) []*Node {
	x, ok := f.(document.Extender)
	top, last := nodes[0], nodes[len(nodes)-1]
	if !ok || IsTree(nodes) || top.Derived.Opaque || len(top.Derived.Setup) > 0 || last.Content != "" && !strings.HasSuffix(last.Content, "\n") {
		return nil
	}
	size := len(top.Content)
	for _, n := range nodes[1:] {
		if size += len(n.Content); !x.IsLocal(n.Content) {
			return nil
		}
	}
	o := x.Extend(top.Path, top.Content, more, size, len(nodes)-1, files)
	if o == nil || !o.Parts[0].Derived.Equal(top.Derived) {
		return nil
	}
	seen := map[string]bool{}
	for _, p := range o.Parts[1:] {
		id := p.Derived.DeclaredID
		if id == "" || seen[id] || !free(id) || !x.IsLocal(p.Content) {
			return nil
		}
		seen[id] = true
	}
	all, _ := At(top.Path, o).Nodes(func(Claim) bool { return true })
	if added := all[1:]; attach(nodes, added, all[0].ID) {
		return added
	}
	return nil
}

// lastBranch returns the last node after its ancestors, the document first.
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

// attach sets the parents of added headlines that have the document as their parent in
// the text that was parsed, and detaches all. It returns false where one would be read
// otherwise for what is above it.
func attach(nodes, added []*Node, document string) bool {
	open := lastBranch(nodes)
	for _, n := range added {
		if n.Parent == document { // each is at most as deep as the one before
			for len(open) > 1 && open[len(open)-1].Derived.Level >= n.Derived.Level {
				open = open[:len(open)-1]
			}
			parent := open[len(open)-1]
			if len(open) > 1 && parent.Derived.Encrypted {
				return false
			}
			n.Parent = parent.ID
		}
		n.Detach(nil)
	}
	return len(added) > 0
}
