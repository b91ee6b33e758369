// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package minds

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/working"
)

// MaxAutomatic is the maximum number of automatic blocks that the working memory of an agent keeps in a
// session; history has the others.
const MaxAutomatic = 32

// again is the age from which a repeated action writes its automatic block again.
const again = 10 * time.Minute

// Did records an action of an agent in a session. Its blocks are committed like windows, see Add; an action
// that has no valid block is ignored.
func (l *Windows) Did(ctx context.Context, session, agent string, a working.Action, at time.Time) {
	if !l.host.OffActions {
		l.wait(ctx, entry{session: session, agent: agent, action: a, at: at})
	}
}

// act adds the blocks of actions to a draft of a session, and removes automatic blocks that are due to leave
// or exceed MaxAutomatic. O(documents of the session).
func act(draft *graph.Draft, state *graph.State, list []entry, now time.Time) error {
	mine := map[string]map[string]working.Block{} // automatic blocks of the agents that acted, by id
	for i := range list {
		e := &list[i]
		if e.given != nil {
			continue
		}
		if mine[e.agent] == nil {
			mine[e.agent] = automatic(state, e.agent)
		}
		for _, b := range e.action.Automatic() {
			b, err := b.Complete(e.at)
			if err != nil {
				continue
			}
			path := working.NodePath(e.agent, b.ID)
			old, known := mine[e.agent][b.ID]
			if _, made := state.Document(path); made && !known || known && isRepeated(&old, &b) {
				continue
			}
			if err := draft.PutTree(path, b.Tree(e.agent)); err != nil {
				return err
			}
			mine[e.agent][b.ID] = b
		}
	}
	for agent, blocks := range mine {
		for _, id := range surplusBlocks(blocks, now) {
			draft.Drop(working.NodePath(agent, id))
		}
	}
	return nil
}

// isRepeated reports whether a block has the content of a recent one.
func isRepeated(old, b *working.Block) bool {
	return b.Timestamp.Sub(old.Timestamp) < again && old.Digest == b.Digest && old.Result == b.Result && old.Content() == b.Content()
}

// automatic returns the automatic blocks of an agent, by id.
func automatic(state *graph.State, agent string) map[string]working.Block {
	out := map[string]working.Block{}
	for _, b := range all(state, agent) {
		if b.Automatic {
			out[b.ID] = b
		}
	}
	return out
}

// surplusBlocks lists the ids of the blocks that leave, or are older than the newest MaxAutomatic.
func surplusBlocks(blocks map[string]working.Block, now time.Time) []string {
	var gone []string
	var left []working.Block
	for id, b := range blocks {
		if b.Leaves(now) != "" {
			gone = append(gone, id)
		} else {
			left = append(left, b)
		}
	}
	slices.SortFunc(left, func(a, b working.Block) int {
		return cmp.Or(b.Timestamp.Compare(a.Timestamp), strings.Compare(a.ID, b.ID))
	})
	for _, b := range left[min(len(left), MaxAutomatic):] {
		gone = append(gone, b.ID)
	}
	return gone
}
