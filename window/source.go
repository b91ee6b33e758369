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
	// without an item or with another parent are ignored.
	Children(id string) []string
	// Parent returns the id of a node's parent, "" for a document.
	Parent(id string) string
	// Document returns the id and path of the document that contains a node; a document
	// contains itself. Both are "" for an unknown id.
	Document(id string) (doc, path string)
}

// Item is the content of a node. All text is raw, as the parser returned it; the window
// escapes it.
type Item struct {
	ID string
	// Handle is the short name of the node, "" if it has none: windows then show the ID.
	Handle string
	Title  string
	// Todo is the keyword, "" for none, Done whether it is a terminal one.
	Todo string
	Done bool
	// Priority is the letter or number between "[#" and "]", "" for none.
	Priority string
	// Tags are the effective tags: own and inherited.
	Tags []string
	// Level is the outline depth: 0 for a document, else the number of stars.
	Level int
	// Path is the file of the document. Type, the kind of node, is rendered only in the
	// metadata of JSON.
	Path, Type string
	// Planning has entries as written: "SCHEDULED: <2026-11-20 Fri>".
	Planning []string
	// Properties are the keys and values of the drawer in order, with or without ID.
	Properties [][2]string
	// Body is the node's own text below its heading, drawer and planning,
	// without children.
	Body string
	// Digest is the own digest. PolicyValue shows one of several nodes with the same
	// non-zero digest.
	Digest merkle.Digest
	// Links are targets as written: "id:X", "#custom", "*title", "file:a.org::#c".
	Links []string
	// Author is the name of the agent who wrote the node, "" for the owner and where nobody
	// knows. Date is the day that the node is from, as 2026-11-20, "" for none. A heading
	// states both for the nodes below it.
	Author, Date string
	// Agent is the untrusted agent who wrote the node, "" for the owner's files.
	Agent string
	// Project reports whether this is an active project; see Outline.Projects.
	Project bool
	// Hidden nodes (COMMENT, ARCHIVE) and their subtrees are shown only as the focus.
	Hidden bool
	// Working is set for a block of working memory. It is a document of its own, without
	// children, whose path begins with a slash.
	Working *Working
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
