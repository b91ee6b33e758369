// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"strings"
	"unicode/utf8"
)

const (
	drawerOpen  = ":PROPERTIES:"
	drawerClose = ":END:"
)

// isDrawerOpen reports whether the text of a line opens a property drawer.
func isDrawerOpen(text string) bool {
	text = trimBlanks(text)
	return len(text) == len(drawerOpen) && strings.EqualFold(text, drawerOpen)
}

// parseDrawer reads the property drawer that begins at the offset at, if there is one.
// Every line in it must be a property and it must be closed before limit; else it is
// an ordinary drawer or plain text and holds no properties, which is complained of.
func (p *parser) parseDrawer(at, limit int) (properties []Property, start, end int) {
	src := p.doc.Source
	l := lineAt(src, at, limit)
	if !isDrawerOpen(src[l.start:l.end]) {
		return nil, 0, 0
	}
	p.drawerOpenings = append(p.drawerOpenings, at)
	p.properties.begin()
	for l = lineAt(src, l.next, limit); l.start < limit; l = lineAt(src, l.next, limit) {
		text := trimBlanks(src[l.start:l.end])
		if strings.EqualFold(text, drawerClose) {
			properties = p.properties.close()
			p.reportRepeatedKeys(properties)
			return properties, at, l.next
		}
		key, value, ok := splitProperty(text)
		if !ok {
			p.properties.drop()
			p.doc.addDiagnostic(l.start, "line is no property, so the property drawer around it is not read")
			return nil, 0, 0
		}
		p.properties.open = append(p.properties.open, Property{key, value, l.start, l.next})
	}
	p.properties.drop()
	p.doc.addDiagnostic(at, "property drawer is not closed, so it is not read")
	return nil, 0, 0
}

// maxLinearKeys is the number of properties up to which a drawer is searched for
// repeated keys without a map: nearly all drawers are that small.
const maxLinearKeys = 16

// reportRepeatedKeys complains of each line of a drawer whose key stands in a later line
// again, so that it does not count. KEY+ lines add to KEY and are not meant.
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
			p.doc.addDiagnostic(property.Start, "property "+property.Key+" stands again further down in its drawer, where it counts; remove this line")
		}
	}
}

// splitProperty splits the trimmed text of a line into key and value. The key is the
// first word without the colons around it, and may hold colons itself.
func splitProperty(text string) (key, value string, ok bool) {
	word, rest := cutBlank(text)
	if len(word) < 3 || word[0] != ':' || word[len(word)-1] != ':' || hasSpace(word) {
		return "", "", false
	}
	return word[1 : len(word)-1], trimBlanksLeft(rest), true
}

// hasSpace reports whether s holds a character that Emacs, in Org files, counts as
// white space.
func hasSpace(s string) bool {
	for i := range len(s) {
		if c := s[i]; c == ' ' || c >= '\t' && c <= '\r' && c != '\v' || c >= utf8.RuneSelf {
			return strings.ContainsFunc(s, isSpace)
		}
	}
	return false
}

// isSpace is the class of white space in Emacs, which differs from Unicode's.
func isSpace(r rune) bool {
	switch {
	case r == ' ', r >= '\t' && r <= '\r' && r != '\v':
		return true
	case r < 0xa0:
		return false
	}
	return r == 0xa0 || r >= 0x2000 && r <= 0x200b || r == 0x202f || r == 0x205f || r == 0x3000
}
