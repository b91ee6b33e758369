// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"slices"
	"strings"
)

// affiliatedKeys are the keys of keywords that belong to the element below them.
// ATTR_ followed by a back-end is another such key.
var affiliatedKeys = []string{
	"CAPTION", "DATA", "HEADER", "HEADERS", "LABEL", "NAME", "PLOT", "RESNAME", "RESULT", "RESULTS", "SOURCE", "SRCNAME", "TBLNAME",
}

// skipAffiliated skips the affiliated keywords at the offset start and returns the
// start of their element, or start if there are none.
func (p *sectionParser) skipAffiliated(start, limit int) int {
	at := start
	for at < limit {
		l := lineAt(p.src, at, limit)
		text := l.text(p.src)
		if !isAffiliated(text) {
			if at > start && l.isBlank(p.src) {
				p.orphanEnd = at
				return start
			}
			return at
		}
		if at < p.orphanEnd {
			return start
		}
		at = l.next
	}
	p.orphanEnd = max(p.orphanEnd, at)
	return start
}

// isAffiliated reports whether the text of a line is an affiliated keyword.
func isAffiliated(text string) bool {
	text = trimBlanksLeft(text)
	if !strings.HasPrefix(text, "#+") {
		return false
	}
	key, _ := affiliatedKey(text)
	return key != ""
}

// affiliatedKey splits a line into the key of an affiliated keyword and the value. There may
// be text in brackets between them. The key is "" for any other line.
func affiliatedKey(text string) (key, value string) {
	text = text[len("#+"):]
	n := nameLength(text)
	if n == 0 || n == len(text) {
		return "", ""
	}
	key = text[:n]
	switch text[n] {
	case ':':
		if !isAffiliatedKey(key) {
			return "", ""
		}
		return key, trimBlanks(text[n+1:])
	case '[':
		if !strings.EqualFold(key, "CAPTION") && !strings.EqualFold(key, "RESULTS") {
			return "", ""
		}
		end := strings.LastIndex(text, "]:")
		if end < n {
			return "", ""
		}
		return key, trimBlanks(text[end+2:])
	}
	return "", ""
}

func isAffiliatedKey(key string) bool {
	const attribute = "ATTR_"
	if hasPrefixFold(key, attribute) {
		return len(key) > len(attribute)
	}
	return slices.ContainsFunc(affiliatedKeys, func(k string) bool { return equalFold(k, key) })
}
