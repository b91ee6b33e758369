// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"iter"
	"slices"
	"time"

	"github.com/fovea-memory/fovea/internal/champ"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/internal/recall"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/query"
	"github.com/fovea-memory/fovea/window"
)

// View is what a memory holds at one moment: an immutable state and the
// indexes made from it. It stays valid, and unchanged, for as long as it is
// held, whatever is written meanwhile.
type View struct {
	state  *graph.State
	commit Commit   // the head; the zero Commit in an empty memory
	scope  string   // of the memory
	layers []string // of an overlay: the scopes by rank of their documents
	words  *lazy[*index.Lexical]
	facts  *lazy[index.Attributes]
	tree   *lazy[*window.Outline]
	odd    *lazy[champ.Map[[]node.Problem]]

	whole      *View                  // of a guarded one: with what is locked down
	locked     map[string]guard.State // by path
	unreviewed []string
}

// indexes derives views from the moments of a chain.
type indexes struct{ scope string }

// Derive makes a view whose indexes are made from nothing on demand, but for the words
// that an image had.
func (x indexes) Derive(state *graph.State, commit Commit, loaded any) any {
	v := &View{
		state: state, commit: commit, scope: x.scope,
		words: newLazy(lexical, state), facts: newLazy(attributes, state), tree: newLazy(outlines, state), odd: newLazy(oddities, state),
	}
	if lex, ok := loaded.(*index.Lexical); ok && lex.Len() == state.Len() {
		v.words.set(lex)
	}
	return v
}

// Follow makes the view after a delta.
func (indexes) Follow(before any, state *graph.State, delta *graph.Delta, commit Commit) any {
	return before.(*View).follow(state, delta, commit)
}

// Encode writes the index of words.
func (indexes) Encode(derived any) ([]byte, error) {
	return derived.(*View).words.get().AppendBinary(nil)
}

// Load reads the index of words, nil if it cannot.
func (indexes) Load(section []byte) any {
	lex, err := index.Decode(section)
	if err != nil {
		return nil
	}
	return lex
}

// follow makes the view of the state that follows by a delta; its indexes go on
// from v's.
func (v *View) follow(state *graph.State, delta *graph.Delta, c Commit) *View {
	return &View{
		state: state, commit: c, scope: v.scope,
		words: v.words.next(state, delta), facts: v.facts.next(state, delta), tree: v.tree.next(state, delta), odd: v.odd.next(state, delta),
	}
}

// Root returns the digest of the whole state.
func (v *View) Root() merkle.Digest { return v.state.Root() }

// Head returns the commit that made this state, without its changes.
func (v *View) Head() Commit { return v.commit }

// Len returns the number of nodes.
func (v *View) Len() int { return v.state.Len() }

// Get returns a node by its id in one look-up. The node is shared: it must not
// be changed.
func (v *View) Get(id string) (*node.Node, bool) { return v.state.Get(id) }

// Documents yields the documents in order of their paths.
func (v *View) Documents() iter.Seq[*node.Node] { return v.state.Documents() }

// All yields every node in document order, documents by path.
func (v *View) All() iter.Seq[*node.Node] { return v.state.All() }

// Text returns the bytes of a document, exactly as they stand in its file.
func (v *View) Text(path string) (string, bool) { return v.state.Text(path) }

// Ancestors returns a node's ancestors, its document first.
func (v *View) Ancestors(n *node.Node) []*node.Node { return v.state.Ancestors(n) }

// Tags returns a node's own and inherited tags.
func (v *View) Tags(n *node.Node) []string { return v.state.EffectiveTags(n) }

// Position returns where a node begins in its document: byte offset and
// 1-based line. Complexity is that of reading the document up to the node.
func (v *View) Position(n *node.Node) (offset, line int) { return v.recall().Position(n) }

// Lines returns the 1-based lines at which nodes and elements begin in their documents,
// 0 for one that is not there. Complexity is that of reading each document once.
func (v *View) Lines(nodes []*node.Node) []int { return v.recall().Lines(nodes) }

// Query returns the nodes that match, in document order, at most limit (0:
// all). Relative dates count from now. A query that names the type of an element
// also finds elements: nodes with the id NODE::TYPE.N, made for the caller, whose
// parent is the node they stand in.
func (v *View) Query(e query.Expr, limit int, now time.Time) ([]*node.Node, error) {
	nodes, err := v.recall().Query(e, limit, now)
	return nodes, fail("query", "", Invalid, err)
}

// Completed returns finished headlines that match keep, which may be nil, the
// latest first, at most limit (0: all): by CLOSED, else by when their text last
// changed in memory, on the calendar of now's location. Equal times keep the
// order of the documents.
func (v *View) Completed(keep query.Expr, limit int, now time.Time) ([]*node.Node, error) {
	nodes, err := v.recall().Completed(keep, limit, now)
	return nodes, fail("query", "", Invalid, err)
}

// Search ranks nodes by words, best first; limit 0 means 10. keep, which may
// be nil, is an additional condition; its relative dates count from now. The
// scores are BM25 over exactly this view. They are comparable only within one answer.
func (v *View) Search(text string, limit int, keep query.Expr, now time.Time) ([]Hit, error) {
	found, err := v.recall().Search(text, limit, keep, now)
	if err != nil {
		return nil, fail("search", "", Invalid, err)
	}
	return found, nil
}

// Hit is a node found by Search: its score, and what each arm of the score adds to it.
type Hit = recall.Hit

// Resolve finds the node a person means by an id, FILE:LINE, FILE:+BYTE, a
// path or a title; by NODE::TYPE.N, an element in it, which is no node of the
// state. Errors: NotFound, Ambiguous (the text lists the
// candidates), Locked (it stands in a file that is locked down, see Guarded).
func (v *View) Resolve(name string) (*node.Node, error) {
	n, err := v.recall().Resolve(name)
	if err == nil {
		return n, nil
	}
	if err := v.lockedDown("find", name); err != nil {
		return nil, err
	}
	kind := NotFound
	if _, ok := err.(*recall.AmbiguousError); ok {
		kind = Ambiguous
	}
	return nil, &Error{Op: "find", Kind: kind, Err: err}
}

func (v *View) recall() recall.View {
	r := recall.View{State: v.state, Arms: []recall.Ranker{recall.Words(v.words.get)}}
	if v.facts.isWorthwhile() {
		r.Attributes = v.facts.get
	}
	return r
}

// Scope names the scope that a node of the view came from.
func (v *View) Scope(n *node.Node) string {
	if v.layers != nil {
		return v.layers[v.state.Rank(n.Path)]
	}
	return v.scope
}

// Document yields a document's nodes in document order; nothing when there is
// no such document.
func (v *View) Document(path string) iter.Seq[*node.Node] {
	return slices.Values(v.state.Nodes(path))
}
