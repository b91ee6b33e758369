// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/merkle"
)

// gatherValue makes candidates of the focus with its ancestors, and of as many
// of the best nodes as a window of headings alone could hold, each with the
// headings above it.
func (p *plan) gatherValue(room int) {
	const least = 64
	limit := min(p.t.seen, max(least, room/max(1, 2*p.costs.title)))
	p.at = make(map[int32]int, 3*limit) // with the headings above
	p.all = make([]candidate, 0, 3*limit)
	p.nodes = make([]node, 0, 3*limit)
	p.gatherPath(p.attach)
	best := p.t.rank(p.similar, p.projects, limit)
	for rank, r := range best {
		i := p.attach(r.node)
		p.all[i].worth = worth(rank)
		p.nodes[i].ranked = rank + 1
		p.nodes[i].score = r.score / max(best[0].score, weightSimilar)
	}
	for i := range p.all {
		if p.all[i].worth == 0 && i != p.focus {
			p.all[i].worth = worth(limit)
		}
		p.nodes[i].stars = int(p.t.node(p.nodes[i].tree).depth) + 1
	}
	p.groupDigests()
}

// attach makes the node at i of the tree a candidate, after the nearest node
// above it that may be shown.
func (p *plan) attach(i int32) int {
	if at, met := p.at[i]; met {
		return at
	}
	parent := -1
	for up := p.t.parent(i); up >= 0; up = p.t.parent(up) {
		if !p.t.hides(up) {
			parent = p.attach(up)
			break
		}
	}
	return p.add(i, parent)
}

// groupDigests numbers the candidates that say the same.
func (p *plan) groupDigests() {
	p.groups = make(map[merkle.Digest]int, len(p.all))
	for i := range p.all {
		d := p.t.node(p.nodes[i].tree).digest
		if d.IsZero() {
			continue
		}
		if _, met := p.groups[d]; !met {
			p.groups[d] = len(p.groups)
		}
		p.all[i].group = p.groups[d]
	}
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
	b := p.t.node(n.tree)
	var why []string
	if p.t.marked(n.tree, onPath) {
		why = append(why, "ancestor of the focus")
	}
	if p.t.focus >= 0 && p.t.parent(n.tree) == p.t.focus {
		why = append(why, "child of the focus")
	}
	if p.t.marked(n.tree, linksTo) {
		why = append(why, "links to the focus")
	}
	if p.t.marked(n.tree, linkedFrom) {
		why = append(why, "linked from the focus")
	}
	if n.ranked > 0 && p.similar[b.id] > 0 {
		why = append(why, p.wordsReason(i))
	}
	if len(why) == 0 && p.t.focus >= 0 && p.t.apart(n.tree) <= 2 {
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
	query := p.query
	if len(query) == 0 && p.focus >= 0 {
		query = words(p.item(p.focus).Title)
	}
	item := p.item(i)
	shared := common(item.Title+"\n"+item.Body[:min(ahead, len(item.Body))], query)
	if len(shared) == 0 {
		return fmt.Sprintf("similar (rank %d)", p.nodes[i].ranked)
	}
	return fmt.Sprintf("words: %s (rank %d)", strings.Join(shared[:min(most, len(shared))], ", "), p.nodes[i].ranked)
}
