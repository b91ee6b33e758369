// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"fmt"
	"time"

	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/window/render"
)

// origin is who wrote a node, and on which day: a number such as 20261120, 0 for unknown.
type origin struct {
	author string
	day    int32
}

// dayOf reads a date of the form 2026-11-20; 0 for any other text.
func dayOf(date string) int32 {
	at, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return 0
	}
	return int32(at.Year()*1e4 + int(at.Month())*100 + at.Day())
}

// inForce returns the origin that the headings above the children of candidate i state
// for them.
func (p *plan) inForce(i int) origin {
	if i < 0 {
		return origin{}
	}
	above := p.inForce(int(p.candidates[i].Parent))
	info := p.details[i].info
	return origin{cmp.Or(p.item(i).Author, above.author), cmp.Or(info.day, above.day)}
}

// facts returns the line below the heading of candidate i: the path of a source document, and author
// and day unless a heading above states the same. The caller is not named as the author of its own notes.
func (p *plan) facts(i int) []string {
	var facts []string
	item, info := p.item(i), p.details[i].info
	if p.details[i].source && render.IsFile(item.Path) && !render.IsNamedByPath(item) {
		facts = append(facts, text.Line(item.Path))
	}
	var above origin
	if i != p.focus {
		above = p.inForce(int(p.candidates[i].Parent))
	}
	own := item.Author
	if own != above.author && own != "" && (own != p.req.Caller.Agent || above.author != "") {
		facts = append(facts, "by "+text.Truncate(text.Line(own), render.MaxFact))
	}
	day := cmp.Or(info.day, above.day)
	switch stated := cmp.Or(p.details[i].before, above.day); {
	case day == stated:
	case day == 0:
		facts = append(facts, "undated")
	default:
		facts = append(facts, fmt.Sprintf("%04d-%02d-%02d", day/1e4, day/100%100, day%100))
	}
	return facts
}

// run identifies the notes of one day below one heading: the first of them in the text states the day.
type run struct {
	parent int32
	day    int32
}

// setBefore sets the day that is in force before candidate i in the text.
func (p *plan) setBefore(i int, day int32) {
	if n := &p.details[i]; n.before != day {
		n.before = day
		p.forgetPiece(i)
	}
}

// stateDays makes each run of siblings in the text state its day once.
func (p *plan) stateDays(order []int) {
	days := map[int]int32{} // below each heading in the text
	for _, i := range order {
		if p.details[i].info.depth == 0 {
			continue
		}
		parent := p.parentInText(i)
		if i != p.focus {
			p.setBefore(i, days[parent])
		}
		days[parent] = cmp.Or(p.details[i].info.day, p.inForce(int(p.candidates[i].Parent)).day)
	}
}

// findSources marks the documents whose path the window states: that of the focus, and those of the
// best nodes as long as the paths take a small share of the budget.
func (p *plan) findSources(best []ranked) {
	const share = 200
	if p.focus >= 0 {
		p.documentOf(p.focus).source = true
	}
	remaining := p.req.Budget / share
	for _, r := range best {
		i, _ := p.candidate(r.ref)
		d := p.documentOf(i)
		if d.source {
			continue
		}
		if remaining -= 3 + len(p.tree.blocks[d.block].path)/4; remaining < 0 {
			return
		}
		d.source = true
	}
}

// documentOf returns the document, or the topmost heading shown, above candidate i.
func (p *plan) documentOf(i int) *detail {
	for p.candidates[i].Parent >= 0 {
		i = int(p.candidates[i].Parent)
	}
	return &p.details[i]
}
