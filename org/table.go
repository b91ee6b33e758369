// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// tableElRun is a run of lines that start with a bar or a plus, up to a limit.
type tableElRun struct {
	start, end, limit int
	complete          bool // its last line is a rule
}

// tableElOpening returns the opening of the table.el table whose first rule is line
// l. It consists of the lines from there on that start with a bar or a plus, and its
// last line must be a rule. The run is cached because each of its rules asks for it.
func (p *sectionParser) tableElOpening(l line, limit int) opening {
	if r := &p.lastTableEl; l.start < r.start || l.start >= r.end || limit != r.limit {
		*r = tableElRun{start: l.start, end: l.next, limit: limit}
		for r.end < limit {
			next := lineAt(p.src, r.end, limit)
			text := trimBlanks(p.src[next.start:next.end])
			if text == "" || text[0] != '|' && text[0] != '+' {
				break
			}
			r.complete, r.end = isTableElRule(text), next.next
		}
	}
	if !p.lastTableEl.complete {
		return opening{}
	}
	return opening{kind: TypeTable, tableEl: true}
}

// addTable adds a table whose first row is at the offset body. Formulas below an Org
// table belong to it.
func (p *sectionParser) addTable(start, body, limit int, foreign bool) {
	i := p.beginElement(TypeTable, start)
	p.elements[i].Body = int32(body)
	end := body
	for end < limit {
		l := lineAt(p.src, end, limit)
		text := trimBlanksLeft(p.src[l.start:l.end])
		if text == "" || text[0] != '|' && !(foreign && text[0] == '+') {
			break
		}
		if !foreign {
			p.addRow(l, text)
		}
		end = l.next
	}
	if !foreign {
		p.setContents(i, body, end)
		end = p.formulasEnd(end, limit)
	}
	p.at = p.skipPostBlank(i, end, limit)
	p.builder.endElement(i, p.at)
}

// formulasEnd returns the end of the formula lines at the offset at.
func (p *sectionParser) formulasEnd(at, limit int) int {
	for at < limit {
		l := lineAt(p.src, at, limit)
		if !hasPrefixFold(trimBlanksLeft(p.src[l.start:l.end]), formulaKey) {
			break
		}
		at = l.next
	}
	return at
}

const formulaKey = "#+TBLFM: "

// addRow adds the row in line l, whose text starts with a bar.
func (p *sectionParser) addRow(l line, text string) {
	i := p.beginElement(TypeTableRow, l.start)
	if !strings.HasPrefix(text, "|-") {
		start := l.end - len(text) + 1
		end := trimmedEnd(p.src, start, l.end)
		p.setContents(i, start, end)
		if p.objects {
			p.addCells(start, end)
		}
	}
	p.builder.endElement(i, l.next)
}

// addCells adds the cells of a row between its first bar and the offset end.
func (p *sectionParser) addCells(at, end int) {
	for at < end {
		stop := end
		next := end
		if bar := strings.IndexByte(p.src[at:end], '|'); bar >= 0 {
			stop, next = at+bar, at+bar+1
		}
		i := p.beginElement(TypeTableCell, at)
		for at < stop && isBlank(p.src[at]) {
			at++
		}
		if text := trimmedEnd(p.src, at, stop); text > at {
			p.setContents(i, at, text)
			p.inline(i, at, text)
		}
		p.builder.endElement(i, next)
		at = next
	}
}
