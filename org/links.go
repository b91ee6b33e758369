// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"iter"
	"strings"
	"sync"
)

// A LinkFormat is the notation of a link.
type LinkFormat uint8

// The formats of links.
const (
	LinkBracket LinkFormat = iota // [[address][description]]
	LinkAngle                     // <type:address>
	LinkPlain                     // type:address
	LinkRadio                     // the text of a radio target
)

// A Link is a link returned by [Links], [Document.Links] or [Tree.Link].
type Link struct {
	Format LinkFormat
	// Type is the part of the address before the colon (id, https, file and so
	// on), in lower case; "file" also for a path that begins with /, ./, ../ or ~/;
	// "custom-id" for #name; "coderef" for (name); "radio" for the text of a radio
	// target; "fuzzy" for everything else, which Org looks up as a target or a
	// headline.
	Type string
	// Path is the unescaped address, without type and search option.
	Path string
	// Search is the search option of a file link: the part after ::.
	Search string
	// Raw is the unescaped address with its type and with abbreviations expanded.
	Raw string
	// Description is the displayed text, or "" if there is none.
	Description string
	// Start and End are the offsets of the whole link, in the given text or in
	// Source.
	Start, End int
}

// Links returns the links in text, parsed as a document of its own. See
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

// Links returns the links in the own text of headline i, or of the zeroth section if
// i is -1, in order and including those of the title. It leaves out links in keyword
// lines, captions, comments and code, and radio links, which only lead to their own
// text. It takes time in proportion to the text, and parses elements only if the text
// can contain a link. It panics if i is out of range. Offsets are those of Source.
func (d *Document) Links(i int) iter.Seq[Link] {
	text := d.Text(i)
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

// elementPool recycles element slices that are not returned.
var elementPool = sync.Pool{New: func() any { return new([]Element) }}

// canContainLink reports whether text can contain a link: two brackets, or a type
// with a colon and more text.
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
		start := linkTypeStart(text, 0, at)
		if isLinkType(text[start:at]) || strings.HasSuffix(text[:start], "file+") {
			return true
		}
	}
}
