// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/window"
)

var budgets = []int{1000, 2000, 4000}

// ask asks all questions of a library.
func ask(t testing.TB, l library, budgets []int, search bool) *figures {
	t.Helper()
	return askOf(t, openLibrary(t, l), budgets, search)
}

func askOf(t testing.TB, o *opened, budgets []int, search bool) *figures {
	t.Helper()
	f := newFigures()
	for _, q := range o.questions {
		if search {
			var found []string
			f.timed("search", func() { found = o.found(t, q.text, 10) })
			f.ranking(q.kind, found, q.gold)
		}
		for _, budget := range budgets {
			var w *window.Window
			run := func() { w = o.window(t, window.Request{Question: q.text, Budget: budget}) }
			if budget == 2000 {
				f.timed("window", run)
			} else {
				run()
			}
			share := o.shown(w, q.gold)
			f.add(fmt.Sprintf("ER@%d", budget), share)
			if q.kind == "multi-hop" && budget == 1000 {
				f.add("multi-hop whole@1000", math.Floor(share))
			}
		}
	}
	return f
}

// askAll asks the questions of some libraries, two libraries at a time.
func askAll(t testing.TB, libraries []library, budgets []int, search bool) *figures {
	t.Helper()
	return both(libraries, func(l library) *figures { return ask(t, l, budgets, search) })
}

// both measures some things, two at a time, and joins the figures in their order.
func both[T any](of []T, measure func(T) *figures) *figures {
	all := make([]*figures, len(of))
	var wg sync.WaitGroup
	slots := make(chan struct{}, 2)
	for i, x := range of {
		wg.Go(func() {
			slots <- struct{}{}
			all[i] = measure(x)
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

// printer takes the rows of a table.
type printer func(title string, f *figures)

// seeds of the generated talks and of the shuffles.
var seeds = []uint32{1, 2, 3}

// mainRows measures the rows that TestQuality compares with the recorded figures.
func mainRows(t testing.TB, emit printer) {
	forms := locomoForms(t)
	emit("LoCoMo, a headline a turn", askAll(t, forms.turns, budgets, true))
	emit("LoCoMo, as remember writes", askAll(t, forms.notes, budgets, true))
	emit("LoCoMo, titled by first words", askAll(t, forms.titled, budgets, true))
	emit("LoCoMo, two agents", askAll(t, forms.agents, budgets, true))
	emit("LoCoMo, two agents, titled", askAll(t, forms.titledAgents, budgets, true))
	emit("LoCoMo, a note a session", askAll(t, forms.sessions, budgets, false))
	for _, how := range []string{"all", "within sessions", "half the sessions"} {
		var mixed []library
		for _, seed := range seeds {
			mixed = append(mixed, shuffled(forms.conversations, how, seed)...)
		}
		emit("LoCoMo, shuffled: "+how, askAll(t, mixed, nil, true))
	}
	emit("LoCoMo, in one sticky session", both(forms.turns, func(l library) *figures { return stickyFigures(t, l) }))
	emit("LoCoMo, asked twice", both(forms.turns, func(l library) *figures { return newLines(t, l) }))
	emit("LoCoMo, text of 1,000 tokens", shares(t, forms.turns[0], 1000))
	emit("corpus, text of 2,000 tokens", corpusShare(t, 2000))
	emit("Org manual", readManual(t).graded(t, choosers[0], []int{1000, 2000, 4000, 8000}))
	emit("20 facts of an agent", factFigures(t))
	for _, seed := range seeds {
		printTalk(t, seed, foveatest.Size(150_000, 10_000), nil, emit)
	}
	for _, seed := range seeds {
		printTalk(t, seed, foveatest.Size(150_000, 10_000), otherWords, emit)
	}
}

// furtherRows measures what takes longer.
func furtherRows(t testing.TB, emit printer) {
	for _, seed := range seeds {
		printTalk(t, seed, foveatest.Size(1_500_000, 20_000), nil, emit)
	}
}

// printTalk measures a talk, in other words if there are any, beside plain BM25.
func printTalk(t testing.TB, seed uint32, tokens int, words map[string][]string, emit printer) {
	t.Helper()
	l := talkIn(t, seed, tokens, words).asLibrary()
	f, short, long := ask(t, l, budgets, true), rankedPlain(l, .9, .4), rankedPlain(l, 1.2, .75)
	f.compare(short, long)
	title := fmt.Sprintf("talk %d, %dk tokens", seed, tokens/1000)
	if words != nil {
		title = fmt.Sprintf("other words, talk %d", seed)
	}
	emit(title, f)
	emit(title+", BM25 .9 .4", short)
	emit(title+", BM25 1.2 .75", long)
}

// compare notes how far R@10 is above the better of other rankings, and the kinds of
// questions in which it is below the better of them.
func (f *figures) compare(others ...*figures) {
	best, bestOf := 0.0, map[string]float64{}
	for _, o := range others {
		best = max(best, o.mean("R@10"))
		for _, kind := range o.kinds.names {
			bestOf[kind] = max(bestOf[kind], o.kinds.mean(kind))
		}
	}
	var below []string
	for _, kind := range f.kinds.names {
		if f.kinds.mean(kind) < bestOf[kind]-1e-9 {
			below = append(below, kind)
		}
	}
	f.notes = append(f.notes, fmt.Sprintf("R@10 %+.3f to the better BM25", f.mean("R@10")-best))
	if len(below) > 0 {
		f.notes = append(f.notes, "below it: "+strings.Join(below, " "))
	}
}

// BenchmarkQuality prints what search and windows find. With -update it writes the tables
// into README.md. With -embed it prints the rows that TestQuality holds, with vectors.
func BenchmarkQuality(b *testing.B) {
	foveatest.Testdata(b)
	if *embedURL != "" && foveatest.Updating() {
		b.Fatal("the tables of README.md are those of words; leave out -embed or -update")
	}
	for b.Loop() {
		var text strings.Builder
		writeLine := func(line string) {
			fmt.Println(line)
			fmt.Fprintln(&text, line)
		}
		emit := func(title string, f *figures) { writeLine(f.row(title)) }
		writeLine(tableHead("search and windows"))
		mainRows(b, emit)
		if *embedURL != "" {
			continue // the further rows would take hours
		}
		furtherRows(b, emit)
		writeLine("")
		writeLine(tableHead("policies, with text of 2,000"))
		policyRows(b, emit)
		if foveatest.Updating() {
			writeTable(b, "README.md", text.String())
		}
	}
}

// The lines of README.md around the tables.
const (
	tableStart = "<!-- tables of BenchmarkQuality; -update writes them -->\n```text\n"
	tableEnd   = "```\n<!-- end of the tables -->\n"
)

// writeTable replaces the tables in a page.
func writeTable(t testing.TB, path, table string) {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, started := strings.Cut(string(page), tableStart)
	_, after, ended := strings.Cut(rest, tableEnd)
	if !started || !ended {
		t.Fatalf("%s has no place for the tables", path)
	}
	if err := os.WriteFile(path, []byte(before+tableStart+table+tableEnd+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
