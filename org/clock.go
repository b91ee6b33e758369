// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// A Clock is a clock line.
type Clock struct {
	Timestamp string // a timestamp or range as written; "" if there is only a duration
	Duration  string // hours and minutes, as in 1:30; "" for a running clock
}

// Running reports whether the clock has no duration: Org treats it as running even if
// it has an end.
func (c Clock) Running() bool { return c.Timestamp != "" && c.Duration == "" }

// Clock returns the clock i.
func (t *Tree) Clock(i int) Clock {
	text := t.firstLine(i, TypeClock)
	if text == "" {
		return Clock{}
	}
	stamp, duration, _ := clockParts(text[len("CLOCK:"):])
	return Clock{stamp, duration}
}

// isClock reports whether text is the line of a clock.
func isClock(text string) bool {
	const clock = "CLOCK:"
	if !hasPrefixFold(text, clock) {
		return false
	}
	_, _, ok := clockParts(text[len(clock):])
	return ok
}

// clockParts splits the text after CLOCK: into a timestamp or range and a duration.
// One of them may be absent.
func clockParts(rest string) (stamp, duration string, ok bool) {
	rest = trimBlanks(rest)
	if strings.HasPrefix(rest, "[") {
		n := singleTimestampLength(rest)
		if n == 0 || rest[n-1] != ']' {
			return "", "", false
		}
		if strings.HasPrefix(rest[n:], "--[") {
			m := singleTimestampLength(rest[n+2:])
			if m == 0 || rest[n+2+m-1] != ']' {
				return "", "", false
			}
			n += 2 + m
		}
		stamp, rest = rest[:n], trimBlanksLeft(rest[n:])
		if rest == "" {
			return stamp, "", true
		}
	}
	rest, ok = strings.CutPrefix(rest, "=>")
	if !ok {
		return "", "", false
	}
	duration = trimBlanks(rest)
	colon := strings.IndexByte(duration, ':')
	if colon < 1 || len(duration) != colon+3 || !isDigits(duration[:colon]) || !isDigits(duration[colon+1:]) {
		return "", "", false
	}
	return stamp, duration, true
}

// isDigits reports whether s consists of digits.
func isDigits(s string) bool {
	_, n := number(s)
	return n > 0 && n == len(s)
}
