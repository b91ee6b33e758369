// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// The values of elements that only the tests read, to compare them with those of Emacs.

// Clock returns the timestamp or range of clock i as written, "" if there is only a duration, and
// the hours and minutes, as in 1:30; "" for a clock that Org treats as running.
func (t *Tree) Clock(i int) (stamp, duration string) {
	if text := t.firstLine(i, TypeClock); text != "" {
		stamp, duration, _ = clockParts(text[len("CLOCK:"):])
	}
	return stamp, duration
}

// Label returns the label of footnote definition i.
func (t *Tree) Label(i int) string {
	text := t.firstLine(i, TypeFootnoteDefinition)
	if text == "" {
		return ""
	}
	return text[len("[fn:") : footnoteLabel(text)-1]
}

// Keyword returns keyword or call i, with its key in upper case.
func (t *Tree) Keyword(i int) Keyword {
	e := &t.Elements[i]
	if e.Type != TypeKeyword && e.Type != TypeBabelCall {
		return Keyword{}
	}
	l := lineAt(t.Source, int(e.Body), int(e.End))
	key, value := keyword(trimBlanks(l.text(t.Source)))
	return Keyword{Key: strings.ToUpper(key), Value: value, Start: l.start, End: l.next}
}

// Property returns the property in line i of a property drawer.
func (t *Tree) Property(i int) Property {
	text := t.firstLine(i, TypeNodeProperty)
	if text == "" {
		return Property{}
	}
	key, value, _ := splitProperty(text)
	e := &t.Elements[i]
	return Property{Key: key, Value: value, Start: int(e.Start), End: int(e.End)}
}
