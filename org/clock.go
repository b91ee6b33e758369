// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

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
