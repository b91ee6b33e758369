// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/token"
	"github.com/fovea-memory/fovea/window/choose"
	"github.com/fovea-memory/fovea/window/render"
	"github.com/fovea-memory/fovea/working"
)

// Remarks of windows of a session.
const (
	correctedRemark = "Corrected since you saw it."
	goneRemark      = "No longer there since you saw it: "
	nothingSince    = "Nothing new since the window before."
	nothingRemark   = "Nothing new: this session has seen all of it."
)

// Repeated returns the window for a caller that has all of its parts from the previous one.
func (w *Window) Repeated(counter token.Counter) *Window {
	again := *w
	again.Text, again.Parts = nothingSince+"\n", []Part{}
	again.Tokens = counter.Count(again.Text)
	return &again
}

// headingOf returns the fingerprint of an item's heading.
func headingOf(item *Item) uint64 {
	return fingerprint(item.Todo, item.Priority, item.Title, strings.Join(item.Tags, ":"))
}

// wholeExcerpt returns an excerpt of an item's body with every passage chosen.
func wholeExcerpt(item *Item) *text.Excerpt {
	x := text.NewExcerpt(scanned(item, maxScanned), index.NewMatcher(""))
	x.ChooseAll()
	return x
}

// isSession reports whether the window belongs to a session.
func (p *plan) isSession() bool { return p.req.Session != nil }

// gatherCorrections makes candidates of the nodes that changed since the session saw them, and records
// those that are gone.
func (p *plan) gatherCorrections() {
	if !p.isSession() {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(p.req.Session.Shown.Nodes)) {
		t := p.req.Session.Shown.Nodes[id]
		r, ok := p.tree.find(id)
		isNoted := working.IsNoted(id) // not worth reporting
		if !ok {
			p.gone = append(p.gone, id)
			if !isNoted {
				p.goneNames = append(p.goneNames, t.Name)
			}
			continue
		}
		info := p.tree.node(r)
		if isNoted || info.has(hidden) || info.digest == t.Digest && !t.Digest.IsZero() {
			continue
		}
		if item, ok := p.src.Item(id); !ok || t.Heading == headingOf(&item) && len(t.still(wholeExcerpt(&item))) >= len(t.Lines) {
			continue // the lines that the session saw are still there
		}
		i := p.attach(r, noRef)
		p.details[i].corrected = true
		p.corrections = append(p.corrections, i)
	}
}

// showCorrections shows the new passages of corrected nodes, and names those that are gone, as far as
// the budget allows.
func (p *plan) showCorrections() {
	const maxNamed = 8
	if n := len(p.goneNames); n > 0 {
		text := goneRemark + text.Line(strings.Join(p.goneNames[:min(n, maxNamed)], ", "))
		if n > maxNamed {
			text += ", " + render.Ellipsis
		}
		text = p.renderer.Remark(text)
		if tokens := p.count(text); tokens <= p.sel.Remaining {
			p.remark = text
			p.sel.Remaining -= tokens
		}
	}
	for _, i := range p.corrections {
		t := p.req.Session.Shown.Nodes[p.details[i].info.id]
		x := p.excerptOf(p.loaded(i))
		fresh := x.ChooseFunc(maxSnippet, func(passage string) bool { return !t.has(passage) })
		if fresh > 0 && p.candidates[i].Estimates[Full] > 0 && p.candidates[i].Level < Snippet {
			p.candidates[i].Estimates[Snippet] = int32(p.setExcerpt(i, x))
			if p.sel.Show(i, Snippet, choose.Slack) {
				continue
			}
		}
		p.sel.Show(i, Title, choose.Slack)
	}
}

// subtract removes from the chosen parts what the session has seen, and adapts the depth of the
// remaining headings.
func (p *plan) subtract() {
	if !p.isSession() {
		return
	}
	for i := range p.candidates {
		t, ok := p.req.Session.Shown.Nodes[p.details[i].info.id]
		if ok && p.candidates[i].Level != Absent && !p.isCritical(i) {
			p.subtractNode(i, &t)
		}
	}
	if p.req.Session.Layout == LayoutSticky {
		p.dropTitles()
	}
	for i := range p.candidates {
		n := &p.details[i]
		stars := int32(1)
		if parent := p.parentInText(i); parent >= 0 {
			stars = p.details[parent].stars + 1
		}
		if p.isInText(i) && stars != n.stars {
			n.stars = stars
			p.forgetPiece(i)
		}
	}
}

// dropTitles removes the titles below which nothing is shown: they would fill a text that only grows.
func (p *plan) dropTitles() {
	needed := make([]bool, len(p.candidates))
	for i := len(p.candidates) - 1; i >= 0; i-- { // a parent precedes its children
		n := &p.details[i]
		if p.candidates[i].Level == Title && !needed[i] && !n.corrected && i != p.focus && !p.isCritical(i) {
			n.shown = true
		}
		if parent := p.candidates[i].Parent; parent >= 0 && p.isInText(i) {
			needed[parent] = true
		}
	}
}

// subtractNode removes the shown lines from candidate i.
func (p *plan) subtractNode(i int, t *ShownNode) {
	c, n := &p.candidates[i], &p.details[i]
	item := p.item(i)
	if c.Level > Title {
		item = p.loaded(i)
	}
	n.headingShown = t.Heading == headingOf(item)
	left, out := 0, 0
	isSame := c.Level == Full && Level(t.Level) == Full && t.Digest == n.info.digest && !t.Digest.IsZero()
	if c.Level > Title && !isSame {
		x := n.excerpt
		if c.Level == Full {
			x = wholeExcerpt(item)
		}
		if left, out = x.Drop(t.has); out > 0 {
			if c.Level == Full { // the excerpt is of the whole body
				n.compressed = ""
			}
			n.excerpt, c.Level = x, Snippet
		}
	}
	n.shown = n.headingShown && !n.corrected && left == 0 && (out > 0 || Level(t.Level) >= c.Level)
	p.forgetPiece(i)
}

// forgetPiece drops the rendered text of candidate i.
func (p *plan) forgetPiece(i int) {
	p.details[i].pieceSlots = [Full + 1]int32{}
}

// isInText reports whether the window has a part for candidate i.
func (p *plan) isInText(i int) bool { return p.candidates[i].Level != Absent && !p.details[i].shown }

// remember returns what the session has seen after this window, nil without a session.
func (p *plan) remember() *Shown {
	if !p.isSession() {
		return nil
	}
	next := &Shown{Nodes: maps.Clone(p.req.Session.Shown.Nodes)}
	if next.Nodes == nil {
		next.Nodes = map[string]ShownNode{}
	}
	for _, id := range p.gone {
		delete(next.Nodes, id)
	}
	for i := range p.candidates {
		if p.isInText(i) {
			p.rememberNode(next, i)
		}
	}
	return next
}

// rememberNode records that candidate i is shown.
func (p *plan) rememberNode(next *Shown, i int) {
	c, n := &p.candidates[i], &p.details[i]
	item, t := p.item(i), next.Nodes[n.info.id]
	if c.Level > Title {
		item = p.loaded(i)
	}
	if n.corrected {
		t = ShownNode{Lines: t.still(wholeExcerpt(item)), Level: t.Level}
	}
	t.Name = cmp.Or(item.Handle, item.ID)
	t.Digest, t.Heading, t.Level = n.info.digest, headingOf(item), max(t.Level, uint8(c.Level))
	x := n.excerpt
	if c.Level == Full {
		x = wholeExcerpt(item)
	}
	if c.Level > Title && x != nil {
		t.Lines = slices.Concat(t.Lines, linesOf(x))
		slices.Sort(t.Lines)
		t.Lines = slices.Compact(t.Lines)
	}
	next.Nodes[n.info.id] = t
}
