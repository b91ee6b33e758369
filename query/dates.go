// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// period is the time between two moments, both included. A zero time means unbounded.
type period struct{ from, to time.Time }

// overlaps reports whether a timestamp and the period have a moment in common.
func (p period) overlaps(t Time) bool {
	return (p.to.IsZero() || !t.Start.After(p.to)) && (p.from.IsZero() || !t.End.Before(p.from))
}

// maxDays bounds relative dates, so that they fit into a time.Time.
const maxDays = 1_000_000

const dateHint = "write 2026-01-31, \"2026-01-31 14:00\", today, fri, +2w, or days from today: 7, -7"

var distance = regexp.MustCompile(`^[+-]\d{1,5}[dwmy]$`) // from today, of days, weeks, months or years

// ParseDay parses a day as people type it: a date, "today", "tomorrow", "yesterday", a distance from
// today such as +3d, -2w, +1m or +1y, or a day of the week, in full or by at least three letters, which
// is the next such day or, with past, the last one, today included. It returns that day on the calendar
// of now, with its digits in UTC, and whether s is a day.
func ParseDay(s string, now time.Time, past bool) (day time.Time, ok bool) {
	if date, err := time.Parse(time.DateOnly, s); err == nil {
		return date, true
	}
	day = today(now)
	s = cmp.Or(map[string]string{"yesterday": "-1d", "today": "+0d", "tomorrow": "+1d"}[strings.ToLower(s)], s)
	if distance.MatchString(s) {
		n, _ := strconv.Atoi(s[:len(s)-1]) // the pattern allows only digits
		by := map[byte][3]int{'d': {0, 0, n}, 'w': {0, 0, 7 * n}, 'm': {0, n, 0}, 'y': {n, 0, 0}}[s[len(s)-1]]
		day = day.AddDate(by[0], by[1], by[2])
		return day, day.Year() > 0 && day.Year() < 10_000
	}
	for i := range 7 {
		if past {
			i = -i
		}
		near := day.AddDate(0, 0, i)
		if len(s) >= 3 && strings.HasPrefix(strings.ToLower(near.Weekday().String()), strings.ToLower(s)) {
			return near, true
		}
	}
	return time.Time{}, false
}

// parseDate parses a day, a date with a time, or a number of days from today: that day or minute, its digits in UTC.
func parseDate(s string, now time.Time) (period, bool) {
	if at, err := time.Parse("2006-01-02 15:04", s); err == nil {
		return period{at, at.Add(time.Minute - 1)}, true
	}
	day, ok := ParseDay(s, now, false)
	if !ok {
		days, err := strconv.Atoi(s)
		if err != nil || days < -maxDays || days > maxDays {
			return period{}, false
		}
		day = today(now).AddDate(0, 0, days)
	}
	return period{day, day.AddDate(0, 0, 1).Add(-1)}, true
}

// today returns the day of now with its digits in UTC.
func today(now time.Time) time.Time {
	year, month, day := now.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// parsePeriod parses the arguments on=, from= and to=.
func parsePeriod(args []string, now time.Time) (period, *argError) {
	var p period
	for i, arg := range args {
		key, value, ok := option(arg, "on", "from", "to")
		if !ok {
			return p, &argError{i, fmt.Sprintf("%q is not on=, from= or to=", arg), "write on=DATE, from=DATE or to=DATE, such as from=-7,to=today"}
		}
		date, ok := parseDate(value, now)
		if !ok {
			return p, &argError{i, fmt.Sprintf("%q is not a date", value), dateHint}
		}
		if key != "to" {
			p.from = date.from
		}
		if key != "from" {
			p.to = date.to
		}
	}
	return p, nil
}

// timesTest builds the test of a predicate that requires a timestamp of one of the
// kinds in a period. If include is not nil, it must accept the timestamp.
func timesTest(include func(Time) bool, kinds ...TimeKind) func([]string, time.Time) (test, *argError) {
	return func(args []string, now time.Time) (test, *argError) {
		p, err := parsePeriod(args, now)
		if err != nil {
			return nil, err
		}
		matches := func(t Time) bool { return (include == nil || include(t)) && p.overlaps(t) }
		return func(c Candidate) bool {
			return slices.ContainsFunc(kinds, func(k TimeKind) bool { return slices.ContainsFunc(c.Times(k), matches) })
		}, nil
	}
}

// deadlineTest also accepts auto: the deadlines that Org warns of today.
func deadlineTest(args []string, now time.Time) (test, *argError) {
	if len(args) != 1 || args[0] != "auto" {
		return timesTest(nil, Deadline)(args, now)
	}
	last := today(now).AddDate(0, 0, 1).Add(-1)
	return func(c Candidate) bool {
		return slices.ContainsFunc(c.Times(Deadline), func(t Time) bool { return !t.Start.After(last.AddDate(0, 0, t.Warning)) })
	}, nil
}

func changedTest(args []string, now time.Time) (test, *argError) {
	if err := requireArgs(args); err != nil {
		return nil, err
	}
	date, ok := parseDate(args[0], now)
	if !ok || len(args) > 1 {
		return nil, &argError{len(args) - 1, fmt.Sprintf("%q is not a date", args[len(args)-1]), dateHint}
	}
	year, month, day := date.from.Date()
	since := time.Date(year, month, day, date.from.Hour(), date.from.Minute(), 0, 0, now.Location())
	return func(c Candidate) bool { return !c.Modified().Before(since) }, nil
}
