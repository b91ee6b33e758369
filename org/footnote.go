// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// openFootnote opens the footnote definition in line l. It extends to the next one,
// to two blank lines, or to limit.
func (p *sectionParser) openFootnote(start int, l line, limit int) {
	i := p.beginBody(TypeFootnoteDefinition, start, l.start)
	end, keywords := l.next, 0 // keywords: offset of the affiliated keywords above the line
	next := l.next
	for next < limit {
		m := lineAt(p.src, next, limit)
		text := m.text(p.src)
		if m.isBlank(p.src) {
			if m.next < limit && lineAt(p.src, m.next, limit).isBlank(p.src) {
				break
			}
			keywords = 0
		} else {
			if footnoteLabel(text) > 0 {
				if keywords > 0 {
					next = keywords
				}
				break
			}
			if !isAffiliated(text) {
				keywords = 0
			} else if keywords == 0 {
				keywords = m.start
			}
			end = m.next
		}
		next = m.next
	}
	end = min(end, next)
	p.pushDefinition(i, l, end, limit)
}

// pushDefinition pushes the frame of a footnote definition that ends at the offset
// end.
func (p *sectionParser) pushDefinition(i int32, l line, end, limit int) {
	at := l.start + footnoteLabel(l.text(p.src))
	for at < end && isSpaceByte(p.src[at]) {
		at++
	}
	resume := p.skipPostBlank(i, end, limit)
	if at >= end {
		p.at = resume
		p.endElement(i, resume)
		return
	}
	if at > l.end {
		at = lineStart(p.src, at)
	}
	p.setContents(i, at, end)
	p.at = at
	p.push(frame{element: i, limit: end, resume: resume})
}

// footnoteLabel returns the length of the bracketed label that starts a footnote
// definition, or 0.
func footnoteLabel(text string) int {
	rest, ok := strings.CutPrefix(text, "[fn:")
	if !ok {
		return 0
	}
	n := nameLength(rest)
	if n == 0 || n == len(rest) || rest[n] != ']' {
		return 0
	}
	return len("[fn:]") + n
}
