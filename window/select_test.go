// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fovea-memory/fovea/internal/bound"
)

// TestTopIsSorting asserts that the best nodes equal a stable sort and a cut.
func TestTopIsSorting(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for range 500 {
		n := 1 + r.IntN(50)
		limit := r.IntN(n + 3)
		best := bound.NewTop(limit, worse, nil)
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
