// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// tabWidth is the distance of tab stops for comparing indentation.
const tabWidth = 8

// listItem is a list item, found before its contents are parsed.
type listItem struct {
	start, end int   // end includes the blank lines after it
	text       int   // end of its last non-blank line
	indent     int   // display width of the blanks before the bullet
	next       int32 // index of the first item that is not below it
}

// listStructure is the part of the parser's items, from base on, that belongs to one
// list and the lists inside it. Items before next have been parsed.
type listStructure struct{ base, next int32 }

// openList opens the list whose first item is at the offset body.
func (p *sectionParser) openList(start, body, limit int) {
	k := p.itemAt(body)
	outermost := k < 0
	if outermost {
		k = int32(len(p.items))
		p.structures = append(p.structures, listStructure{k, k})
		p.scanItems(body, limit)
	}
	last := k
	for n := p.sibling(k); n >= 0; n = p.sibling(n) {
		last = n
	}
	end := p.items[last].text
	i := p.beginBody(TypePlainList, start, body)
	p.setContents(i, body, end)
	resume := p.skipPostBlank(i, end, limit)
	p.push(frame{element: i, list: true, item: k, ownsStructure: outermost, limit: end, resume: resume})
}

// itemAt returns the index of the item at the offset in the open list, or -1. Offsets
// must be increasing.
func (p *sectionParser) itemAt(offset int) int32 {
	if len(p.structures) == 0 {
		return -1
	}
	l := &p.structures[len(p.structures)-1]
	for l.next < int32(len(p.items)) && p.items[l.next].start < offset {
		l.next++
	}
	if l.next < int32(len(p.items)) && p.items[l.next].start == offset {
		return l.next
	}
	return -1
}

// sibling returns the item that follows item k in its list, or -1.
func (p *sectionParser) sibling(k int32) int32 {
	n := p.items[k].next
	if n < int32(len(p.items)) && p.items[n].start == p.items[k].end && p.items[n].indent == p.items[k].indent {
		return n
	}
	return -1
}

// scanItems finds the items of the list at the offset at. An item ends before the
// next line that is not indented more, and all items end at two blank lines. Lines
// inside blocks and drawers do not count.
func (p *sectionParser) scanItems(at, limit int) {
	var open []int32 // unclosed items, innermost last
	minIndent := -1  // the smallest indentation of an item
	text := at       // end of the last non-blank line
	blank := false   // the previous line was blank
	for at < limit {
		l := lineAt(p.src, at, limit)
		if l.isBlank(p.src) {
			if blank {
				break
			}
			blank, at = true, l.next
			continue
		}
		blank = false
		indent, margin := indentation(l.text(p.src))
		o := p.opening(l, limit)
		switch {
		case o.kind == TypePlainList && bulletLength(p.src[l.start+margin:l.end], margin) > 0:
			open = p.closeItems(open, indent, l.start, text)
			if minIndent < 0 || indent < minIndent {
				minIndent = indent
			}
			open = append(open, int32(len(p.items)))
			p.items = append(p.items, listItem{start: l.start, indent: indent})
			at = l.next
		case indent <= minIndent:
			p.closeItems(open, 0, at, text)
			return
		default:
			open = p.closeItems(open, indent, l.start, text)
			at = l.next
			if o.end.next > 0 && o.kind != TypeLatexEnvironment && !isDrawerLine(l.text(p.src), drawerClose) {
				at = o.end.next
			}
		}
		text = at
	}
	p.closeItems(open, 0, at, text)
}

// closeItems closes the innermost open items that are indented by at least indent: they
// end at the offset end including blank lines, and at text without them. It returns the
// items that are still open.
func (p *sectionParser) closeItems(open []int32, indent, end, text int) []int32 {
	for len(open) > 0 && p.items[open[len(open)-1]].indent >= indent {
		item := &p.items[open[len(open)-1]]
		item.end, item.text, item.next = end, text, int32(len(p.items))
		open = open[:len(open)-1]
	}
	return open
}

// openItem opens the next item of the list in frame f.
func (p *sectionParser) openItem(f *frame) {
	k := f.item
	f.item = p.sibling(k)
	it := p.items[k]
	end := it.text
	if f.item >= 0 {
		end = it.end // blank lines before a sibling belong to the item, those after the last item to the list
	}
	i := p.beginElement(TypeItem, it.start)
	l := lineAt(p.src, it.start, end)
	parts := itemParts(l.text(p.src))
	if p.objects && parts.tagEnd > 0 {
		p.parseSecondary(i, l.start+parts.tagStart, l.start+parts.tagEnd)
	}
	contents := l.start + parts.contents
	if contents >= l.end {
		contents = skipBlankLines(p.src, l.next, end)
	}
	text := max(contents, it.text)
	if contents < it.text {
		p.setContents(i, contents, it.text)
	}
	p.elements[i].PostBlank = p.countLines(text, end)
	p.at = contents
	p.push(frame{element: i, limit: text, resume: end})
}

// bulletLength returns the length of the bullet at the start of text, without blanks,
// or 0. A star is a bullet only after a margin.
func bulletLength(text string, margin int) int {
	n := 0
	switch c := text[0]; {
	case c == '-' || c == '+' || c == '*' && margin > 0:
		n = 1
	case isDigit(c):
		_, n = number(text)
		if n == len(text) || text[n] != '.' && text[n] != ')' {
			return 0
		}
		n++
	default:
		return 0
	}
	if n < len(text) && !isBlank(text[n]) {
		return 0
	}
	return n
}

// indentation returns the display width of the blanks at the start of text and their
// number of bytes.
func indentation(text string) (width, margin int) {
	for margin < len(text) {
		switch text[margin] {
		case ' ':
			width++
		case '\t':
			width += tabWidth - width%tabWidth
		default:
			return width, margin
		}
		margin++
	}
	return width, margin
}

// itemOffsets are the offsets of the parts of an item's first line.
type itemOffsets struct {
	bullet, bulletEnd   int // including the blanks after it
	counter, counterEnd int // the text in [@…]; 0, 0 if there is none
	checkbox            int // the character between the brackets; 0 if there is none
	tagStart, tagEnd    int // up to the blank before the colons; 0, 0 if there is none
	contents            int
}

// itemParts parses the first line of an item.
func itemParts(text string) itemOffsets {
	var o itemOffsets
	for isBlank(text[o.bullet]) {
		o.bullet++
	}
	at := o.bullet + bulletLength(text[o.bullet:], 1)
	skip := func() {
		for at < len(text) && isBlank(text[at]) {
			at++
		}
	}
	skip()
	o.bulletEnd = at
	if n, word := counterLength(text[at:]); n > 0 {
		o.counter, o.counterEnd = at+word, at+n-1
		at += n
		skip()
	}
	if rest := text[at:]; len(rest) >= 3 && rest[0] == '[' && rest[2] == ']' && (rest[1] == ' ' || rest[1]|0x20 == 'x' || rest[1] == '-') &&
		(len(rest) == 3 || isBlank(rest[3])) {
		o.checkbox = at + 1
		at += 3
		skip()
	}
	if !isDigit(text[o.bullet]) {
		if n := tagLength(text[at:]); n > 0 {
			o.tagStart, o.tagEnd = at, at+n-1
			at += n + len("::")
			skip()
		}
	}
	o.contents = at
	return o
}

// counterLength returns the length of the counter [@3] or [@start:3] at the start of
// text, or 0, and the length of the part before the number.
func counterLength(text string) (n, before int) {
	rest, ok := strings.CutPrefix(text, "[@")
	if !ok {
		return 0, 0
	}
	rest = strings.TrimPrefix(rest, "start:")
	before = len(text) - len(rest)
	_, digits := number(rest)
	if digits == 0 && rest != "" && isAlphaByte(rest[0]) {
		digits = 1
	}
	if digits == 0 || digits == len(rest) || rest[digits] != ']' {
		return 0, 0
	}
	return before + digits + 1, before
}

// tagLength returns the length of the tag at the start of text, up to the last double
// colon between blanks, or 0.
func tagLength(text string) int {
	for i := len(text) - 2; i > 0; i-- {
		if text[i] == ':' && text[i+1] == ':' && isBlank(text[i-1]) && (i+2 == len(text) || isBlank(text[i+2])) {
			return i
		}
	}
	return 0
}
