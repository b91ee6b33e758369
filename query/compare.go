// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"fmt"
	"strconv"
	"strings"
)

// span is a range of numbers, both ends included; it is empty when low > high.
type span struct{ low, high int }

func (s span) holds(n int) bool { return s.low <= n && n <= s.high }

// maxOrder bounds every number that is compared.
const maxOrder = 1 << 20

// parseSpan reads "N", "<N", "<=N", ">N", ">=N", "=N" or "N..M" with the given
// reading of one value. The ends of a range may come in either order.
func parseSpan(arg string, value func(string) (int, bool)) (span, bool) {
	if from, to, ok := strings.Cut(arg, ".."); ok {
		low, okLow := value(from)
		high, okHigh := value(to)
		return span{min(low, high), max(low, high)}, okLow && okHigh
	}
	number := strings.TrimLeft(arg, "<>=")
	n, ok := value(number)
	switch strings.TrimSuffix(arg, number) {
	case "", "=":
		return span{n, n}, ok
	case "<":
		return span{0, n - 1}, ok
	case "<=":
		return span{0, n}, ok
	case ">":
		return span{n + 1, maxOrder}, ok
	case ">=":
		return span{n, maxOrder}, ok
	}
	return span{}, false
}

func levelValue(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && 0 <= n && n < maxOrder && s[0] != '+' && s[0] != '-'
}

// levelTest takes one comparison, or two numbers, which org-ql reads as a range.
func levelTest(args []string) (test, *argError) {
	if err := needArgs(args); err != nil {
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
				return nil, &argError{i, fmt.Sprintf("%q is no number of stars", a), hint}
			}
		}
		arg += ".." + args[1]
	}
	s, ok := parseSpan(arg, levelValue)
	if !ok {
		return nil, &argError{0, fmt.Sprintf("%q compares no number of stars", arg), hint}
	}
	return func(c Candidate) bool { return s.holds(c.Level()) }, nil
}

// priorityRank orders priorities as Org does: numbers from 0 to 64 above the
// letters, the small number and the early letter above the others. The highest
// has the greatest rank.
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
	if err := noneEmpty(args); err != nil {
		return nil, err
	}
	if len(args) == 0 {
		return func(c Candidate) bool { return c.Priority() != "" }, nil
	}
	spans := make([]span, len(args))
	for i, arg := range args {
		s, ok := parseSpan(arg, priorityRank)
		if !ok {
			return nil, &argError{i, fmt.Sprintf("%q compares no priority", arg), "a priority is a letter or a number up to 64: write priority:A, priority:>=B or priority:A..C"}
		}
		spans[i] = s
	}
	return func(c Candidate) bool {
		rank, ok := priorityRank(c.Priority())
		for _, s := range spans {
			if ok && s.holds(rank) {
				return true
			}
		}
		return false
	}, nil
}
