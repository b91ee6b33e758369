// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// gatherValue makes candidates of the focus with its ancestors, and of as many
// of the best nodes as a window of headings alone could hold, each with the
// headings above it.
func (p *plan) gatherValue(room int) {
	const least = 64
	limit := min(p.t.seen, max(least, room/max(1, 2*p.costs.title)))
	p.gatherPath(p.attach)
	best := p.t.rank(limit)
	for rank, r := range best {
		i := p.attach(r.ref)
		p.all[i].worth = worth(rank)
		p.nodes[i].ranked = int32(rank) + 1
		p.nodes[i].score = r.score / max(best[0].score, weightSimilar)
	}
	for i := range p.all {
		if p.all[i].worth == 0 && i != p.focus {
			p.all[i].worth = worth(limit)
		}
		p.nodes[i].stars = p.nodes[i].branch.depth + 1
		p.all[i].says = &p.nodes[i].branch.digest
	}
}

// attach makes a node a candidate, after the nearest node above it that may be shown.
func (p *plan) attach(r ref) int {
	if at, met := p.candidate(r); met {
		return at
	}
	parent := -1
	if up := p.t.shownAbove(r); up != nowhere {
		parent = p.attach(up)
	}
	return p.add(r, parent)
}

// byRank returns the candidates, ranked ones first and by rank.
func (p *plan) byRank() []int {
	order := make([]int, len(p.all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		ra, rb := p.nodes[a].ranked, p.nodes[b].ranked
		if (ra == 0) != (rb == 0) {
			return cmp.Compare(rb, ra)
		}
		return cmp.Compare(ra, rb)
	})
	return order
}

// reasonValue says why candidate i is shown.
func (p *plan) reasonValue(i int) string {
	n := &p.nodes[i]
	h := p.t.known(n.ref)
	if h == nil {
		h = &heard{}
	}
	var why []string
	if h.flags&onPath != 0 {
		why = append(why, "ancestor of the focus")
	}
	if p.t.under(n.ref) {
		why = append(why, "child of the focus")
	}
	if h.flags&linksTo != 0 {
		why = append(why, "links to the focus")
	}
	if h.flags&linkedFrom != 0 {
		why = append(why, "linked from the focus")
	}
	if n.ranked > 0 && h.own > 0 {
		why = append(why, p.wordsReason(i))
	}
	if len(why) == 0 && p.t.focused() && p.t.apart(n.ref) <= 2 {
		why = append(why, "next to the focus")
	}
	if len(why) == 0 {
		return "outline"
	}
	return strings.Join(why, "; ")
}

// wordsReason names the words that candidate i shares with what was asked, or
// with the title of the focus where nothing was, by its title and the beginning of
// its body.
func (p *plan) wordsReason(i int) string {
	const (
		most  = 4    // words
		ahead = 1000 // bytes of the body that are looked at
	)
	if p.subject == nil {
		if p.subject = p.query; len(p.query) == 0 && p.focus >= 0 {
			p.subject = words(p.item(p.focus).Title)
		}
	}
	item := p.item(i)
	shared := common(item.Title+"\n"+item.Body[:min(ahead, len(item.Body))], p.subject)
	if len(shared) == 0 {
		return fmt.Sprintf("similar (rank %d)", p.nodes[i].ranked)
	}
	return fmt.Sprintf("words: %s (rank %d)", strings.Join(shared[:min(most, len(shared))], ", "), p.nodes[i].ranked)
}
