// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// inlinetaskEnd is the title of the line that ends an inline task.
const inlinetaskEnd = "END"

// isInlinetask reports whether an inline task starts at the offset of a line: a
// headline with at least Options.Inlinetasks stars.
func (d *Document) isInlinetask(at int) bool {
	return d.inlinetasks > 0 && starsAt(d.Source, at) >= d.inlinetasks
}

// inlinetaskText returns the content of the inline task in line l, up to its closing
// line, and the end of the task. A task that is not closed before the next one is a
// single line with empty content.
func (p *sectionParser) inlinetaskText(l line, limit int) (text span, end int) {
	for next := range linesOf(p.src, l.next, limit) {
		if next.start < next.end && p.src[next.start] == '*' && p.doc.isInlinetask(next.start) {
			if trimBlanks(strings.TrimLeft(next.text(p.src), "*")) == inlinetaskEnd {
				return span{l.next, next.start}, next.next
			}
			break
		}
	}
	return span{l.next, l.next}, l.next
}

// openInlinetask opens the inline task in line l, which may have a planning line and
// a property drawer like a headline.
func (p *sectionParser) openInlinetask(l line, limit int) {
	i := p.beginElement(TypeInlinetask, l.start)
	text, end := p.inlinetaskText(l, limit)
	resume := p.skipPostBlank(i, end, limit)
	h := p.doc.inlinetask(l.start, text.end)
	if p.objects {
		p.parseTitle(i, &h)
	}
	p.head = &h
	p.at = skipBlankLines(p.src, text.start, text.end)
	if p.at < text.end {
		p.setContents(i, p.at, text.end)
	}
	p.push(frame{element: i, limit: text.end, resume: resume})
}

// inlinetask parses the inline task between the offsets as a headline.
func (d *Document) inlinetask(start, end int) Headline {
	h := Headline{Start: start, Level: starsAt(d.Source, start), SectionEnd: end, End: end, Parent: -1}
	p := parser{doc: &Document{Source: d.Source}, isDone: d.Todo.doneSet()}
	p.headline(&h)
	return h
}
