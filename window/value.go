// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/fovea-memory/fovea/internal/text"
)

// gatherValue makes candidates of the focus with its ancestors, and of as many of the best nodes
// as the window could show by their headings alone, each with the headings above it.
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
	p.gatherLater()
	for i := range p.candidates {
		if p.candidates[i].Value == 0 && i != p.focus && p.candidates[i].Estimates[Title] > 0 { // not a background block
			p.candidates[i].Value = rankValue(maxRanked)
		}
		if p.details[i].info.has(labelled) && !p.details[i].corrected {
			p.candidates[i].Estimates[Title] = 0
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
	e := cmp.Or(p.tree.evidenceOf(n.ref), &evidence{})
	var reasons []string
	if p.tree.workingOf(n.ref) != nil {
		reasons = append(reasons, p.reasonBlock(i))
	}
	for _, relation := range [...]struct {
		holds  bool
		reason string
	}{
		{e.flags&onPath != 0, "ancestor of the focus"}, {p.tree.isFocusChild(n.ref), "child of the focus"},
		{e.flags&linksTo != 0, "links to the focus"}, {e.flags&linkedFrom != 0, "linked from the focus"},
	} {
		if relation.holds {
			reasons = append(reasons, relation.reason)
		}
	}
	if n.rank > 0 && e.similarity > 0 {
		reasons = append(reasons, p.reasonSimilar(i, e.reason))
	}
	switch {
	case len(reasons) > 0:
		return strings.Join(reasons, "; ")
	case p.tree.focused() && p.tree.distance(n.ref) <= 2:
		return "next to the focus"
	}
	return "outline"
}

// reasonSimilar names the words that the title and the beginning of the body of candidate i share with the
// question and task, or with the title of the focus if both are empty; then other, the other reason for the
// similarity.
func (p *plan) reasonSimilar(i int, other string) string {
	const maxWords, maxBytes = 4, 1000 // to name; of the body
	if p.reasonWords == nil {
		if p.reasonWords = p.query; len(p.query) == 0 && p.focus >= 0 {
			p.reasonWords = text.Words(p.item(p.focus).Title)
		}
	}
	item := p.item(i)
	shared := text.SharedWords(item.Title+"\n"+item.Body[:min(maxBytes, len(item.Body))], p.reasonWords)
	var reasons []string
	if len(shared) > 0 {
		reasons = append(reasons, "words: "+strings.Join(shared[:min(maxWords, len(shared))], ", "))
	}
	if other != "" || len(shared) == 0 {
		reasons = append(reasons, cmp.Or(other, "similar"))
	}
	return fmt.Sprintf("%s (rank %d)", strings.Join(reasons, "; "), p.details[i].rank)
}
