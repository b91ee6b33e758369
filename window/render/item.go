// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package render

import (
	"time"

	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/working"
)

// Item is the content of a node. All text is as the parser returned it; the window escapes it.
type Item struct {
	ID string
	// Handle is the short name of the node, "" if it has none: windows then show the ID.
	Handle string
	Title  string
	// Todo is the keyword, "" for none; Done reports whether it is terminal.
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
	// Body is the node's own text below its heading, drawer and planning, without children.
	Body string
	// Digest is the own digest. PolicyValue shows one of several nodes with the same
	// non-zero digest.
	Digest merkle.Digest
	// Links are targets as written: "id:X", "#custom", "*title", "file:a.org::#c".
	Links []string
	// Author is the name of the agent who wrote the node, "" for the owner or if unknown.
	// Date is the day of the node, as 2026-11-20, "" for none. A heading states both for the
	// nodes below it.
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

// Working is what makes an item a block of working memory. It must not be changed.
type Working struct {
	// ID names the block in JSON.
	ID       string
	Type     working.Type
	Priority working.Priority
	// Confidence is between 0 and 1.
	Confidence float64
	// Time is when the block was made. After Until it is not shown; zero means never.
	Time, Until time.Time
	// Background marks what Fovea itself recorded about the agent: it gets only what notes leave.
	Background bool
	// Path is the file that the block is about, "" for none. Whole is set if the block has all
	// of the file.
	Path  string
	Whole bool
	// Line is the first line of the file that the block has, from 1; 0 if it has all.
	Line int
	// Deferred reports whether Caller.Load reads the body when it is needed. Size is its
	// likely length in bytes.
	Deferred bool
	Size     int
	// Entry is the metadata of the block. Its values can be encoded as JSON.
	Entry map[string]any
}
