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
// very objects they are, and the document is a copy with more children. It returns
// nil where the text may do anything else, such as set something for the whole file,
// or where an id has to be derived: then Split tells. nodes are those of the file, in
// order; free reports whether nobody claims an id. The result shares no memory with
// more. Complexity is that of parsing more and the text before the first headline,
// and of a look through the rest.
func Extend(nodes []*Node, more string, opts *org.Options, free func(id string) bool) []*Node {
	if !extensible(nodes, more) {
		return nil
	}
	top := nodes[0]
	doc := org.Parse(top.Content+more, opts)
	if doc.SectionEnd != len(top.Content) || len(nodes)-1+len(doc.Headlines) > merkle.MaxKids {
		return nil
	}
	derive := newDeriver(top.Path, doc)
	if !derive.document().Equal(top.Derived) {
		return nil
	}
	added := headlinesOf(top, doc, derive, free)
	if added == nil {
		return nil
	}
	all := slices.Concat(nodes, added)
	all[0] = withKids(all)
	return all
}

// extensible reports whether a text at the end of a file cannot change what the
// headlines before it are.
func extensible(nodes []*Node, more string) bool {
	top, last := nodes[0], nodes[len(nodes)-1]
	if !IsOrg(top.Path) || IsTree(nodes) || top.Derived.Opaque || len(top.Derived.Setup) > 0 || strings.Contains(top.Content, "<<<") ||
		!strings.HasPrefix(more, "* ") || last.Content != "" && !strings.HasSuffix(last.Content, "\n") {
		return false
	}
	for _, n := range nodes[1:] {
		if !org.Local(n.Content) {
			return false
		}
	}
	return true
}

// headlinesOf makes the nodes of the headlines of doc, which go below top; nil where
// one has no id of its own, or counts outside of it.
func headlinesOf(top *Node, doc *org.Document, derive *deriver, free func(id string) bool) []*Node {
	added := make([]*Node, len(doc.Headlines))
	met := map[string]bool{}
	for i := range doc.Headlines {
		text := doc.Text(i)
		n := &Node{Type: TypeHeadline, Content: text, Derived: derive.headline(i)}
		id := n.Derived.DeclaredID
		if id == "" || met[id] || !free(id) || !org.Local(text) {
			return nil
		}
		met[id] = true
		n.Path, n.Parent = top.Path, top.ID
		if up := doc.Headlines[i].Parent; up >= 0 {
			parent := added[up]
			n.Parent, parent.Kids = parent.ID, append(parent.Kids, id)
		}
		n.Identify(id)
		n.Detach(nil)
		added[i] = n
	}
	Hash(added)
	return added
}

// withKids returns the document of nodes, whose digests are set, with all that stand
// below it.
func withKids(nodes []*Node) *Node {
	h := hashers.Get().(*hasher)
	defer hashers.Put(h)
	top := *nodes[0]
	top.Kids = append(make([]string, 0, len(top.Kids)+1), top.Kids...)
	h.versions = h.versions[:0]
	for _, n := range nodes[1:] {
		if n.Parent != top.ID {
			continue
		}
		if h.versions = append(h.versions, n.Version); len(h.versions) > len(top.Kids) {
			top.Kids = append(top.Kids, n.ID)
		}
	}
	h.block, _ = appendVersion(h.block[:0], top.Own, h.versions, nil) // no emit, no error
	top.Version = merkle.Sum(h.block)
	return &top
}
