// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

const (
	drawerOpen  = ":PROPERTIES:"
	drawerClose = ":END:"
)

// isDrawerLine reports whether the text of a line is mark, in any case.
func isDrawerLine(text, mark string) bool {
	return equalFold(mark, trimBlanks(text))
}

// parseDrawer parses the property drawer at the offset at, if there is one. Each of
// its lines must be a property and it must end before limit. Otherwise it is an
// ordinary drawer or plain text without properties, and parseDrawer adds a
// diagnostic.
func (p *parser) parseDrawer(at, limit int) Drawer {
	src := p.doc.Source
	first := lineAt(src, at, limit)
	if !isDrawerLine(first.text(src), drawerOpen) {
		return Drawer{}
	}
	p.drawerOpenings = append(p.drawerOpenings, at)
	var few [8]Property // enough for nearly all drawers
	properties := few[:0]
	for l := range linesOf(src, first.next, limit) {
		text := trimBlanks(l.text(src))
		if isDrawerLine(text, drawerClose) {
			p.reportRepeatedKeys(properties)
			return Drawer{append([]Property(nil), properties...), at, l.next}
		}
		key, value, ok := splitProperty(text)
		if !ok {
			p.doc.addDiagnostic(l.start, "line is not a property, so its property drawer is not read")
			return Drawer{}
		}
		properties = append(properties, Property{key, value, l.start, l.next})
	}
	p.doc.addDiagnostic(at, "property drawer is not closed, so it is not read")
	return Drawer{}
}

// maxLinearKeys is the number of properties up to which reportRepeatedKeys compares
// keys pairwise instead of using a map. Nearly all drawers are that small.
const maxLinearKeys = 16

// reportRepeatedKeys adds a diagnostic for each line of a drawer whose key occurs
// again in a later line, which replaces it. KEY+ lines are no repetition.
func (p *parser) reportRepeatedKeys(properties []Property) {
	var last map[string]int
	if len(properties) > maxLinearKeys {
		last = make(map[string]int, len(properties))
		for i, property := range properties {
			last[strings.ToUpper(property.Key)] = i
		}
	}
	for i, property := range properties {
		if strings.HasSuffix(property.Key, "+") {
			continue
		}
		again := false
		if last != nil {
			again = last[strings.ToUpper(property.Key)] > i
		} else {
			_, again = lastValue(properties[i+1:], property.Key)
		}
		if again {
			p.doc.addDiagnostic(property.Start, "property "+property.Key+" is set again further down in its drawer, and that line counts; remove this one")
		}
	}
}

// splitProperty splits a trimmed line into key and value. The key is the first word
// without its enclosing colons; it may contain colons.
func splitProperty(text string) (key, value string, ok bool) {
	word, rest := cutBlank(text)
	if len(word) < 3 || word[0] != ':' || word[len(word)-1] != ':' || strings.ContainsFunc(word, isSpace) {
		return "", "", false
	}
	return word[1 : len(word)-1], trimBlanksLeft(rest), true
}

// isSpace reports whether Emacs treats r as white space in Org files, which differs from Unicode.
func isSpace(r rune) bool {
	switch {
	case r == ' ', r >= '\t' && r <= '\r' && r != '\v':
		return true
	case r < 0xa0:
		return false
	}
	return r == 0xa0 || r >= 0x2000 && r <= 0x200b || r == 0x202f || r == 0x205f || r == 0x3000
}
