// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fovea-memory/fovea/internal/pq"
)

// small returns n candidates whose estimates are exact.
func small(r *rand.Rand, n int) []candidate {
	all := make([]candidate, n)
	for i := range all {
		c := candidate{parent: int32(r.IntN(i+1) - 1), value: rankValue(i), agent: -1}
		c.estimates[Title] = 1 + r.Int32N(12)
		c.estimates[Full] = c.estimates[Title] + r.Int32N(80)
		if body := c.estimates[Full] - c.estimates[Title]; body > 20 {
			c.estimates[Snippet] = c.estimates[Title] + 5 + r.Int32N(body-10)
		}
		all[i] = c
	}
	r.Shuffle(n, func(a, b int) { all[a].value, all[b].value = all[b].value, all[a].value })
	return all
}

// optimum returns the value of the best choice of levels, by brute force.
func optimum(all []candidate, i, remaining int) float64 {
	if remaining < 0 {
		return -1
	}
	if i == len(all) {
		return 0
	}
	best := -1.0
	for level := Absent; level <= Full; level++ {
		c := &all[i]
		if level != Absent && (c.estimates[level] == 0 || c.parent >= 0 && all[c.parent].level == Absent) {
			continue
		}
		c.level = level
		if value := optimum(all, i+1, remaining-int(c.estimates[level])); value >= 0 {
			best = max(best, value+c.value*levelValues[level])
		}
	}
	all[i].level = Absent
	return best
}

// TestGreedyNearOptimum compares the selection and its bound with the brute-force
// optimum: optimum and bound are never exceeded, and the mean is near the optimum.
func TestGreedyNearOptimum(t *testing.T) {
	const (
		cases   = 400
		minMean = 0.97 // mean of value / optimum; measured 0.983
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
		s := newSelection(all, budget, func(i int, level Level) int { return int(all[i].estimates[level]) }, 0, budget, newScratch())
		s.greedy()
		got, limit := s.value(), bound(all, budget, newScratch())
		const rounding = 1e-12
		if s.remaining < 0 || got > best+rounding || best > limit+rounding {
			t.Fatalf("left %d, greedy %v, optimum %v, bound %v, budget %d of %+v", s.remaining, got, best, limit, budget, all)
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
			all[i].agent = r.Int32N(agents+2) - 2
			all[i].agent = max(all[i].agent, -1)
		}
		budget := 20 + r.IntN(300)
		price := func(i int, level Level) int { return int(all[i].estimates[level]) }
		s := newSelection(all, budget, price, agents, budget, newScratch())
		spent := func() (tokens [agents]int) {
			for i := range all {
				if a := all[i].agent; a >= 0 {
					tokens[a] += int(all[i].cost)
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
			all2[i].level, all2[i].cost = Absent, 0
		}
		s = newSelection(all2, budget, price, agents, budget, newScratch())
		s.spend()
		for i := range all2 {
			if all2[i].level < before[i].level {
				t.Fatalf("candidate %d is at %v without the caps, %v with them", i, all2[i].level, before[i].level)
			}
		}
		all = all2
		for _, tokens := range spent() {
			if float64(tokens) > agentShare*float64(budget) {
				over++
			}
		}
		if s.remaining < 0 {
			t.Fatalf("%d tokens over the budget", -s.remaining)
		}
	}
	if over < cases/20 {
		t.Errorf("%d of %d cases have an agent above its share: the cases say nothing", over, cases)
	}
}

// TestTopIsSorting asserts that the best nodes are those of a stable sort and a cut.
func TestTopIsSorting(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for range 500 {
		n := 1 + r.IntN(50)
		limit := r.IntN(n + 3)
		best := pq.NewTop(limit, worse, nil)
		var all []ranked
		for i := range n {
			x := ranked{ref{int32(i / 3), int32(i % 3)}, float64(r.IntN(5))}
			all = append(all, x)
			best.Add(x)
		}
		slices.SortStableFunc(all, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
		if got, want := best.Sorted(), all[:min(limit, n)]; !slices.Equal(got, want) {
			t.Fatalf("the best %d of %d are %v, want %v", limit, n, got, want)
		}
	}
}

// TestPriorsAreBounded asserts that priors only break near-ties.
func TestPriorsAreBounded(t *testing.T) {
	for flags := range flag(64) {
		for _, agent := range []string{"", "a"} {
			if p := prior(&nodeInfo{flags: flags, agent: agent}); p < 0.9 || p > 1.1 {
				t.Errorf("prior of flags %b, agent %q is %v", flags, agent, p)
			}
		}
	}
}

func TestLevelText(t *testing.T) {
	for level := Absent; level <= Full; level++ {
		text, _ := level.MarshalText()
		var back Level
		if err := back.UnmarshalText(text); err != nil || back != level {
			t.Errorf("%v reads back as %v, %v", level, back, err)
		}
	}
	var level Level
	if err := level.UnmarshalText([]byte("half")); err == nil {
		t.Error("a level called half is accepted")
	}
	if got := Level(9).String(); got != "level(9)" {
		t.Errorf("Level(9) is %q", got)
	}
}
