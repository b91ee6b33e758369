// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// square parses objects that start with a square bracket.
func (p *objectParser) square(c *contents, at int) int {
	rest := p.text[at+1 : c.end]
	switch {
	case rest == "":
		return 0
	case rest[0] == '[':
		return p.bracketLink(c, at)
	case strings.HasPrefix(rest, "fn:"):
		return p.footnote(c, at)
	case strings.HasPrefix(rest, "cite"):
		return p.citation(c, at)
	case isDigit(rest[0]) || rest[0] == '/' || rest[0] == '%':
		if end := p.timestamp(c, at); end > 0 {
			return end
		}
		if n := cookieLength(p.text[at:c.end]); n > 0 {
			return p.leaf(c, TypeStatisticsCookie, at, at+n)
		}
	}
	return 0
}

// timestamp parses a timestamp or a range.
func (p *objectParser) timestamp(c *contents, at int) int {
	rest := p.text[at:min(c.end, at+maxTimestamp)]
	if len(rest) < len("<%%()>") || rest[1] != '%' && rest[5] != '-' {
		return 0
	}
	rest, _, _ = strings.Cut(rest, "\n")
	if n := timestampLength(rest); n > 0 {
		return p.leaf(c, TypeTimestamp, at, at+n)
	}
	return 0
}

// cookieLength returns the length of the statistics cookie at the start of s, or 0. A
// cookie is [2/5] or [40%]; the numbers are optional.
func cookieLength(s string) int {
	_, n := number(s[1:])
	n++
	if n == len(s) {
		return 0
	}
	switch s[n] {
	case '%':
		n++
	case '/':
		_, m := number(s[n+1:])
		n += 1 + m
	default:
		return 0
	}
	if n == len(s) || s[n] != ']' {
		return 0
	}
	return n + 1
}

// footnote parses a reference: [fn:label], [fn:label:definition] or [fn::definition].
func (p *objectParser) footnote(c *contents, at int) int {
	label := at + len("[fn:")
	n := labelLength(p.text[label:c.end])
	stop := label + n
	switch {
	case stop >= c.end:
		return 0
	case p.text[stop] == ']' && n > 0:
		return p.leaf(c, TypeFootnoteReference, at, stop+1)
	case p.text[stop] != ':':
		return 0
	}
	end := p.closingOffset(at, c.end)
	if end <= stop {
		return 0
	}
	return p.nest(c, TypeFootnoteReference, at, stop+1, end, end+1)
}

// labelLength returns the length of the footnote label at the start of s: word
// characters, dashes and underscores.
func labelLength(s string) int {
	n := 0
	for n < len(s) {
		r := runeAt(s, n)
		if r <= ' ' || isSpace(r) || isPunctuation(r) && !strings.ContainsRune("-_'$%", r) {
			break
		}
		n += runeLength(r, s[n])
	}
	return n
}

// citation parses a citation with its references: [cite/style:before;see @key p.
// 3;after]. The text before the first semicolon and after the last is a reference
// only if it has a key.
func (p *objectParser) citation(c *contents, at int) int {
	if !c.allowed.has(TypeCitation) {
		return 0
	}
	colon := at + len("[cite")
	if colon < c.end && p.text[colon] == '/' {
		for colon++; colon < c.end && (isAlnumByte(p.text[colon]) || strings.IndexByte("/_-", p.text[colon]) >= 0); colon++ {
		}
	}
	if colon >= c.end || p.text[colon] != ':' {
		return 0
	}
	end := p.closingOffset(at, c.end)
	key := p.findWhere(keyStart, '@', colon, startsKey)
	if end == 0 || key >= end {
		return 0
	}
	start := colon + 1
	for start < end && isSpace(rune(p.text[start])) {
		start++
	}
	if i := strings.LastIndexByte(p.text[start:key], ';'); i >= 0 {
		start += i + 1
	}
	i := p.beginElement(TypeCitation, at)
	stop := p.citationReferences(start, end)
	p.setContents(i, start, stop)
	return p.close(i, end+1, c.end)
}

// citationReferences adds the references between start and end and returns the end of
// the last one.
func (p *objectParser) citationReferences(start, end int) int {
	for start < end {
		stop := end
		if i := strings.IndexByte(p.text[start:end], ';'); i >= 0 {
			stop = start + i + 1
		}
		if p.findWhere(keyStart, '@', start, startsKey) >= stop {
			break
		}
		p.endElement(p.beginElement(TypeCitationReference, start), stop)
		start = stop
	}
	return start
}

// startsKey reports whether a key follows the @ at the offset at.
func startsKey(text string, at int) bool { return at+1 < len(text) && isKeyRune(runeAt(text, at+1)) }

// isKeyRune reports whether r is allowed in a citation key.
func isKeyRune(r rune) bool {
	return strings.ContainsRune("-.:?!`'/*@+|(){}<>&_^$#%~", r) || !isPunctuation(r) && !isSpace(r)
}

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
