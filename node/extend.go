// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/org"
)

// Extend gives the nodes of an Org file with more text at its end, as Split would
// of all of it, where that text only adds headlines: those that the file has stay the
// very objects they are, but for copies, with more children, of the document and of
// those at its end that the new ones go below. It returns
// nil where the text may do anything else, such as set something for the whole file,
// or where an id has to be derived: then Split tells. nodes are those of the file, in
// order; free reports whether nobody claims an id. The result shares no memory with
// more. Complexity is that of parsing more and the text before the first headline,
// and of a look through the rest.
func Extend(nodes []*Node, more string, opts *org.Options, free func(id string) bool) []*Node {
	if !extensible(nodes, more) || passesLimits(nodes, more) {
		return nil
	}
	top := nodes[0]
	doc := org.Parse(top.Content+more, opts)
	if doc.SectionEnd != len(top.Content) || len(nodes)-1+len(doc.Headlines) > MaxHeadlines {
		return nil
	}
	derive := newDeriver(top.Path, doc)
	if !derive.document().Equal(top.Derived) {
		return nil
	}
	open := lastBranch(nodes)
	added := headlinesBelow(nodes, open, doc, derive, free)
	if len(added) == 0 {
		return nil
	}
	all := slices.Concat(nodes, added)
	grown := false
	for _, i := range slices.Backward(open) {
		if grown = grown || all[i].ID == added[0].Parent; grown {
			all[i] = withKids(all, i)
		}
	}
	return all
}

// extensible reports whether a text at the end of a file cannot change what the
// headlines before it are.
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

// passesLimits reports whether a file is or becomes too large to be parsed with more
// text at its end, or that text is itself.
func passesLimits(nodes []*Node, more string) bool {
	size := len(more)
	for _, n := range nodes {
		size += len(n.Content)
	}
	return size > MaxParsed || org.HasMoreHeadlines(more, MaxHeadlines)
}

// lastBranch returns the places of the last node and of those above it, the document
// first.
func lastBranch(nodes []*Node) []int {
	at := len(nodes) - 1
	open := []int{at}
	for i := at - 1; i >= 0; i-- {
		if nodes[i].ID == nodes[at].Parent {
			open, at = append(open, i), i
		}
	}
	slices.Reverse(open)
	return open
}

// headlinesBelow makes the nodes of the headlines of doc, which stand behind nodes;
// open is the last branch of those. It returns nil where one has no id of its own,
// counts outside of it, or would be read otherwise for what is above it.
func headlinesBelow(nodes []*Node, open []int, doc *org.Document, derive *deriver, free func(id string) bool) []*Node {
	added := make([]*Node, len(doc.Headlines))
	met := map[string]bool{}
	for i := range doc.Headlines {
		text := doc.Text(i)
		n := &Node{Type: TypeHeadline, Content: text, Derived: derive.headline(i)}
		id := n.Derived.DeclaredID
		if id == "" || met[id] || !free(id) || !org.IsLocal(text) {
			return nil
		}
		met[id] = true
		n.Path = nodes[0].Path
		if up := doc.Headlines[i].Parent; up >= 0 {
			parent := added[up]
			n.Parent, parent.Kids = parent.ID, append(parent.Kids, id)
		} else { // those without a parent here are ever less deep
			for len(open) > 1 && nodes[open[len(open)-1]].Derived.Level >= n.Derived.Level {
				open = open[:len(open)-1]
			}
			parent := nodes[open[len(open)-1]]
			if len(open) > 1 && parent.Derived.Encrypted {
				return nil
			}
			n.Parent = parent.ID
		}
		n.Identify(id)
		n.Detach(nil)
		added[i] = n
	}
	Hash(added)
	return added
}

// withKids returns a copy of the i-th of nodes, which is the parent of some that were
// added; the digests of all behind it are set.
func withKids(nodes []*Node, i int) *Node {
	h := hashers.Get().(*hasher)
	defer hashers.Put(h)
	up := *nodes[i]
	up.Kids = append(make([]string, 0, len(up.Kids)+1), up.Kids...)
	h.versions = h.versions[:0]
	for _, n := range nodes[i+1:] {
		if n.Parent != up.ID {
			continue
		}
		if h.versions = append(h.versions, n.Version); len(h.versions) > len(up.Kids) {
			up.Kids = append(up.Kids, n.ID)
		}
	}
	h.block, _ = appendVersion(h.block[:0], up.Own, h.versions, nil) // no emit, no error
	up.Version = merkle.Sum(h.block)
	return &up
}
