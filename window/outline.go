// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/token"
)

// Outline is shared by all windows over one state: the tree of its nodes without their
// text, in one block per document. It is immutable and safe for concurrent use. It
// keeps the ids, agents and link targets of the state alive, about 150 bytes a node;
// outlines share the blocks of unchanged documents.
//
// Nodes are numbered in document order, and documents are sorted by path.
type Outline struct {
	root         merkle.Digest
	blocks       []*block
	firstNumbers []int32      // number of the first node of each block, then the total
	visible      int          // number of nodes that are not hidden
	missing      int          // number of children that have no item
	priorClasses []priorClass // a superset of the blocks' classes
	projects     []string     // ids of the active projects
	desk         []deskEntry  // blocks of working memory, in their order
	// count belongs to a cache of token counts, for requests without one; later outlines share it.
	count func(counter token.Counter, key [32]byte, text func() string) int
}

// maxCounts bounds the counts of an outline, to about 5 MB.
const maxCounts = 50_000

// ref identifies a node of an outline: the index of its block, and its index within.
type ref struct{ block, local int32 }

// noRef refers to no node.
var noRef = ref{-1, -1}

// compare orders refs by document order.
func (r ref) compare(o ref) int {
	return cmp.Or(cmp.Compare(r.block, o.block), cmp.Compare(r.local, o.local))
}

// DocumentChange names a document that was added, removed or changed. Path is its path,
// ID its id or "" if it was removed.
type DocumentChange struct{ Path, ID string }

// NewOutline reads a source once, for any number of requests over the same state. It
// reads each item once. The only error is ctx's.
func NewOutline(ctx context.Context, src Source) (*Outline, error) {
	docs := src.Documents()
	o := &Outline{root: src.Root(), blocks: make([]*block, 0, len(docs)), firstNumbers: make([]int32, 1, len(docs)+1), count: token.NewCache(maxCounts).Count}
	for _, id := range docs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if b := newBlock(src, id); b != nil {
			o.appendBlocks(b)
			o.addTotals(b)
		}
	}
	o.projects = o.collectProjects()
	return o, nil
}

// appendBlocks appends blocks and numbers their nodes.
func (o *Outline) appendBlocks(blocks ...*block) {
	for _, b := range blocks {
		if e, ok := newDeskEntry(b, int32(len(o.blocks))); ok {
			o.desk = append(o.desk, e)
		}
		o.blocks = append(o.blocks, b)
		o.firstNumbers = append(o.firstNumbers, o.firstNumbers[len(o.firstNumbers)-1]+int32(len(b.nodes)))
	}
}

// appendShared appends the blocks from to to of another outline, and numbers their
// nodes without visiting them.
func (o *Outline) appendShared(other *Outline, from, to int) {
	offset := o.firstNumbers[len(o.firstNumbers)-1] - other.firstNumbers[from]
	o.appendDesk(other, from, to, len(o.blocks)-from)
	o.blocks = append(o.blocks, other.blocks[from:to]...)
	for _, start := range other.firstNumbers[from+1 : to+1] {
		o.firstNumbers = append(o.firstNumbers, start+offset)
	}
}

// addTotals adds the counts and classes of a block to the outline's.
func (o *Outline) addTotals(b *block) {
	o.visible += b.visible
	o.missing += len(b.missing)
	for _, c := range b.priorClasses {
		o.priorClasses = mergeClass(o.priorClasses, c)
	}
}

// WithChanges returns the outline of the state that src shows, which differs from that
// of o in the given documents. It reads only the items of those. docs may be in any
// order and may contain unchanged documents. O(nodes of docs), plus a copy of 12 bytes
// a document and 32 a block of working memory.
func (o *Outline) WithChanges(src Source, docs []DocumentChange) *Outline {
	docs = slices.Clone(docs)
	slices.SortFunc(docs, func(a, b DocumentChange) int { return strings.Compare(a.Path, b.Path) })
	size := len(o.blocks) + len(docs)
	n := &Outline{
		root: src.Root(), blocks: make([]*block, 0, size), firstNumbers: make([]int32, 1, size+1),
		visible: o.visible, missing: o.missing, priorClasses: slices.Clone(o.priorClasses), projects: o.projects, desk: make([]deskEntry, 0, len(o.desk)+1),
		count: o.count,
	}
	projects := false // whether a document that has some changed
	copied := 0       // blocks of o
	for _, d := range docs {
		index, existed := o.blockAt(d.Path)
		n.appendShared(o, copied, index)
		if copied = index; existed {
			projects = projects || len(o.blocks[index].projects) > 0
			n.visible -= o.blocks[index].visible
			n.missing -= len(o.blocks[index].missing)
			copied++
		}
		var fresh *block
		if d.ID != "" {
			fresh = newBlock(src, d.ID)
		}
		if fresh != nil {
			n.appendBlocks(fresh)
			n.addTotals(fresh)
			projects = projects || len(fresh.projects) > 0
		}
	}
	n.appendShared(o, copied, len(o.blocks))
	if projects {
		n.projects = n.collectProjects()
	}
	return n
}

// Projects returns the ids of the active projects in document order. The list is shared.
func (o *Outline) Projects() []string { return o.projects }

func (o *Outline) collectProjects() []string {
	out := []string{}
	for _, b := range o.blocks {
		for _, i := range b.projects {
			out = append(out, b.nodes[i].id)
		}
	}
	return out
}

// maxMissing is the number of missing children that a window names.
const maxMissing = 20

// missingChildren returns the ids of the first children that have no item. O(1) if there are none.
func (o *Outline) missingChildren() (ids []string) {
	for i := 0; o.missing > 0 && i < len(o.blocks) && len(ids) < maxMissing; i++ {
		ids = append(ids, o.blocks[i].missing...)
	}
	return ids[:min(maxMissing, len(ids))]
}

// len returns the number of nodes.
func (o *Outline) len() int { return int(o.firstNumbers[len(o.blocks)]) }

// blockAt returns the index of the block with a path, or its insertion point.
func (o *Outline) blockAt(path string) (int, bool) {
	return slices.BinarySearchFunc(o.blocks, path, func(b *block, path string) int { return strings.Compare(b.path, path) })
}

// number returns the number of a node within the outline.
func (o *Outline) number(r ref) int32 { return o.firstNumbers[r.block] + r.local }

func (o *Outline) node(r ref) *nodeInfo { return &o.blocks[r.block].nodes[r.local] }

// parent returns the parent of a node, noRef for a document.
func (o *Outline) parent(r ref) ref {
	if parent := o.node(r).parent; parent >= 0 {
		return ref{r.block, parent}
	}
	return noRef
}

// visibleParent returns the nearest ancestor that is not hidden, or noRef.
func (o *Outline) visibleParent(r ref) ref {
	for r = o.parent(r); r != noRef && o.isHidden(r); {
		r = o.parent(r)
	}
	return r
}

// isHidden reports whether a node or one of its ancestors is hidden.
func (o *Outline) isHidden(r ref) bool { return o.node(r).has(hidden) }

// Source is an immutable view of a memory. Its results must not change while a window is built.
// Windows keep nothing of it but strings.
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
	// Reason is added to the reason of the part: what makes the node similar besides shared
	// words, such as "vectors"; "" for nothing.
	Reason string
}
