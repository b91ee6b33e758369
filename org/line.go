// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"iter"
	"strings"
)

// A line holds the offsets of a line of the source.
type line struct {
	start int // first byte
	end   int // end of the text: the line feed, or the carriage return before it
	next  int // offset after the line feed: the start of the next line
}

// text returns the text of the line in src, without its end.
func (l line) text(src string) string { return src[l.start:l.end] }

// isBlank reports whether the line contains only blanks.
func (l line) isBlank(src string) bool { return trimBlanksLeft(l.text(src)) == "" }

// lineAt returns the line of src at the offset at, cut at limit. A carriage return
// before a line feed is part of the line end even if other lines end otherwise, so
// drawers in a file with mixed line ends are recognized.
func lineAt(src string, at, limit int) line {
	if at >= limit {
		return line{limit, limit, limit}
	}
	l := line{at, limit, limit}
	if i := strings.IndexByte(src[at:limit], '\n'); i >= 0 {
		l.end, l.next = at+i, at+i+1
	}
	if l.end > at && src[l.end-1] == '\r' {
		l.end--
	}
	return l
}

// linesOf yields the lines of src between two offsets.
func linesOf(src string, at, limit int) iter.Seq[line] {
	return func(yield func(line) bool) {
		for at < limit {
			l := lineAt(src, at, limit)
			if !yield(l) {
				return
			}
			at = l.next
		}
	}
}

// skipLines returns the offset after the lines, from at on, whose texts without leading
// blanks skip accepts.
func skipLines(src string, at, limit int, skip func(text string) bool) int {
	for l := range linesOf(src, at, limit) {
		if !skip(trimBlanksLeft(l.text(src))) {
			return l.start
		}
	}
	return max(at, limit)
}

// skipBlankLines returns the start of the first non-blank line from at on, or limit.
func skipBlankLines(src string, at, limit int) int {
	return skipLines(src, at, limit, func(text string) bool { return text == "" })
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// trimBlanks removes blanks and tabs, the only white space that Org trims in a line.
func trimBlanks(s string) string { return trimBlanksRight(trimBlanksLeft(s)) }

func trimBlanksLeft(s string) string {
	for s != "" && isBlank(s[0]) {
		s = s[1:]
	}
	return s
}

func trimBlanksRight(s string) string {
	for s != "" && isBlank(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// cutBlank splits s before its first blank or tab.
func cutBlank(s string) (word, rest string) {
	for i := range len(s) {
		if isBlank(s[i]) {
			return s[:i], s[i:]
		}
	}
	return s, ""
}

// equalFold reports whether s is the ASCII string word, in any case.
func equalFold(word, s string) bool { return len(word) == len(s) && strings.EqualFold(word, s) }

// hasPrefixFold reports whether s starts with the ASCII string prefix, in any case.
func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// trimmedEnd returns the end of src[start:end] without its trailing blanks.
func trimmedEnd(src string, start, end int) int {
	return start + len(trimBlanksRight(src[start:end]))
}

// endOfText returns the end of the last non-blank line before limit, but at least
// start.
func endOfText(src string, start, limit int) int {
	text := strings.TrimRight(src[start:limit], " \t\r\n")
	if text == "" {
		return start
	}
	return lineAt(src, start+len(text), limit).next
}

// isSpaceByte reports whether c is ASCII white space.
func isSpaceByte(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// lineStart returns the start of the line that contains the offset.
func lineStart(src string, at int) int { return strings.LastIndexByte(src[:at], '\n') + 1 }

// mixedLineEnds returns the offset of the first line whose end differs from that of
// the first line, or -1.
func mixedLineEnds(src string) int {
	if strings.IndexByte(src, '\r') < 0 {
		return -1
	}
	first := lineAt(src, 0, len(src))
	for l := range linesOf(src, first.next, len(src)) {
		if l.end < l.next && src[l.next-1] == '\n' && l.next-l.end != first.next-first.end {
			return l.start
		}
	}
	return -1
}
