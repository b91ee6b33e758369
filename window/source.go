// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import "github.com/fovea-memory/fovea/merkle"

// Source is one immutable view of a memory. Its answers must not change while a
// window is built; the window keeps none of its memory afterwards but strings.
type Source interface {
	// Root is the digest of the state seen.
	Root() merkle.Digest
	// Item returns the node with this id and whether there is one.
	Item(id string) (Item, bool)
	// Documents returns the ids of all documents in their order, which is by path.
	Documents() []string
	// Children returns the ids of a node's children in document order, each once. An
	// id without an item is passed over, and so is one with another parent.
	Children(id string) []string
	// Parent returns the id of a node's parent, "" for a document.
	Parent(id string) string
	// Document returns the id of the document that a node stands in, its own for a
	// document, and the path of that; "" where there is none.
	Document(id string) (doc, path string)
}

// Item is what a window needs to know of a node. All text is raw, as the parser
// gave it: the window escapes it.
type Item struct {
	ID    string
	Title string
	// Todo is the keyword, "" for none, Done whether it is a terminal one.
	Todo string
	Done bool
	// Priority is the letter or number between "[#" and "]", "" for none.
	Priority string
	// Tags are the effective ones: own and inherited.
	Tags []string
	// Level is the outline depth: 0 for a document, else the number of stars.
	Level int
	// Path is the document's file, Type the kind of node; both are shown only in
	// the metadata of JSON.
	Path, Type string
	// Planning has entries as written: "SCHEDULED: <2026-11-20 Fri>".
	Planning []string
	// Properties are keys and values of the drawer, in order, ID left out or not.
	Properties [][2]string
	// Body is the node's own text below its heading, drawer and planning,
	// without children.
	Body string
	// Digest is the own digest. Equal ones, the zero digest aside, are shown once
	// by the policy value.
	Digest merkle.Digest
	// Links are targets as written: "id:X", "#custom", "*title", "file:a.org::#c".
	Links []string
	// Agent is "" for the owner's files, else the agent whose untrusted writing
	// this is.
	Agent string
	// Project says that this is an active project, see Outline.Projects.
	Project bool
	// Hidden nodes (COMMENT, ARCHIVE) and all below them are shown only
	// when they are the focus.
	Hidden bool
}

// Similarity tells how close nodes are to a request.
type Similarity interface {
	// Name names the scale, for people.
	Name() string
	// Scores returns the nodes that have a score above 0, each once, in any order. Either
	// argument may be empty. The list belongs to the caller.
	Scores(focusID, text string) []Scored
}

// Scored is a node with a score from 0 to 1; 1 is as close as the best hit, or as the
// focus is to itself.
type Scored struct {
	ID    string
	Score float64
}
