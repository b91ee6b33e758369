// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// numberRange is a range of numbers, both ends included. It is empty if low > high.
type numberRange struct{ low, high int }

func (s numberRange) contains(n int) bool { return s.low <= n && n <= s.high }

// maxNumber bounds every compared number: levels, priority ranks, minutes.
const maxNumber = 1 << 30

// parseRange parses "N", "<N", "<=N", ">N", ">=N", "=N" or "N..M"; value parses one
// number. The ends of a range may come in either order.
func parseRange(arg string, value func(string) (int, bool)) (numberRange, bool) {
	if from, to, ok := strings.Cut(arg, ".."); ok {
		low, okLow := value(from)
		high, okHigh := value(to)
		return numberRange{min(low, high), max(low, high)}, okLow && okHigh
	}
	number := strings.TrimLeft(arg, "<>=")
	n, ok := value(number)
	switch strings.TrimSuffix(arg, number) {
	case "", "=":
		return numberRange{n, n}, ok
	case "<":
		return numberRange{0, n - 1}, ok
	case "<=":
		return numberRange{0, n}, ok
	case ">":
		return numberRange{n + 1, maxNumber}, ok
	case ">=":
		return numberRange{n, maxNumber}, ok
	}
	return numberRange{}, false
}

func levelValue(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && 0 <= n && n < maxNumber && s[0] != '+' && s[0] != '-'
}

// levelTest takes one comparison, or two numbers, which org-ql reads as a range.
func levelTest(args []string) (test, *argError) {
	if err := requireArgs(args); err != nil {
		return nil, err
	}
	const hint = "write level:2, level:>=2 or level:2..3"
	if len(args) > 2 {
		return nil, &argError{2, "level takes one comparison or two numbers", hint + ", and OR for others"}
	}
	arg := args[0]
	if len(args) == 2 {
		for i, a := range args {
			if _, ok := levelValue(a); !ok {
				return nil, &argError{i, fmt.Sprintf("%q is not a level", a), hint}
			}
		}
		arg += ".." + args[1]
	}
	s, ok := parseRange(arg, levelValue)
	if !ok {
		return nil, &argError{0, fmt.Sprintf("%q is not a level or a comparison", arg), hint}
	}
	return func(c Candidate) bool { return s.contains(c.Level()) }, nil
}

// parseRanges parses one range from each argument. bad is the index of the first
// invalid one, or -1.
func parseRanges(args []string, value func(string) (int, bool)) (ranges []numberRange, bad int) {
	for i, arg := range args {
		s, ok := parseRange(arg, value)
		if !ok {
			return nil, i
		}
		ranges = append(ranges, s)
	}
	return ranges, -1
}

func anyContains(ranges []numberRange, n int) bool {
	return slices.ContainsFunc(ranges, func(s numberRange) bool { return s.contains(n) })
}

// priorityRank returns the rank of a priority; a higher priority has a higher rank. As
// in Org, numbers from 0 to 64 rank above letters, smaller numbers and earlier letters
// above others.
func priorityRank(s string) (int, bool) {
	if len(s) == 1 {
		if letter := s[0] &^ 0x20; 'A' <= letter && letter <= 'Z' {
			return 'Z' - int(letter), true
		}
	}
	n, ok := levelValue(s)
	return 'Z' - n, ok && n <= 64
}

func priorityTest(args []string) (test, *argError) {
	if err := rejectEmptyArgs(args); err != nil {
		return nil, err
	}
	if len(args) == 0 {
		return func(c Candidate) bool { return c.Priority() != "" }, nil
	}
	ranges, bad := parseRanges(args, priorityRank)
	if bad >= 0 {
		return nil, &argError{bad, fmt.Sprintf("%q is not a priority or a comparison", args[bad]),
			"a priority is a letter or a number up to 64: write priority:A, priority:>=B or priority:A..C"}
	}
	return func(c Candidate) bool {
		rank, ok := priorityRank(c.Priority())
		return ok && anyContains(ranges, rank)
	}, nil
}

func effortTest(args []string) (test, *argError) {
	if err := rejectEmptyArgs(args); err != nil {
		return nil, err
	}
	if len(args) == 0 {
		return func(c Candidate) bool { return len(c.Property("EFFORT")) > 0 }, nil
	}
	if len(args) == 2 && args[0][0] != '<' && args[0][0] != '>' { // a range in org-ql
		if _, ok := minutes(args[0]); ok {
			args = []string{args[0] + ".." + args[1]}
		}
	}
	ranges, bad := parseRanges(args, minutes)
	if bad >= 0 {
		return nil, &argError{bad, fmt.Sprintf("%q is not a duration or a comparison", args[bad]), "write effort:30, effort:<1:30 or effort:1h..1d"}
	}
	return func(c Candidate) bool {
		return slices.ContainsFunc(c.Property("EFFORT"), func(effort string) bool {
			n, ok := minutes(effort)
			return ok && anyContains(ranges, n)
		})
	}, nil
}

// minuteUnits are Org's duration units in minutes.
var minuteUnits = map[string]float64{"min": 1, "h": 60, "d": 24 * 60, "w": 7 * 24 * 60, "m": 30 * 24 * 60, "y": 365.25 * 24 * 60}

// minutes parses an Org duration: a number of minutes, 1:30, 1:30:00, or numbers with
// units such as 1d 3h 5min; the last may be a time, as in 1d 3:05.
func minutes(s string) (int, bool) {
	total := 0.0
	parts := durationPattern.FindAllStringSubmatch(s, -1)
	if len(parts) == 0 || strings.TrimSpace(durationPattern.ReplaceAllString(s, "")) != "" {
		return 0, false
	}
	for _, p := range parts {
		n, err := strconv.ParseFloat(p[1], 64)
		unit, known := minuteUnits[p[4]]
		switch {
		case p[2] != "": // hours, minutes and optional seconds
			clock, _ := strconv.Atoi(p[2])
			seconds, _ := strconv.Atoi(p[3])
			n, unit, known = n*60+float64(clock)+float64(seconds)/60, 1, p[4] == ""
		case p[4] == "":
			unit, known = 1, len(parts) == 1
		}
		if err != nil || !known {
			return 0, false
		}
		total += n * unit
	}
	return int(total), total < maxNumber
}

var durationPattern = regexp.MustCompile(`(\d+(?:\.\d+)?)(?::(\d\d)(?::(\d\d))?)?\s*([a-z]*)`)
