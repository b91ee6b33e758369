// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"fmt"
	"slices"
	"strconv"
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

const dateHint = "write 2026-01-31, \"2026-01-31 14:00\", today, or days from today: 7, -7"

// parseDate parses a date, a date with a time, "today", or a number of days from today.
// It returns that day or minute, with the digits in UTC.
func parseDate(s string, now time.Time) (period, bool) {
	if at, err := time.Parse("2006-01-02 15:04", s); err == nil {
		return period{at, at.Add(time.Minute - 1)}, true
	}
	day, err := time.Parse(time.DateOnly, s)
	if err != nil {
		days, err := strconv.Atoi(s)
		if s == "today" {
			days, err = 0, nil
		}
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
// kinds in a period.
func timesTest(kinds ...TimeKind) func([]string, time.Time) (test, *argError) {
	return func(args []string, now time.Time) (test, *argError) {
		p, err := parsePeriod(args, now)
		if err != nil {
			return nil, err
		}
		return func(c Candidate) bool {
			return slices.ContainsFunc(kinds, func(k TimeKind) bool { return slices.ContainsFunc(c.Times(k), p.overlaps) })
		}, nil
	}
}

// timestampTest builds the test of a predicate that requires a timestamp for which
// include is true.
func timestampTest(include func(Time) bool) func([]string, time.Time) (test, *argError) {
	return func(args []string, now time.Time) (test, *argError) {
		p, err := parsePeriod(args, now)
		if err != nil {
			return nil, err
		}
		return func(c Candidate) bool {
			return slices.ContainsFunc(c.Times(AnyTime), func(t Time) bool { return include(t) && p.overlaps(t) })
		}, nil
	}
}

// deadlineTest also accepts auto: the deadlines of which Org warns today.
func deadlineTest(args []string, now time.Time) (test, *argError) {
	if len(args) != 1 || args[0] != "auto" {
		return timesTest(Deadline)(args, now)
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
