// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "math"

// Elements returns the elements of the section of headline i, or of the zeroth
// section if i is -1. Element 0 is the headline or the document, with its own text.
// Its child is the section, unless that has only blank lines, and below the section
// are the elements. Any text can be parsed. Elements takes time in proportion to the
// own text (times the logarithm of the number of its blocks) and panics if i is out
// of range. A document of more than 2 GiB has only element 0.
func (d *Document) Elements(i int) *Tree { return d.tree(i, false, nil) }

// Objects returns the elements and, below those that hold text, the objects in it:
// markup, links, timestamps, table cells.
func (d *Document) Objects(i int) *Tree { return d.tree(i, true, d.radioTargets()) }

// Numbers of bytes per element and per object that most texts do not fall below. They
// determine the initial capacity.
const (
	bytesPerElement = 64
	bytesPerObject  = 40
)

// tree parses the section of headline i. radio holds the targets of radio links.
func (d *Document) tree(i int, objects bool, radio *radioTargets) *Tree {
	return &Tree{Source: d.Source, Elements: d.elements(i, objects, radio, nil), doc: d}
}

// elements is tree, using the capacity of out if that is large enough.
func (d *Document) elements(i int, objects bool, radio *radioTargets, out []Element) []Element {
	if len(d.Source) > math.MaxInt32 {
		kind := TypeHeadline
		if i < 0 {
			kind = TypeDocument
		}
		return append(out[:0], Element{Type: kind, Parent: -1, Next: 1})
	}
	p := sectionParser{builder: builder{doc: d, src: d.Source, elements: out[:0], open: -1, objects: objects, radio: radio}}
	if i < 0 {
		p.head = &Headline{Drawer: d.Drawer}
		p.parse(TypeDocument, d.Start, d.Start, d.SectionEnd)
	} else {
		p.head = &d.Headlines[i]
		p.parse(TypeHeadline, p.head.Start, p.head.TextEnd, p.head.SectionEnd)
	}
	return p.elements
}

// span is a range of the source.
type span struct{ start, end int }

// sectionParser parses one section.
type sectionParser struct {
	builder
	at     int     // offset of the next element
	end    int     // end of the section
	frames []frame // open greater elements, innermost last

	head *Headline // in the zeroth section it has only the drawer

	ends        map[endKey][]line // the lines that may end blocks, in order; nil until first needed
	items       []listItem        // items of the open lists
	structures  []listStructure   // one for each list that is not inside another list
	orphanEnd   int               // affiliated keywords before this offset have no element
	lastTableEl tableElRun        // the last run that was examined
}

// parse parses the text between the offsets text and end below an element of type
// kind.
func (p *sectionParser) parse(kind Type, start, text, end int) {
	room := bytesPerElement
	if p.objects {
		room = bytesPerObject
	}
	if cap(p.elements) == 0 {
		p.elements = make([]Element, 0, 4+(end-start)/room)
	}
	p.end = end
	top := p.beginElement(kind, start)
	if p.objects && kind == TypeHeadline {
		parts := p.head.parts(p.src)
		p.parseSecondary(top, parts.title, parts.titleEnd)
	}
	p.at = skipBlankLines(p.src, text, end)
	if p.at < end {
		p.setContents(top, p.at, end)
		section := p.beginElement(TypeSection, p.at)
		p.setContents(section, p.at, end)
		p.push(frame{element: section, limit: end, resume: end})
		p.run()
	} else {
		p.elements[top].PostBlank = p.countLines(text, end)
	}
	p.endElement(top, end)
}

// parseSecondary parses objects outside the contents of an element.
func (p *sectionParser) parseSecondary(parent int32, start, end int) {
	first := int32(len(p.elements))
	p.inline(parent, start, end)
	for k := first; k < int32(len(p.elements)); k = p.elements[k].Next {
		p.elements[k].Secondary = true
	}
}

// frame is an open greater element.
type frame struct {
	element       int32
	item          int32 // of a list: index of its next item; -1 after the last one
	list          bool
	ownsStructure bool // of a list: it opened the last of the structures
	limit         int  // end of the contents
	resume        int  // end of the element
}

func (p *sectionParser) push(f frame) { p.frames = append(p.frames, f) }

// run parses until all frames are closed. Using frames instead of recursion allows
// any nesting depth.
func (p *sectionParser) run() {
	for len(p.frames) > 0 {
		f := &p.frames[len(p.frames)-1]
		switch {
		case f.list && f.item >= 0:
			p.openItem(f)
		case !f.list && p.at < f.limit:
			p.parseElement(f.limit)
		default:
			p.endElement(f.element, f.resume)
			p.at = f.resume
			if f.ownsStructure {
				last := len(p.structures) - 1
				p.items, p.structures = p.items[:p.structures[last].base], p.structures[:last]
			}
			p.frames = p.frames[:len(p.frames)-1]
		}
	}
}

// parseElement parses the element at p.at, which ends at or before limit.
func (p *sectionParser) parseElement(limit int) {
	switch {
	case p.at > 0 && p.src[p.at-1] != '\n' && p.at != p.doc.Start:
		p.addParagraph(p.at, p.at, limit) // after the bullet of an item or a footnote label
		return
	case p.head.PlanningEnd > 0 && p.at == p.head.PlanningStart:
		p.addLeaf(TypePlanning, p.at, p.at, p.head.PlanningEnd, limit)
		return
	case p.head.DrawerEnd > 0 && p.at == p.head.DrawerStart:
		p.addPropertyDrawer(limit)
		return
	}
	start := p.at
	body := p.skipAffiliated(start, limit)
	l := lineAt(p.src, body, limit)
	o := p.opening(l, limit)
	switch {
	case body == start:
	case o.kind == TypeComment, o.kind == TypeClock: // these take no affiliated keywords
		l = lineAt(p.src, start, limit)
		o = opening{kind: TypeKeyword}
	}
	p.open(o, start, l, limit)
}

// open parses the element that line l opens according to o. start is the offset of
// its affiliated keywords.
func (p *sectionParser) open(o opening, start int, l line, limit int) {
	switch o.kind {
	case TypeNone:
		p.addParagraph(start, l.start, limit)
	case TypePlainList:
		p.openList(start, l.start, limit)
	case TypeTable:
		p.addTable(start, l.start, limit, o.tableEl)
	case TypeFootnoteDefinition:
		p.openFootnote(start, l, limit)
	case TypeComment, TypeFixedWidth:
		end := skipLines(p.src, l.next, limit, func(text string) bool { return isRunLine(o.kind, text) })
		p.addLeaf(o.kind, start, l.start, end, limit)
	case TypeCenterBlock, TypeQuoteBlock, TypeSpecialBlock, TypeDynamicBlock, TypeDrawer:
		p.openContainer(o.kind, start, l, o.end, limit)
	case TypeVerseBlock:
		p.addText(o.kind, start, l.start, span{l.next, o.end.start}, o.end.next, limit)
	case TypeSrcBlock, TypeExampleBlock, TypeExportBlock, TypeCommentBlock, TypeLatexEnvironment:
		p.addLeaf(o.kind, start, l.start, o.end.next, limit)
	default:
		p.addLeaf(o.kind, start, l.start, l.next, limit)
	}
}

// addLeaf adds an element without children between the offsets start and end, with
// the blank lines after it, and advances.
func (p *sectionParser) addLeaf(kind Type, start, body, end, limit int) {
	p.addText(kind, start, body, span{}, end, limit)
}

// addText is addLeaf for an element with a range of text that contains objects.
func (p *sectionParser) addText(kind Type, start, body int, text span, end, limit int) {
	i := p.beginBody(kind, start, body)
	if text.start < text.end {
		p.setContents(i, text.start, text.end)
		if p.objects {
			p.inline(i, text.start, text.end)
		}
	}
	p.at = p.skipPostBlank(i, end, limit)
	p.endElement(i, p.at)
}

// beginBody opens an element whose affiliated keywords are between start and body.
func (p *sectionParser) beginBody(kind Type, start, body int) int32 {
	i := p.beginElement(kind, start)
	p.elements[i].Body = int32(body)
	return i
}

// skipPostBlank counts the blank lines after an element that ends at the offset end
// and returns the offset after them.
func (p *sectionParser) skipPostBlank(i int32, end, limit int) int {
	next := skipBlankLines(p.src, end, limit)
	p.elements[i].PostBlank = p.countLines(end, next)
	return next
}

// openContainer opens a greater element with a first and a last line of its own.
func (p *sectionParser) openContainer(kind Type, start int, first, last line, limit int) {
	i := p.beginBody(kind, start, first.start)
	resume := p.skipPostBlank(i, last.next, limit)
	contents := first.next
	if kind == TypeDrawer { // leading blank lines are not part of its contents
		contents = skipBlankLines(p.src, contents, last.start)
	}
	if contents < last.start {
		p.setContents(i, contents, last.start)
	}
	p.at = contents
	p.push(frame{element: i, limit: last.start, resume: resume})
}

// addParagraph adds the paragraph whose text starts at the offset body. It ends
// before a blank line or a line that opens another element.
func (p *sectionParser) addParagraph(start, body, limit int) {
	l := lineAt(p.src, body, limit)
	end := l.next
	for end < limit && !l.isBlank(p.src) {
		if l = lineAt(p.src, end, limit); p.endsParagraph(l, limit) {
			break
		}
		end = l.next
	}
	p.addText(TypeParagraph, start, body, span{body, end}, end, limit)
}

// addPropertyDrawer adds the property drawer found by the outline parser.
func (p *sectionParser) addPropertyDrawer(limit int) {
	i := p.beginElement(TypePropertyDrawer, p.at)
	p.at = p.skipPostBlank(i, p.head.DrawerEnd, limit)
	properties := p.head.Properties
	if n := len(properties); n > 0 {
		p.setContents(i, properties[0].Start, properties[n-1].End)
	}
	for _, property := range properties {
		p.endElement(p.beginElement(TypeNodeProperty, property.Start), property.End)
	}
	p.endElement(i, p.at)
}

// setContents sets the range of the children of an element.
func (b *builder) setContents(i int32, start, end int) {
	b.elements[i].ContentsStart, b.elements[i].ContentsEnd = int32(start), int32(end)
}
