// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import "github.com/fovea-memory/fovea/merkle"

// Source is an immutable view of a memory. Its answers must not change while a window
// is built. Windows keep none of its memory but strings.
type Source interface {
	// Root is the digest of the state seen.
	Root() merkle.Digest
	// Item returns the node with this id, and whether it exists.
	Item(id string) (Item, bool)
	// Documents returns the ids of all documents, sorted by path.
	Documents() []string
	// Children returns the ids of a node's children in document order, each once. Ids
	// with another parent are ignored, and so are those without an item, which
	// Window.Missing names.
	Children(id string) []string
	// Parent returns the id of a node's parent, "" for a document.
	Parent(id string) string
	// Document returns the id and path of the document that contains a node; a document
	// contains itself. Both are "" for an unknown id.
	Document(id string) (doc, path string)
}

// Similarity scores how similar nodes are to a request.
type Similarity interface {
	// Scores returns the nodes with a score above 0, each once, in any order. Either
	// argument may be empty. The list belongs to the caller.
	Scores(focusID, text string) []Scored
}

// Scored is a node with a similarity from 0 to 1. 1 is the similarity of the best hit,
// or of the focus to itself.
type Scored struct {
	ID    string
	Score float64
	// Reason says in the reason of the part what besides shared words makes the node
	// similar, such as "vectors"; "" for nothing.
	Reason string
}
