// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"slices"

	"github.com/fovea-memory/fovea/merkle"
)

// Lives tells which blocks the moments that are kept need. It is given every
// commit of a chain in order. The zero Lives keeps nothing; make one with
// NewLives. It is for one goroutine.
type Lives struct {
	kept   []uint64          // numbers of the commits whose states are kept, ascending
	since  map[string]uint64 // by id: the commit that brought what the node is now
	now    map[string][2]merkle.Digest
	needed map[merkle.Digest]bool // own digests and versions; false where no kept moment has them
}

// NewLives begins with the numbers of the commits whose states are kept.
func NewLives(kept []uint64) *Lives {
	return &Lives{
		kept: slices.Sorted(slices.Values(kept)), since: map[string]uint64{},
		now: map[string][2]merkle.Digest{}, needed: map[merkle.Digest]bool{},
	}
}

// Add takes the next commit into account. O(changes log kept).
func (l *Lives) Add(c *Commit) {
	for i := range c.Delta {
		r := &c.Delta[i]
		l.end(r.ID, c.Seq)
		if r.New != nil {
			l.since[r.ID], l.now[r.ID] = c.Seq, [2]merkle.Digest{r.New.Own, r.New.Version}
		}
	}
}

// end says that a node was as it is until before a commit.
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

// Needed returns, by own digest and by version, whether a kept moment has it,
// for all that ever were. It ends the chain: last is its last commit's number.
func (l *Lives) Needed(last uint64) map[merkle.Digest]bool {
	for id := range l.now {
		l.end(id, last+1)
	}
	return l.needed
}
