// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package linediff

import (
	"slices"
	"sort"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// Hunk says that lines Start to End of the old text became lines NewStart to
// NewEnd of the new one. Lines count from 0, the ends are exclusive.
type Hunk struct{ Start, End, NewStart, NewEnd int }

// Split returns the lines of a text, each with its line end; only the last may have
// none. An empty text has no lines.
func Split(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if last := len(lines) - 1; lines[last] == "" {
		lines = lines[:last]
	}
	return lines
}

// Diff returns what makes b of a, in order; nil for equal lists. Between two hunks
// there is at least one equal line. Lines that stand once on either side are
// matched first, as many as keep their order; what lies between is compared by the
// longest common subsequence.
func Diff(a, b []string) []Hunk {
	d := differ{a: a, b: b}
	d.between(Hunk{0, len(a), 0, len(b)}, deepest)
	return d.hunks
}

// deepest is how often a stretch between lines that stand once is itself searched
// for such lines.
const deepest = 8

type differ struct {
	a, b  []string
	hunks []Hunk
}

// between compares one stretch.
func (d *differ) between(h Hunk, depth int) {
	for h.Start < h.End && h.NewStart < h.NewEnd && d.a[h.Start] == d.b[h.NewStart] {
		h.Start, h.NewStart = h.Start+1, h.NewStart+1
	}
	for h.Start < h.End && h.NewStart < h.NewEnd && d.a[h.End-1] == d.b[h.NewEnd-1] {
		h.End, h.NewEnd = h.End-1, h.NewEnd-1
	}
	if h.Start == h.End || h.NewStart == h.NewEnd {
		d.add(h)
		return
	}
	var anchors [][2]int
	if depth > 0 {
		anchors = inOrder(once(d.a[h.Start:h.End], d.b[h.NewStart:h.NewEnd]))
	}
	if len(anchors) == 0 {
		for _, c := range lcs.DiffLines(d.a[h.Start:h.End], d.b[h.NewStart:h.NewEnd]) {
			d.add(Hunk{h.Start + c.Start, h.Start + c.End, h.NewStart + c.ReplStart, h.NewStart + c.ReplEnd})
		}
		return
	}
	at, now := h.Start, h.NewStart
	for _, x := range anchors {
		d.between(Hunk{at, h.Start + x[0], now, h.NewStart + x[1]}, depth-1)
		at, now = h.Start+x[0]+1, h.NewStart+x[1]+1
	}
	d.between(Hunk{at, h.End, now, h.NewEnd}, depth-1)
}

// add takes a hunk; one that follows the last without an equal line goes on with
// it.
func (d *differ) add(h Hunk) {
	if h.Start == h.End && h.NewStart == h.NewEnd {
		return
	}
	if n := len(d.hunks); n > 0 && d.hunks[n-1].End == h.Start && d.hunks[n-1].NewEnd == h.NewStart {
		d.hunks[n-1].End, d.hunks[n-1].NewEnd = h.End, h.NewEnd
		return
	}
	d.hunks = append(d.hunks, h)
}

// once returns the places of the lines that stand once in a and once in b, in the
// order of a.
func once(a, b []string) [][2]int {
	const many = -1
	count := func(lines []string) map[string]int {
		at := make(map[string]int, len(lines))
		for i, line := range lines {
			if _, again := at[line]; again {
				i = many
			}
			at[line] = i
		}
		return at
	}
	inA, inB := count(a), count(b)
	var out [][2]int
	for i, line := range a {
		if j, ok := inB[line]; ok && j != many && inA[line] == i {
			out = append(out, [2]int{i, j})
		}
	}
	return out
}

// inOrder returns the longest run of the pairs, which ascend by the first, that
// ascends by the second too: patience sorting.
func inOrder(pairs [][2]int) [][2]int {
	var piles []int // the index of the pair on top of each
	before := make([]int, len(pairs))
	for i, p := range pairs {
		n := sort.Search(len(piles), func(k int) bool { return pairs[piles[k]][1] > p[1] })
		if before[i] = -1; n > 0 {
			before[i] = piles[n-1]
		}
		if n == len(piles) {
			piles = append(piles, i)
		} else {
			piles[n] = i
		}
	}
	if len(piles) == 0 {
		return nil
	}
	var out [][2]int
	for i := piles[len(piles)-1]; i >= 0; i = before[i] {
		out = append(out, pairs[i])
	}
	slices.Reverse(out)
	return out
}
