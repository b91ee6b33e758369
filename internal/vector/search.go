// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import (
	"math"
	"slices"
)

// search is one question on its way through the codes.
type search struct {
	*estimator
	limit  [math.MaxUint8 + 1]int32 // by radius: the largest near distance that passes
	passed []candidate
}

// candidate is a row that passed.
type candidate struct {
	row     uint32
	product float32 // the part that the near words have, read while they are at hand
}

// admit sets the limits so that about a share of the rows of the mask passes, and hardly ever
// less, and as many of the rows near the question as if all rows were searched. The levels are those of rows of the
// sample, so that what passes does not depend on the order of rows.
func (s *search) admit(c *codes, mask Bitmap, share float64) {
	all, kept := make([]int, 0, len(c.sample)), make([]int, 0, len(c.sample))
	for _, row := range c.sample {
		level := s.nearLevel(c, int(row))
		if all = append(all, level); mask.Has(int(row)) {
			kept = append(kept, level)
		}
	}
	floor := min(floorOf(all, share), floorOf(kept, share))
	s.passed = make([]candidate, 0, int(1.5*share*float64(c.n))+1024)
	for r := int(c.minR); r <= int(c.maxR); r++ { // levels fall with distances
		low, high := -1, 64*nearWords
		for low < high {
			if middle := (low + high + 1) >> 1; s.level(s.cos[middle], uint8(r)) >= floor {
				low = middle
			} else {
				high = middle - 1
			}
		}
		s.limit[r] = int32(low)
	}
}

// floorOf sorts levels and returns one that at least a share of the rows that they were drawn from reach, most likely.
func floorOf(levels []int, share float64) int {
	slices.Sort(levels)
	expected := share * float64(len(levels))
	if rank := int(expected + 2*math.Sqrt(expected) + 1); rank < len(levels) {
		return levels[len(levels)-1-rank]
	}
	return 0
}

// scan collects the rows of the mask from first to last that pass. first is a multiple of 64.
func (s *search) scan(c *codes, mask Bitmap, first, last int) {
	words := (*[nearWords]uint64)(s.words)
	var found [64]uint16
	for ; first < last && first>>6 < len(mask); first += 64 {
		word := mask[first>>6]
		if word == 0 {
			continue
		}
		end := min(first+64, last)
		distances(&found, c.near[nearWords*first:nearWords*end], words)
		for i, r := range c.radius[first:end] {
			if int32(found[i&63]) <= s.limit[r] && word>>i&1 != 0 {
				s.passed = append(s.passed, candidate{uint32(first + i), s.nearProduct(c, first+i)})
			}
		}
	}
}

// choose returns the rows that passed whose whole codes are best: as many as wanted, and
// all that equal the last of these.
func (s *search) choose(c *codes, wanted int) []uint32 {
	var counts [levels]int
	found := make([]int, len(s.passed))
	const group = 128 // rows whose words are fetched before they are looked at: so many reads at once
	far := c.words - nearWords
	buffer := make([]uint64, group*far)
	for first := 0; first < len(s.passed); first += group {
		passed := s.passed[first:min(first+group, len(s.passed))]
		for i, p := range passed {
			copy(buffer[far*i:], c.farOf(int(p.row)))
		}
		for i, p := range passed {
			level := s.level(p.product+s.farProduct(buffer[far*i:far*(i+1)]), c.radius[p.row])
			found[first+i] = level
			counts[level]++
		}
	}
	floor, sum := levels-1, counts[levels-1]
	for ; floor > 0 && sum < wanted; floor-- {
		sum += counts[floor-1]
	}
	chosen := make([]uint32, 0, sum)
	for i, p := range s.passed {
		if found[i] >= floor {
			chosen = append(chosen, p.row)
		}
	}
	return chosen
}

// widths returns the share of rows that pass, and how many are chosen of these, for the best k.
func (c *codes) widths(k int) (share float64, wanted int) {
	factor := max(1, (k+trialDepth-1)/trialDepth)
	return c.share * float64(factor), c.wanted * factor
}

// serves reports whether codes find the best k with less work than comparing all of a number of rows.
func (c *codes) serves(k, count int) bool {
	share, wanted := c.widths(k)
	return wanted > 0 && share < .5 && wanted < count/8
}

// byCodes is BestMany by codes, and by comparing the rows that have none.
func (s *Set) byCodes(queries []*Query, mask Bitmap, k int) [][]Hit {
	c := s.codes
	share, wanted := c.widths(k)
	searches := make([]*search, len(queries))
	for i, q := range queries {
		searches[i] = &search{estimator: c.newEstimator(q)}
		searches[i].admit(c, mask, share)
	}
	const block = blockBytes / (8 * nearWords)
	for first := 0; first < c.n; first += block {
		for _, search := range searches {
			search.scan(c, mask, first, min(first+block, c.n))
		}
	}
	found := s.scan(queries, mask, c.n, len(s.digests), k)
	for i, search := range searches {
		for _, row := range search.choose(c, wanted) {
			found[i].Add(graded{s.grade(queries[i], int(row)), row})
		}
	}
	return s.hits(found)
}
