// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/window"
)

// figures are the means that one row of the table has, by name.
type figures struct {
	names  []string
	sums   map[string]float64
	counts map[string]int
}

func newFigures() *figures { return &figures{sums: map[string]float64{}, counts: map[string]int{}} }

// add adds one value to the mean of a figure.
func (f *figures) add(name string, value float64) {
	if f.counts[name] == 0 {
		f.names = append(f.names, name)
	}
	f.sums[name] += value
	f.counts[name]++
}

func (f *figures) mean(name string) float64 { return f.sums[name] / float64(f.counts[name]) }

// join adds the values of others.
func (f *figures) join(other *figures) {
	for _, name := range other.names {
		if f.counts[name] == 0 {
			f.names = append(f.names, name)
		}
		f.sums[name] += other.sums[name]
		f.counts[name] += other.counts[name]
	}
}

// row prints the figures.
func (f *figures) row(title string) string {
	s := fmt.Sprintf("%-32s", title)
	for _, name := range f.names {
		s += fmt.Sprintf("  %s %.3f", name, f.mean(name))
	}
	return s
}

// recall adds the share of the gold among the first ten.
func (f *figures) recall(name string, found, gold []string) {
	hits := 0
	for _, key := range found[:min(10, len(found))] {
		if slices.Contains(gold, key) {
			hits++
		}
	}
	f.add(name, float64(hits)/float64(len(gold)))
}

// ranking adds R@10 and nDCG@10 of a ranking, best first.
func (f *figures) ranking(found, gold []string) {
	gain, ideal := 0.0, 0.0
	for rank, key := range found[:min(10, len(found))] {
		if slices.Contains(gold, key) {
			gain += 1 / math.Log2(float64(rank+2))
		}
	}
	for rank := range min(10, len(gold)) {
		ideal += 1 / math.Log2(float64(rank+2))
	}
	f.recall("R@10", found, gold)
	f.add("nDCG", gain/ideal)
}

// ask asks all questions of a library.
func ask(t testing.TB, l library, budgets []int, search bool) *figures {
	t.Helper()
	o, f := openLibrary(t, l), newFigures()
	for _, q := range l.questions {
		if search {
			found := o.found(t, q.text, 10)
			f.ranking(found, q.gold)
			f.recall(q.kind, found, q.gold)
		}
		for _, budget := range budgets {
			w := o.window(t, window.Request{Question: q.text, Budget: budget})
			share := o.shown(w, q.gold)
			f.add(fmt.Sprintf("ER@%d", budget), share)
			if q.kind == "multi-hop" && budget == 1000 {
				f.add("whole multi-hop", math.Floor(share))
			}
		}
	}
	return f
}

// askAll asks the questions of some libraries, two libraries at a time.
func askAll(t testing.TB, libraries []library, budgets []int, search bool) *figures {
	t.Helper()
	all := make([]*figures, len(libraries))
	var wg sync.WaitGroup
	slots := make(chan struct{}, 2)
	for i, l := range libraries {
		wg.Go(func() {
			slots <- struct{}{}
			all[i] = ask(t, l, budgets, search)
			<-slots
		})
	}
	wg.Wait()
	sum := newFigures()
	for _, f := range all {
		sum.join(f)
	}
	return sum
}

var budgets = []int{1000, 2000, 4000}

// shuffled returns libraries whose turns are in a random order: all turns of the
// conversation, those within each session, or half the sessions among themselves.
func shuffled(conversations []locomo, how string, seed uint32) (out []library) {
	rng := newMersenne(seed)
	for _, c := range conversations {
		var pools [][]int // sessions whose turns are mixed
		all := make([]int, len(c.Sessions))
		for i := range all {
			all[i] = i
			if how == "within sessions" {
				pools = append(pools, []int{i})
			}
		}
		switch how {
		case "all":
			pools = [][]int{all}
		case "half the sessions":
			pools = [][]int{draw(rng, all, len(all)/2)}
		}
		sessions := slices.Clone(c.Sessions)
		for _, pool := range pools {
			var turns []foveatest.Turn
			for _, i := range pool {
				turns = append(turns, sessions[i].Turns...)
			}
			turns = draw(rng, turns, len(turns))
			for _, i := range pool {
				n := len(sessions[i].Turns)
				sessions[i].Turns, turns = turns[:n], turns[n:]
			}
		}
		mixed := c
		mixed.Sessions = sessions
		out = append(out, mixed.asTurns())
	}
	return out
}

// qualityTable measures each row of the table.
func qualityTable(t testing.TB, print func(title string, f *figures)) {
	var turns, notes, sessions []library
	var conversations []locomo
	for _, c := range foveatest.Locomo(t) {
		c := locomo{c}
		conversations = append(conversations, c)
		turns, notes, sessions = append(turns, c.asTurns()), append(notes, c.asNotes()), append(sessions, c.asSessions())
	}
	print("LoCoMo, a headline a turn", askAll(t, turns, budgets, true))
	print("LoCoMo, as remember writes", askAll(t, notes, budgets, true))
	print("LoCoMo, a note a session", askAll(t, sessions, budgets, false))
	for _, how := range []string{"all", "within sessions", "half the sessions"} {
		print("LoCoMo, shuffled: "+how, askAll(t, shuffled(conversations, how, 1), nil, true))
	}
	print("LoCoMo, share of text at 1000", shares(t, turns[0], 1000))
	print("corpus, share of text at 2000", corpusShare(t, 2000))
	print("Org manual", readManual(t).graded(t, "", []int{1000, 2000, 4000, 8000}))
	print("20 facts of an agent", factFigures(t))
	for seed := range uint32(3) {
		l := talkOf(t, seed+1, 150_000).asLibrary()
		name := fmt.Sprintf("talk %d, 150,000 tokens", seed+1)
		f := ask(t, l, budgets, true)
		print(name, f)
		print(name+", BM25 .9 .4", rankedPlain(l, .9, .4))
		print(name+", BM25 1.2 .75", rankedPlain(l, 1.2, .75))
	}
}

// BenchmarkQuality prints what windows and search find.
func BenchmarkQuality(b *testing.B) {
	for b.Loop() {
		qualityTable(b, func(title string, f *figures) { fmt.Println(f.row(title)) })
	}
}
