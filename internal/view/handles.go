// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/recall"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Handles is the table of the handles of a chain.
type Handles = *handleTable

// RegisterHandles registers the ledger of handles, which has no marks: handles follow from the
// commits. The Deriver of the chain needs the slot.
func RegisterHandles(to *chain.Ledgers) (slot chain.Slot[Handles]) {
	slot = chain.Register[Handles](to, chain.Ledger{
		Name: "handles", Empty: noHandles(),
		Apply:  func(at *chain.Moment, _ *merkle.Codec) any { return slot.At(at) },
		Encode: func(at *chain.Moment) []byte { return slot.At(at).Encode() },
		Decode: func(data []byte) (any, error) {
			if data == nil { // an image from before there were handles
				return Handles(nil), nil
			}
			return decodeHandles(data)
		},
		// The nodes of such an image get their handles in order of ids. Older nodes of that history have
		// none, and none was ever shown for them.
		Restore: func(at *chain.Moment) any {
			if t := slot.At(at); t != nil {
				return t.WithLive(idsOf(at.State))
			}
			return noHandles().Follow(slices.Sorted(idsOf(at.State)), nil)
		},
		Follow: func(c *chain.Change) any { return slot.At(c.Before).after(c) },
	})
	return slot
}

// after gives added nodes their handles. A change is sorted by id.
func (t *handleTable) after(c *chain.Change) Handles {
	var added, removed []string
	for i := range c.Delta.Changes {
		switch change := &c.Delta.Changes[i]; {
		case change.Old == nil:
			added = append(added, change.ID)
		case change.New == nil:
			removed = append(removed, change.ID)
		}
	}
	return t.Follow(added, removed)
}

// idsOf yields the ids of all nodes of a state.
func idsOf(state *graph.State) iter.Seq[string] {
	return func(yield func(string) bool) {
		for n := range state.All() {
			if !yield(n.ID) {
				return
			}
		}
	}
}

// Handle is that of fovea.View.
func (v *View) Handle(n *node.Node) string {
	if _, has := v.Get(n.ID); !has {
		if host, ok := v.Get(n.Parent); ok && recall.IsSpan(n.ID, host.ID) {
			return v.Handle(host) + strings.TrimPrefix(n.ID, host.ID)
		}
	}
	own := v.handles[v.layer(n.Path)].Of(n.ID)
	if own == "" || len(v.handles) > 1 && len(v.idsOf(own)) != 1 {
		return n.ID
	}
	return own
}

// layer returns the index in v.handles of the scope that a document comes from.
func (v *View) layer(path string) int {
	if len(v.handles) == 1 {
		return 0
	}
	return v.Rank(path)
}

// FormerID returns the id of a handle, even if the node is gone, and any other name unchanged.
// Errors: Ambiguous (the handle is also an id, or that of two nodes).
func (v *View) FormerID(name string) (string, error) {
	ids := v.idsOf(name)
	if _, has := v.Get(name); has && !slices.Contains(ids, name) && len(ids) > 0 {
		ids = append(ids, name)
	}
	switch len(ids) {
	case 0:
		return name, nil
	case 1:
		return ids[0], nil
	}
	return "", &fault.Error{Op: "find", Kind: fault.Ambiguous, Err: fmt.Errorf("%q could mean the nodes %q", name, ids)}
}

// idsOf returns the ids that have a handle in the histories of the view, each once. They
// need not be live.
func (v *View) idsOf(word string) (ids []string) {
	for _, t := range v.handles {
		if id, ok := t.ID(word); ok && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}
