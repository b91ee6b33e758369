// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"iter"
	"strings"
	"sync"
)

// A LinkFormat says how a link is written.
type LinkFormat uint8

// The formats of links.
const (
	LinkBracket LinkFormat = iota // [[address][description]]
	LinkAngle                     // <type:address>
	LinkPlain                     // type:address
	LinkRadio                     // the text of a radio target
)

// A Link is a link found by [Links] or [Tree.Link].
type Link struct {
	Format LinkFormat
	// Type is the part of the address before the colon (id, https, file and so
	// on), in lower case; "file" also for a path that begins with /, ./, ../ or ~/;
	// "custom-id" for #name; "coderef" for (name); "radio" for the text of a radio
	// target; "fuzzy" for everything else, which Org looks up as a target or a
	// headline.
	Type string
	// Path is the address without the type and the search, unescaped.
	Path string
	// Search is what to look for in a file: what follows :: in its address.
	Search string
	// Raw is the address with the type, unescaped, abbreviations written out.
	Raw string
	// Description is the text shown, or "" when there is none.
	Description string
	// Start and End are the offsets of the whole link, in the text given or in
	// Source.
	Start, End int
}

// Links returns the links of text, read as a document of its own: see
// [Document.Links].
func Links(text string) iter.Seq[Link] {
	return func(yield func(Link) bool) {
		if !canContainLink(text) {
			return
		}
		d := Parse(text, nil)
		for i := -1; i < len(d.Headlines); i++ {
			for l := range d.Links(i) {
				if !yield(l) {
					return
				}
			}
		}
	}
}

// Links returns the links in the own text of headline i, or in the zeroth section
// when i is -1, in order, those of the title included. Links in keyword lines and
// captions, in comments and in code are left out, and so are radio links, which lead
// nowhere but to their own text. It takes time in proportion to the text, more than
// the outline but only where there can be a link, and panics when i is out of range,
// as indexing does. Offsets are those of Source.
func (d *Document) Links(i int) iter.Seq[Link] {
	text := d.Section()
	if i >= 0 {
		text = d.Text(i)
	}
	return func(yield func(Link) bool) {
		if !canContainLink(text) {
			return
		}
		room := elementPool.Get().(*[]Element)
		defer elementPool.Put(room)
		*room = d.elements(i, true, nil, *room)
		t := Tree{Source: d.Source, Elements: *room, doc: d}
		for k := range t.Elements {
			if t.Elements[k].Type == TypeLink && !yield(t.Link(k)) {
				return
			}
		}
	}
}

// elementPool keeps room for elements that nobody keeps.
var elementPool = sync.Pool{New: func() any { return new([]Element) }}

// canContainLink reports whether text can hold a link: two brackets, or a type and a
// colon with something behind it.
func canContainLink(text string) bool {
	if strings.Contains(text, "[[") {
		return true
	}
	for at := 0; ; at++ {
		i := strings.IndexByte(text[at:], ':')
		if i < 0 {
			return false
		}
		at += i
		if at+1 == len(text) || text[at+1] <= ' ' {
			continue
		}
		start := at
		for start > 0 && isAlphaByte(text[start-1]) && at-start < maxLinkTypeLength {
			start--
		}
		if isLinkType(text[start:at]) || strings.HasSuffix(text[:start], "file+") {
			return true
		}
	}
}
