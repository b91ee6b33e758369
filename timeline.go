// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// automatic is how many automatic snapshots are kept: seed memory.org.
const automatic = 20

// kept is a snapshot as the memory keeps it. state is nil where it has to be
// fetched from disk; its indexes are made when they are asked for.
type kept struct {
	seq   uint64
	root  merkle.Digest
	time  int64
	name  string
	state *graph.State
	since int64 // what timeline.replaced was
}

// keptOf is a view without its indexes, which would hold more than the state.
func keptOf(v *View) kept {
	return kept{seq: v.commit.Seq, root: v.commit.Root, time: v.commit.Time.UnixMilli(), state: v.state}
}

// timeline is the snapshots of a scope: a ring of automatic ones, and the
// named ones. It is safe for concurrent use, so that who looks at the past waits
// for no writer.
//
// A state in memory holds the nodes that were replaced or left since. All that are
// kept hold at most as many bytes as the live state has; then the oldest is let go.
type timeline struct {
	mu    sync.Mutex
	ring  [automatic]kept
	next  int // where the next automatic one goes
	named []kept

	replaced int64 // bytes of nodes that were replaced or left, ever
	live     int64 // bytes of the live nodes, 0 until it mattered
}

// before keeps what the memory holds before an operation that changes it:
// nothing but a pointer. The state before the first ingest is no snapshot, and
// equal states make one.
func (t *timeline) before(v *View) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if v.commit.Seq == 0 || v.commit.Root == t.ring[(t.next+automatic-1)%automatic].root {
		return
	}
	k := keptOf(v)
	k.since = t.replaced
	t.push(k)
}

// push adds an automatic one.
func (t *timeline) push(k kept) {
	t.ring[t.next] = k
	t.next = (t.next + 1) % automatic
}

// name keeps a commit under a name; a name that is taken moves.
func (t *timeline) name(k kept) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.named = slices.DeleteFunc(slices.Clone(t.named), func(o kept) bool { return o.name == k.name })
	k.since = t.replaced
	t.named = append(t.named, k)
}

// reset makes the timeline that of other snapshots, the oldest first.
func (t *timeline) reset(list []kept) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ring, t.next, t.named, t.replaced, t.live = [automatic]kept{}, 0, nil, 0, 0
	for _, k := range list {
		if k.name != "" {
			t.named = append(t.named, k)
		} else {
			t.push(k)
		}
	}
}

// release lets go of the states in memory; they are read from disk when they are
// asked for.
func (t *timeline) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.releaseIf(func(*kept) bool { return true })
}

func (t *timeline) releaseIf(goes func(*kept) bool) {
	for _, list := range [][]kept{t.ring[:], t.named} {
		for i := range list {
			if k := &list[i]; k.state != nil && goes(k) {
				k.state = nil
			}
		}
	}
}

// carefree is what snapshots may hold before it is compared with the live state.
const carefree = 1 << 20

// follow takes into account what a delta replaced on the way to a state.
func (t *timeline) follow(state *graph.State, delta *graph.Delta) {
	old, now := int64(0), int64(0)
	for i := range delta.Changes {
		old += weight(delta.Changes[i].Old)
		now += weight(delta.Changes[i].New)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.replaced += old
	if t.live > 0 {
		t.live += now - old
	}
	for {
		oldest, held := t.oldest()
		if held <= carefree {
			return
		}
		if t.live == 0 {
			for n := range state.All() {
				t.live += weight(n)
			}
		}
		if held <= t.live {
			return
		}
		t.releaseIf(func(k *kept) bool { return k.since <= oldest })
	}
}

// oldest returns since when the snapshots in memory hold nodes, and how many bytes.
func (t *timeline) oldest() (since, held int64) {
	since = t.replaced
	for _, list := range [][]kept{t.ring[:], t.named} {
		for i := range list {
			if list[i].state != nil {
				since = min(since, list[i].since)
			}
		}
	}
	return since, t.replaced - since
}

// weight is about what a node takes in memory.
func weight(n *node.Node) int64 {
	const fields = 512
	if n == nil {
		return 0
	}
	return fields + int64(len(n.Content))
}

// list returns the snapshots, newest first; of one commit the automatic one is
// older than the named.
func (t *timeline) list() []kept {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := slices.Clone(t.named)
	for _, k := range t.ring {
		if k.seq != 0 {
			out = append(out, k)
		}
	}
	slices.SortStableFunc(out, func(a, b kept) int {
		return cmp.Or(cmp.Compare(b.seq, a.seq), cmp.Compare(boolInt(a.name == ""), boolInt(b.name == "")), strings.Compare(b.name, a.name))
	})
	return out
}
