// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/org"
)

// Extend returns the nodes that more text at the end of an Org file adds, or nil where
// it may do anything but add headlines with ids of their own: where it sets something
// for the whole file, or an id has to be derived. nodes are those of the file, in
// document order; free reports whether nobody claims an id. The parents of the new nodes
// are set, the children of the present nodes are not; the result shares no memory with
// more. O(len(more) + length of the text before the first headline), and a scan of the
// rest.
func Extend(nodes []*Node, more string, opts *org.Options, free func(id string) bool) []*Node {
	if !extensible(nodes, more) || passesLimits(nodes, more) {
		return nil
	}
	top := nodes[0]
	doc := org.Parse(top.Content+more, opts)
	if doc.SectionEnd != len(top.Content) || len(nodes)-1+len(doc.Headlines) > MaxHeadlines {
		return nil
	}
	o := orgOutline(top.Path, doc)
	if !o.Parts[0].Derived.Equal(top.Derived) {
		return nil
	}
	seen := map[string]bool{}
	for _, p := range o.Parts[1:] {
		id := p.Derived.DeclaredID
		if id == "" || seen[id] || !free(id) || !org.IsLocal(p.Content) {
			return nil
		}
		seen[id] = true
	}
	all, _ := o.Nodes(func(Claim) bool { return true })
	if added := all[1:]; attach(nodes, added, all[0].ID) {
		return added
	}
	return nil
}

// extensible reports whether a text at the end of a file cannot change how the headlines
// before it are parsed.
func extensible(nodes []*Node, more string) bool {
	top, last := nodes[0], nodes[len(nodes)-1]
	if !IsOrg(top.Path) || IsTree(nodes) || top.Derived.Opaque || len(top.Derived.Setup) > 0 || strings.Contains(top.Content, "<<<") ||
		!strings.HasPrefix(more, "*") || last.Content != "" && !strings.HasSuffix(last.Content, "\n") {
		return false
	}
	for _, n := range nodes[1:] {
		if !org.IsLocal(n.Content) {
			return false
		}
	}
	return true
}

// passesLimits reports whether a file with more text at its end would be too large to be
// parsed.
func passesLimits(nodes []*Node, more string) bool {
	size := len(more)
	for _, n := range nodes {
		size += len(n.Content)
	}
	return size > MaxParsed || org.HasMoreHeadlines(more, MaxHeadlines)
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
