// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"iter"
	"strings"
)

// maxTimestamp is the maximum length of a timestamp or expression. It limits the time
// for a line without closing brackets. Real timestamps with repeater, warning period
// and time range have about 50 bytes.
const maxTimestamp = 1024

// planningWords are the keywords of a planning line.
var planningWords = [...]string{"CLOSED:", "DEADLINE:", "SCHEDULED:"}

// planningWord returns the planning keyword at the start of s, in any case, or "".
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

// planningEntry is a keyword of a planning line and the offset of the text after it.
type planningEntry struct {
	keyword      string // SCHEDULED, DEADLINE, or CLOSED for any other spelling, as Org reads it
	start, value int
}

// planningEntries yields the keywords of text[start:] in order. A keyword is the start of
// a word.
func planningEntries(text string, start int) iter.Seq[planningEntry] {
	return func(yield func(planningEntry) bool) {
		for i := start; i < len(text); {
			word := planningWord(text[i:])
			if word == "" || !startsWord(text, start, i) {
				i++
				continue
			}
			entry := planningEntry{keyword: strings.TrimSuffix(word, ":"), start: i}
			if entry.keyword != "SCHEDULED" && entry.keyword != "DEADLINE" {
				entry.keyword = "CLOSED"
			}
			for i += len(word); i < len(text) && text[i] == ' '; i++ { // not a tab
			}
			if entry.value = i; !yield(entry) {
				return
			}
		}
	}
}

// planning parses the timestamps of the planning line l. If a keyword occurs twice
// the last one wins, even if its brackets contain no timestamp. An unclosed bracket
// may extend over the next keyword, which still counts.
func (p *parser) planning(h *Headline, l line) {
	text := l.text(p.doc.Source)
	for entry := range planningEntries(text, 0) {
		if rest := text[entry.value:]; startsWithBracket(rest) {
			*h.planned(entry.keyword) = rest[:timestampLength(rest)]
		}
	}
	if h.Deadline == "" && h.Scheduled == "" && h.Closed == "" {
		p.doc.addDiagnostic(l.start, "planning line without a timestamp")
	}
}

// planned returns the timestamp of a planning keyword.
func (h *Headline) planned(keyword string) *string {
	switch keyword {
	case "DEADLINE":
		return &h.Deadline
	case "SCHEDULED":
		return &h.Scheduled
	}
	return &h.Closed
}

// startsWithBracket reports whether s starts with bracketed text. The brackets need
// not match.
func startsWithBracket(s string) bool {
	return s != "" && (s[0] == '<' || s[0] == '[') && strings.IndexAny(s[1:min(len(s), maxTimestamp)], ">]") > 0
}

// timestampLength returns the length of the timestamp or range at the start of s, or
// 0. It need not be a valid date, and the brackets need not match.
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

// singleTimestampLength returns the length of the timestamp at the start of s, or 0:
// a date of ten characters in brackets, optionally followed by a blank and other
// text.
func singleTimestampLength(s string) int {
	const date = "<0000-00-00"
	if len(s) <= len(date) || s[0] != '<' && s[0] != '[' {
		return 0
	}
	for i := 1; i < len(date); i++ {
		if date[i] == '-' && s[i] != '-' || date[i] == '0' && !isDigit(s[i]) {
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
