// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"slices"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
)

// placeOf returns the place of the ordinal-th child with this key. Types are encoded as
// text and titles as bytes, so they never collide.
func placeOf(k document.Key, parent merkle.Digest, ordinal int) merkle.Digest {
	b := merkle.AppendList(make([]byte, 0, 64+len(k.Title)+len(k.Type)), 3)
	b = merkle.AppendLink(b, parent)
	if k.Type != "" {
		b = merkle.AppendText(b, k.Type)
	} else {
		b = merkle.AppendBytes(b, k.Title)
	}
	return merkle.Sum(merkle.AppendUint(b, uint64(ordinal)))
}

// Outline is an outline at its place in a state: a document at a path, or a branch of
// one. Nodes turns it into nodes, in the same way for every format.
type Outline struct {
	*document.Outline
	Copy bool // the document is a conflict copy: its parts get none of the ids that they declare
	path string
	stem *stem // nil for a whole document
}

// stem is the place at which a branch is attached to its document.
type stem struct {
	above []*Node              // a part of the branch whose Parent is -1-i is below above[i]
	id    string               // id of the first part if it declares none; "" to derive one
	place func() merkle.Digest // place of the first part, called only to derive ids; nil if none may be derived
}

// Claims returns the ids that the parts claim, in document order, with repetitions.
func (o *Outline) Claims() []Claim {
	out := make([]Claim, 0, len(o.Parts))
	for i := range o.Parts {
		if id := o.wish(i); id != "" {
			out = append(out, Claim{id, o.path})
		}
	}
	return out
}

// wish returns the id that a part claims, "" for none.
func (o *Outline) wish(i int) string {
	id := o.Parts[i].Derived.DeclaredID
	if o.Copy {
		id = ""
	}
	if id == "" && i == 0 && o.stem == nil && !document.IsMemory(o.path) {
		return DocumentID(o.path)
	}
	return id
}

// HasCustom reports whether a part without a declared id has a CUSTOM_ID, which must be
// unique in the whole document.
func (o *Outline) HasCustom() bool {
	return slices.ContainsFunc(o.Parts, func(p document.Part) bool { return p.Custom != "" && p.Derived.DeclaredID == "" })
}

// Nodes returns the nodes in document order, with ids, digests, parents and children
// set. bears reports whether a claimed id belongs to this document; if several parts claim
// it, the first gets it. Parts without an id of their own get a derived one; a rejected
// claim is a problem. Strings share memory with the parts. If a branch of a file has a part
// without an id of its own, no nodes are returned. Nodes must be called at most once.
// O(parts and their bytes).
func (o *Outline) Nodes(bears func(Claim) bool) ([]*Node, []document.Problem) {
	b := builder{Outline: o, bears: bears, ids: make([]string, len(o.Parts))}
	b.chooseIDs()
	if o.stem != nil && o.stem.place == nil && slices.Contains(b.ids, "") {
		return nil, nil
	}
	b.deriveIDs()
	nodes := b.nodes()
	Hash(nodes)
	return nodes, append(b.found, o.Problems...)
}

// builder turns one outline into nodes.
type builder struct {
	*Outline
	bears func(Claim) bool
	ids   []string // by part; "" until derived
	found []document.Problem
}

// chooseIDs sets the ids that parts claim and may have, those that a CUSTOM_ID gives, and
// the id of the document.
func (b *builder) chooseIDs() {
	used := make(map[string]bool, len(b.Parts))
	for i := range b.Parts {
		p := &b.Parts[i]
		if p.Refused != "" {
			b.problem(i, p.Refused+"; a derived id is used")
		}
		id := b.wish(i)
		if id != "" && (used[id] || !b.bears(Claim{id, b.path})) {
			b.problem(i, b.Label(i, "ID")+document.Quote(id)+" belongs to another node; a derived id is used")
			id = ""
		}
		if id == "" && i == 0 {
			id = b.fallbackID()
		} else if id == "" && p.Custom != "" && b.stem == nil {
			id = b.customID(i, used)
		}
		if b.ids[i] = id; id != "" {
			used[id] = true
		}
	}
}

// fallbackID returns the id of a first part that cannot have the one it claims.
func (b *builder) fallbackID() string {
	switch {
	case b.stem != nil:
		return b.stem.id
	case !document.IsMemory(b.path):
		return rawDocumentID(b.path)
	}
	if id := b.path[len(document.MemoryMark):]; b.Parts[0].Derived.DeclaredID == "" && IsDerived(id) {
		return id
	}
	return documentID("tree", b.path)
}

// customID returns the id that the CUSTOM_ID of a part gives, "" if it cannot.
func (b *builder) customID(i int, used map[string]bool) string {
	custom := b.Parts[i].Custom
	id := b.ids[0] + document.SearchMark + "#" + custom // unique within its document only, as in Org's link [[id:document::#custom]]
	if len(id) <= document.MaxID && utf8.ValidString(id) && !used[id] {
		return id
	}
	if b.Parts[i].Line > 0 { // in a tree, elements of one kind may share a CUSTOM_ID
		b.problem(i, b.Label(i, "CUSTOM_ID")+document.Quote(custom)+" is already used, too long or not UTF-8; a derived id is used")
	}
	return ""
}

// deriveIDs derives the missing ids from the places of their parts. It computes only the
// places that a derived id depends on.
func (b *builder) deriveIDs() {
	needed := make([]bool, len(b.ids))
	for i := range slices.Backward(b.ids) { // a parent precedes its children
		needed[i] = needed[i] || b.ids[i] == ""
		if up := b.Parts[i].Parent; needed[i] && up >= 0 {
			needed[up] = true
		}
	}
	if !needed[0] {
		return
	}
	type sibling struct {
		parent int
		key    document.Key
	}
	places := make([]merkle.Digest, len(b.ids))
	ordinals := map[sibling]int{}
	for i := range b.Parts {
		p := &b.Parts[i]
		switch {
		case i == 0 && b.stem != nil:
			places[0] = b.stem.place()
		case i == 0:
			places[0] = outlineOf(b.ids[0])
		case needed[p.Parent]:
			s := sibling{p.Parent, p.Key}
			if needed[i] {
				places[i] = placeOf(p.Key, places[p.Parent], ordinals[s])
			}
			ordinals[s]++
		}
		if b.ids[i] == "" {
			b.ids[i] = derive(places[i])
		}
	}
}

// nodes makes the nodes after all ids are set.
func (b *builder) nodes() []*Node {
	kids := make([]int, len(b.Parts))
	for _, p := range b.Parts {
		if p.Parent >= 0 {
			kids[p.Parent]++
		}
	}
	nodes := make([]*Node, len(b.Parts))
	for i := range b.Parts {
		p := &b.Parts[i]
		n := &Node{Type: p.Type, Content: p.Content, Bare: p.Bare, Attrs: p.Attrs, Derived: p.Derived}
		n.Path = b.path
		n.Identify(b.ids[i])
		if kids[i] > 0 {
			n.Kids = make([]string, 0, kids[i])
		}
		if p.Parent >= 0 {
			up := nodes[p.Parent]
			n.Parent, up.Kids = up.ID, append(up.Kids, n.ID)
		} else if b.stem != nil {
			n.Parent = b.stem.above[-1-p.Parent].ID
		}
		nodes[i] = n
	}
	return nodes
}

func (b *builder) problem(part int, message string) {
	b.found = append(b.found, document.Problem{Path: b.path, Line: b.Parts[part].Line, Kind: "id", Message: message})
}
