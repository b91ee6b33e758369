// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// angle parses targets, timestamps and links that start with an angle bracket.
func (p *objectParser) angle(c *contents, at int) int {
	if at+1 >= c.end {
		return 0
	}
	switch next := p.text[at+1]; {
	case next == '<' && at+2 < c.end && p.text[at+2] == '<':
		if end := targetEnd(p.text[:c.end], at+3, ">>>"); end > 0 {
			return p.nest(c, TypeRadioTarget, at, at+3, end, end+3)
		}
	case next == '<':
		if end := targetEnd(p.text[:c.end], at+2, ">>"); end > 0 {
			return p.leaf(c, TypeTarget, at, end+2)
		}
	case isDigit(next) || next == '%':
		return p.timestamp(c, at)
	case isAlphaByte(next):
		return p.angleLink(c, at)
	}
	return 0
}

// targetEnd returns the end of the text of a target, which starts at the offset at
// and ends before shut, or 0. The text has no angle brackets, no line breaks, and no
// leading or trailing blanks.
func targetEnd(text string, at int, shut string) int {
	n := strings.IndexAny(text[at:], "<>\n")
	if n <= 0 || !strings.HasPrefix(text[at+n:], shut) || isBlank(text[at]) || isBlank(text[at+n-1]) {
		return 0
	}
	return at + n
}
