// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"fmt"
	"slices"
)

// Reasons why a node is not in a window.
const (
	whyBudget = "no room"
	whyShown  = "said already"
	whyCap    = "cap"
	whyHidden = "hidden"
)

// topOmitted returns the best nodes that are not shown, best first. Of hidden nodes, only those
// similar to the request are listed.
func (p *plan) topOmitted() []Omitted {
	const maxNodes = 20
	type omission struct {
		ref
		score float64
		rank  int32
		why   string
	}
	var all []omission
	for i := range p.candidates {
		n := &p.details[i]
		if why := p.whyOmitted(i); why != "" {
			score := n.score
			if n.rank == 0 {
				score = -1 // only a heading above others
			}
			all = append(all, omission{n.ref, score, n.rank, why})
		}
	}
	for i := range p.tree.evidence {
		e := &p.tree.evidence[i]
		if info := p.tree.node(e.ref); info.has(hidden) && e.similarity > 0 && e.ref != p.tree.focus {
			all = append(all, omission{e.ref, p.tree.score(e.ref, e) / p.scale, 0, whyHidden})
		}
	}
	slices.SortFunc(all, func(a, b omission) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.rank, b.rank), a.compare(b.ref))
	})
	omitted := make([]Omitted, 0, min(maxNodes, len(all)))
	for _, o := range all[:min(maxNodes, len(all))] {
		b := p.tree.blocks[o.block]
		omitted = append(omitted, Omitted{ID: b.nodes[o.local].id, Path: b.path, Why: o.why})
	}
	return omitted
}

// whyOmitted returns why a candidate is not in the text, "" if it is.
func (p *plan) whyOmitted(i int) string {
	c := &p.candidates[i]
	switch {
	case p.isInText(i):
		return ""
	case p.details[i].shown, p.sel.IsRepeated(i):
		return whyShown
	case c.Capped:
		return whyCap
	}
	return whyBudget
}

// outlineRemark is the last line of an outline that omits nodes.
func outlineRemark(omitted int) string { return fmt.Sprintf("Left out for lack of room: %d.", omitted) }
