// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// maxTimestamp is the length of the longest timestamp or expression that is looked
// for, which bounds the time on a line without closing brackets. Real ones with
// repeater, warning and time range have about 50 bytes.
const maxTimestamp = 1024

// planningWords are the words of a planning line, by their first letter.
var planningWords = [...]string{"CLOSED:", "DEADLINE:", "SCHEDULED:"}

// planningWord returns the planning word that s begins with, in any case, or "".
func planningWord(s string) string {
	if s == "" {
		return ""
	}
	switch s[0] | 0x20 {
	case 'c', 'd', 's':
		for _, word := range planningWords {
			if hasPrefixFold(s, word) {
				return s[:len(word)]
			}
		}
	}
	return ""
}

// isPlanning reports whether the text of a line begins as a planning line. What
// follows need not be a timestamp.
func isPlanning(text string) bool { return planningWord(trimBlanksLeft(text)) != "" }

// planningWordAt returns the planning word that begins at the offset at of text, and
// with it a word; else "".
func planningWordAt(text string, start, at int) string {
	word := planningWord(text[at:])
	if word != "" && !startsWord(text, start, at) {
		return ""
	}
	return word
}

// planning reads the timestamps of the planning line l. Of a word that occurs twice
// the last counts, also when what stands in its brackets is no timestamp. A bracket
// that is not closed may reach over the next word, which counts all the same. Org
// compares the words in upper case and takes every other spelling for CLOSED.
func (p *parser) planning(h *Headline, l line) {
	text := p.doc.Source[l.start:l.end]
	for i := 0; i < len(text); {
		word := planningWordAt(text, 0, i)
		if word == "" {
			i++
			continue
		}
		i += len(word)
		for i < len(text) && text[i] == ' ' { // a tab will not do
			i++
		}
		if !startsWithBracket(text[i:]) {
			continue
		}
		stamp := text[i : i+timestampLength(text[i:])]
		switch word {
		case "DEADLINE:":
			h.Deadline = stamp
		case "SCHEDULED:":
			h.Scheduled = stamp
		default:
			h.Closed = stamp
		}
	}
	if h.Deadline == "" && h.Scheduled == "" && h.Closed == "" {
		p.doc.addDiagnostic(l.start, "planning line without a timestamp")
	}
}

// startsWithBracket reports whether s begins with something in brackets, which need not
// match.
func startsWithBracket(s string) bool {
	return s != "" && (s[0] == '<' || s[0] == '[') && strings.IndexAny(s[1:min(len(s), maxTimestamp)], ">]") > 0
}

// timestampLength returns the length of the timestamp or range of timestamps that s
// begins with, or 0. The numbers need not be a date, the brackets need not match.
func timestampLength(s string) int {
	s = s[:min(len(s), maxTimestamp)]
	if diary := "<%%("; strings.HasPrefix(s, diary) {
		if end := strings.IndexByte(s, '>'); end > 0 && strings.LastIndexByte(s[:end], ')') > len(diary) {
			return end + 1
		}
		return 0
	}
	n := singleTimestampLength(s)
	if n > 0 && strings.HasPrefix(s[n:], "--") {
		if m := singleTimestampLength(s[n+2:]); m > 0 {
			return n + 2 + m
		}
	}
	return n
}

// singleTimestampLength returns the length of the timestamp that s begins with, or
// 0: a date of ten characters in brackets, then nothing or a blank and anything.
func singleTimestampLength(s string) int {
	const date = "<0000-00-00"
	if len(s) <= len(date) || s[0] != '<' && s[0] != '[' {
		return 0
	}
	for i := 1; i < len(date); i++ {
		if digit := s[i] >= '0' && s[i] <= '9'; date[i] == '-' && s[i] != '-' || date[i] == '0' && !digit {
			return 0
		}
	}
	switch s[len(date)] {
	case '>', ']':
		return len(date) + 1
	case ' ':
		if end := strings.IndexAny(s[len(date):], ">]"); end > 0 {
			return len(date) + end + 1
		}
	}
	return 0
}
