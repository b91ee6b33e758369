// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
	"github.com/fovea-memory/fovea/query"
)

// span is an element of a node's own text, as a node outside every state.
type span struct {
	node   *node.Node
	host   *node.Node // the node that contains it
	offset int        // offset of its bytes in host's content
}

// spanSeparator separates the id of a node from the type of an element in it.
const spanSeparator = "::"

// IsSpan reports whether id has the form of the id of an element in the node host.
func IsSpan(id, host string) bool { return strings.HasPrefix(id, host+spanSeparator) }

// elementNames are the searchable element types, by name.
var elementNames = func() map[string]org.Type {
	names := map[string]org.Type{}
	for t := org.TypeCenterBlock; !t.IsObject(); t++ {
		names[t.String()] = t
	}
	return names
}()

// elementTypes returns the element types that a query names, except in conditions on
// related nodes, which are never elements.
func elementTypes(e query.Expr) map[org.Type]bool {
	wanted := map[org.Type]bool{}
	var walk func(...query.Expr)
	walk = func(list ...query.Expr) {
		for _, e := range list {
			switch e := e.(type) {
			case query.And:
				walk(e.Of...)
			case query.Or:
				walk(e.Of...)
			case query.Not:
				walk(e.Of)
			case query.Pred:
				for _, arg := range e.Args {
					if t, ok := elementNames[query.TypeName(arg)]; ok && e.Name == "type" {
						wanted[t] = true
					}
				}
			}
		}
	}
	walk(e)
	return wanted
}

// spans yields a node's elements of the wanted types, in order, or none if the node is
// encrypted. They are not hashed: elements nest, so together they may be far longer
// than the text.
func spans(n *node.Node, wanted map[org.Type]bool) iter.Seq[span] {
	return func(yield func(span) bool) {
		if !mayHaveElements(n, wanted) {
			return
		}
		tree := parseElements(n)
		count := map[org.Type]int{}
		for i, e := range tree.Elements {
			if !wanted[e.Type] {
				continue
			}
			count[e.Type]++
			if !yield(newSpan(n, tree, i, count[e.Type])) {
				return
			}
		}
	}
}

// mayHaveElements reports whether a node may have an element of a wanted type. It
// avoids parsing and may report false positives only.
func mayHaveElements(n *node.Node, wanted map[org.Type]bool) bool {
	if n.Derived.Opaque || n.Derived.Encrypted {
		return false
	}
	for t := range wanted {
		if marks, ok := marksByType[t]; !ok || strings.ContainsAny(n.Content, marks) {
			return true
		}
	}
	return false
}

// parseElements parses only a node's own text, because document settings do not affect
// where elements are.
func parseElements(n *node.Node) *org.Tree {
	doc := org.Parse(n.Content, nil)
	if n.Type == document.TypeHeadline && len(doc.Headlines) > 0 {
		return doc.Elements(0)
	}
	return doc.Elements(-1)
}

// newSpan builds the node of element i, the ordinal-th of its type, without digests.
// Its keyword and tags are host's.
func newSpan(host *node.Node, tree *org.Tree, i, ordinal int) span {
	e := tree.Elements[i]
	text := tree.Text(i)
	d := host.Derived
	n := &node.Node{Type: e.Type.String(), Content: text, Derived: &document.Derived{
		Title: spanTitle(tree, i), Todo: d.Todo, Done: d.Done, Tags: d.Tags,
	}}
	n.Parent, n.Path, n.Modified = host.ID, host.Path, host.Modified
	n.Identify(host.ID + spanSeparator + n.Type + "." + strconv.Itoa(ordinal))
	return span{node: n, host: host, offset: int(e.Start)}
}

// withDigests returns the node with its digests.
func (s span) withDigests() *node.Node {
	s.node.Own = ownDigest(s.node)
	s.node.Version = s.node.Own // equal for a node without children
	return s.node
}

// ownDigest returns the digest of an element's text, or zero if it cannot be hashed.
func ownDigest(element *node.Node) merkle.Digest {
	own, _ := element.OwnBlock(nil)
	return own
}

// spanTitle returns an element's #+NAME, or its first line.
func spanTitle(tree *org.Tree, i int) string {
	if name := tree.Name(i); name != "" {
		return name
	}
	e := tree.Elements[i]
	line, _, _ := strings.Cut(tree.Source[e.Body:e.End], "\n")
	return strings.TrimSpace(line)
}

// Span returns the element with an id of the form ID::TYPE.N, the N-th of its type in
// the node ID, and its offset in the node's content. The node is built for the caller
// and is not part of the state.
func (v View) Span(id string) (n *node.Node, offset int, ok bool) {
	hostID, name, ok := cutLast(id, spanSeparator)
	if !ok {
		return nil, 0, false
	}
	kind, number, _ := cutLast(name, ".")
	t, known := elementNames[kind]
	ordinal, err := strconv.Atoi(number)
	host, found := v.State.Get(hostID)
	if !known || err != nil || !found || fmt.Sprint(ordinal) != number {
		return nil, 0, false
	}
	for s := range spans(host, map[org.Type]bool{t: true}) {
		if ordinal--; ordinal == 0 {
			return s.withDigests(), s.offset, true
		}
	}
	return nil, 0, false
}

// marksByType lists, by type, characters; each element has at least one of them. Types
// that are not listed have no such characters.
var marksByType = map[org.Type]string{
	org.TypeTable: "|+", org.TypeTableRow: "|+", org.TypeSrcBlock: "#", org.TypeExampleBlock: "#",
	org.TypeQuoteBlock: "#", org.TypeCenterBlock: "#", org.TypeVerseBlock: "#", org.TypeExportBlock: "#",
	org.TypeCommentBlock: "#", org.TypeSpecialBlock: "#", org.TypeDynamicBlock: "#", org.TypeComment: "#",
	org.TypeKeyword: "#", org.TypeBabelCall: "#", org.TypeClock: "[<", org.TypeFootnoteDefinition: "[",
	org.TypeLatexEnvironment: "\\", org.TypeDrawer: ":", org.TypePropertyDrawer: ":", org.TypeNodeProperty: ":",
	org.TypePlanning: ":", org.TypeFixedWidth: ":", org.TypeDiarySexp: "%",
}

// rareMarks are the entries of marksByType that few texts contain.
var rareMarks = []string{"#", "|+", "\\", "%"}

// rareMarksOf returns the rare marks that elements of a node may have.
func rareMarksOf(n *node.Node) (list []string) {
	for _, marks := range rareMarks {
		if !n.Derived.Opaque && !n.Derived.Encrypted && strings.ContainsAny(n.Content, marks) {
			list = append(list, marks)
		}
	}
	return list
}
