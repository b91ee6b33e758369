// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package choose

import "slices"

// Bound returns the optimum of a relaxed problem, which no choice of levels within
// budget tokens exceeds. In the relaxed problem a level may be taken in part, and a
// heading with m candidates below it is free but adds 1/m of its cost to each of
// them. (A selection with k of them pays for the whole heading, which is at least k/m
// of it.) Each candidate becomes the steps of its convex hull (Kellerer, Pferschy and
// Pisinger: Knapsack Problems, 11.2), and steeper steps are taken first. Costs are
// exact for levels that were counted and estimated for the others. O(n depth)
// expected.
func (s *Selection) Bound(budget int) float64 {
	candidates := s.candidates
	s.descendants, s.headingShares = resizeZeroed(s.descendants, len(candidates)), resizeZeroed(s.headingShares, len(candidates))
	descendants, shares := s.descendants, s.headingShares // shares: price of a heading per candidate below it
	for i := range candidates {
		for p := candidates[i].Parent; p >= 0; p = candidates[p].Parent {
			descendants[p]++
		}
	}
	for i := range candidates {
		if descendants[i] > 0 {
			shares[i] = float64(levelCost(&candidates[i], Title)) / float64(descendants[i])
		}
	}
	sum := 0.0
	steps := s.hull[:0]
	for i := range candidates {
		ancestorCost := 0.0
		for p := candidates[i].Parent; p >= 0; p = candidates[p].Parent {
			ancestorCost += shares[p]
		}
		free := 0.0
		if descendants[i] > 0 {
			sum += candidates[i].Value * levelValues[Title]
			free = float64(levelCost(&candidates[i], Title))
		}
		steps = appendHull(steps, &candidates[i], ancestorCost, free)
	}
	s.hull = steps
	return sum + fill(steps, float64(budget))
}

// fill returns the highest value of steps that fit into tokens; the last is taken in part. It partitions
// the steps instead of sorting them: only the part in which the tokens run out is partitioned again
// (Balas and Zemel 1980). O(n) expected.
func fill(steps []hullStep, tokens float64) float64 {
	sum := 0.0
	for len(steps) > 0 {
		pivot := steps[len(steps)/2]
		steeper, flatter := 0, len(steps)
		var above, equal hullStep // the sums
		for i := 0; i < flatter; {
			s := steps[i]
			switch x, y := s.value*pivot.tokens, pivot.value*s.tokens; {
			case x > y:
				above.value, above.tokens = above.value+s.value, above.tokens+s.tokens
				steps[i], steps[steeper] = steps[steeper], s
				steeper++
				i++
			case x < y:
				flatter--
				steps[i], steps[flatter] = steps[flatter], s
			default:
				equal.value, equal.tokens = equal.value+s.value, equal.tokens+s.tokens
				i++
			}
		}
		switch {
		case above.tokens > tokens:
			steps = steps[:steeper]
		case above.tokens+equal.tokens > tokens:
			return sum + above.value + equal.value*(tokens-above.tokens)/equal.tokens
		default:
			sum, tokens, steps = sum+above.value+equal.value, tokens-above.tokens-equal.tokens, steps[flatter:]
		}
	}
	return sum
}

// levelCost returns the tokens of a level beyond the pinned one, exact where the level
// was counted.
func levelCost(c *Candidate, level Level) int {
	tokens := c.Estimates[level]
	if c.Level == level {
		tokens = c.Cost
	}
	return int(max(0, tokens-c.PinnedCost))
}

// resizeZeroed returns n zeros, reusing the memory of list if it is large enough.
func resizeZeroed[T any](list []T, n int) []T {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}

// hullStep is a step of a convex hull. It may be taken in part.
type hullStep struct{ value, tokens float64 }

// appendHull appends the steps of the upper convex hull of c. Reaching any level also
// costs ancestorCost. If free is not 0, the title is free.
func appendHull(steps []hullStep, c *Candidate, ancestorCost, free float64) []hullStep {
	value, tokens := 0.0, 0.0
	reached := Absent
	if free > 0 {
		value, reached = levelValues[Title], Title
		ancestorCost -= free
	}
	for reached < Full {
		best, slope := Absent, -1.0
		var dv, dt float64
		for to := reached + 1; to <= Full; to++ {
			if c.Estimates[to] == 0 && c.Level != to {
				continue
			}
			v := levelValues[to] - value
			t := max(float64(levelCost(c, to))+ancestorCost-tokens, 1e-9)
			if v/t >= slope {
				best, slope, dv, dt = to, v/t, v, t
			}
		}
		if best == Absent {
			break
		}
		steps = append(steps, hullStep{c.Value * dv, dt})
		value, tokens, reached = value+dv, tokens+dt, best
	}
	return steps
}
