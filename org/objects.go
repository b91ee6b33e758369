// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

// maxObjectDepth is the maximum nesting depth of objects, which limits the stack.
// Deeper objects are text. Org is limited only by the stack of Emacs.
const maxObjectDepth = 100

// objectParser parses the objects in one stretch of text: in a paragraph, verse
// block, table cell, title or item tag. Org parses each object as if the text around
// its parent's contents did not exist, so the ends of the contents act as line ends.
type objectParser struct {
	*builder
	text            string        // Source up to the end of the stretch
	classes         *[256]class   // which objects a byte may start, including radio links
	lookahead       [searches]int // the result of each search; see find
	closingBrackets []int32       // offset of the closing bracket for each opening one, from base on
	base            int
}

// contents is the range of the children of one object.
type contents struct {
	start, end int
	last       int // end of the last child
	allowed    objectSet
	depth      int
}

// inline parses the objects of b.src[start:end] below parent, the innermost open
// element. The type of the parent determines which objects are allowed. It takes time
// in proportion to the stretch.
func (b *builder) inline(parent int32, start, end int) {
	allowed := allowedIn(b.elements[parent].Type)
	p := objectParser{builder: b, text: b.src[:end], classes: &classes, base: start}
	if b.radio != nil {
		p.classes = &b.radio.classes
	}
	p.scan(contents{start: start, end: end, last: start, allowed: allowed})
}

// scan adds the objects in c in order.
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

// object adds the object indicated by the byte at the offset at and returns its end,
// or 0 if there is none.
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

// leaf adds an object without contents that ends at stop, and the blanks after it. It
// returns the end of the blanks.
func (p *objectParser) leaf(c *contents, kind Type, start, stop int) int {
	if !c.allowed.has(kind) {
		return 0
	}
	return p.close(p.beginElement(kind, start), stop, c.end)
}

// enclosed is leaf for an object that ends with the next shut from the offset inner on.
func (p *objectParser) enclosed(c *contents, kind Type, start, inner, search int, shut string) int {
	stop := p.find(search, shut, inner) + len(shut)
	if stop > c.end {
		return 0
	}
	return p.leaf(c, kind, start, stop)
}

// nest adds an object with contents.
func (p *objectParser) nest(c *contents, kind Type, start, inner, innerEnd, stop int) int {
	if !c.allowed.has(kind) || c.depth == maxObjectDepth {
		return 0
	}
	i := p.beginElement(kind, start)
	p.setContents(i, inner, innerEnd)
	p.scan(contents{start: inner, end: innerEnd, last: inner, allowed: allowedIn(kind), depth: c.depth + 1})
	return p.close(i, stop, c.end)
}

// close closes object i, which ends at stop, with the blanks after it.
func (p *objectParser) close(i int32, stop, limit int) int {
	end := stop
	for end < limit && isBlank(p.text[end]) {
		end++
	}
	p.elements[i].PostBlank = int32(end - stop)
	p.endElement(i, end)
	return end
}

// class is the class of objects that a byte may start; for a colon and an underscore,
// objects with that byte near their start.
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

	classRadio class = 1 << 7 // a radio link may also start here
)

var classes = [256]class{
	'*': classMarkup, '/': classMarkup, '+': classMarkup, '=': classMarkup, '~': classMarkup, '_': classUnder,
	'^': classCaret, '[': classSquare, '<': classAngle, ':': classColon, '\\': classBackslash, '$': classDollar,
	'{': classCurly, '@': classAt,
}

// objectSet is a set of object types.
type objectSet uint32

func objectsOf(kinds ...Type) objectSet {
	var s objectSet
	for _, kind := range kinds {
		s |= 1 << (kind - TypeBold)
	}
	return s
}

func (s objectSet) has(kind Type) bool { return s&(1<<(kind-TypeBold)) != 0 }

// The object sets of the syntax document: the standard set and the minimal set.
var (
	standardObjects = ^objectsOf(TypeCitationReference, TypeTableCell)
	minimalObjects  = objectsOf(TypeBold, TypeCode, TypeEntity, TypeItalic, TypeLatexFragment, TypeStrikeThrough, TypeSubscript,
		TypeSuperscript, TypeUnderline, TypeVerbatim)
	titleObjects = standardObjects &^ objectsOf(TypeLineBreak)
	linkObjects  = minimalObjects | objectsOf(TypeExportSnippet, TypeInlineBabelCall, TypeInlineSrcBlock, TypeMacro, TypeStatisticsCookie)
	cellObjects  = minimalObjects | objectsOf(TypeCitation, TypeExportSnippet, TypeFootnoteReference, TypeLink, TypeMacro, TypeRadioTarget,
		TypeTarget, TypeTimestamp)
)

// allowedIn returns the objects allowed in an element or object.
func allowedIn(kind Type) objectSet {
	switch kind {
	case TypeHeadline, TypeItem:
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
