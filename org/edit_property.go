// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"slices"
	"strings"
	"unicode"

	"github.com/fovea-memory/fovea/document"
)

// specialProperties are properties that Org computes; a drawer cannot set them.
var specialProperties = []string{
	"ALLTAGS", "BLOCKED", "CLOCKSUM", "CLOCKSUM_T", "CLOSED", "DEADLINE", "FILE", "ITEM", "PRIORITY", "SCHEDULED",
	"TAGS", "TIMESTAMP", "TIMESTAMP_IA", "TODO",
}

// setProperty creates the drawer if necessary. [ErrProperty] is returned for a key with
// blanks, for the special property names of Org, for a value with a line break, and for
// an ID that is empty, has control characters or blanks at an end, or looks like a file
// name, a location in a file or a derived id (~).
func (e *editor) setProperty(s document.SetProperty) error {
	line := propertyLine(s.Key, s.Value)
	key, value, ok := splitProperty(line)
	if !ok || key != s.Key || value != trimBlanks(s.Value) || strings.ContainsAny(s.Key+s.Value, "\r\n") || strings.EqualFold(key, "END") {
		return kindErrorf(ErrProperty, "set property %q to %q: a key has no blanks and is not END, a value is one line", s.Key, s.Value)
	}
	if slices.Contains(specialProperties, strings.ToUpper(key)) {
		return kindErrorf(ErrProperty, "set property %q: it is not stored in a drawer; use the edit for that part", s.Key)
	}
	if reason := invalidIDReason(s.Value); reason != "" && strings.EqualFold(key, "ID") {
		return kindErrorf(ErrProperty, "set property %q to %q: %s", s.Key, s.Value, reason)
	}
	e.putProperty(key, line)
	if got, ok := lastValue(e.drawer().Properties, key); !ok || got != value {
		return kindErrorf(ErrStructure, "set property %q to %q: it would not be read back; correct the drawer first", s.Key, s.Value)
	}
	return nil
}

// invalidIDReason returns why value is not allowed as the ID of a headline or
// document, or "". It rejects values with another meaning (a derived id, a location in
// a file, a file) and values that look like another ID.
func invalidIDReason(value string) string {
	switch {
	case value == "":
		return "an ID is not empty; remove the property instead"
	case strings.ContainsFunc(value, unicode.IsControl), strings.TrimSpace(value) != value:
		return "an ID has no control characters, and no blank at either end"
	case strings.HasPrefix(value, "~"):
		return "an ID does not begin with ~"
	case strings.Contains(value, "::"):
		return "an ID does not contain ::"
	case document.IsOrgPath(value):
		return "an ID does not end like the name of an Org file"
	}
	return ""
}

// propertyLine formats a property as Emacs does, without indentation.
func propertyLine(key, value string) string {
	return trimBlanksRight(padRight(":"+key+":", 10) + " " + trimBlanks(value))
}

// drawer returns the property drawer of the edited headline or document.
func (e *editor) drawer() Drawer {
	if e.at < 0 {
		return e.doc.Drawer
	}
	return e.headline().Drawer
}

// putProperty replaces the last line of a property, which is the effective one, or
// adds one.
func (e *editor) putProperty(key, text string) {
	drawer := e.drawer()
	if drawer.DrawerEnd == 0 {
		indent := ""
		if e.at >= 0 && e.headline().PlanningEnd > 0 {
			indent = indentOf(e.doc.Source[e.headline().PlanningStart:])
		}
		e.insertLines(e.drawerInsertionPoint(), indented(indent, drawerOpen, text, drawerClose))
		return
	}
	src := e.doc.Source
	text = indentOf(src[drawer.DrawerStart:]) + text
	for _, p := range slices.Backward(drawer.Properties) {
		if strings.EqualFold(p.Key, key) {
			e.replace(p.Start, lineAt(src, p.Start, p.End).end, text)
			return
		}
	}
	e.insertLines(lineStart(src, drawer.DrawerEnd-1), text+"\n") // before the line that closes the drawer
}

// drawerInsertionPoint returns the offset for a new property drawer: after the
// planning line or, in the document, after the comment lines at its start.
func (e *editor) drawerInsertionPoint() int {
	if e.at < 0 {
		return e.doc.commentsEnd()
	}
	return max(e.headline().TextEnd, e.headline().PlanningEnd)
}

// removeProperty removes all lines of a property, and the drawer if it becomes empty.
func (e *editor) removeProperty(s document.RemoveProperty) error {
	drawer := e.drawer()
	rest, end := 0, drawer.DrawerEnd
	for _, p := range slices.Backward(drawer.Properties) {
		if !strings.EqualFold(p.Key, s.Key) {
			rest++
			continue
		}
		e.replace(p.Start, p.End, "")
		end -= p.End - p.Start
	}
	if rest == 0 && len(drawer.Properties) > 0 {
		e.removeLines(drawer.DrawerStart, end)
	}
	if _, ok := lastValue(e.drawer().Properties, s.Key); ok {
		return kindErrorf(ErrStructure, "remove property %q: a drawer after the first one has it too; remove that drawer first", s.Key)
	}
	return nil
}
