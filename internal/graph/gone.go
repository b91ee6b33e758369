// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"errors"
	"slices"
	"time"

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

// Gone returns the nodes whose content was removed, in no order. A state with one is valid only for its digests
// and its other documents. O(1) if neither the state nor one that it was made from has any, else O(nodes). An
// image contains none, because its nodes are hashed when it is read.
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
	// ErrRoot is returned when a commit's delta does not lead to the root it names: the journal or image is
	// damaged, or belongs to another memory.
	ErrRoot = errors.New("the delta does not lead to the root the commit names")
	// ErrDelta is returned when a commit's delta does not fit the state it is
	// applied to.
	ErrDelta = errors.New("the delta does not fit the state")
	// ErrFormat is returned for a commit or image of a format this version
	// cannot read.
	ErrFormat = errors.New("unknown format")
)

// Lives computes which blocks the kept moments of a history need, from all commits of its
// chain in order. The zero Lives keeps nothing; use NewLives. It is for one goroutine.
type Lives struct {
	kept   []uint64          // numbers of the commits whose states are kept, ascending
	since  map[string]uint64 // by id: the commit that made the node's present version
	now    map[string][2]merkle.Digest
	needed map[merkle.Digest]bool // own digests and versions; false where no kept moment has them
}

// NewLives returns a Lives for the numbers of the commits whose states are kept.
func NewLives(kept []uint64) *Lives {
	return &Lives{
		kept: slices.Sorted(slices.Values(kept)), since: map[string]uint64{},
		now: map[string][2]merkle.Digest{}, needed: map[merkle.Digest]bool{},
	}
}

// Add adds the next commit. O(changes log kept).
func (l *Lives) Add(c *Commit) {
	for i := range c.Delta {
		r := &c.Delta[i]
		l.end(r.ID, c.Seq)
		if r.New != nil {
			l.since[r.ID], l.now[r.ID] = c.Seq, [2]merkle.Digest{r.New.Own, r.New.Version}
		}
	}
}

// end records that the present version of a node was valid until before a commit.
func (l *Lives) end(id string, before uint64) {
	was, ok := l.now[id]
	if !ok {
		return
	}
	i, _ := slices.BinarySearch(l.kept, l.since[id])
	kept := i < len(l.kept) && l.kept[i] < before
	for _, d := range was {
		l.needed[d] = l.needed[d] || kept
	}
	delete(l.now, id)
	delete(l.since, id)
}

// Needed returns, for all own digests and versions of the history, whether a kept moment
// has it. It ends the chain, whose last commit has the number last.
func (l *Lives) Needed(last uint64) map[merkle.Digest]bool {
	for id := range l.now {
		l.end(id, last+1)
	}
	return l.needed
}

// Retention selects the moments of a history to keep by age: all younger than All, the
// last of each hour younger than Hourly, and the last of each day younger than Daily, in
// UTC. Older ones are dropped.
type Retention struct{ All, Hourly, Daily time.Duration }

// Keep reports for each of the ascending times whether its moment is kept. The last one
// always is. O(times).
func (r Retention) Keep(times []time.Time, now time.Time) []bool {
	keep := make([]bool, len(times))
	for i, t := range times {
		last := i == len(times)-1
		endsHour := last || !t.Truncate(time.Hour).Equal(times[i+1].Truncate(time.Hour))
		endsDay := last || !t.Truncate(day).Equal(times[i+1].Truncate(day))
		age := now.Sub(t)
		keep[i] = last || age < r.All || endsHour && age < r.Hourly || endsDay && age < r.Daily
	}
	return keep
}

const day = 24 * time.Hour
