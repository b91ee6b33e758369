// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	pathpkg "path"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/org"
)

// Types of nodes that come from files. They are org-element's names.
const (
	TypeDocument = "document" // a file: its zeroth section, or all of an opaque file
	TypeHeadline = "headline" // a headline and its own text, up to its first child
)

// Limits of design section 3; longer ones are a diagnostic and get a derived
// id, longer paths are refused.
const (
	MaxID   = 1 << 10 // bytes of an id
	MaxPath = 4 << 10 // bytes of a document path
)

// Node is one version of one remembered thing at its place in a state.
// It is immutable and safe for any number of readers.
type Node struct {
	ID string // identity: declared, CUSTOM_ID within its document, or derived
	Entry

	Type    string // TypeDocument, TypeHeadline, or an element's name for AST nodes
	Content string // the node's own bytes, children not included
	Bare    bool   // no content at all, which is not the empty one; only of a node that came as a tree
	Attrs   []Attr // hashed attributes of a node that came as a tree, sorted by key; nil for Org nodes

	Derived *Derived // what the parser read from Content; never nil in a state

	key merkle.Digest // SHA-256 of ID, the node's place in the Merkle map
}

// Entry is what a state says of a node: its digests and its place. It is what
// a commit's delta records.
type Entry struct {
	Own      merkle.Digest // digest of the node's own canonical block
	Version  merkle.Digest // Merkle digest: Own and the children's versions
	Parent   string        // id of the parent; "" for a document
	Path     string        // document path, slash-separated, relative to the memex
	Kids     []string      // ids of the children in document order
	Modified int64         // Unix milliseconds of the commit that last changed Own; in no digest
}

// Equal reports whether two entries say the same, Modified apart.
func (e *Entry) Equal(o *Entry) bool {
	if e == nil || o == nil {
		return e == o
	}
	if e.Own != o.Own || e.Version != o.Version || e.Parent != o.Parent || e.Path != o.Path || len(e.Kids) != len(o.Kids) {
		return false
	}
	for i, k := range e.Kids {
		if k != o.Kids[i] {
			return false
		}
	}
	return true
}

// Key returns the node's place in the Merkle map: SHA-256 of its id.
func (n *Node) Key() merkle.Digest { return n.key }

// AppendCanonical appends the node's leaf in the Merkle map: the canonical
// list [id, version, parent, path]. It implements merkle.Leaf.
func (n *Node) AppendCanonical(dst []byte) []byte {
	dst = merkle.AppendList(dst, 4)
	dst = merkle.AppendText(dst, n.ID)
	dst = merkle.AppendLink(dst, n.Version)
	dst = merkle.AppendText(dst, n.Parent)
	return merkle.AppendBytes(dst, n.Path)
}

// Identify sets a node's id. It is for those who build a node, before it enters
// a state.
func (n *Node) Identify(id string) {
	var short [64]byte // most ids are shorter and need no memory
	n.ID, n.key = id, merkle.Sum(append(short[:0], id...))
}

// Place returns a copy of n that carries the given id and entry. The digests
// of entry are trusted; use it where they were computed or verified.
func (n *Node) Place(id string, e Entry) *Node {
	c := *n
	c.Entry = e
	if c.ID != id || c.key.IsZero() {
		c.Identify(id)
	}
	return &c
}

// IsOrg reports whether a document of this path is parsed, as org.IsFile has it;
// anything else is kept opaque.
func IsOrg(path string) bool { return org.IsFile(path) }

// IsEncrypted reports whether a document of this path is encrypted: it is kept,
// and its bytes are neither searched nor shown to a model.
func IsEncrypted(path string) bool {
	return strings.EqualFold(pathpkg.Ext(path), ".gpg") && !IsMemory(path)
}

// Title returns the title a person would call the node by: the headline's
// title, the document's #+TITLE, else the name of its file; "" for a node of a tree
// that has none.
func (n *Node) Title() string {
	if n.Derived.Title != "" || n.Parent != "" || IsMemory(n.Path) {
		return n.Derived.Title
	}
	return BaseName(n.Path)
}

// Secret reports a node below a document that is itself part of encrypted text,
// because one above it bears the tag crypt: its title is not to be seen either.
func (n *Node) Secret() bool {
	return (n.Type == TypeHeadline || n.Parent != "") && n.Derived.Encrypted && !slices.Contains(n.Derived.Tags, cryptTag)
}

// Heading cuts the line that a headline of a file is off what follows it. The
// content of any other node has none.
func (n *Node) Heading() (line, rest string) {
	if n.Type != TypeHeadline || n.Derived.BodyStart == 0 {
		return "", n.Content
	}
	line, rest, _ = strings.Cut(n.Content, "\n")
	return line, rest
}

// Body returns the node's text without what its metadata already says: the
// headline line, planning and property drawer; for a document, the drawer.
// An encrypted node has none. The result is a substring of Content.
func (n *Node) Body() string {
	if n.Derived.Encrypted {
		return ""
	}
	start := n.Derived.BodyStart
	if start < 0 || start > len(n.Content) {
		return n.Content
	}
	return n.Content[start:]
}
