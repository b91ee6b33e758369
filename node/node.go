// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
)

// Node is one version of one remembered thing at its place in a state.
// It is immutable and safe for any number of readers.
type Node struct {
	ID string // identity: declared, CUSTOM_ID within its document, or derived
	Entry

	Type    string          // TypeDocument, TypeHeadline, or an element's name for AST nodes
	Content string          // the node's own bytes, children not included
	Bare    bool            // no content, as opposed to empty content; only for nodes of trees
	Attrs   []document.Attr // hashed attributes of a node of a tree, sorted by key; nil for files

	Derived *document.Derived // what the parser read from Content; never nil in a state

	key merkle.Digest // SHA-256 of ID, the node's place in the Merkle map
}

// Entry is a node's digests and place in a state, as a commit's delta records them.
type Entry struct {
	Own      merkle.Digest // digest of the node's own canonical block
	Version  merkle.Digest // Merkle digest: Own and the children's versions
	Parent   string        // id of the parent; "" for a document
	Path     string        // document path, slash-separated, relative to the memex
	Kids     []string      // ids of the children in document order
	Modified int64         // Unix milliseconds of the commit that last changed Own; in no digest
}

// Place is the title and the location of a node.
type Place struct {
	ID    string `json:"id" jsonschema:"the id of the node"`
	Title string `json:"title" jsonschema:"without keyword and tags"`
	Path  string `json:"path" jsonschema:"the file, below the memex"`
	Line  int    `json:"line" jsonschema:"the line in the file, from 1; 0 without a file"`
}

// Equal reports whether two entries are equal except for Modified.
func (e *Entry) Equal(o *Entry) bool {
	if e == nil || o == nil {
		return e == o
	}
	return e.Own == o.Own && e.Version == o.Version && e.Parent == o.Parent && e.Path == o.Path && slices.Equal(e.Kids, o.Kids)
}

// Key returns the node's place in the Merkle map: SHA-256 of its id.
func (n *Node) Key() merkle.Digest { return n.key }

// AppendCanonical appends the node's leaf in the Merkle map: the canonical list
// [id, own, version, parent, path], with the key of the parent in place of its id, so that
// a proof of a node does not reveal the id of another. It implements merkle.Leaf.
func (n *Node) AppendCanonical(dst []byte) []byte {
	dst = merkle.AppendList(dst, 5)
	dst = merkle.AppendText(dst, n.ID)
	dst = merkle.AppendLink(dst, n.Own)
	dst = merkle.AppendLink(dst, n.Version)
	if n.Parent == "" {
		dst = merkle.AppendNull(dst)
	} else {
		parent := Key(n.Parent)
		dst = merkle.AppendBytes(dst, parent[:])
	}
	return merkle.AppendBytes(dst, n.Path)
}

// Key returns the place of an id in the Merkle map: its SHA-256.
func Key(id string) merkle.Digest { return merkle.SumText(id) }

// Identify sets the id of a node that is not yet in a state.
func (n *Node) Identify(id string) {
	n.ID, n.key = id, Key(id)
}

// Place returns a copy of n with the given id and entry, whose digests the caller has
// computed or verified.
func (n *Node) Place(id string, e Entry) *Node {
	c := *n
	c.Entry = e
	if c.ID != id || c.key.IsZero() {
		c.Identify(id)
	}
	return &c
}

// Title returns the headline's title, or the document's #+TITLE or else the name of its
// file; "" for a node of a tree without a title.
func (n *Node) Title() string {
	if n.Derived.Title != "" || n.Parent != "" || document.IsMemory(n.Path) {
		return n.Derived.Title
	}
	return BaseName(n.Path)
}

// Secret reports whether a node is part of encrypted text because one of its ancestors
// has the tag crypt: even its title must not be shown.
func (n *Node) Secret() bool {
	return (n.Type == document.TypeHeadline || n.Parent != "") && n.Derived.Encrypted && !slices.Contains(n.Derived.Tags, document.CryptTag)
}

// ListedTitle returns the title of the node for lists and searches: "" if the node is part of
// encrypted text.
func (n *Node) ListedTitle() string {
	if n.Secret() {
		return ""
	}
	return n.Title()
}

// Heading splits the content of a headline of a file after its first line. For any other
// node, line is empty.
func (n *Node) Heading() (line, rest string) {
	if n.Type != document.TypeHeadline || n.Derived.BodyStart == 0 {
		return "", n.Content
	}
	line, rest, _ = strings.Cut(n.Content, "\n")
	return line, rest
}

// Body returns the node's text after its metadata: after the headline's line, planning
// and property drawer, or a document's drawer and settings. It is "" for an encrypted
// node. The result is a substring of Content.
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

var (
	// ErrDigest is returned for bytes that do not match their digest.
	ErrDigest = errors.New("content does not match its digest")
	// ErrFormat is returned for a block of a format this version cannot read.
	ErrFormat = errors.New("unknown format")
	// ErrShape is returned for nodes that do not form the document.
	ErrShape = errors.New("nodes do not form the document")
)

// BaseName returns the name of a document without a title: its file name without folder
// and extension.
func BaseName(p string) string {
	b := path.Base(p)
	return strings.TrimSuffix(b, path.Ext(b))
}

// Opening returns the first line of the node's own text that is not stars, a drawer or a
// keyword, to identify a node without a title. It returns "" if there is no such line or
// the text is encrypted. O(length of the skipped text).
func (n *Node) Opening() string {
	if n.Derived.Encrypted || document.IsEncrypted(n.Path) {
		return ""
	}
	_, text := n.Heading()
	inDrawer := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.EqualFold(line, ":end:"):
			inDrawer = false
		case inDrawer || strings.Trim(line, "*") == "" || strings.HasPrefix(line, "#+"):
		case len(line) > 2 && line[0] == ':' && line[len(line)-1] == ':' && !strings.Contains(line, " "):
			inDrawer = true
		default:
			return strings.ToValidUTF8(line, "\uFFFD")
		}
	}
	return ""
}
