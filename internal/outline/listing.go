// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea/internal/text"
)

// Ranks of the most important line of a listing, and of its first section, which comes after
// its outline.
const (
	bestRank     = -1
	relevantRank = 1000
)

// File has the definitions of a file of source code. It is immutable, and does not keep the source.
type File struct {
	lines []line
	found []Definition
}

// Read reads what src defines; it returns nil if src defines nothing. The language is one that
// [Language] returns. Time is linear in src.
func Read(language string, src []byte) *File {
	found := scan(language, src)
	if len(found) == 0 {
		return nil
	}
	return &File{linesOf(found, len(src)), definitions(found)}
}

// Listing returns the lines that represent the file in a small space: its outline, with a lower
// rank for outer definitions, and the lines of the definitions that match the question, the best
// first. The line of the best definition, or else of the first, has the lowest rank, as have the
// lines of definitions that the question names. Each line begins with its number; first is the
// number of the first line of src, which is the source that was read. O(len(src)).
func (f *File) Listing(src string, first int, question text.Matcher) []text.ExcerptLine {
	lines, numbers := make([]text.ExcerptLine, len(f.lines)), make([]int, len(f.lines)) // 0 for those without one
	for i, l := range f.lines {
		lines[i].Text, numbers[i] = l.format(first), l.from
		if l.from > 0 {
			lines[i].Rank = len(l.text) - len(strings.TrimLeft(l.text, " ")) - 1
		}
	}
	source := strings.Split(src, "\n")
	rank := sections(f.found, source, question)
	best := slices.Index(rank, 1)
	if best < 0 && len(f.found) > 0 {
		best = f.found[0].Line
	}
	if i := slices.Index(numbers, best); best > 0 && i >= 0 {
		lines[i].Rank = bestRank
	}
	return withSections(lines, numbers, rank, named(f.found, len(source), question), source, first)
}

// maxNamed is the maximum number of lines of a definition that precede the signatures of others.
const maxNamed = 80

// named returns, by line number, whether a line belongs to a definition that the question names by a
// word that no other name has.
func named(defs []Definition, lines int, question text.Matcher) []bool {
	has, counts := termsOf(len(defs), func(i int) string { return defs[i].Name }, question)
	within := make([]bool, lines+1)
	for i, d := range defs {
		if slices.ContainsFunc(has[i], func(term int32) bool { return counts[term] == 1 }) {
			for n := d.Line; n <= min(d.EndLine, d.Line+maxNamed, lines); n++ {
				within[n] = true
			}
		}
	}
	return within
}

// withSections merges the lines of sections into an outline.
func withSections(lines []text.ExcerptLine, numbers []int, rank []int, named []bool, source []string, first int) []text.ExcerptLine {
	var all []text.ExcerptLine
	next := 1 // line of the source
	upTo := func(n int) {
		for ; next < min(n, len(source)+1); next++ {
			if r := rank[next]; r > 0 {
				line := text.ExcerptLine{Text: strconv.Itoa(next+first-1) + " " + strings.TrimRight(source[next-1], "\r"), Rank: relevantRank + r}
				if named[next] {
					line.Rank = bestRank
				}
				all = append(all, line)
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

// sections returns, by line number, the rank of the definition around a line among those that
// match the question: 1 for the best, 0 if it does not match.
func sections(defs []Definition, source []string, question text.Matcher) []int {
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
	has, counts := termsOf(len(defs), func(i int) string { return own[i].String() }, question)
	scores, order := make([]float64, len(defs)), make([]int, len(defs))
	for i := range defs {
		order[i] = i
		for _, term := range has[i] {
			scores[i] += math.Log(1 + float64(len(defs))/float64(counts[term]))
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
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

// termsOf returns the terms of a question that each of n texts has, in order, and the number of
// texts with each term.
func termsOf(n int, text func(i int) string, question text.Matcher) (has [][]int32, counts []int) {
	has, counts = make([][]int32, n), make([]int, question.Len())
	for i := range has {
		found := question.Append(nil, text(i))
		slices.Sort(found)
		has[i] = slices.Compact(found)
		for _, term := range has[i] {
			counts[term]++
		}
	}
	return has, counts
}
