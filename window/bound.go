// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"slices"
)

// bound is the optimum of a relaxed problem, which no choice of levels within
// budget tokens exceeds: levels may be taken in parts, and a heading that m
// candidates stand below costs each of them its m-th part and itself nothing
// (whoever shows k of them pays all of it, which is at least k parts of m).
// Each candidate becomes the steps of its convex hull (Pisinger, Killer and
// Toth: Knapsack Problems, 11.2); the steeper are taken first. Costs are exact
// where a level was counted and guessed elsewhere. O(n log n + n depth).
func bound(all []candidate, budget int, room *scratch) float64 {
	room.below, room.shared = zeroed(room.below, len(all)), zeroed(room.shared, len(all))
	below, shared := room.below, room.shared // shared is a heading's price by candidate below it
	for i := range all {
		for p := all[i].parent; p >= 0; p = all[p].parent {
			below[p]++
		}
	}
	for i := range all {
		if below[i] > 0 {
			shared[i] = float64(price(&all[i], Title)) / float64(below[i])
		}
	}
	sum := 0.0
	steps := room.hull[:0]
	for i := range all {
		above := 0.0
		for p := all[i].parent; p >= 0; p = all[p].parent {
			above += shared[p]
		}
		free := 0.0
		if below[i] > 0 {
			sum += all[i].worth * levelValues[Title]
			free = float64(price(&all[i], Title))
		}
		steps = appendHull(steps, &all[i], above, free)
	}
	room.hull = steps
	slices.SortFunc(steps, func(a, b relaxed) int { return cmp.Compare(b.value*a.tokens, a.value*b.tokens) })
	left := float64(budget)
	for _, st := range steps {
		if st.tokens > left {
			return sum + st.value*left/st.tokens
		}
		left -= st.tokens
		sum += st.value
	}
	return sum
}

// price is what a level costs beyond what was pinned: exactly where it is known.
func price(c *candidate, level Level) int {
	tokens := c.plan[level]
	if c.level == level {
		tokens = c.spent
	}
	return int(max(0, tokens-c.paid))
}

// zeroed returns n zeros, in the room of list where it suffices.
func zeroed[T any](list []T, n int) []T {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}

// relaxed is a step that may be taken in parts.
type relaxed struct{ value, tokens float64 }

// appendHull appends the steps of c's upper convex hull. Reaching any level costs
// above more; where free is not 0, the title is had for nothing.
func appendHull(steps []relaxed, c *candidate, above, free float64) []relaxed {
	value, tokens := 0.0, 0.0
	from := Absent
	if free > 0 {
		value, from = levelValues[Title], Title
		above -= free
	}
	for from < Full {
		best, slope := Absent, -1.0
		var dv, dt float64
		for to := from + 1; to <= Full; to++ {
			if c.plan[to] == 0 && c.level != to {
				continue
			}
			v := levelValues[to] - value
			t := max(float64(price(c, to))+above-tokens, 1e-9)
			if v/t >= slope {
				best, slope, dv, dt = to, v/t, v, t
			}
		}
		if best == Absent {
			break
		}
		steps = append(steps, relaxed{c.worth * dv, dt})
		value, tokens, from = value+dv, tokens+dt, best
	}
	return steps
}
