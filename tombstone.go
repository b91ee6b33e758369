// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// Forget takes a node out of its file with all below it, and keeps agents from
// bringing it back: Remember refuses to anybody but the person a note of a title and
// text that was forgotten. What the person saves in a file is never refused. History
// keeps what was forgotten until it is purged, and going back to before takes the
// forgetting back. base and errors are as of Edit.
func (m *Memory) Forget(ctx context.Context, id string, base merkle.Digest) (Commit, error) {
	apply := func(doc *org.Document, i int, now time.Time) (string, error) {
		splices, err := doc.Edit(i, now, org.Delete{})
		if err != nil {
			return "", err
		}
		return org.ApplySplices(doc.Source, splices)
	}
	return m.edit(ctx, "forget", nil, func(e *editing) error {
		if m.isTree(id) {
			if n, ok := m.View().Get(id); ok {
				e.marks = append(e.marks, e.forgotten(n))
			}
			return e.editTree(id, base, []org.Edit{org.Delete{}})
		}
		n, err := e.node(ctx, id, base, apply)
		if err != nil {
			return err
		}
		e.message = n.Path + ": " + n.Title()
		e.marks = append(e.marks, e.forgotten(n))
		text, err := apply(e.document(n.Path), e.headline(n), e.now)
		if err != nil {
			return fail(e.name, id, Invalid, err)
		}
		e.put(n.Path, text)
		return nil
	})
}

// Forgotten reports whether somebody has forgotten a note of this title and text, but
// for case, white space and Unicode form, and nobody has taken that back since: an
// import leaves such a one out.
func (m *Memory) Forgotten(title, text string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tombs.stand(keyOfNote(title, text))
}

// forgotten makes the mark of a node and of what stands below it. A headline there
// that has no text is left out: its title alone, such as Notes, says nothing.
func (e *editing) forgotten(n *node.Node) []byte {
	t := tombstones{}
	rest := []*node.Node{n}
	for len(rest) > 0 {
		at := rest[len(rest)-1]
		rest = rest[:len(rest)-1]
		if key, ok := keyOfNode(at); ok && (at == n || len(appendFolded(nil, at.Body())) > 0) {
			t[key] = true
		}
		for _, id := range at.Kids {
			if kid, ok := e.m.View().Get(id); ok {
				rest = append(rest, kid)
			}
		}
	}
	return t.mark()
}

// tombstones are the keys of what was forgotten; false where the forgetting was taken
// back. They are not changed once made.
type tombstones map[noteKey]bool

// stand reports whether a title and text were forgotten.
func (t tombstones) stand(key noteKey) bool { return t[key] }

// with returns the tombstones after a mark.
func (t tombstones) with(more tombstones) tombstones {
	next := maps.Clone(t)
	if next == nil {
		next = tombstones{}
	}
	maps.Copy(next, more)
	return next
}

// goingBack returns the marks of a commit that makes earlier nodes the present ones:
// what it brings back is no longer forgotten, and what it takes away again is.
func (t tombstones) goingBack(delta *graph.Delta) [][]byte {
	changed := tombstones{}
	if len(t) == 0 {
		return nil
	}
	for _, c := range delta.Changes {
		if stands, ok := t.of(c.Old); ok && !stands {
			changed[mustKey(c.Old)] = true
		}
	}
	for _, c := range delta.Changes {
		if _, ok := t.of(c.New); ok {
			changed[mustKey(c.New)] = false
		}
	}
	maps.DeleteFunc(changed, func(key noteKey, stands bool) bool { return t[key] == stands })
	if len(changed) == 0 {
		return nil
	}
	return [][]byte{changed.mark()}
}

// news returns the marks of what was forgotten in another copy of the memory and is not
// known here.
func (t tombstones) news(theirs tombstones) [][]byte {
	fresh := maps.Clone(theirs)
	maps.DeleteFunc(fresh, func(key noteKey, stands bool) bool {
		_, known := t[key]
		return known || !stands
	})
	if len(fresh) == 0 {
		return nil
	}
	return [][]byte{fresh.mark()}
}

// of finds the tombstone of a node, which may be nil.
func (t tombstones) of(n *node.Node) (stands, known bool) {
	key, ok := keyOfNode(n)
	if !ok {
		return false, false
	}
	stands, known = t[key]
	return stands, known
}

func mustKey(n *node.Node) noteKey {
	key, _ := keyOfNode(n)
	return key
}

func (t tombstones) mark() []byte {
	b := merkle.AppendList(nil, 2)
	b = merkle.AppendText(b, markForgotten)
	return t.append(b)
}

// append writes the list of entries.
func (t tombstones) append(b []byte) []byte {
	b = merkle.AppendList(b, len(t))
	for _, key := range slices.SortedFunc(maps.Keys(t), func(a, b noteKey) int { return slices.Compare(a[:], b[:]) }) {
		stands := uint64(0)
		if t[key] {
			stands = 1
		}
		b = merkle.AppendList(b, 2)
		b = merkle.AppendLink(b, key)
		b = merkle.AppendUint(b, stands)
	}
	return b
}

// readTombstones reads what append writes; the reader keeps the error.
func readTombstones(r *merkle.Reader) tombstones {
	t := tombstones{}
	for range r.List() {
		r.FixedList(2)
		key, stands := r.Link(), r.Uint()
		if r.Err() != nil {
			break
		}
		t[key] = stands == 1
	}
	return t
}
