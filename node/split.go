// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/org"
)

// Problem is something about a node that a person may want to mend. Nothing is
// lost by it.
type Problem struct {
	Path    string // or what else it is about
	Line    int    // 1-based; 0 where there is none
	Kind    string // a word to sort by: "id" and "syntax" come from Split
	Message string
}

// Split turns a file into nodes in document order, the document first, with
// ids, digests, parents and children set. bears decides, for a node that
// claims an id, whether it bears it; the others get derived ids and a problem.
// Strings of the result share text's memory. A nil doc makes the one node of an opaque
// file, with a problem that says why. Complexity is linear in text.
func Split(path, text string, doc *org.Document, bears func(Claim) bool) ([]*Node, []Problem) {
	if doc == nil {
		return SplitOpaque(path, text, bears), []Problem{{path, 1, "syntax", KeptWhole(text)}}
	}
	s := splitter{path: path, doc: doc, bears: bears, derive: newDeriver(path, doc)}
	s.nodes = make([]*Node, len(doc.Headlines)+1)
	s.used = make(map[string]bool, len(s.nodes))
	s.document(text)
	s.headlines()
	for _, d := range doc.Diagnostics {
		s.problems = append(s.problems, Problem{path, d.Line, "syntax", d.Message})
	}
	Hash(s.nodes)
	return s.nodes, s.problems
}

// Parse reads an Org document as Split and Claims want it: nil for a text
// that is kept whole (see KeptWhole).
func Parse(text string, opts *org.Options) *org.Document {
	if KeptWhole(text) != "" {
		return nil
	}
	return org.Parse(text, opts)
}

// SplitOpaque makes the one node of a file that is not Org, or not parsed.
func SplitOpaque(path, text string, bears func(Claim) bool) []*Node {
	n := &Node{Type: TypeDocument, Content: text, Derived: &Derived{Opaque: true}}
	n.Path = path
	id := DocumentID(path)
	if !bears(Claim{id, path, 0}) {
		id = rawDocumentID(path)
	}
	n.Identify(id)
	nodes := []*Node{n}
	Hash(nodes)
	return nodes
}

// Claims lists the ids that the nodes of a parsed document claim, in document
// order; doc is nil for an opaque file. Ordinal 0 is the document itself, i+1
// the i-th headline.
func Claims(path string, doc *org.Document) []Claim {
	out := []Claim{{DocumentID(path), path, 0}}
	if doc == nil {
		return out
	}
	if id := declared(doc.Properties); id != "" {
		out[0].ID = id
	}
	for i := range doc.Headlines {
		if id := declared(doc.Headlines[i].Properties); id != "" {
			out = append(out, Claim{id, path, i + 1})
		}
	}
	return out
}

// declared returns the id a drawer declares, "" for none that can be borne.
func declared(drawer []org.Property) string {
	if value, ok := plain(drawer, "ID"); ok && unusable(strings.TrimSpace(value)) == "" {
		return strings.TrimSpace(value)
	}
	return ""
}

type splitter struct {
	path     string
	doc      *org.Document
	bears    func(Claim) bool
	derive   *deriver
	nodes    []*Node
	used     map[string]bool // ids given within this document
	problems []Problem
}

func (s *splitter) document(text string) {
	n := &Node{Type: TypeDocument, Content: text[:s.doc.SectionEnd], Derived: s.derive.document()}
	n.Path = s.path
	s.check(s.doc.Properties, 1)
	id := n.Wish()
	if !s.bears(Claim{id, s.path, 0}) {
		s.problem(1, "ID "+quote(id)+" is borne by another node; a derived id is used")
		id = rawDocumentID(s.path)
	}
	s.used[id] = true
	n.Identify(id)
	s.nodes[0] = n
}

// headlines makes the headline nodes; a headline's parent stands before it.
func (s *splitter) headlines() {
	places := make([]merkle.Digest, len(s.nodes))
	places[0] = outlineOf(s.nodes[0].ID)
	ordinals := make(map[sibling]int, len(s.nodes))
	line, at := 1, 0
	for i := range s.doc.Headlines {
		h := &s.doc.Headlines[i]
		n := &Node{Type: TypeHeadline, Content: s.doc.Source[h.Start:h.SectionEnd], Derived: s.derive.headline(i)}
		line += strings.Count(s.doc.Source[at:h.Start], "\n")
		at = h.Start
		up := int(h.Parent) + 1
		parent := s.nodes[up]
		n.Path, n.Parent = s.path, parent.ID
		key := sibling{parent.ID, s.doc.OwnTitle(i)} // ids depend on nothing but the files
		places[i+1] = outline(places[up], key.title, ordinals[key])
		ordinals[key]++
		s.check(h.Properties, line)
		id := s.identify(n, i+1, line, places[i+1])
		s.used[id] = true
		n.Identify(id)
		s.nodes[i+1] = n
		parent.Kids = append(parent.Kids, id)
	}
}

type sibling struct{ parent, title string }

// identify chooses a headline's id: declared, CUSTOM_ID, derived.
func (s *splitter) identify(n *Node, ordinal, line int, place merkle.Digest) string {
	if id := n.Derived.DeclaredID; id != "" {
		if !s.used[id] && s.bears(Claim{id, s.path, ordinal}) {
			return id
		}
		s.problem(line, "ID "+quote(id)+" is borne by another node; a derived id is used")
	}
	if c := n.Derived.last("CUSTOM_ID"); c != "" {
		id := customID(s.nodes[0].ID, c)
		if len(id) <= MaxID && utf8.ValidString(id) && !s.used[id] {
			return id
		}
		s.problem(line, "CUSTOM_ID "+quote(c)+" is borne already, too long or not UTF-8; a derived id is used")
	}
	return derive(place)
}

// check reports a declared id that cannot be borne.
func (s *splitter) check(drawer []org.Property, line int) {
	if id, ok := plain(drawer, "ID"); ok {
		if why := unusable(strings.TrimSpace(id)); why != "" {
			s.problem(line, why+"; a derived id is used")
		}
	}
}

func (s *splitter) problem(line int, msg string) {
	s.problems = append(s.problems, Problem{s.path, line, "id", msg})
}

// quote puts a name between quotes for a message. One that is longer than an id may be
// is cut behind a whole character, and how much is left out is said.
func quote(v string) string {
	if len(v) <= MaxID {
		return strconv.Quote(v)
	}
	n := MaxID
	for n > MaxID-utf8.UTFMax && !utf8.RuneStart(v[n]) {
		n--
	}
	return fmt.Sprintf("%q and %d bytes more", v[:n], len(v)-n)
}

// Join gives back the file whose nodes, in document order, are given.
func Join(nodes []*Node) string {
	if len(nodes) == 1 {
		return nodes[0].Content
	}
	size := 0
	for _, n := range nodes {
		size += len(n.Content)
	}
	var b strings.Builder
	b.Grow(size)
	for _, n := range nodes {
		b.WriteString(n.Content)
	}
	return b.String()
}

// Rederive parses the file that the nodes join to and gives copies of them
// whose derived fields are fresh: for nodes that came from blocks, or from an
// image of another parser. It returns ErrShape when the parser no longer sees
// these nodes in the text. Nodes that came as a tree are read from their
// attributes; those of them that have their derived fields stay as they are.
func Rederive(nodes []*Node, opaque bool, opts *org.Options) ([]*Node, error) {
	if IsTree(nodes) {
		return rederiveTree(nodes)
	}
	out := make([]*Node, len(nodes))
	if opaque {
		if len(nodes) != 1 {
			return nil, ErrShape
		}
		c := *nodes[0]
		c.Derived = &Derived{Opaque: true}
		out[0] = &c
		return out, nil
	}
	text := Join(nodes)
	if len(nodes) == 1 && KeptWhole(text) != "" {
		return Rederive(nodes, true, opts)
	}
	doc := org.Parse(text, opts) // what has several nodes was parsed, by whatever limits
	if len(nodes) == 1 && len(doc.Headlines) > 0 {
		return Rederive(nodes, true, opts) // an Org file that the configuration keeps opaque
	}
	if len(doc.Headlines)+1 != len(nodes) {
		return nil, ErrShape
	}
	derive := newDeriver(nodes[0].Path, doc)
	for i, n := range nodes {
		c := *n
		if i == 0 {
			c.Derived = derive.document()
		} else {
			h := &doc.Headlines[i-1]
			if h.SectionEnd-h.Start != len(n.Content) {
				return nil, ErrShape
			}
			c.Derived = derive.headline(i - 1)
		}
		out[i] = &c
	}
	return out, nil
}

// DeriveAlone fills the derived fields of a node that stands outside any
// document, such as an old version: keywords that its file declared are not
// known. The node must not be in a state.
func DeriveAlone(n *Node, opts *org.Options) {
	if IsMemory(n.Path) || len(n.Attrs) > 0 || n.Bare || n.Type != TypeDocument && n.Type != TypeHeadline {
		n.deriveTree(&Derived{}, above{})
		return
	}
	if n.Type == TypeDocument && (!IsOrg(n.Path) || KeptWhole(n.Content) != "") {
		n.Derived = &Derived{Opaque: true}
		return
	}
	doc := org.Parse(n.Content, opts)
	derive := newDeriver(n.Path, doc)
	switch {
	case n.Type == TypeHeadline && len(doc.Headlines) > 0:
		n.Derived = derive.headline(0)
	default:
		n.Derived = derive.document()
	}
}
