// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"errors"
	"slices"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// ErrGone is wrapped by the error of a Loader for a block that was removed from history
// on purpose. Apply and Undo then continue with a node that has its place and digests but
// no content, so that every root can still be computed.
var ErrGone = errors.New("the content is no longer kept")

// typeGone is the type of a node whose content is gone.
const typeGone = "(gone)" // no tree has such a type

// IsGone reports whether a node's content was removed.
func IsGone(n *node.Node) bool { return n.Type == typeGone }

// Gone returns the nodes whose content was removed, in no order. A state with one is valid
// only for its digests and its other documents. O(1) if neither the state nor one that it
// was made from has any, else O(nodes). An image contains none, because its nodes are
// hashed when it is read.
func (s *State) Gone() []*node.Node {
	if !s.lacks {
		return nil
	}
	var out []*node.Node
	for _, n := range s.nodes.All() {
		if IsGone(n) {
			out = append(out, n)
		}
	}
	return out
}

// read loads a node's content, or returns a node of the type typeGone.
func read(d merkle.Digest, load Loader) (*node.Node, error) {
	n, err := node.ReadOwn(d, load)
	if errors.Is(err, ErrGone) {
		return &node.Node{Entry: node.Entry{Own: d}, Type: typeGone, Derived: &document.Derived{}}, nil
	}
	return n, err
}

// alone returns copies of the nodes of an incomplete document: each is derived by itself,
// deleted ones not at all.
func alone(formats document.Formats, nodes []*node.Node) []*node.Node {
	out := make([]*node.Node, len(nodes))
	for i, n := range nodes {
		out[i] = n
		if n.Derived == nil {
			c := *n
			node.DeriveAlone(formats, &c)
			out[i] = &c
		}
	}
	return out
}

func hasGone(nodes []*node.Node) bool { return slices.ContainsFunc(nodes, IsGone) }

var (
	// ErrRoot is returned when a commit's delta does not lead to the root it
	// names: the journal or image is damaged, or not this memory's.
	ErrRoot = errors.New("the delta does not lead to the root the commit names")
	// ErrDelta is returned when a commit's delta does not fit the state it is
	// applied to.
	ErrDelta = errors.New("the delta does not fit the state")
	// ErrFormat is returned for a commit or image of a format this version
	// cannot read.
	ErrFormat = errors.New("unknown format")
)
