// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"strconv"

	"github.com/fovea-memory/fovea/internal/text"
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
	p.gatherLater()
	for i := range p.candidates {
		if p.candidates[i].Value == 0 && i != p.focus && p.candidates[i].Estimates[Title] > 0 { // is not for later
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
	e := p.tree.evidenceOf(n.ref)
	if e == nil {
		e = &evidence{}
	}
	var room [128]byte
	b := room[:0]
	if p.tree.workingOf(n.ref) != nil {
		b = appendReason(b, p.reasonBlock(i))
	}
	if e.flags&onPath != 0 {
		b = appendReason(b, "ancestor of the focus")
	}
	if p.tree.isFocusChild(n.ref) {
		b = appendReason(b, "child of the focus")
	}
	if e.flags&linksTo != 0 {
		b = appendReason(b, "links to the focus")
	}
	if e.flags&linkedFrom != 0 {
		b = appendReason(b, "linked from the focus")
	}
	if n.rank > 0 && e.similarity > 0 {
		b = p.appendWords(b, i, e.reason)
	}
	if len(b) == 0 && p.tree.focused() && p.tree.distance(n.ref) <= 2 {
		return "next to the focus"
	}
	if len(b) == 0 {
		return "outline"
	}
	return string(b)
}

// appendReason appends one more reason to those in b.
func appendReason(b []byte, reason string) []byte {
	if len(b) > 0 {
		b = append(b, "; "...)
	}
	return append(b, reason...)
}

// appendWords names the words that the title and the beginning of the body of candidate
// i share with the question and task, or with the title of the focus if both are empty,
// and then what else makes it similar.
func (p *plan) appendWords(b []byte, i int, other string) []byte {
	const maxWords, maxBytes = 4, 1000 // to name; of the body
	if p.reasonWords == nil {
		if p.reasonWords = p.query; len(p.query) == 0 && p.focus >= 0 {
			p.reasonWords = text.Words(p.item(p.focus).Title)
		}
	}
	item := p.item(i)
	shared := text.SharedWords(item.Title+"\n"+item.Body[:min(maxBytes, len(item.Body))], p.reasonWords)
	for n, word := range shared[:min(maxWords, len(shared))] {
		if n == 0 {
			b = append(appendReason(b, "words: "), word...)
		} else {
			b = append(append(b, ", "...), word...)
		}
	}
	if other != "" {
		b = appendReason(b, other)
	} else if len(shared) == 0 {
		b = appendReason(b, "similar")
	}
	b = strconv.AppendInt(append(b, " (rank "...), int64(p.details[i].rank), 10)
	return append(b, ')')
}
