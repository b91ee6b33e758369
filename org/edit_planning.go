// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// planningLogs are the log texts of each planning keyword: rescheduled and removed.
var planningLogs = map[string][2]string{
	"SCHEDULED": {"Rescheduled from", "Not scheduled, was"},
	"DEADLINE":  {"New deadline from", "Removed deadline, was"},
}

// setTimestamp sets the planning timestamp of a keyword and logs the change. It returns
// [ErrTimestamp] for anything but a timestamp. It removes a CLOSED timestamp, as Emacs does.
func (e *editor) setTimestamp(keyword, name, when string) error {
	old, l := *e.headline().planned(keyword), e.doc.logging(e.at)
	log := keyword == "SCHEDULED" && l.reschedule || keyword == "DEADLINE" && l.redeadline
	text, want := planningLogs[keyword][0], ""
	if when == "" {
		if old == "" {
			return nil
		}
		e.setPlanning("", keyword)
		text = planningLogs[keyword][1]
	} else {
		stamp, err := formatTimestamp(when, cookies(old))
		if err != nil {
			return fmt.Errorf("%s %q: %w", name, when, err)
		}
		e.setPlanning(keyword+": "+stamp, keyword, "CLOSED")
		log, want = log && stamp != old, stamp
	}
	if got := *e.headline().planned(keyword); got != want {
		return kindErrorf(ErrStructure, "%s %q: it would be read as %q; correct the planning line first", name, when, got)
	}
	if log && old != "" {
		e.addLogLine(fmt.Sprintf("- %s \"%s\" on %s", text, strings.NewReplacer("<", "[", ">", "]").Replace(old), e.stampNow()))
	}
	return nil
}

// setPlanning removes the timestamps of some keywords from the planning line and
// inserts item, unless it is "", before the others. It creates or removes the line as
// needed.
func (e *editor) setPlanning(item string, remove ...string) {
	h, src := e.headline(), e.doc.Source
	if h.PlanningEnd == 0 {
		if item != "" {
			e.insertLines(h.TextEnd, item+"\n")
		}
		return
	}
	l := lineAt(src, h.PlanningStart, h.PlanningEnd)
	line := l.text(src)
	kept, from, end := "", 0, 0
	for entry := range planningEntries(line, 0) {
		n := timestampLength(line[entry.value:])
		if n == 0 || entry.start < end { // inside the brackets of another one
			continue
		}
		if end = entry.value + n; slices.Contains(remove, entry.keyword) {
			kept += line[from:entry.start]
			from = end + len(indentOf(line[end:]))
		}
	}
	indent := indentOf(line)
	switch text := trimBlanks(kept + line[from:]); {
	case text == "" && item == "":
		e.removeLines(l.start, l.next)
	case text == "" || item == "":
		e.replace(l.start, l.end, indent+item+text)
	default:
		e.replace(l.start, l.end, indent+item+" "+text)
	}
}

// formatTimestamp parses when and formats it as an active timestamp, with the cookies
// of old if it has none of its own.
func formatTimestamp(when, old string) (string, error) {
	text := when
	if n := len(text); n > 1 && (text[0] == '<' && text[n-1] == '>' || text[0] == '[' && text[n-1] == ']') {
		text = text[1 : n-1]
	}
	words := strings.Fields(text)
	if len(words) == 0 || len(words[0]) != len("2026-03-01") {
		return "", fmt.Errorf("it does not start with a date such as 2026-03-01: %w", ErrTimestamp)
	}
	date, err := time.Parse(time.DateOnly, words[0])
	if err != nil {
		return "", fmt.Errorf("there is no such date: %w", ErrTimestamp)
	}
	out := date.Format("2006-01-02 Mon")
	words = words[1:]
	if len(words) > 0 && !strings.ContainsAny(words[0], ":<>[]") && (isAlpha(runeAt(words[0], 0)) || !strings.ContainsAny(words[0], "0123456789+-.")) {
		words = words[1:] // the name of the day, which the date determines
	}
	if len(words) > 0 && strings.Contains(words[0], ":") {
		clock, err := formatClock(words[0])
		if err != nil {
			return "", err
		}
		out += " " + clock
		words = words[1:]
	}
	if len(words) == 0 && old != "" {
		return "<" + out + " " + old + ">", nil
	}
	for _, word := range words {
		if !isCookie(word) {
			return "", fmt.Errorf("%q is not a time, repeater or warning: %w", word, ErrTimestamp)
		}
		out += " " + word
	}
	return "<" + out + ">", nil
}

// formatClock parses a time, or two joined by a dash, and formats them with two
// digits.
func formatClock(s string) (string, error) {
	var out []string
	for part := range strings.SplitSeq(s, "-") {
		t, err := time.Parse("15:04", part)
		if err != nil || len(out) == 2 {
			return "", fmt.Errorf("%q is not a time of day: %w", s, ErrTimestamp)
		}
		out = append(out, t.Format("15:04"))
	}
	return strings.Join(out, "-"), nil
}

// isCookie reports whether word is a repeater or a warning period: +1w, ++1w,
// .+1d/3d, -3d.
func isCookie(word string) bool {
	rest := strings.TrimLeft(word, ".+-")
	switch word[:len(word)-len(rest)] {
	case "+", "++", ".+", "-", "--":
	default:
		return false
	}
	for part := range strings.SplitSeq(rest, "/") {
		if _, n := interval(part); n == 0 || n < len(part) {
			return false
		}
	}
	return true
}

// cookies returns the repeaters and warning periods of a timestamp as written.
func cookies(stamp string) string {
	n := singleTimestampLength(stamp)
	if n == 0 {
		return ""
	}
	var out []string
	for _, word := range strings.Fields(stamp[1 : n-1])[1:] {
		if isCookie(word) {
			out = append(out, word)
		}
	}
	return strings.Join(out, " ")
}

// stampNow returns the current time as an inactive timestamp.
func (e *editor) stampNow() string { return e.now.Format("[2006-01-02 Mon 15:04]") }
