// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"strings"
	"time"
)

// A Timestamp is a timestamp or a range of two. Absent fields are zero. Dates are
// normalized: 2026-02-31 is the third of March.
type Timestamp struct {
	Active bool // has angle brackets
	Diary  bool // <%%(expression)>; all other fields are zero
	// Start is the start, as UTC with the digits as written, because Org has no time
	// zones. End is the end of a range, or Start.
	Start, End time.Time
	// StartTime and EndTime report whether there is a time of day.
	StartTime, EndTime bool
	// Range reports whether there are two dates or two times of day: <..>--<..> or
	// 10:00-11:00.
	Range bool
	// Repeater and Warning are the cookies, such as +1w, ++2d, .+1m/2m, -3d and --1d.
	Repeater, Warning Interval
}

// An Interval is a repeater or a warning period.
type Interval struct {
	Mark  string // "+", "++", ".+"; "-", "--"; "" for none
	Count int
	Unit  byte // h, d, w, m or y
	// MaxCount and MaxUnit are the upper bound of a habit, as in .+1d/3d; 0 for none.
	MaxCount int
	MaxUnit  byte
}

// maxCount limits the numbers in intervals, so that dates computed with them do not
// overflow a time.Time.
const maxCount = 1_000_000

// ParseTimestamp parses s, which must consist of a timestamp or range, such as
// <2026-01-05 Mon 10:00-11:00 +1w -2d>. Like Org, it ignores other text in the
// brackets. It takes time in proportion to s and does not allocate.
func ParseTimestamp(s string) (Timestamp, bool) {
	if s == "" || timestampLength(s) != len(s) {
		return Timestamp{}, false
	}
	if strings.HasPrefix(s, "<%%") {
		return Timestamp{Diary: true}, true
	}
	t := Timestamp{Active: s[0] == '<', Repeater: repeater(s)}
	t.Warning, _ = markedInterval(s, '-')
	first := singleTimestampLength(s)
	date, clock := stampDate(s), stampClock(s[:first])
	t.Start, t.StartTime = date.Add(clock.start), clock.hasStart
	t.End, t.EndTime = t.Start, t.StartTime
	switch {
	case first < len(s):
		second := s[first+len("--"):]
		clock := stampClock(second)
		t.End, t.EndTime, t.Range = stampDate(second).Add(clock.start), clock.hasStart, true
	case clock.hasEnd:
		t.End, t.Range = date.Add(clock.end), true
	}
	return t, true
}

// stampDate returns the date at the start of the timestamp s.
func stampDate(s string) time.Time {
	year, _ := number(s[1:5])
	month, _ := number(s[6:8])
	day, _ := number(s[9:11])
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
}

// clock is a time of day, or two of them, since midnight.
type clock struct {
	start, end       time.Duration
	hasStart, hasEnd bool
}

// afterDay returns the text of a timestamp after its date and at most one word without
// digits, the name of the day.
func afterDay(s string) string {
	rest := s[len("<0000-00-00"):]
	if word := skipBlankRun(rest); word != "" && !isDigit(word[0]) {
		if n := strings.IndexAny(word, " +-]>0123456789\r\n"); n > 0 {
			return word[n:]
		}
	}
	return rest
}

// stampClock parses the time of the single timestamp s.
func stampClock(s string) clock {
	rest := afterDay(s)
	if rest[0] != ' ' {
		return clock{}
	}
	var c clock
	rest = skipBlankRun(rest)
	if c.start, rest, c.hasStart = timeOfDay(rest); c.hasStart && strings.HasPrefix(rest, "-") {
		c.end, _, c.hasEnd = timeOfDay(rest[1:])
	}
	return c
}

func skipBlankRun(s string) string { return strings.TrimLeft(s, " ") }

// timeOfDay parses a time of one or two digits, a colon and two digits.
func timeOfDay(s string) (at time.Duration, rest string, ok bool) {
	hour, n := number(s[:min(2, len(s))])
	if n == 0 || len(s) < n+3 || s[n] != ':' || !isDigit(s[n+1]) || !isDigit(s[n+2]) {
		return 0, s, false
	}
	minute, _ := number(s[n+1 : n+3])
	return time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute, s[n+3:], true
}

// repeater returns the first repeater in s.
func repeater(s string) Interval {
	v, rest := markedInterval(s, '+')
	if strings.HasPrefix(rest, "/") {
		if bound, n := interval(rest[1:]); n > 0 {
			v.MaxCount, v.MaxUnit = bound.Count, bound.Unit
		}
	}
	return v
}

// markedInterval returns the first interval in s after a sign, and the text after it.
// Before the sign there may be another one, or a dot before a plus.
func markedInterval(s string, sign byte) (v Interval, rest string) {
	for i := range len(s) {
		if s[i] != sign {
			continue
		}
		v, n := interval(s[i+1:])
		if n == 0 {
			continue
		}
		v.Mark = s[i : i+1]
		if i > 0 && (s[i-1] == sign || s[i-1] == '.' && sign == '+') {
			v.Mark = s[i-1 : i+1]
		}
		return v, s[i+1+n:]
	}
	return Interval{}, ""
}

// interval parses digits and a unit at the start of s; n is their length, or 0 if there
// are none.
func interval(s string) (v Interval, n int) {
	count, n := number(s)
	if n == 0 || n == len(s) || strings.IndexByte("hdwmy", s[n]) < 0 {
		return Interval{}, 0
	}
	return Interval{Count: count, Unit: s[n]}, n + 1
}

// number parses the n digits at the start of s. Its value is at most maxCount.
func number(s string) (value, n int) {
	for n < len(s) && isDigit(s[n]) {
		value = min(10*value+int(s[n]-'0'), maxCount)
		n++
	}
	return value, n
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

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
