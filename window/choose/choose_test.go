// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package choose

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// small returns n candidates whose estimates are exact.
func small(r *rand.Rand, n int) []Candidate {
	all := make([]Candidate, n)
	for i := range all {
		c := Candidate{Parent: int32(r.IntN(i+1) - 1), Value: 1 / float64(2+i), Agent: -1}
		c.Estimates[Title] = 1 + r.Int32N(12)
		c.Estimates[Full] = c.Estimates[Title] + r.Int32N(80)
		if body := c.Estimates[Full] - c.Estimates[Title]; body > 20 {
			c.Estimates[Snippet] = c.Estimates[Title] + 5 + r.Int32N(body-10)
		}
		all[i] = c
	}
	r.Shuffle(n, func(a, b int) { all[a].Value, all[b].Value = all[b].Value, all[a].Value })
	return all
}

// optimum returns the value of the best choice of levels, by brute force.
func optimum(all []Candidate, i, remaining int) float64 {
	if remaining < 0 {
		return -1
	}
	if i == len(all) {
		return 0
	}
	best := -1.0
	for level := Absent; level <= Full; level++ {
		c := &all[i]
		if level != Absent && (c.Estimates[level] == 0 || c.Parent >= 0 && all[c.Parent].Level == Absent) {
			continue
		}
		c.Level = level
		if value := optimum(all, i+1, remaining-int(c.Estimates[level])); value >= 0 {
			best = max(best, value+c.Value*levelValues[level])
		}
	}
	all[i].Level = Absent
	return best
}

// TestGreedyNearOptimum compares the selection and its bound with the brute-force
// optimum: optimum and bound are never exceeded, and the mean is near the optimum.
func TestGreedyNearOptimum(t *testing.T) {
	const (
		cases   = 400
		minMean = 0.975 // mean of value / optimum; measured 0.987
	)
	r := rand.New(rand.NewPCG(5, 5))
	sum, worst, tightness := 0.0, 1.0, 0.0
	for n := range cases {
		all := small(r, 2+r.IntN(6))
		if n%40 == 0 {
			all = small(r, 10)
		}
		budget := 20 + r.IntN(200)
		best := optimum(all, 0, budget)
		s := New(all, func(i int, level Level) int { return int(all[i].Estimates[level]) }, 0, budget, NewScratch())
		s.Remaining = budget
		s.greedy()
		got, limit := s.Value(), s.Bound(budget)
		const rounding = 1e-12
		if s.Remaining < 0 || got > best+rounding || best > limit+rounding {
			t.Fatalf("left %d, greedy %v, optimum %v, bound %v, budget %d of %+v", s.Remaining, got, best, limit, budget, all)
		}
		if best > 0 {
			sum += got / best
			worst = min(worst, got/best)
			tightness += best / limit
		} else {
			sum, tightness = sum+1, tightness+1
		}
	}
	t.Logf("value / optimum: mean %.4f, worst %.4f; optimum / bound: mean %.4f", sum/cases, worst, tightness/cases)
	if sum/cases < minMean {
		t.Errorf("the mean share of the optimum is %.4f, want at least %.2f", sum/cases, minMean)
	}
}

// TestCapsHoldWhileOthersWantTheRoom: no agent gets more than its share before everybody
// else has what fits, and nobody else has less for what it gets then.
func TestCapsHoldWhileOthersWantTheRoom(t *testing.T) {
	const cases, agents = 500, 2
	r := rand.New(rand.NewPCG(8, 8))
	over := 0
	for range cases {
		all := small(r, 2+r.IntN(20))
		for i := range all {
			all[i].Agent = r.Int32N(agents+2) - 2
			all[i].Agent = max(all[i].Agent, -1)
		}
		budget := 20 + r.IntN(300)
		price := func(i int, level Level) int { return int(all[i].Estimates[level]) }
		s := New(all, price, agents, budget, NewScratch())
		s.Remaining = budget
		spent := func() (tokens [agents]int) {
			for i := range all {
				if a := all[i].Agent; a >= 0 {
					tokens[a] += int(all[i].Cost)
				}
			}
			return tokens
		}
		s.greedy()
		for a, tokens := range spent() {
			if float64(tokens) > agentShare*float64(budget) {
				t.Fatalf("agent %d has %d of %d tokens", a, tokens, budget)
			}
		}
		before := slices.Clone(all)
		all2 := slices.Clone(all)
		for i := range all2 {
			all2[i].Level, all2[i].Cost = Absent, 0
		}
		s = New(all2, price, agents, budget, NewScratch())
		s.Remaining = budget
		s.Spend()
		for i := range all2 {
			if all2[i].Level < before[i].Level {
				t.Fatalf("candidate %d is at %v without the caps, %v with them", i, all2[i].Level, before[i].Level)
			}
		}
		all = all2
		for _, tokens := range spent() {
			if float64(tokens) > agentShare*float64(budget) {
				over++
			}
		}
		if s.Remaining < 0 {
			t.Fatalf("%d tokens over the budget", -s.Remaining)
		}
	}
	if over < cases/20 {
		t.Errorf("%d of %d cases have an agent above its share: the cases say nothing", over, cases)
	}
}
