// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"slices"
	"strings"
	"unicode"
)

// SetProperty sets a property in the drawer of a headline or of the document; it
// makes the drawer where there is none. A key with blanks, a value with a line break,
// the names under which Org shows other parts of a headline, and an ID that is empty,
// has control characters or a blank at an end, or would name a file, a place in one or
// a derived id (~) are [ErrProperty].
type SetProperty struct{ Key, Value string }

// RemoveProperty removes all lines of a property, and the drawer when it was the
// last. One that is not there is no error.
type RemoveProperty struct{ Key string }

// specialProperties are shown by Org as properties but are no lines of a drawer.
var specialProperties = []string{
	"ALLTAGS", "BLOCKED", "CLOCKSUM", "CLOCKSUM_T", "CLOSED", "DEADLINE", "FILE", "ITEM", "PRIORITY", "SCHEDULED",
	"TAGS", "TIMESTAMP", "TIMESTAMP_IA", "TODO",
}

func (s SetProperty) apply(e *editor) error {
	line := propertyLine(s.Key, s.Value)
	key, value, ok := splitProperty(line)
	if !ok || key != s.Key || value != trimBlanks(s.Value) || strings.ContainsAny(s.Key+s.Value, "\r\n") || strings.EqualFold(key, "END") {
		return kindErrorf(ErrProperty, "set property %q to %q: a key has no blanks and is not END, a value is one line", s.Key, s.Value)
	}
	if slices.Contains(specialProperties, strings.ToUpper(key)) {
		return kindErrorf(ErrProperty, "set property %q: it is no line of a drawer; use the edit of that part", s.Key)
	}
	if reason := invalidIDReason(s.Value); reason != "" && strings.EqualFold(key, "ID") {
		return kindErrorf(ErrProperty, "set property %q to %q: %s", s.Key, s.Value, reason)
	}
	e.putProperty(key, line)
	properties, _, _ := e.drawer()
	if got, ok := lastValue(properties, key); !ok || got != value {
		return kindErrorf(ErrStructure, "set property %q to %q: it would not be read so; mend the drawer first", s.Key, s.Value)
	}
	return nil
}

// invalidIDReason says why value cannot be given as the ID of a headline or document, or "".
// What it refuses names something else, a derived id, a place in a file, a file, or
// cannot be told from another by looking at it.
func invalidIDReason(value string) string {
	switch {
	case value == "":
		return "an ID is not empty; remove the property instead"
	case strings.ContainsFunc(value, unicode.IsControl), strings.TrimSpace(value) != value:
		return "an ID has no control characters, and no blank at either end"
	case strings.HasPrefix(value, "~"):
		return "an ID does not begin with ~"
	case strings.Contains(value, "::"):
		return "an ID does not hold ::"
	case IsFile(value):
		return "an ID does not end as the name of an Org file"
	}
	return ""
}

// propertyLine writes a property as Emacs does, without indentation.
func propertyLine(key, value string) string {
	return trimBlanksRight(padRight(":"+key+":", 10) + " " + trimBlanks(value))
}

// drawer returns the properties of what is being edited and where its drawer is.
func (e *editor) drawer() (properties []Property, start, end int) {
	if e.at < 0 {
		return e.doc.Properties, e.doc.DrawerStart, e.doc.DrawerEnd
	}
	h := e.headline()
	return h.Properties, h.DrawerStart, h.DrawerEnd
}

// putProperty replaces the line of a property that counts, the last one, or adds one.
func (e *editor) putProperty(key, text string) {
	properties, start, end := e.drawer()
	if end == 0 {
		indent := ""
		if e.at >= 0 && e.headline().PlanningEnd > 0 {
			indent = indentOf(e.doc.Source[e.headline().PlanningStart:])
		}
		e.insertLines(e.drawerInsertionPoint(), indented(indent, ":PROPERTIES:", text, ":END:"))
		return
	}
	src := e.doc.Source
	text = src[start:len(src)-len(trimBlanksLeft(src[start:]))] + text
	for _, p := range slices.Backward(properties) {
		if strings.EqualFold(p.Key, key) {
			e.replace(p.Start, lineAt(src, p.Start, p.End).end, text)
			return
		}
	}
	// The line that closes the drawer is its last.
	closing := strings.LastIndexByte(src[:len(strings.TrimSuffix(src[:end], "\n"))], '\n') + 1
	e.insertLines(closing, text+"\n")
}

// drawerInsertionPoint returns where a new property drawer goes: after the planning line, in
// the document after the comment lines at its beginning.
func (e *editor) drawerInsertionPoint() int {
	if e.at >= 0 {
		return max(e.headline().TextEnd, e.headline().PlanningEnd)
	}
	at := e.doc.Start
	for at < e.doc.SectionEnd {
		l := lineAt(e.doc.Source, at, e.doc.SectionEnd)
		if text := trimBlanks(e.doc.Source[l.start:l.end]); text != "#" && !strings.HasPrefix(text, "# ") {
			break
		}
		at = l.next
	}
	return at
}

func (s RemoveProperty) apply(e *editor) error {
	properties, start, end := e.drawer()
	rest := 0
	for k := len(properties) - 1; k >= 0; k-- {
		p := properties[k]
		if !strings.EqualFold(p.Key, s.Key) {
			rest++
			continue
		}
		e.replace(p.Start, p.End, "")
		end -= p.End - p.Start
	}
	if rest == 0 && len(properties) > 0 {
		e.removeLines(start, end)
	}
	properties, _, _ = e.drawer()
	if _, ok := lastValue(properties, s.Key); ok {
		return kindErrorf(ErrStructure, "remove property %q: a drawer behind the first one has it too; remove that drawer first", s.Key)
	}
	return nil
}
