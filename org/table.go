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
// last line must be a rule. The run is cached because it is needed for each of its rules.
func (p *sectionParser) tableElOpening(l line, limit int) opening {
	if r := &p.lastTableEl; l.start < r.start || l.start >= r.end || limit != r.limit {
		end := skipLines(p.src, l.next, limit, isTableElLine)
		last := lineAt(p.src, lineStart(p.src, end-1), end)
		*r = tableElRun{l.start, end, limit, end > l.next && isTableElRule(trimBlanks(last.text(p.src)))}
	}
	if !p.lastTableEl.complete {
		return opening{}
	}
	return opening{kind: TypeTable, tableEl: true}
}

// addTable adds a table whose first row is at the offset body. Formulas below an Org
// table belong to it.
func (p *sectionParser) addTable(start, body, limit int, foreign bool) {
	i := p.beginBody(TypeTable, start, body)
	var end int
	if foreign {
		end = skipLines(p.src, body, limit, isTableElLine)
	} else {
		end = skipLines(p.src, body, limit, func(text string) bool { return strings.HasPrefix(text, "|") })
		for l := range linesOf(p.src, body, end) {
			p.addRow(l)
		}
		p.setContents(i, body, end)
		end = skipLines(p.src, end, limit, func(text string) bool { return hasPrefixFold(text, formulaKey) })
	}
	p.at = p.skipPostBlank(i, end, limit)
	p.endElement(i, p.at)
}

// isTableElLine reports whether text is a line of a table.el table.
func isTableElLine(text string) bool { return text != "" && (text[0] == '|' || text[0] == '+') }

const formulaKey = "#+TBLFM: "

// addRow adds the row in line l, whose text starts with a bar.
func (p *sectionParser) addRow(l line) {
	i := p.beginElement(TypeTableRow, l.start)
	text := trimBlanksLeft(l.text(p.src))
	if !strings.HasPrefix(text, "|-") {
		start := l.end - len(text) + 1
		end := trimmedEnd(p.src, start, l.end)
		p.setContents(i, start, end)
		if p.objects {
			p.addCells(start, end)
		}
	}
	p.endElement(i, l.next)
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
		p.endElement(i, next)
		at = next
	}
}
