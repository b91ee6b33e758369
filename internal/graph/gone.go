// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"errors"
	"slices"

	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// ErrGone is wrapped by what a Loader returns for a block that history left out
// on purpose. Apply and Undo go on then with a node that has its place and its
// digests and no content, so that every root can still be computed.
var ErrGone = errors.New("the content is no longer kept")

// typeGone is the type of a node whose content is gone.
const typeGone = "(gone)" // no tree has such a type

// IsGone reports whether a node's content is no longer kept.
func IsGone(n *node.Node) bool { return n.Type == typeGone }

// Gone returns the nodes whose content is no longer kept, in no order. A state
// that has one is good for its digests and for its other documents alone.
// O(1) where neither it nor a state that it was made from has any, else O(nodes).
// An image holds none: what it holds is hashed as it is read.
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

// read loads a node's content, or makes a node that says it is gone.
func read(d merkle.Digest, load Loader) (*node.Node, error) {
	n, err := node.ReadOwn(d, load)
	if errors.Is(err, ErrGone) {
		return &node.Node{Entry: node.Entry{Own: d}, Type: typeGone, Derived: &node.Derived{}}, nil
	}
	return n, err
}

// alone gives copies of the nodes of a document that is not whole: each is read
// by itself, those that are gone not at all.
func alone(nodes []*node.Node) []*node.Node {
	out := make([]*node.Node, len(nodes))
	for i, n := range nodes {
		out[i] = n
		if n.Derived == nil {
			c := *n
			node.DeriveAlone(&c, nil)
			out[i] = &c
		}
	}
	return out
}

func hasGone(nodes []*node.Node) bool { return slices.ContainsFunc(nodes, IsGone) }
