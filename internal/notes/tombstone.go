// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package notes

import (
	"context"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Forget is that of fovea.Notes.
func (ns *Notes) Forget(ctx context.Context, id string, opts *scope.WriteOptions) (chain.Commit, error) {
	by := ns.scope.Actor(ctx).Author
	return ns.edit(ctx, "forget", opts, func(e *editing) error {
		apply := typed(document.Delete{})
		n, err := branch(e, id, e.base, apply)
		if err != nil {
			return err
		}
		e.c.Mark(e.forgotten(n, by)...)
		return e.change(n, apply)
	})
}

// Forgotten is that of fovea.Notes.
func (ns *Notes) Forgotten(title, text string) bool {
	defer ns.scope.Chain.Begin().End()
	return ns.tombstones()[keyOfNote(title, text)].active
}

// forgotten returns the marks for an author who forgets a node and its subtree. It leaves out
// headlines of the subtree without text: a title such as Notes identifies nothing.
func (e *editing) forgotten(n *node.Node, by author.Author) [][]byte {
	t := tombstones{}
	rest := []*node.Node{n}
	for len(rest) > 0 {
		at := rest[len(rest)-1]
		rest = rest[:len(rest)-1]
		if key, ok := keyOfNode(at); ok && (at == n || len(appendFolded(nil, at.Body())) > 0) {
			t[key] = e.ns.tombstones()[key].forgottenBy(by)
		}
		for _, id := range at.Kids {
			if kid, ok := e.c.State().Get(id); ok {
				rest = append(rest, kid)
			}
		}
	}
	return t.marks()
}

// tombstone records whether a title and text are forgotten.
type tombstone struct {
	active bool          // false if the tombstone was lifted
	by     author.Author // the only author to forget it; zero for several or an unknown one
}

// forgottenBy returns the tombstone after an author forgets the note. An agent gets no right to
// lift a tombstone by forgetting a note that the owner or another agent has forgotten before.
func (t tombstone) forgottenBy(by author.Author) tombstone {
	if t.active && t.by != by && by != scope.Owner {
		by = author.Author{}
	}
	return tombstone{active: true, by: by}
}

// tombstones are the tombstones of notes by key. They are immutable.
type tombstones map[noteKey]tombstone

// revert lifts the tombstones of notes that a commit restores, if its author may, and sets those
// of notes that it removes again.
func (l *tombstoneLedger) revert(at *chain.Moment, delta *graph.Delta, by author.Author) [][]byte {
	t := l.slot.At(at)
	changed := tombstones{}
	if len(t) == 0 {
		return nil
	}
	for _, c := range delta.Changes {
		if key, was, ok := t.of(c.Old); ok && !was.active {
			changed[key] = was.forgottenBy(by)
		}
	}
	for _, c := range delta.Changes {
		if key, was, ok := t.of(c.New); ok && (!was.active || by == scope.Owner || by == was.by) {
			changed[key] = tombstone{}
		}
	}
	maps.DeleteFunc(changed, func(key noteKey, now tombstone) bool { return t[key].active == now.active })
	return changed.marks()
}

// merge adopts the tombstones of another copy for notes that have none here.
func (l *tombstoneLedger) merge(ours, theirs *chain.Moment) [][]byte {
	t, fresh := l.slot.At(ours), maps.Clone(l.slot.At(theirs))
	maps.DeleteFunc(fresh, func(key noteKey, there tombstone) bool {
		_, known := t[key]
		return known || !there.active
	})
	return fresh.marks()
}

// of returns the tombstone of n, which may be nil, and its key.
func (t tombstones) of(n *node.Node) (key noteKey, was tombstone, known bool) {
	if key, known = keyOfNode(n); known {
		was, known = t[key]
	}
	return key, was, known
}

// marks returns the mark for some tombstones; no mark for no tombstones.
func (t tombstones) marks() [][]byte {
	if len(t) == 0 {
		return nil
	}
	return [][]byte{chain.NewMark(tombstoneName, t.code)}
}

// tombstones returns the present tombstones. They must not be changed.
func (ns *Notes) tombstones() tombstones { return ns.slot.At(ns.scope.Chain.Head()) }

// tombstoneLedger keeps the titles and texts that agents must not restore. Its marks are
// [name, entries].
type tombstoneLedger struct{ slot chain.Slot[tombstones] }

const tombstoneName = "forgotten"

func (l *tombstoneLedger) apply(at *chain.Moment, c *merkle.Codec) any {
	next := tombstones{}
	maps.Copy(next, l.slot.At(at))
	next.code(c)
	return next
}

func (l *tombstoneLedger) encode(at *chain.Moment) []byte { return merkle.Encode(l.slot.At(at).code) }

func (*tombstoneLedger) decode(data []byte) (any, error) {
	t := tombstones{}
	return t, merkle.Decode(data, t.code)
}

// code codes the list of entries.
func (t tombstones) code(c *merkle.Codec) {
	order := func(a, b noteKey) int { return slices.Compare(a[:], b[:]) }
	c.Fields(merkle.Entries(t, order, func(key *noteKey, one *tombstone, c *merkle.Codec) {
		fields, stands := 2, uint64(0)
		if one.active {
			stands = 1
		}
		if !one.by.IsZero() {
			fields = 3
		}
		fields = c.Size(fields)
		c.Fields((*merkle.Digest)(key), &stands)
		if one.active = stands == 1; fields < 3 {
			return
		}
		by := merkle.Codec{Out: c.Out, In: c.In}
		graph.CodeAuthor(&one.by)(&by)
		if c.Out = by.Out; by.Err != nil {
			one.by = author.Author{} // of an unknown kind: only the owner can lift it
		}
	}))
}

// Register registers the ledger of tombstones.
func Register(to *chain.Ledgers, ns *Notes) {
	l := &tombstoneLedger{}
	l.slot = chain.Register[tombstones](to, chain.Ledger{
		Name: tombstoneName, Fields: 1, Empty: tombstones(nil), Apply: l.apply, Encode: l.encode, Decode: l.decode, Revert: l.revert, Merge: l.merge,
	})
	ns.slot = l.slot
}
