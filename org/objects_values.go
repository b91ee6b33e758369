// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// The details of an object are parsed from its bytes on demand. Each method returns
// the zero value for an element of another type, panics if i is out of range, and
// takes time in proportion to the object.

// objectText returns the bytes of element i without trailing blanks, or "" for an
// element of another type.
func (t *Tree) objectText(i int, kind Type) string {
	e := &t.Elements[i]
	if e.Type != kind {
		return ""
	}
	return t.Source[e.Start : e.End-e.PostBlank]
}

// Link returns link i. Offsets are those of Source.
func (t *Tree) Link(i int) Link {
	text := t.objectText(i, TypeLink)
	if text == "" {
		return Link{}
	}
	e := &t.Elements[i]
	l := Link{Start: int(e.Start), End: int(e.End - e.PostBlank)}
	if e.ContentsEnd > 0 {
		l.Description = t.Source[e.ContentsStart:e.ContentsEnd]
	}
	switch {
	case strings.HasPrefix(text, "[["):
		end := len(text) - len("]]")
		if l.Description != "" {
			end -= len("][") + len(l.Description)
		}
		l.Format, l.Raw = LinkBracket, t.doc.resolveAddress(text[2:end])
	case l.Description != "":
		l.Format, l.Type, l.Path, l.Raw = LinkRadio, "radio", text, text
		return l
	case text[0] == '<':
		l.Format, l.Raw = LinkAngle, text[1:len(text)-1]
	default:
		l.Format, l.Raw = LinkPlain, text
	}
	l.setAddress()
	return l
}

// Footnote returns the label of footnote reference i, "" for an anonymous one.
func (t *Tree) Footnote(i int) string {
	text := strings.TrimPrefix(t.objectText(i, TypeFootnoteReference), "[fn:")
	return text[:labelLength(text)]
}

// Marked returns the text between the markers of object i, which is verbatim, code, a
// target or a radio target; or the whole of a statistics cookie or LaTeX fragment.
func (t *Tree) Marked(i int) string {
	kind := t.Elements[i].Type
	text := t.objectText(i, kind)
	switch kind {
	case TypeVerbatim, TypeCode:
		return text[1 : len(text)-1]
	case TypeTarget:
		return text[2 : len(text)-2]
	case TypeRadioTarget:
		return text[3 : len(text)-3]
	case TypeStatisticsCookie, TypeLatexFragment:
		return text
	}
	return ""
}
