// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/window/choose"
	"github.com/fovea-memory/fovea/working"
)

// classWeights are the weights of blocks. A block is relevant because an agent put it into its working
// memory, whether or not it shares words with the request. Its arm is the weight of its class times its
// confidence, and is added to the similarity. The weights were set by hand and are not measured: no data
// set has questions about working memory.
var classWeights = map[working.Priority]float64{working.Critical: 0.6, working.High: 0.6, working.Medium: 0.3, working.Low: 0.1}

// Priors of time, bounded as all priors are: a new block scores up to a tenth more, and a note in a file
// that a block of the last hour is about scores a twentieth more.
const (
	priorNew    = 0.1
	halfLife    = time.Hour
	priorRecent = 1.05
)

// workingOf returns the block of a node, nil for a note.
func (t *tree) workingOf(r ref) *Working {
	if r.local == 0 {
		return t.blocks[r.block].working
	}
	return nil
}

// findWorking records the critical blocks of working memory, and the files that blocks are about. Blocks
// are memory-backed documents, whose paths begin with a slash.
func (t *tree) findWorking(now time.Time) {
	t.now, t.covered, t.recent = now, map[string]bool{}, map[string]bool{}
	for i := range t.desk {
		e := &t.desk[i]
		if e.flags&(deskCritical|deskFile) == 0 || t.isGone(ref{e.block, 0}) {
			continue
		}
		if e.flags&deskCritical != 0 {
			t.pinned = append(t.pinned, ref{e.block, 0})
		}
		w := t.blocks[e.block].working
		if w.Whole && (w.Priority == working.Critical || w.Priority == working.High) {
			t.covered[w.Path] = true
		}
		if w.Path != "" && !now.IsZero() && now.Sub(w.Time) <= time.Hour {
			t.recent[w.Path] = true
		}
	}
}

// isGone reports whether a node is a block that has left working memory.
func (t *tree) isGone(r ref) bool {
	w := t.workingOf(r)
	return w != nil && !t.now.IsZero() && !w.Until.IsZero() && t.now.After(w.Until)
}

// isBackground reports whether a node is a block that gets only what the notes leave.
func (t *tree) isBackground(r ref) bool {
	w := t.workingOf(r)
	return w != nil && w.Background && !t.shares
}

// isAnothers reports whether a node belongs to the orders of an agent other than the caller.
func (t *tree) isAnothers(r ref) bool {
	agent := t.blocks[r.block].ordered
	return agent != "" && t.agent != "" && agent != t.agent
}

// gatherLater makes candidates of the best background blocks, which only spendLater shows.
func (p *plan) gatherLater() {
	const most = 32
	slices.SortFunc(p.tree.later, func(a, b ranked) int { return cmp.Or(cmp.Compare(b.score, a.score), a.compare(b.ref)) })
	for _, r := range p.tree.later[:min(most, len(p.tree.later))] {
		i := p.attach(r.ref, noRef)
		p.details[i].score = r.score / p.scale
		p.later = append(p.later, i)
		p.candidates[i].Estimates = [Full + 1]int32{}
	}
}

// spendLater spends what is left on the background blocks.
func (p *plan) spendLater() {
	for _, i := range p.later {
		n := &p.details[i]
		p.candidates[i].Estimates = p.estimate(n.info, p.limitOf(p.tree.workingOf(n.ref), int(n.info.bodyBytes)))
		if !p.sel.Show(i, Full, choose.Slack) {
			p.sel.Show(i, Title, choose.Slack)
		}
	}
}

// isCovered reports whether a node is in a file that a block of high priority shows whole.
func (t *tree) isCovered(r ref) bool {
	return t.covered[t.blocks[r.block].path]
}

// workingScore adds a block's arm to the score of its node, and multiplies the sum by the priors, which
// together stay within [0.9, 1.1].
func (t *tree) workingScore(r ref, score, prior float64) float64 {
	if w := t.workingOf(r); w != nil {
		score += classWeights[w.Priority] * w.Confidence
		if !t.now.IsZero() {
			age := max(0, t.now.Sub(w.Time))
			prior *= 1 + priorNew*math.Exp2(-float64(age)/float64(halfLife))
		}
	} else if t.recent[t.blocks[r.block].path] {
		prior *= priorRecent
	}
	return score * min(max(prior, 0.9), 1.1)
}

// loaded returns the item of candidate i with the body of a deferred one, which is read once. If it
// cannot be read, the body and the part state the error.
func (p *plan) loaded(i int) *Item {
	item, n := p.item(i), &p.details[i]
	if item.Working == nil || !item.Working.Deferred || n.loaded {
		return item
	}
	n.loaded = true
	if p.req.Caller.Load == nil {
		return item
	}
	body, err := p.req.Caller.Load(item)
	if err != nil {
		n.problem = text.Line(err.Error())
		body = "(cannot be read: " + n.problem + ")"
	}
	with := *item
	with.Body = body
	n.item = &with
	if c := &p.candidates[i]; c.Estimates[Full] > 0 { // the file may have grown since the block was added
		info := *n.info
		info.bodyBytes = int32(min(len(body), 1<<30))
		c.Estimates = p.estimate(&info, p.limitOf(item.Working, len(body)))
	}
	return n.item
}

// gatherPinned makes candidates of the critical blocks, which every window shows.
func (p *plan) gatherPinned() {
	for _, r := range p.tree.pinned {
		if r != p.tree.focus {
			i := p.attach(r, noRef)
			p.critical = append(p.critical, i)
		}
	}
}

// prefetch passes on the deferred blocks that are likely to fill the budget, critical ones first and
// then by rank.
func (p *plan) prefetch() {
	if p.req.Caller.Prefetch == nil {
		return
	}
	var likely []*Item
	remaining := p.req.Budget
	order := slices.Clone(p.critical)
	for i := range p.details {
		if p.details[i].rank > 0 && !slices.Contains(p.critical, i) {
			order = append(order, i)
		}
	}
	for _, i := range order {
		if remaining -= int(p.candidates[i].Estimates[Full]); remaining < 0 {
			break
		}
		if w := p.tree.workingOf(p.details[i].ref); w != nil && w.Deferred {
			likely = append(likely, p.item(i))
		}
	}
	p.req.Caller.Prefetch(likely)
}

// isCritical reports whether candidate i is a critical block.
func (p *plan) isCritical(i int) bool {
	w := p.tree.workingOf(p.details[i].ref)
	return w != nil && w.Priority == working.Critical
}
