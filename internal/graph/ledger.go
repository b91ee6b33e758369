// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"errors"
	"fmt"

	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// ErrVersion is returned for a version that does not match the own digest and the children.
var ErrVersion = errors.New("the version is not the one that own digest and children give")

// Ledger verifies a chain of commits by digests alone, without content: it recomputes each version and each
// root, independently of the states that Apply makes. The zero Ledger is empty. It is for one goroutine.
type Ledger struct {
	nodes map[string]*node.Node
	tree  *merkle.Editor[*node.Node]
	root  merkle.Digest
}

// Root returns the root after the last commit.
func (l *Ledger) Root() merkle.Digest { return l.root }

// Apply applies the next commit. Errors: ErrDelta, ErrVersion, ErrRoot; the ledger must
// not be used after one. O(changes log nodes).
func (l *Ledger) Apply(c *Commit) error {
	if l.tree == nil {
		l.nodes, l.tree = map[string]*node.Node{}, merkle.Map[*node.Node]{}.Edit()
	}
	slab := make([]node.Node, len(c.Delta))
	for i := range c.Delta {
		if err := l.change(&slab[i], &c.Delta[i]); err != nil {
			return fmt.Errorf("commit %d: node %s: %w", c.Seq, c.Delta[i].ID, err)
		}
	}
	var kids []merkle.Digest
	for i := range c.Delta {
		if c.Delta[i].New == nil {
			continue
		}
		var err error
		if kids, err = l.version(&slab[i].Entry, kids[:0]); err != nil {
			return fmt.Errorf("commit %d: node %s: %w", c.Seq, c.Delta[i].ID, err)
		}
	}
	if l.root = l.tree.Map().Root(); l.root != c.State {
		return fmt.Errorf("commit %d: %w", c.Seq, ErrRoot)
	}
	return nil
}

// change applies one record; n is memory for the node.
func (l *Ledger) change(n *node.Node, r *Record) error {
	old, had := l.nodes[r.ID]
	var was *node.Entry
	if had {
		was = &old.Entry
	}
	now, err := r.After(was)
	if err != nil {
		return err
	}
	if now == nil {
		delete(l.nodes, r.ID)
		l.tree.Delete(merkle.Sum([]byte(r.ID)))
		return nil
	}
	if had {
		*n = *old // keeps the computed key
	} else {
		n.Identify(r.ID)
	}
	n.Entry = *now
	l.nodes[r.ID] = n
	l.tree.Set(n)
	return nil
}

// version computes a node's version from its children's; kids is scratch.
func (l *Ledger) version(e *node.Entry, kids []merkle.Digest) ([]merkle.Digest, error) {
	for _, id := range e.Kids {
		k, ok := l.nodes[id]
		if !ok {
			return kids, ErrDelta
		}
		kids = append(kids, k.Version)
	}
	v, err := node.VersionBlock(e.Own, kids, nil)
	if err == nil && v != e.Version {
		err = ErrVersion
	}
	return kids, err
}
