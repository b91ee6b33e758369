// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package view

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/history"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/champ"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/internal/recall"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/query"
	"github.com/fovea-memory/fovea/window"
)

// View is the content of a memory at one moment: an immutable state with its indexes. It
// stays valid while held, whatever is written meanwhile.
type View struct {
	*graph.State
	commit   chain.Commit // the head; the zero Commit in an empty memory
	scope    string       // of the memory
	Layers   []string     // of an overlay: scopes by the rank of their documents
	handles  []Handles    // of the chain, or of each layer
	words    *lazy[*recall.Words]
	facts    *lazy[index.Attributes]
	tree     *lazy[*window.Outline]
	problems *lazy[champ.Map[[]document.Problem]]

	whole      *View                  // of a guarded view: the view with the locked files
	Locked     map[string]guard.State // by path; it must not be changed
	unreviewed []string

	meaning     *recall.Meaning // of a request, nil for none
	onlyMeaning bool
	learned     recall.Model // of feedback, nil for nothing

	caller []string // names that notes may use for the caller

	serve func(context.Context, *View, *window.Caller) // see Deriver
}

// Of returns the view behind a fovea.View of the library; for any other value, an empty view.
func Of(v any) *View {
	if v, ok := v.(*View); ok && v != nil {
		return v
	}
	return New(&graph.State{}, chain.Commit{}, "")
}

// Deriver derives views from the states of a chain. Handles is the slot of its ledger of handles. Owner lists
// names that notes may use for the owner. Serve lets windows read the files of blocks if their caller does not; nil reads none.
type Deriver struct {
	Scope   string
	Handles chain.Slot[Handles]
	Owner   []string
	Serve   func(context.Context, *View, *window.Caller)
}

// Derive returns a view whose indexes are built on demand; the word index may come from an
// image.
func (x Deriver) Derive(m *chain.Moment, loaded any) any {
	state := m.State
	v := &View{
		State: state, commit: m.Commit, scope: x.Scope, handles: []Handles{x.Handles.At(m)}, caller: x.Owner, serve: x.Serve,
		words: newLazy(texts, state), facts: newLazy(attributes, state), tree: newLazy(outlines, state), problems: newLazy(diagnostics, state),
	}
	if lex, ok := loaded.(*index.Lexical); ok && lex.Len() == state.Len() {
		v.words.set(recall.LoadWords(state, lex))
	}
	return v
}

// Follow returns the view after a delta.
func (x Deriver) Follow(before any, m *chain.Moment, delta *graph.Delta) any {
	v := before.(*View).follow(m.State, delta, m.Commit)
	v.handles = []Handles{x.Handles.At(m)}
	return v
}

// Encode serializes the word index.
func (Deriver) Encode(derived any) ([]byte, error) {
	return derived.(*View).words.get().Lexical.AppendBinary(nil)
}

// Load decodes the word index, nil if it cannot.
func (Deriver) Load(section []byte) any {
	lex, err := index.Decode(section)
	if err != nil {
		return nil
	}
	return lex
}

// follow returns the view after a delta, with indexes updated from v's.
func (v *View) follow(state *graph.State, delta *graph.Delta, c chain.Commit) *View {
	return &View{
		State: state, commit: c, scope: v.scope, handles: v.handles, caller: v.caller, serve: v.serve,
		words: v.words.next(state, delta), facts: v.facts.next(state, delta), tree: v.tree.next(state, delta), problems: v.problems.next(state, delta),
	}
}

// WordsOf returns the index of words of a view.
func WordsOf(v *View) *index.Lexical { return v.words.get().Lexical }

// ProblemsOf returns the problems of the single documents of a view, by path.
func ProblemsOf(v *View) champ.Map[[]document.Problem] { return v.problems.get() }

// HandlesOf returns the handles of the history of a view, or of each of its layers.
func HandlesOf(v *View) []Handles { return v.handles }

// Overlaid returns the view after a delta that lays scopes over a memex, by the rank of their
// documents. below are the views of the scopes.
func Overlaid(base *View, state *graph.State, delta *graph.Delta, commit chain.Commit, layers []string, below []*View) *View {
	v := base.follow(state, delta, commit)
	v.Layers, v.handles = layers, nil
	for _, b := range below {
		v.handles = append(v.handles, b.handles...)
	}
	return v
}

// New returns a view of a state with indexes built from scratch. handles are those of its history,
// or of the history of each layer; without them nodes have no handles.
func New(state *graph.State, commit chain.Commit, scope string, handles ...Handles) *View {
	v := Deriver{Scope: scope}.Derive(&chain.Moment{State: state, Commit: commit}, nil).(*View)
	if len(handles) > 0 {
		v.handles = handles
	}
	return v
}

// Head returns the commit of this state, without its changes.
func (v *View) Head() chain.Commit { return v.commit }

// Tags returns a node's own and inherited tags.
func (v *View) Tags(n *node.Node) []string { return v.EffectiveTags(n) }

// Position is that of fovea.View.
func (v *View) Position(n *node.Node) (offset, line int) { return v.recall().Position(n) }

// Lines returns the 1-based lines at which nodes and elements begin in their documents, 0 if
// one is not found. O(the documents).
func (v *View) Lines(nodes []*node.Node) []int { return v.recall().Lines(nodes) }

// Query is that of fovea.View.
func (v *View) Query(e query.Expr, limit int, now time.Time) ([]*node.Node, error) {
	nodes, err := v.recall().Query(e, limit, now)
	return nodes, fault.Wrap("query", "", fault.Invalid, err)
}

// Completed is that of fovea.View.
func (v *View) Completed(keep query.Expr, limit int, now time.Time) ([]*node.Node, error) {
	nodes, err := v.recall().Completed(keep, limit, now)
	return nodes, fault.Wrap("query", "", fault.Invalid, err)
}

// Search is that of fovea.View.
func (v *View) Search(text string, limit int, keep query.Expr, now time.Time) ([]Hit, error) {
	hits, err := v.recall().Search(text, limit, keep, now)
	return hits, fault.Wrap("search", "", fault.Invalid, err)
}

// Hit is a node found by Search, with its score and the contribution of each ranker.
type Hit = recall.Hit

// Resolve is that of fovea.View.
func (v *View) Resolve(name string) (*node.Node, error) {
	n, err := v.recall().Resolve(name)
	if err == nil {
		return n, nil
	}
	if err := v.lockedDown("find", name); err != nil {
		return nil, err
	}
	kind := fault.NotFound
	if _, ok := err.(*recall.AmbiguousError); ok {
		kind = fault.Ambiguous
	}
	return nil, &fault.Error{Op: "find", Kind: kind, Err: err}
}

func (v *View) recall() recall.View {
	r := recall.View{State: v.State, IDs: v.idsOf, Words: v.words.get, Rankers: v.rankers()}
	if v.facts.isWorthwhile() {
		r.Attributes = v.facts.get
	}
	return r
}

// Scope names the scope of a node of the view.
func (v *View) Scope(n *node.Node) string {
	if v.Layers != nil {
		return v.Layers[v.Rank(n.Path)]
	}
	return v.scope
}

// Document yields a document's nodes in document order, none if it does not exist.
func (v *View) Document(path string) iter.Seq[*node.Node] {
	return slices.Values(v.Nodes(path))
}

// Difference is the difference between two views, see package history.
type Difference = history.Difference

// Diff is that of package fovea.
func Diff(from, to *View) Difference { return Changed(graph.Diff(from.State, to.State)) }

// Changed returns the difference that a delta makes, as Diff does.
func Changed(delta graph.Delta) Difference {
	d := Difference{Renamed: delta.Lineage}
	for _, c := range delta.Changes {
		switch {
		case c.Old == nil:
			d.Added = append(d.Added, c.New)
		case c.New == nil:
			d.Removed = append(d.Removed, c.Old)
		case c.Old.Own != c.New.Own:
			d.Changed = append(d.Changed, [2]*node.Node{c.Old, c.New})
		case c.Old.Parent != c.New.Parent || c.Old.Path != c.New.Path:
			d.Moved = append(d.Moved, [2]*node.Node{c.Old, c.New})
		}
	}
	return d
}
