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

// planning reads the timestamps of the planning line l. Of a word that occurs twice
// the last counts. Org compares the words in upper case and takes every other
// spelling for CLOSED.
func (p *parser) planning(h *Headline, l line) {
	text := p.doc.Source[l.start:l.end]
	found := false
	for i := 0; i < len(text); {
		word := planningWord(text[i:])
		if word == "" {
			i++
			continue
		}
		i += len(word)
		for i < len(text) && text[i] == ' ' { // a tab will not do
			i++
		}
		n := timestampLength(text[i:])
		if n == 0 {
			continue
		}
		found = true
		stamp := text[i : i+n]
		switch word {
		case "DEADLINE:":
			h.Deadline = stamp
		case "SCHEDULED:":
			h.Scheduled = stamp
		default:
			h.Closed = stamp
		}
		i += n
	}
	if !found {
		p.doc.complain(l.start, "planning line without a timestamp")
	}
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
