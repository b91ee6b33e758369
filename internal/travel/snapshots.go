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
)

// maxAutomatic is the number of automatic snapshots kept: seed memory.org.
const maxAutomatic = 20

// snapshot is a moment that the ledger keeps, with its name, "" for an automatic one.
type snapshot struct {
	name string
	seq  uint64
	root merkle.Digest
	time int64 // in Unix milliseconds
	// state is set for the newest automatic snapshot, for a fast undo; the others are read from
	// disk.
	state *graph.State
}

// snapshotOf returns the snapshot of a moment, without its state.
func snapshotOf(m *chain.Moment, name string) snapshot {
	return snapshot{name: name, seq: m.Commit.Seq, root: m.Commit.Root, time: m.Commit.Time.UnixMilli()}
}

func (s snapshot) public(i int) Snapshot {
	return Snapshot{Index: i, Name: s.name, Seq: s.seq, Root: s.root, Time: time.UnixMilli(s.time).UTC()}
}

// snapshots are the automatic and the named snapshots of a scope. Once published, they do not
// change: each commit makes a copy.
type snapshots struct {
	automatic [maxAutomatic]snapshot // oldest first
	n         int                    // length of the used part of automatic
	named     []snapshot
}

// list returns the snapshots, newest first; the automatic one of a commit comes after its
// named ones.
func (s *snapshots) list() []snapshot {
	out := slices.Concat(s.automatic[:s.n], s.named)
	slices.SortStableFunc(out, func(a, b snapshot) int {
		return cmp.Or(cmp.Compare(b.seq, a.seq), strings.Compare(b.name, a.name))
	})
	return out
}

// push adds an automatic snapshot of a moment, unless the moment is before the first ingest or
// its state is that of the newest one.
func (s *snapshots) push(m *chain.Moment) {
	if m.Commit.Seq == 0 || s.n > 0 && s.automatic[s.n-1].root == m.Commit.Root {
		return
	}
	s.release()
	s.add(snapshotOf(m, ""))
	s.automatic[s.n-1].state = m.State
}

// add adds an automatic snapshot, and drops the oldest if there are maxAutomatic.
func (s *snapshots) add(k snapshot) {
	if s.n == maxAutomatic {
		copy(s.automatic[:], s.automatic[1:])
		s.n--
	}
	s.automatic[s.n] = k
	s.n++
}

// release drops the state that is held in memory.
func (s *snapshots) release() {
	if s.n > 0 {
		s.automatic[s.n-1].state = nil
	}
}

// snapshotLedger keeps the snapshots of a chain. Its marks are [name, seq, root, time,
// name of the snapshot].
type snapshotLedger struct {
	slot    chain.Slot[*snapshots]
	session bool // ingests of a session make no snapshot
}

const snapshotName = "snapshot"

// fields are those of a mark, and of an entry of the list in an image.
func (s *snapshot) fields() []any { return []any{&s.seq, &s.root, &s.time, &s.name} }

// codeSnapshots codes a list of snapshots, oldest first.
func codeSnapshots(list *[]snapshot) func(*merkle.Codec) {
	return merkle.List(list, func(s *snapshot, c *merkle.Codec) { c.Record(s.fields()...) })
}

// apply adds a snapshot. A name that is in use moves to it.
func (l *snapshotLedger) apply(at *chain.Moment, c *merkle.Codec) any {
	v, s := l.slot.At(at), snapshot{}
	c.Fields(s.fields()...)
	next := *v
	switch {
	case s.name != "":
		next.named = slices.DeleteFunc(slices.Clone(v.named), func(o snapshot) bool { return o.name == s.name })
		next.named = append(next.named, s)
	case at.Commit.Seq == s.seq:
		next.push(at)
	}
	return &next
}

// after adds the automatic snapshot from before an operation that changes the state. The
// commits of one operation share one.
func (s *snapshots) after(c *chain.Change, session bool) *snapshots {
	if c.Commit.Op == c.Before.Commit.Op || len(c.Commit.Delta) == 0 || session && c.Commit.Kind == graph.KindIngest {
		return s
	}
	next := *s
	next.push(c.Before)
	return &next
}

// retains lists the commits whose content snapshots keep.
func (l *snapshotLedger) retains(at *chain.Moment) []uint64 {
	var seqs []uint64
	for _, e := range l.slot.At(at).list() {
		seqs = append(seqs, e.seq)
	}
	return seqs
}

func (l *snapshotLedger) encode(at *chain.Moment) []byte {
	list := l.slot.At(at).list()
	slices.Reverse(list)
	return merkle.Encode(codeSnapshots(&list))
}

func (*snapshotLedger) decode(data []byte) (any, error) {
	var list []snapshot
	err := merkle.Decode(data, codeSnapshots(&list))
	s := &snapshots{}
	for _, e := range list {
		if e.name != "" {
			s.named = append(s.named, e)
		} else {
			s.add(e)
		}
	}
	return s, err
}

// Register registers the ledger of the snapshots.
func Register(to *chain.Ledgers, h *History) {
	l := &snapshotLedger{session: h.scope.IsSession()}
	l.slot = chain.Register[*snapshots](to, chain.Ledger{
		Name: snapshotName, Fields: 4, Label: "the name of a snapshot", Empty: &snapshots{}, Apply: l.apply, Encode: l.encode, Decode: l.decode,
		Retains: l.retains,
		Follow:  func(c *chain.Change) any { return l.slot.At(c.Before).after(c, l.session) },
		Held: func(at *chain.Moment) (*graph.State, uint64) {
			s := l.slot.At(at)
			newest := s.automatic[max(s.n-1, 0)] // the zero one if there is none
			return newest.state, newest.seq
		},
		Release: func(at *chain.Moment) any {
			next := *l.slot.At(at)
			next.release()
			return &next
		},
	})
	h.slot = l.slot
}
