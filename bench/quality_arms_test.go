// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bench

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/node"
)

// BenchmarkArms prints what each arm of the score gains: how much less search finds without it.
func BenchmarkArms(b *testing.B) {
	foveatest.Testdata(b)
	for b.Loop() {
		forms := locomoForms(b)
		sets := []librarySet{{"LoCoMo, a headline a turn", forms.turns}, {"LoCoMo, as remember writes", forms.notes}, {"LoCoMo, shuffled", nil}}
		for _, seed := range seeds {
			sets[2].libraries = append(sets[2].libraries, shuffled(forms.conversations, "all", seed)...)
			for name, words := range map[string]map[string][]string{"talk": nil, "other words, talk": otherWords} {
				talk := talkIn(b, seed, foveatest.Size(150_000, 10_000), words).asLibrary()
				sets = append(sets, librarySet{fmt.Sprintf("%s %d", name, seed), []library{talk}})
			}
			long := talkOf(b, seed, foveatest.Size(1_500_000, 20_000)).asLibrary()
			sets = append(sets, librarySet{fmt.Sprintf("talk %d, 1500k", seed), []library{long}})
		}
		slices.SortStableFunc(sets[3:], func(x, y librarySet) int { return cmp.Compare(len(x.title), len(y.title)) })
		fmt.Printf("%-*s%8s%8s\n", titleWidth, "all arms, and what each gains", "R@10", "nDCG")
		for _, set := range sets {
			printArms(b, set)
		}
	}
}

type librarySet struct {
	title     string
	libraries []library
}

// printArms measures a set with all arms, and what each arm gains: what is lost without it.
func printArms(t testing.TB, set librarySet) {
	t.Helper()
	all, lost, asked := newFigures(), map[string]*figures{}, 0
	for _, l := range set.libraries {
		o := openLibrary(t, l)
		for _, q := range l.questions {
			hits, err := o.view.Search(q.text, 1<<20, nil, qualityTime)
			if err != nil {
				t.Fatal(err)
			}
			asked++
			whole := rankingOf(o, hits, q)
			all.join(whole)
			for arm, left := range leftOut(hits) {
				if lost[arm] == nil {
					lost[arm] = newFigures()
				}
				f := rankingOf(o, left, q)
				for _, name := range f.names {
					lost[arm].add(name, whole.mean(name)-f.mean(name))
				}
			}
		}
	}
	fmt.Printf("%-*s%8s%8s\n", titleWidth, set.title, share(all.mean("R@10")), share(all.mean("nDCG")))
	for _, arm := range sortedKeys(lost) {
		f := lost[arm]
		fmt.Printf("    %-*s%+8.3f%+8.3f  in %d of %d questions\n", titleWidth-4, arm, f.sums["R@10"]/float64(asked), f.sums["nDCG"]/float64(asked),
			f.counts["R@10"], asked)
	}
}

// rankingOf measures hits as the answer to a question.
func rankingOf(o *opened, hits []node.Hit, q question) *figures {
	var found []string
	for _, h := range hits[:min(10, len(hits))] {
		found = append(found, o.keys[h.ID]...)
	}
	f := newFigures()
	f.ranking(q.kind, found, q.gold)
	return f
}

// leftOut returns, by arm, the hits as they rank without what it gave them.
func leftOut(hits []node.Hit) map[string][]node.Hit {
	arms := map[string][]node.Hit{}
	for _, h := range hits {
		for _, c := range h.Arms {
			arms[c.Arm] = nil
		}
	}
	for arm := range arms {
		var left []node.Hit
		for _, h := range hits {
			for _, c := range h.Arms {
				if c.Arm == arm {
					h.Score -= c.Score
				}
			}
			if h.Score > 1e-9 {
				left = append(left, h)
			}
		}
		slices.SortStableFunc(left, func(x, y node.Hit) int { return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(x.ID, y.ID)) })
		arms[arm] = left
	}
	return arms
}
