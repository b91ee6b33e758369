// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea/internal/excerpt"
)

// relevantRank is the rank of the first section of a listing, behind those of its outline.
const relevantRank = 1000

// Listing returns the lines that stand for source code in little room: those of [Text], the
// outer ones of a lower rank, and behind them the lines of the definitions that match the
// question, the best first. Each begins with its number, where first is the number of the
// first line of src. It is nil if src defines nothing that is known. Time is linear in src.
func Listing(language string, src []byte, first int, question excerpt.Matcher) []excerpt.Line {
	text := Text(language, src)
	if text == "" {
		return nil
	}
	var lines []excerpt.Line
	var numbers []int // of lines in src, 0 for those without one
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		number, rest, ok := strings.Cut(line, " ")
		n, err := strconv.Atoi(number)
		if !ok || err != nil {
			lines, numbers = append(lines, excerpt.Line{Text: line}), append(numbers, 0)
			continue
		}
		indent := len(rest) - len(strings.TrimLeft(rest, " "))
		lines = append(lines, excerpt.Line{Text: strconv.Itoa(n+first-1) + " " + rest, Rank: indent})
		numbers = append(numbers, n)
	}
	if question.Len() == 0 {
		return lines
	}
	return withSections(lines, numbers, sections(language, src, question), strings.Split(string(src), "\n"), first)
}

// withSections puts the lines of sections between those of an outline.
func withSections(lines []excerpt.Line, numbers []int, rank []int, source []string, first int) []excerpt.Line {
	var all []excerpt.Line
	next := 1 // line of the source
	upTo := func(n int) {
		for ; next < min(n, len(source)+1); next++ {
			if r := rank[next]; r > 0 {
				all = append(all, excerpt.Line{Text: strconv.Itoa(next+first-1) + " " + strings.TrimRight(source[next-1], "\r"), Rank: relevantRank + r})
			}
		}
	}
	for i, line := range lines {
		if n := numbers[i]; n > 0 {
			upTo(n)
			next = max(next, n+1)
		}
		all = append(all, line)
	}
	upTo(len(source) + 1)
	return all
}

// sections returns, by the number of a line, how well the definition that it belongs to
// matches the question: 1 is the best one, 0 one that does not match.
func sections(language string, src []byte, question excerpt.Matcher) []int {
	defs := Definitions(language, src)
	source := strings.Split(string(src), "\n")
	owner := make([]int, len(source)+1) // by line, index in defs plus one
	for i, d := range defs {            // inner definitions come later
		for n := d.Line; n <= min(d.EndLine, len(source)); n++ {
			owner[n] = i + 1
		}
	}
	own := make([]strings.Builder, len(defs))
	for n := 1; n <= len(source); n++ {
		if o := owner[n]; o > 0 {
			own[o-1].WriteString(source[n-1] + "\n")
		}
	}
	counts, has := make([]int, question.Len()), make([][]int32, len(defs))
	for i := range defs {
		found := question.Append(nil, own[i].String())
		slices.Sort(found)
		has[i] = slices.Compact(found)
		for _, term := range has[i] {
			counts[term]++
		}
	}
	scores, order := make([]float64, len(defs)), make([]int, len(defs))
	for i := range defs {
		order[i] = i
		for _, term := range has[i] {
			scores[i] += math.Log(1 + float64(len(defs))/float64(counts[term]))
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	place := make([]int, len(defs))
	for n, i := range order {
		if scores[i] > 0 {
			place[i] = n + 1
		}
	}
	rank := make([]int, len(source)+1)
	for n, o := range owner {
		if o > 0 {
			rank[n] = place[o-1]
		}
	}
	return rank
}
