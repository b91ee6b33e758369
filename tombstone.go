// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// Forget takes a node out of its file with all below it, and keeps agents from
// bringing it back: Remember refuses a note of a title and text that was forgotten to
// anybody but the person and the agent that has forgotten it, which takes that back so.
// What the person saves in a file is never refused. History
// keeps what was forgotten until it is purged, and going back to before takes the
// forgetting back. base and errors are as of Edit.
func (m *Memory) Forget(ctx context.Context, id string, base merkle.Digest) (Commit, error) {
	by := m.entry(ctx, graph.KindEdit, "", 0).Author
	return m.edit(ctx, "forget", nil, func(e *editing) error {
		apply := typed(org.Delete{})
		n, err := e.node(ctx, id, base, apply)
		if err != nil {
			return err
		}
		e.marks = append(e.marks, e.forgotten(n, by))
		return e.change(n, apply)
	})
}

// Forgotten reports whether somebody has forgotten a note of this title and text, but
// for case, white space and Unicode form, and nobody has taken that back since: an
// import leaves such a one out.
func (m *Memory) Forgotten(title, text string) bool {
	defer m.chain.Begin().End()
	return m.tombstones().stand(keyOfNote(title, text))
}

// forgotten makes the mark of a node and of what stands below it, which by forgets. A
// headline there that has no text is left out: its title alone, such as Notes, says
// nothing.
func (e *editing) forgotten(n *node.Node, by author.Author) []byte {
	t := tombstones{}
	rest := []*node.Node{n}
	for len(rest) > 0 {
		at := rest[len(rest)-1]
		rest = rest[:len(rest)-1]
		if key, ok := keyOfNode(at); ok && (at == n || len(appendFolded(nil, at.Body())) > 0) {
			t[key] = e.m.tombstones()[key].forgottenBy(by)
		}
		for _, id := range at.Kids {
			if kid, ok := e.m.View().Get(id); ok {
				rest = append(rest, kid)
			}
		}
	}
	return t.mark()
}

// tombstone says of a title and text whether they are forgotten.
type tombstone struct {
	stands bool          // false where the forgetting was taken back
	by     author.Author // who alone has forgotten it; nobody where it was several, or that is not known
}

// forgottenBy returns the tombstone once somebody forgets the note. What the owner or
// another agent has forgotten stays so: an agent cannot make it its own to take back.
func (t tombstone) forgottenBy(by author.Author) tombstone {
	if t.stands && t.by != by && by != owner {
		by = author.Author{}
	}
	return tombstone{stands: true, by: by}
}

// liftedBy reports whether an author may take the forgetting back: the owner may, and
// who alone has forgotten the note.
func (t tombstone) liftedBy(by author.Author) bool { return by == owner || by == t.by }

// tombstones are by the keys of what was forgotten. They are not changed once made.
type tombstones map[noteKey]tombstone

// stand reports whether a title and text were forgotten.
func (t tombstones) stand(key noteKey) bool { return t[key].stands }

// with returns the tombstones after a mark.
func (t tombstones) with(more tombstones) tombstones {
	next := maps.Clone(t)
	if next == nil {
		next = tombstones{}
	}
	maps.Copy(next, more)
	return next
}

// Revert lifts the tombstones of what a commit brings back, unless its author may not,
// and sets those of what it removes again.
func (tombstoneLedger) Revert(t tombstones, delta *graph.Delta, by author.Author) [][]byte {
	changed := tombstones{}
	if len(t) == 0 {
		return nil
	}
	for _, c := range delta.Changes {
		if was, ok := t.of(c.Old); ok && !was.stands {
			changed[mustKey(c.Old)] = was.forgottenBy(by)
		}
	}
	for _, c := range delta.Changes {
		if was, ok := t.of(c.New); ok && (!was.stands || was.liftedBy(by)) {
			changed[mustKey(c.New)] = tombstone{}
		}
	}
	maps.DeleteFunc(changed, func(key noteKey, now tombstone) bool { return t[key].stands == now.stands })
	if len(changed) == 0 {
		return nil
	}
	return [][]byte{changed.mark()}
}

// Merge takes over what was forgotten in another copy and is not known here.
func (tombstoneLedger) Merge(t, theirs tombstones) [][]byte {
	fresh := maps.Clone(theirs)
	maps.DeleteFunc(fresh, func(key noteKey, there tombstone) bool {
		_, known := t[key]
		return known || !there.stands
	})
	if len(fresh) == 0 {
		return nil
	}
	return [][]byte{fresh.mark()}
}

// of finds the tombstone of a node, which may be nil.
func (t tombstones) of(n *node.Node) (was tombstone, known bool) {
	key, ok := keyOfNode(n)
	if !ok {
		return tombstone{}, false
	}
	was, known = t[key]
	return was, known
}

func mustKey(n *node.Node) noteKey {
	key, _ := keyOfNode(n)
	return key
}

func (t tombstones) mark() []byte { return t.append(chain.NewMark(tombstoneName, 1)) }

// tombstones returns those that stand. They must not be changed.
func (m *Memory) tombstones() tombstones { return m.ledgers.tombstones.At(m.chain.Head()) }

// tombstoneLedger keeps the titles and texts that agents do not bring back. Its marks are
// [name, entries].
type tombstoneLedger struct{}

const tombstoneName = "forgotten"

func (tombstoneLedger) Name() string      { return tombstoneName }
func (tombstoneLedger) Fields() int       { return 1 }
func (tombstoneLedger) Empty() tombstones { return nil }

func (tombstoneLedger) Apply(v tombstones, r *merkle.Reader, _ *chain.Moment) (tombstones, error) {
	return v.with(readTombstones(r)), nil
}

func (tombstoneLedger) Encode(v tombstones) []byte { return v.append(nil) }

func (tombstoneLedger) Decode(data []byte) (tombstones, error) {
	r := merkle.NewReader(data)
	t := readTombstones(r)
	return t, r.Done()
}

// append writes the list of entries.
func (t tombstones) append(b []byte) []byte {
	b = merkle.AppendList(b, len(t))
	for _, key := range slices.SortedFunc(maps.Keys(t), func(a, b noteKey) int { return slices.Compare(a[:], b[:]) }) {
		fields, stands := 2, uint64(0)
		if t[key].stands {
			stands = 1
		}
		if !t[key].by.IsZero() {
			fields = 3
		}
		b = merkle.AppendList(b, fields)
		b = merkle.AppendLink(b, key)
		b = merkle.AppendUint(b, stands)
		if fields == 3 {
			b = graph.AppendAuthor(b, t[key].by)
		}
	}
	return b
}

// readTombstones reads what append writes; the reader keeps the error.
func readTombstones(r *merkle.Reader) tombstones {
	t := tombstones{}
	for range r.List() {
		fields := r.List()
		key, stands := r.Link(), r.Uint()
		one := tombstone{stands: stands == 1}
		if fields == 3 {
			one.by, _ = graph.ReadAuthor(r) // of an unknown kind: nobody's to take back
		}
		if r.Err() != nil {
			break
		}
		t[key] = one
	}
	return t
}
