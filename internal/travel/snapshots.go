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

// entry is a snapshot as the ledger keeps it. state is nil if it has to be fetched
// from disk; its indexes are made on demand.
type entry struct {
	seq   uint64
	root  merkle.Digest
	time  int64
	name  string
	state *graph.State
	since int64 // snapshots.replaced when it was made
}

// entryOf is a moment without its indexes, which would hold more than the state.
func entryOf(m *chain.Moment) *entry {
	return &entry{seq: m.Commit.Seq, root: m.Commit.Root, time: m.Commit.Time.UnixMilli(), state: m.State}
}

func (e *entry) snapshot(i int) Snapshot {
	return Snapshot{Index: i, Name: e.name, Seq: e.seq, Root: e.root, Time: time.UnixMilli(e.time).UTC()}
}

// snapshots are the automatic snapshots of a scope, and the named ones. Neither they nor
// their entries change after they were published; a copy shares the entries.
//
// A state in memory holds the nodes that were replaced or removed since. All states
// together hold at most as many bytes as the live state has; then the oldest is released.
type snapshots struct {
	ring  [maxAutomatic]*entry // the automatic ones; nil until used
	next  int                  // index in ring of the next automatic one
	named []*entry

	replaced int64 // bytes of nodes replaced or removed, ever
	live     int64 // bytes of the live nodes; 0 until needed
}

// list returns the snapshots, newest first; of one commit the automatic one is older
// than the named.
func (s *snapshots) list() []*entry {
	out := slices.Clone(s.named)
	for i := range s.ring {
		if e := s.ring[(s.next+i)%maxAutomatic]; e != nil {
			out = append(out, e)
		}
	}
	unnamed := func(e *entry) int {
		if e.name == "" {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(out, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(b.seq, a.seq), cmp.Compare(unnamed(a), unnamed(b)), strings.Compare(b.name, a.name))
	})
	return out
}

// push adds an automatic snapshot of a moment. The state before the first ingest is no
// snapshot, and equal states make one.
func (s *snapshots) push(m *chain.Moment) {
	last := s.ring[(s.next+maxAutomatic-1)%maxAutomatic]
	if m.Commit.Seq == 0 || last != nil && last.root == m.Commit.Root {
		return
	}
	e := entryOf(m)
	e.since = s.replaced
	s.add(e)
}

// add adds an automatic snapshot in place of the oldest.
func (s *snapshots) add(e *entry) {
	s.ring[s.next] = e
	s.next = (s.next + 1) % maxAutomatic
}

// release drops the states of the entries that goes chooses; they are read from disk
// when they are needed.
func (s *snapshots) release(goes func(*entry) bool) {
	s.named = slices.Clone(s.named)
	for _, list := range [][]*entry{s.ring[:], s.named} {
		for i, e := range list {
			if e != nil && e.state != nil && goes(e) {
				released := *e
				released.state = nil
				list[i] = &released
			}
		}
	}
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
		oldest, held := s.held()
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
		s.release(func(e *entry) bool { return e.since <= oldest })
	}
}

// held returns since when the snapshots in memory hold nodes, and the bytes of these.
func (s *snapshots) held() (since, bytes int64) {
	since = s.replaced
	for _, list := range [][]*entry{s.ring[:], s.named} {
		for _, e := range list {
			if e != nil && e.state != nil {
				since = min(since, e.since)
			}
		}
	}
	return since, s.replaced - since
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
	session bool // what a session ingests takes no snapshot
}

const snapshotName = "snapshot"

func (snapshotLedger) Name() string { return snapshotName }

func (snapshotLedger) Fields() int { return 4 }

func (snapshotLedger) Label() string { return "the name of a snapshot" }

func (snapshotLedger) Empty() *snapshots { return &snapshots{} }

// snapshotMark keeps a moment under a name, automatic if the name is empty.
func snapshotMark(e *entry) []byte {
	return appendEntry(chain.NewMark(snapshotName, 4), e)
}

func appendEntry(b []byte, e *entry) []byte {
	b = merkle.AppendUint(b, e.seq)
	b = merkle.AppendLink(b, e.root)
	b = merkle.AppendInt(b, e.time)
	return merkle.AppendText(b, e.name)
}

func readEntry(r *merkle.Reader) *entry {
	return &entry{seq: r.Uint(), root: r.Link(), time: r.Int(), name: r.Text()}
}

// Apply adds a snapshot. A name that is taken moves.
func (snapshotLedger) Apply(v *snapshots, r *merkle.Reader, at *chain.Moment) (*snapshots, error) {
	e := readEntry(r)
	if r.Err() != nil {
		return v, nil
	}
	next := *v
	here := at.Commit.Seq == e.seq
	if here {
		e.state = at.State
	}
	switch {
	case e.name != "":
		next.named = slices.DeleteFunc(slices.Clone(v.named), func(o *entry) bool { return o.name == e.name })
		e.since = v.replaced
		next.named = append(next.named, e)
	case here:
		next.push(at)
	}
	return &next, nil
}

// Follow makes the automatic snapshot before an operation that changes the state: a
// pointer. The commits of one operation share one.
func (l snapshotLedger) Follow(v *snapshots, c *chain.Change) *snapshots {
	next := *v
	if c.Commit.Op != c.Before.Commit.Op && len(c.Commit.Delta) > 0 && !(l.session && c.Commit.Kind == graph.KindIngest) {
		next.push(c.Before)
	}
	next.account(c.After, c.Delta)
	return &next
}

// Retains keeps the content of all snapshots.
func (snapshotLedger) Retains(v *snapshots) []uint64 {
	var seqs []uint64
	for _, e := range v.list() {
		seqs = append(seqs, e.seq)
	}
	return seqs
}

// Nearest returns the state in memory that is closest to a commit and not before it.
func (snapshotLedger) Nearest(v *snapshots, seq, limit uint64) (*graph.State, uint64) {
	var state *graph.State
	for _, e := range v.list() {
		if e.state != nil && e.seq >= seq && e.seq < limit {
			state, limit = e.state, e.seq
		}
	}
	return state, limit
}

// Release drops all states.
func (snapshotLedger) Release(v *snapshots) *snapshots {
	next := *v
	next.release(func(*entry) bool { return true })
	return &next
}

// Encode writes the list, oldest first, as the snapshots were made.
func (snapshotLedger) Encode(v *snapshots) []byte {
	list := v.list()
	slices.Reverse(list)
	b := merkle.AppendList(nil, len(list))
	for _, e := range list {
		b = appendEntry(merkle.AppendList(b, 4), e)
	}
	return b
}

func (snapshotLedger) Decode(data []byte) (*snapshots, error) {
	s := &snapshots{}
	r := merkle.NewReader(data)
	for range r.List() {
		r.FixedList(4)
		e := readEntry(r)
		if r.Err() != nil {
			break
		}
		if e.name != "" {
			s.named = append(s.named, e)
		} else {
			s.add(e)
		}
	}
	return s, r.Done()
}

// Register registers the ledger of the snapshots; h is nil for a copy that is only read.
func Register(to *chain.Ledgers, h *History) {
	slot := chain.Register(to, snapshotLedger{session: h != nil && h.scope.IsSession()})
	if h != nil {
		h.slot = slot
	}
}
