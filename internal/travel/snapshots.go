// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package travel

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// maxAutomatic is the number of automatic snapshots kept: seed memory.org.
const maxAutomatic = 20

// kept is a point of the history that the ledger keeps: not its indexes, which would hold
// more than the state, and are made on demand. Without a state, that has to be fetched from
// disk, and only number, root and time of the commit are known.
type kept struct {
	*chain.Point
	since int64 // snapshots.replaced when it was made
}

// snapshot is a kept point with its name, "" for an automatic one.
type snapshot struct {
	kept
	name string
}

func (s snapshot) public(i int) Snapshot {
	c := &s.Commit
	return Snapshot{Index: i, Name: s.name, Seq: c.Seq, Root: c.Root, Time: c.Time}
}

// snapshots are the automatic snapshots of a scope, and the named ones. They do not change
// after they were published: each commit makes a copy.
//
// A state in memory holds the nodes that were replaced or removed since. All states
// together hold at most as many bytes as the live state has; then the oldest is released.
type snapshots struct {
	automatic [maxAutomatic]kept // oldest first
	n         int                // of automatic that are used
	named     []snapshot

	replaced int64 // bytes of nodes replaced or removed, ever
	live     int64 // bytes of the live nodes; 0 until needed
}

// list returns the snapshots, newest first; of one commit the automatic one is older
// than the named.
func (s *snapshots) list() []snapshot {
	var out []snapshot
	for _, k := range s.automatic[:s.n] {
		out = append(out, snapshot{kept: k})
	}
	out = append(out, s.named...)
	slices.SortStableFunc(out, func(a, b snapshot) int {
		return cmp.Or(cmp.Compare(b.Commit.Seq, a.Commit.Seq), strings.Compare(b.name, a.name))
	})
	return out
}

// push adds an automatic snapshot of a moment. The state before the first ingest is no
// snapshot, and equal states make one.
func (s *snapshots) push(m *chain.Moment) {
	if m.Commit.Seq == 0 || s.n > 0 && s.automatic[s.n-1].Commit.Root == m.Commit.Root {
		return
	}
	s.add(kept{m.Point, s.replaced})
}

// add adds an automatic snapshot, in place of the oldest if there are maxAutomatic.
func (s *snapshots) add(k kept) {
	if s.n == maxAutomatic {
		copy(s.automatic[:], s.automatic[1:])
		s.n--
	}
	s.automatic[s.n] = k
	s.n++
}

// release drops the states kept since a count of replaced bytes or before; they are read
// from disk when they are needed.
func (s *snapshots) release(since int64) {
	s.named = slices.Clone(s.named)
	for _, k := range s.held() {
		if k.since <= since {
			k.Point = pointOf(k.Commit.Seq, k.Commit.Root, k.Commit.Time)
		}
	}
}

// held returns the points whose states are in memory.
func (s *snapshots) held() (all []*kept) {
	for i := range s.n {
		all = append(all, &s.automatic[i])
	}
	for i := range s.named {
		all = append(all, &s.named[i].kept)
	}
	return slices.DeleteFunc(all, func(k *kept) bool { return k.State == nil })
}

// pointOf is a point without its state.
func pointOf(seq uint64, root merkle.Digest, at time.Time) *chain.Point {
	return &chain.Point{Commit: chain.Commit{Seq: seq, Root: root, Time: at}}
}

// heldSince returns the count of replaced bytes at the oldest state in memory.
func (s *snapshots) heldSince() int64 {
	since := s.replaced
	for _, k := range s.held() {
		since = min(since, k.since)
	}
	return since
}

// retainedFloor is the number of bytes that snapshots may hold before it is compared
// with the live state.
const retainedFloor = 1 << 20

// account adds what a delta replaced on the way to a state, and releases states that hold
// too much.
func (s *snapshots) account(state *graph.State, delta *graph.Delta) {
	old, now := int64(0), int64(0)
	for i := range delta.Changes {
		old += nodeBytes(delta.Changes[i].Old)
		now += nodeBytes(delta.Changes[i].New)
	}
	s.replaced += old
	if s.live > 0 {
		s.live += now - old
	}
	for {
		oldest := s.heldSince()
		held := s.replaced - oldest
		if held <= retainedFloor {
			return
		}
		if s.live == 0 {
			for n := range state.All() {
				s.live += nodeBytes(n)
			}
		}
		if held <= s.live {
			return
		}
		s.release(oldest)
	}
}

// nodeBytes estimates the memory of a node.
func nodeBytes(n *node.Node) int64 {
	const fields = 512
	if n == nil {
		return 0
	}
	return fields + int64(len(n.Content))
}

// snapshotLedger keeps the snapshots of a chain. Its marks are [name, seq, root, time,
// name of the snapshot].
type snapshotLedger struct {
	slot    chain.Slot[*snapshots]
	session bool // what a session ingests takes no snapshot
}

const snapshotName = "snapshot"

func appendSnapshot(b []byte, s snapshot) []byte {
	b = merkle.AppendUint(b, s.Commit.Seq)
	b = merkle.AppendLink(b, s.Commit.Root)
	b = merkle.AppendInt(b, s.Commit.Time.UnixMilli())
	return merkle.AppendText(b, s.name)
}

func readSnapshot(r *merkle.Reader) snapshot {
	at := pointOf(r.Uint(), r.Link(), time.UnixMilli(r.Int()).UTC())
	return snapshot{kept{Point: at}, r.Text()}
}

// apply adds a snapshot. A name that is taken moves.
func (l *snapshotLedger) apply(at *chain.Moment, r *merkle.Reader) (any, error) {
	v, s := l.slot.At(at), readSnapshot(r)
	if r.Err() != nil {
		return v, nil
	}
	next := *v
	here := at.Commit.Seq == s.Commit.Seq
	switch {
	case s.name != "":
		if here {
			s.Point = at.Point
		}
		s.since = v.replaced
		next.named = slices.DeleteFunc(slices.Clone(v.named), func(o snapshot) bool { return o.name == s.name })
		next.named = append(next.named, s)
	case here:
		next.push(at)
	}
	return &next, nil
}

// after makes the automatic snapshot before an operation that changes the state: a
// pointer. The commits of one operation share one.
func (s *snapshots) after(c *chain.Change, session bool) *snapshots {
	next := *s
	if c.Commit.Op != c.Before.Commit.Op && len(c.Commit.Delta) > 0 && !(session && c.Commit.Kind == graph.KindIngest) {
		next.push(c.Before)
	}
	next.account(c.After, c.Delta)
	return &next
}

// retains keeps the content of all snapshots.
func (l *snapshotLedger) retains(at *chain.Moment) []uint64 {
	var seqs []uint64
	for _, e := range l.slot.At(at).list() {
		seqs = append(seqs, e.Commit.Seq)
	}
	return seqs
}

// nearest returns the state in memory that is closest to a commit and not before it.
func (l *snapshotLedger) nearest(at *chain.Moment, seq, limit uint64) (*graph.State, uint64) {
	var state *graph.State
	for _, e := range l.slot.At(at).list() {
		if e.State != nil && e.Commit.Seq >= seq && e.Commit.Seq < limit {
			state, limit = e.State, e.Commit.Seq
		}
	}
	return state, limit
}

// released returns the value without states.
func (s *snapshots) released() *snapshots {
	next := *s
	next.release(next.replaced)
	return &next
}

// encode writes the list, oldest first, as the snapshots were made.
func (l *snapshotLedger) encode(at *chain.Moment) []byte {
	list := l.slot.At(at).list()
	slices.Reverse(list)
	b := merkle.AppendList(nil, len(list))
	for _, e := range list {
		b = appendSnapshot(merkle.AppendList(b, 4), e)
	}
	return b
}

func (*snapshotLedger) decode(data []byte) (any, error) {
	s := &snapshots{}
	r := merkle.NewReader(data)
	for range r.List() {
		r.FixedList(4)
		e := readSnapshot(r)
		if r.Err() != nil {
			break
		}
		if e.name != "" {
			s.named = append(s.named, e)
		} else {
			s.add(e.kept)
		}
	}
	return s, r.Done()
}

// Register registers the ledger of the snapshots.
func Register(to *chain.Ledgers, h *History) {
	l := &snapshotLedger{session: h.scope.IsSession()}
	l.slot = chain.Register[*snapshots](to, chain.Ledger{
		Name: snapshotName, Fields: 4, Label: "the name of a snapshot", Empty: &snapshots{}, Apply: l.apply, Encode: l.encode, Decode: l.decode,
		Retains: l.retains, Nearest: l.nearest,
		Follow:  func(c *chain.Change) any { return l.slot.At(c.Before).after(c, l.session) },
		Release: func(at *chain.Moment) any { return l.slot.At(at).released() },
	})
	h.slot = l.slot
}
