// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"cmp"
	"context"
	"iter"
	"time"

	"github.com/fovea-memory/fovea/history"
	"github.com/fovea-memory/fovea/internal/meaning"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/query"
	"github.com/fovea-memory/fovea/window"
)

// View is the content of a memory at one moment. It is immutable and safe for concurrent use,
// and stays valid while held, whatever is written meanwhile. Only this package makes views: a
// method that takes a View treats any other implementation as empty.
type View interface {
	// Root returns the digest of the whole state.
	Root() merkle.Digest
	// Head returns the commit of this state, without its changes.
	Head() Commit
	// Len returns the number of nodes.
	Len() int
	// Get returns a node by its id in one lookup. The node is shared: the caller must not change
	// it.
	Get(id string) (*node.Node, bool)
	// Resolve finds a node by an id, a handle, FILE:LINE, FILE:+BYTE, a path or a title; or, by
	// NODE::TYPE.N, an element of a node, which is not in the state. Errors: NotFound, Ambiguous
	// (the text lists the candidates), Locked (its file is locked down, see internal/ingest).
	Resolve(name string) (*node.Node, error)
	// Handle returns the short name of a node in this view: its handle, or its id if the handle
	// means another node in a scope of the view or no chain holds the node. An element is named
	// by its node: HANDLE::TYPE.N.
	Handle(n *node.Node) string
	// Scope names the scope of a node of the view.
	Scope(n *node.Node) string
	// All yields every node in document order, documents in path order.
	All() iter.Seq[*node.Node]
	// Documents yields the documents in path order.
	Documents() iter.Seq[*node.Node]
	// Document yields a document's nodes in document order, none if it does not exist.
	Document(path string) iter.Seq[*node.Node]
	// Text returns the exact bytes of a document.
	Text(path string) (string, bool)
	// Position returns the byte offset and the 1-based line at which a node begins in its
	// document. O(the document up to the node).
	Position(n *node.Node) (offset, line int)
	// Ancestors returns a node's ancestors, its document first.
	Ancestors(n *node.Node) []*node.Node
	// Branch returns a node and all below it, nil if there is none.
	Branch(id string) []*node.Node
	// Tags returns a node's own and inherited tags.
	Tags(n *node.Node) []string
	// Backlinks returns the nodes whose links lead to n, by its id or by its name: in document
	// order, at most limit, and their number. The first call builds the outline of the state, if
	// no window has; see window.Outline.Backlinks. An element has none.
	Backlinks(n *node.Node, limit int) (from []*node.Node, count int)
	// CopyOf returns the path of the file that the document at path is a conflict copy of, ""
	// for an ordinary document. Windows, searches and queries leave conflict copies out.
	CopyOf(path string) string
	// Query returns the matching nodes in document order, at most limit (0: all). Relative dates
	// count from now. A query that names the type of an element also finds elements: nodes with
	// the id NODE::TYPE.N, made for the caller, with the node that contains them as parent.
	Query(e query.Expr, limit int, now time.Time) ([]*node.Node, error)
	// Search ranks nodes by words, best first; limit 0 means 10. keep, which may be nil, is an
	// additional condition; its relative dates count from now. Scores are BM25 over exactly this
	// view and are comparable only within one result.
	Search(text string, limit int, keep query.Expr, now time.Time) ([]node.Hit, error)
	// Completed returns finished headlines that match keep, which may be nil, latest first, at
	// most limit (0: all). It orders by CLOSED, else by when the text last changed in memory, in
	// the time zone of now. Equal times keep document order.
	Completed(keep query.Expr, limit int, now time.Time) ([]*node.Node, error)
	// Newest returns at most limit headlines that an agent wrote, of any author if by is "",
	// the last changed first.
	Newest(by string, limit int) []*node.Node
	// ActiveProjects returns the ids of the active projects in document order: headlines
	// with the own tag "project" and no terminal keyword, and documents with the tag in
	// FILETAGS. O(nodes).
	ActiveProjects() []string
	// Window chooses and renders what a model sees of this view within a token budget. The
	// focus must be an id; Resolve finds it for a name that a person types. Nil Projects mean
	// all active ones. Without an agent in Caller, the window is for the agent of ctx, if any.
	// Errors: Budget (the text names the smallest budget that works), Invalid, NotFound,
	// Locked.
	Window(ctx context.Context, req window.Request) (*window.Window, error)
	// Lockdown lists, sorted, the paths of the files that a guarded view omits, because they
	// were changed outside Fovea and their owner has not decided yet.
	Lockdown() []string
	// Unreviewed lists, sorted, the paths of the files that a guarded view shows although
	// they were changed outside Fovea and not reviewed.
	Unreviewed() []string
}

// Diff returns what changed from one view to another, in O(changes). A parent whose own bytes are
// the same and which only holds changed children is not listed.
func Diff(from, to View) history.Difference { return view.Diff(view.Of(from), view.Of(to)) }

// ByMeaning returns a view of the same content that ranks for one question by the vectors of
// Options.Embedder: its Search and its Window of that question also find nodes that mean the same
// in other words. With only, nothing else counts; without, vectors count together with words, as
// far as the model has proved useful on these notes, and a Lexical model adds nothing. It first
// makes missing vectors, so the first call can take long. Errors: Unreachable (there is no
// embedder, no node has a vector, or the embedder fails; its error is wrapped), and that of ctx.
func (m *Memory) ByMeaning(ctx context.Context, v View, question string, only bool) (View, error) {
	var why error
	req := meaning.Request{Mode: meaning.Hybrid, Text: question, Fill: true, Warn: func(err error) { why = err }}
	if only {
		req.Mode = meaning.Semantic
	}
	by, err := meaning.View(ctx, m.Meaning(), view.Of(v), req)
	if by != view.Of(v) { // it ranks by the vectors that exist
		why = nil
	}
	if err = cmp.Or(ctx.Err(), err, why); err != nil {
		return nil, fail("search", "by meaning", Unreachable, err)
	}
	return by, nil
}
