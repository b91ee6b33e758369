// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// The details of an element are parsed from its bytes on demand. Each method returns
// the zero value for an element of another type, panics if i is out of range, and
// takes time in proportion to the element.

// firstLine returns the first line of element i after its affiliated keywords,
// trimmed, or "" for an element of another type.
func (t *Tree) firstLine(i int, kind Type) string {
	e := &t.Elements[i]
	if e.Type != kind {
		return ""
	}
	l := lineAt(t.Source, int(e.Body), int(e.End))
	return trimBlanks(l.text(t.Source))
}

// An Item describes the first line of a list item.
type Item struct {
	Bullet   string // "-", "+", "*", "1.", "1)", without blanks
	Counter  string // number set by [@3], or by [@c] as the position of the letter; else ""
	Checkbox byte   // ' ', 'X' or '-'; 0 if there is none or for 'x', which Org skips but does not count
	// TagStart and TagEnd are the offsets of the tag before the colons; both are 0 if
	// there is none.
	TagStart, TagEnd int
}

// Ordered reports whether the bullet is a number.
func (m Item) Ordered() bool { return m.Bullet != "" && isDigit(m.Bullet[0]) }

// Item returns the description of list item i.
func (t *Tree) Item(i int) Item {
	e := &t.Elements[i]
	if e.Type != TypeItem {
		return Item{}
	}
	l := lineAt(t.Source, int(e.Body), int(e.End))
	text := l.text(t.Source)
	o := itemParts(text)
	m := Item{Bullet: trimBlanksRight(text[o.bullet:o.bulletEnd]), Counter: counterNumber(text[o.counter:o.counterEnd])}
	if o.checkbox > 0 {
		m.Checkbox = text[o.checkbox]
	}
	if o.tagEnd > 0 {
		m.TagStart, m.TagEnd = l.start+o.tagStart, l.start+trimmedEnd(text, o.tagStart, o.tagEnd)
	}
	return m
}

// counterNumber returns the number of a counter without leading zeros. Letters count
// from a = 1.
func counterNumber(counter string) string {
	switch {
	case counter == "":
		return ""
	case !isDigit(counter[0]):
		return strconv.Itoa(int(counter[0]|0x20-'a') + 1)
	}
	return cmp.Or(strings.TrimLeft(counter, "0"), "0")
}

// nameKeys are NAME and the obsolete keys for it.
var nameKeys = []string{"DATA", "LABEL", "NAME", "RESNAME", "SOURCE", "SRCNAME", "TBLNAME"}

// Name returns the value of the last #+NAME above element i, or "".
func (t *Tree) Name(i int) string {
	name, e := "", &t.Elements[i]
	for l := range linesOf(t.Source, int(e.Start), int(e.Body)) {
		if key, value := affiliatedKey(trimBlanks(l.text(t.Source))); slices.Contains(nameKeys, strings.ToUpper(key)) {
			name = value
		}
	}
	return name
}

// Drawer returns the name of drawer i as written.
func (t *Tree) Drawer(i int) string { return drawerName(t.firstLine(i, TypeDrawer)) }

// IsTableEl reports whether table i is a table.el table, whose rows are not parsed.
func (t *Tree) IsTableEl(i int) bool { return isTableElRule(t.firstLine(i, TypeTable)) }

// IsRule reports whether table row i is a rule.
func (t *Tree) IsRule(i int) bool { return strings.HasPrefix(t.firstLine(i, TypeTableRow), "|-") }

// Formulas yields the values of the #+TBLFM lines of table i, in order.
func (t *Tree) Formulas(i int) iter.Seq[string] {
	return func(yield func(string) bool) {
		e := &t.Elements[i]
		if e.Type != TypeTable {
			return
		}
		for at := int(e.ContentsEnd); at > 0 && at < int(e.End); {
			l := lineAt(t.Source, at, int(e.End))
			at = l.next
			text := trimBlanks(l.text(t.Source))
			if !hasPrefixFold(text, formulaKey) || !yield(trimBlanks(text[len(formulaKey):])) {
				return
			}
		}
	}
}
