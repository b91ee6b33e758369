// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/working"
)

// randomDesk is an outline of blocks and notes, by path. Some blocks were made long ago, or will
// be, have left, or have more than their priors.
func randomDesk(r *rand.Rand, now time.Time, n int) *Outline {
	o := &Outline{firstNumbers: []int32{0}}
	ages := []time.Duration{0, time.Minute, time.Hour, 36 * time.Hour, -time.Hour, 1e5 * time.Hour, time.Nanosecond}
	for i := range n {
		b := &block{path: fmt.Sprintf("/blocks/ada/%06d", i), nodes: []nodeInfo{{id: fmt.Sprint("b", i), parent: -1}}}
		b.working = &Working{
			Priority: working.Priorities[r.IntN(len(working.Priorities))], Confidence: float64(r.IntN(5)) / 4,
			Time: now.Add(-ages[r.IntN(len(ages))] * time.Duration(1+r.IntN(3))),
		}
		switch w := b.working; r.IntN(12) {
		case 0:
			w.Until = now.Add(time.Duration(r.IntN(3)-1) * time.Second)
		case 1:
			w.Until, w.Time = time.Unix(1<<40, 0), time.Time{}
		case 2:
			b.nodes[0].flags = []flag{active, done, hidden}[r.IntN(3)]
		case 3:
			w.Path, w.Whole = fmt.Sprintf("n%d.org", r.IntN(4)), r.IntN(2) == 0
		case 4:
			b.working = nil // another agent's tree
		}
		b.countVisible()
		o.appendBlocks(b)
		o.addTotals(b)
	}
	for i := range 4 {
		b := &block{path: fmt.Sprintf("n%d.org", i), nodes: []nodeInfo{{id: fmt.Sprint("n", i), parent: -1}}}
		b.countVisible()
		o.appendBlocks(b)
		o.addTotals(b)
	}
	return o
}

// TestDeskRanksAsAllScoresDo compares the best of a desk, where a bound skips most blocks, with
// a sort of the scores of all nodes; after changes of the outline too.
func TestDeskRanksAsAllScoresDo(t *testing.T) {
	noon := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		now := []time.Time{noon, noon, {}, time.Unix(1<<40, 0)}[r.IntN(4)]
		o := randomDesk(r, noon, 1+r.IntN(200))
		if drop := r.IntN(len(o.blocks)); seed%2 == 0 { // as after the document of a block was removed
			all, kept := o, &Outline{firstNumbers: []int32{0}, visible: o.visible - o.blocks[drop].visible, priorClasses: o.priorClasses}
			kept.appendShared(all, 0, drop)
			kept.appendShared(all, drop+1, len(all.blocks))
			o = kept
		}
		tree := &tree{Outline: o, focus: noRef, scratch: newScratch()}
		tree.findWorking(now)
		tree.grow(o.len())
		if r.IntN(2) == 0 {
			tree.ensureEvidence(ref{int32(r.IntN(len(o.blocks))), 0}).similarity = r.Float64()
		}
		var want []ranked
		for i := range o.blocks {
			if at := (ref{int32(i), 0}); !o.isHidden(at) && !tree.isCovered(at) && !tree.isGone(at) {
				score := tree.score(at, tree.evidenceOf(at))
				if o.blocks[i].working == nil && tree.evidenceOf(at) == nil { // a note far from the request
					score = tree.distantScore(0) * prior(o.node(at))
				}
				want = append(want, ranked{at, score})
			}
		}
		slices.SortFunc(want, func(a, b ranked) int { return cmp.Or(cmp.Compare(b.score, a.score), a.compare(b.ref)) })
		limit := 1 + r.IntN(30)
		want = want[:min(limit, len(want))]
		if diff := gocmp.Diff(want, tree.rank(limit), gocmp.AllowUnexported(ranked{}, ref{})); diff != "" {
			t.Fatalf("seed %d (-all scores +ranked):\n%s", seed, diff)
		}
		var critical []ref
		for i, b := range o.blocks {
			if at := (ref{int32(i), 0}); b.working != nil && b.working.Priority == working.Critical && !tree.isGone(at) {
				critical = append(critical, at)
			}
		}
		if diff := gocmp.Diff(critical, tree.pinned, gocmp.AllowUnexported(ref{})); diff != "" {
			t.Fatalf("seed %d: critical (-want +got):\n%s", seed, diff)
		}
	}
}
