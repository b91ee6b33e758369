// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package guard

import (
	"slices"

	"github.com/fovea-memory/fovea/merkle"
)

// What became of a part.
const (
	Added    = "added"
	Removed  = "removed"
	Modified = "changed"
	Moved    = "moved" // it stands elsewhere, byte for byte
)

// Change is what became of one part of a file.
type Change struct {
	What     string
	Kind     string // of the part
	Where    string // of the part as it is now, as it was for one that was removed
	Was, Now string // its bytes; "" where there were none, or they are not known
}

// partKey tells parts of a file apart: the nth of its kind in its place.
type partKey struct {
	kind, where string
	n           int
}

// Diff says what became of the parts of a file: first by place, then, of what is
// left, by bytes. It lists the parts that there are in order, each removed one
// behind the one it followed. Of two files with the same bytes nothing is said.
// O(parts).
func Diff(was, now []Part) []Change {
	old := places(was)
	pair := make([]int, len(now)) // the part of was, -1 for none
	paired := make([]bool, len(was))
	for i, key := range keys(now) {
		pair[i] = -1
		if j, ok := old[key]; ok {
			pair[i], paired[j] = j, true
		}
	}
	byBytes := map[merkle.Digest][]int{}
	for j, p := range was {
		if !paired[j] {
			byBytes[p.Digest] = append(byBytes[p.Digest], j)
		}
	}
	for i, p := range now {
		if left := byBytes[p.Digest]; pair[i] < 0 && len(left) > 0 {
			pair[i], paired[left[0]], byBytes[p.Digest] = left[0], true, left[1:]
		}
	}
	return changes(was, now, pair, paired)
}

// changes writes down pairs that differ, and parts without one.
func changes(was, now []Part, pair []int, paired []bool) []Change {
	steady := ascending(pair)
	var out []Change
	next := 0 // of the parts of was that were removed
	removed := func(end int) {
		for ; next < end; next++ {
			if p := was[next]; !paired[next] {
				out = append(out, Change{What: Removed, Kind: p.Kind, Where: p.Where, Was: p.Text})
			}
		}
	}
	for i, p := range now {
		j := pair[i]
		if j < 0 {
			out = append(out, Change{What: Added, Kind: p.Kind, Where: p.Where, Now: p.Text})
			continue
		}
		if steady[i] {
			removed(j)
		}
		switch q := was[j]; {
		case q.Digest != p.Digest:
			out = append(out, Change{What: Modified, Kind: p.Kind, Where: p.Where, Was: q.Text, Now: p.Text})
		case !steady[i], q.Where != p.Where:
			out = append(out, Change{What: Moved, Kind: p.Kind, Where: p.Where, Was: q.Text, Now: p.Text})
		}
	}
	removed(len(was))
	return out
}

func places(parts []Part) map[partKey]int {
	out := map[partKey]int{}
	for i, key := range keys(parts) {
		out[key] = i
	}
	return out
}

// keys are those of parts, in order.
func keys(parts []Part) []partKey {
	count := map[partKey]int{}
	out := make([]partKey, len(parts))
	for i, p := range parts {
		key := partKey{kind: p.Kind, where: p.Where}
		n := count[key]
		count[key]++
		key.n = n
		out[i] = key
	}
	return out
}

// ascending marks the longest run of pairs that kept their order: the others
// moved.
func ascending(pair []int) []bool {
	steady := make([]bool, len(pair))
	var ends []int // ends[k] is the place in pair of the smallest end of a run of k+1
	before := make([]int, len(pair))
	for i, j := range pair {
		if j < 0 {
			continue
		}
		k, _ := slices.BinarySearchFunc(ends, j, func(at, j int) int { return pair[at] - j })
		before[i] = -1
		if k > 0 {
			before[i] = ends[k-1]
		}
		if k == len(ends) {
			ends = append(ends, i)
		} else {
			ends[k] = i
		}
	}
	if len(ends) == 0 {
		return steady
	}
	for i := ends[len(ends)-1]; i >= 0; i = before[i] {
		steady[i] = true
	}
	return steady
}
