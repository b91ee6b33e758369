// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

// maxObjectDepth bounds how deep objects lie in each other, and with it the stack.
// Deeper ones are text. Org has no bound of its own but that of Emacs' stack.
const maxObjectDepth = 100

// objectParser reads the objects of one stretch of text: of a paragraph, a verse block, a
// table cell, a title or the tag of an item. Org reads each object as if the text
// around its parent's contents were not there, so the ends of the contents count as
// ends of lines.
type objectParser struct {
	*builder
	text            string        // Source up to the end of the stretch
	classes         *[256]class   // what may begin an object, radio links included
	lookahead       [searches]int // where each search found something: see find
	closingBrackets []int32       // the closing bracket of each opening one, from base on
	base            int
}

// contents is what the children of one object may lie in.
type contents struct {
	start, end int
	last       int // the end of the last child
	allowed    objectSet
	depth      int
}

// inline parses the objects of b.src[start:end] below parent, the innermost open
// element. Which ones may stand there depends on the type of the parent. It takes
// time in proportion to the stretch.
func (b *builder) inline(parent int32, start, end int) {
	allowed := allowedIn(b.elements[parent].Type)
	p := objectParser{builder: b, text: b.src[:end], classes: &classes, base: start}
	if b.radio != nil {
		p.classes = &b.radio.classes
	}
	p.scan(contents{start: start, end: end, last: start, allowed: allowed})
}

// scan adds the objects of c in order.
func (p *objectParser) scan(c contents) {
	for at := c.start; at < c.end; {
		class := p.classes[p.text[at]]
		if class == 0 {
			at++
			continue
		}
		if end := p.object(&c, class, at); end > at {
			at, c.last = end, end
		} else {
			at++
		}
	}
}

// object adds the object that byte at belongs to the beginning of, and returns its
// end; 0 when there is none.
func (p *objectParser) object(c *contents, class class, at int) int {
	if class&classRadio != 0 {
		if end := p.radioLink(c, at); end > 0 {
			return end
		}
	}
	switch class &^ classRadio {
	case classMarkup:
		return p.markup(c, at)
	case classUnder:
		return p.underscore(c, at)
	case classCaret:
		return p.script(c, TypeSuperscript, at)
	case classSquare:
		return p.square(c, at)
	case classAngle:
		return p.angle(c, at)
	case classColon:
		return p.plainLink(c, at)
	case classBackslash:
		return p.backslash(c, at)
	case classDollar:
		return p.dollar(c, at)
	case classCurly:
		return p.macro(c, at)
	case classAt:
		return p.exportSnippet(c, at)
	}
	return 0
}

// leaf adds an object without contents that ends at stop, before the blanks that
// belong to it. It returns the end of all.
func (p *objectParser) leaf(c *contents, kind Type, start, stop int) int {
	if !c.allowed.has(kind) {
		return 0
	}
	return p.close(p.beginElement(kind, start), stop, c.end)
}

// nest adds an object with contents.
func (p *objectParser) nest(c *contents, kind Type, start, inner, innerEnd, stop int) int {
	if !c.allowed.has(kind) || c.depth == maxObjectDepth {
		return 0
	}
	i := p.beginElement(kind, start)
	p.elements[i].ContentsStart, p.elements[i].ContentsEnd = int32(inner), int32(innerEnd)
	p.scan(contents{start: inner, end: innerEnd, last: inner, allowed: allowedIn(kind), depth: c.depth + 1})
	return p.close(i, stop, c.end)
}

// close ends object i at stop and the blanks that follow it.
func (p *objectParser) close(i int32, stop, limit int) int {
	end := stop
	for end < limit && isBlank(p.text[end]) {
		end++
	}
	p.elements[i].PostBlank = int32(end - stop)
	p.endElement(i, end)
	return end
}

// class says which objects a byte may begin, or for a colon and a line below, stand
// in the beginning of.
type class uint8

const (
	classMarkup class = 1 + iota // * / + = ~
	classUnder                   // underline, subscript, src_, call_
	classCaret
	classSquare    // links, footnotes, citations, cookies, timestamps
	classAngle     // targets, timestamps, links
	classColon     // plain links
	classBackslash // entities, fragments, line breaks
	classDollar
	classCurly
	classAt

	classRadio class = 1 << 7 // a radio link may begin here too
)

var classes = [256]class{
	'*': classMarkup, '/': classMarkup, '+': classMarkup, '=': classMarkup, '~': classMarkup, '_': classUnder,
	'^': classCaret, '[': classSquare, '<': classAngle, ':': classColon, '\\': classBackslash, '$': classDollar,
	'{': classCurly, '@': classAt,
}

// objectSet is a set of types of objects.
type objectSet uint32

func objectsOf(kinds ...Type) objectSet {
	var s objectSet
	for _, kind := range kinds {
		s |= 1 << (kind - TypeBold)
	}
	return s
}

func (s objectSet) has(kind Type) bool { return s&(1<<(kind-TypeBold)) != 0 }

// The sets of objects of the syntax document: what stands in most places, and the
// least that does.
var (
	standardObjects = ^objectsOf(TypeCitationReference, TypeTableCell)
	minimalObjects  = objectsOf(TypeBold, TypeCode, TypeEntity, TypeItalic, TypeLatexFragment, TypeStrikeThrough, TypeSubscript,
		TypeSuperscript, TypeUnderline, TypeVerbatim)
	titleObjects = standardObjects &^ objectsOf(TypeLineBreak)
	linkObjects  = minimalObjects | objectsOf(TypeExportSnippet, TypeInlineBabelCall, TypeInlineSrcBlock, TypeMacro, TypeStatisticsCookie)
	cellObjects  = minimalObjects | objectsOf(TypeCitation, TypeExportSnippet, TypeFootnoteReference, TypeLink, TypeMacro, TypeRadioTarget,
		TypeTarget, TypeTimestamp)
)

// allowedIn returns the objects that may stand in an element or object.
func allowedIn(kind Type) objectSet {
	switch kind {
	case TypeHeadline, TypeInlinetask, TypeItem:
		return titleObjects
	case TypeTableCell:
		return cellObjects
	case TypeLink:
		return linkObjects
	case TypeRadioTarget:
		return minimalObjects
	}
	return standardObjects
}
