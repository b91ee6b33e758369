// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea/internal/excerpt"
)

// gatherValue makes candidates of the focus with its ancestors, and of as many of the
// best nodes as the window could hold by headings alone, each with the headings above
// it.
func (p *plan) gatherValue(limit int) {
	const minCandidates = 64
	maxRanked := min(p.tree.visible, max(minCandidates, limit/max(1, 2*p.costs.title)))
	p.gatherPath()
	p.gatherPinned()
	best := p.tree.rank(maxRanked)
	if p.scale = weightSimilar; len(best) > 0 {
		p.scale = max(best[0].score, weightSimilar)
	}
	for rank, r := range best {
		i := p.attach(r.ref, noRef)
		p.candidates[i].Value = rankValue(rank)
		p.details[i].rank = int32(rank) + 1
		p.details[i].score = r.score / p.scale
	}
	p.gatherCorrections()
	for i := range p.candidates {
		if p.candidates[i].Value == 0 && i != p.focus {
			p.candidates[i].Value = rankValue(maxRanked)
		}
		p.details[i].stars = p.details[i].info.depth + 1
		p.candidates[i].Digest = &p.details[i].info.digest
	}
	p.findSources(best)
}

// attach makes a node a candidate below its nearest visible ancestor. A candidate at
// root has no parent; with noRef the path up to the document is attached.
func (p *plan) attach(r, root ref) int {
	if index, ok := p.candidate(r); ok {
		return index
	}
	parent := -1
	if parentRef := p.tree.visibleParent(r); r != root && parentRef != noRef {
		parent = p.attach(parentRef, root)
	}
	return p.addCandidate(r, parent)
}

// reasonValue returns the reason why candidate i is shown.
func (p *plan) reasonValue(i int) string {
	n := &p.details[i]
	e := p.tree.evidenceOf(n.ref)
	if e == nil {
		e = &evidence{}
	}
	var reasons []string
	if p.tree.workingOf(n.ref) != nil {
		reasons = append(reasons, p.reasonBlock(i))
	}
	if e.flags&onPath != 0 {
		reasons = append(reasons, "ancestor of the focus")
	}
	if p.tree.isFocusChild(n.ref) {
		reasons = append(reasons, "child of the focus")
	}
	if e.flags&linksTo != 0 {
		reasons = append(reasons, "links to the focus")
	}
	if e.flags&linkedFrom != 0 {
		reasons = append(reasons, "linked from the focus")
	}
	if n.rank > 0 && e.similarity > 0 {
		reasons = append(reasons, p.wordsReason(i, e.reason))
	}
	if len(reasons) == 0 && p.tree.focused() && p.tree.distance(n.ref) <= 2 {
		reasons = append(reasons, "next to the focus")
	}
	if len(reasons) == 0 {
		return "outline"
	}
	return strings.Join(reasons, "; ")
}

// wordsReason names the words that the title and the beginning of the body of candidate
// i share with the question and task, or with the title of the focus if both are empty,
// and then what else makes it similar.
func (p *plan) wordsReason(i int, other string) string {
	const maxWords = 4 // to name
	if p.reasonWords == nil {
		if p.reasonWords = p.query; len(p.query) == 0 && p.focus >= 0 {
			p.reasonWords = excerpt.Words(p.item(p.focus).Title)
		}
	}
	shared := excerpt.SharedWords(p.foldedWords(i), p.reasonWords)
	var reasons []string
	if len(shared) > 0 {
		reasons = append(reasons, "words: "+strings.Join(shared[:min(maxWords, len(shared))], ", "))
	}
	if other != "" {
		reasons = append(reasons, other)
	}
	return cmp.Or(strings.Join(reasons, "; "), "similar") + " (rank " + strconv.Itoa(int(p.details[i].rank)) + ")"
}
