// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/recall"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/window"
)

// below returns a library in a folder. Keys of passages begin with the name of the folder.
func (l library) below(folder string) library {
	out := library{}
	for _, d := range l.documents {
		moved := file{path: folder + "/" + d.path, text: d.text}
		for _, passages := range d.headlines {
			var list []passage
			for _, p := range passages {
				list = append(list, passage{folder + "/" + p.key, p.text})
			}
			moved.headlines = append(moved.headlines, list)
		}
		out.documents = append(out.documents, moved)
	}
	for _, q := range l.questions {
		var gold []string
		for _, key := range q.gold {
			gold = append(gold, folder+"/"+key)
		}
		out.questions = append(out.questions, question{q.text, q.kind, gold})
	}
	return out
}

// taught is a memory of two kinds of conversation, with the questions about each.
type taught struct {
	*opened
	chats, talks []question
	asked        map[string]asked    // what was shown for a question
	found        map[string][]string // without feedback, by question and gold
}

// asked is what a window showed for a question, with what is learned from.
type asked struct {
	ranks []recall.Rankable // of what was shown
	gold  map[string]bool   // ids
}

// openTaught makes a memory of chats in a folder and, if another is named, talks in that one.
func openTaught(t testing.TB, folder string) *taught {
	t.Helper()
	var all library
	for i, l := range locomoForms(t).turns {
		l = l.below(fmt.Sprintf("chats/%d", i))
		all.documents, all.questions = append(all.documents, l.documents...), append(all.questions, l.questions...)
	}
	chats := all.questions
	var talks library
	if folder != "" {
		talks = talkOf(t, 1, foveatest.Size(150_000, 10_000)).asLibrary().below(folder)
	}
	all.documents = append(all.documents, talks.documents...)
	return &taught{openLibrary(t, all), chats, talks.questions, map[string]asked{}, map[string][]string{}}
}

// ask asks for a window of 1,000 tokens, once for each question.
func (x *taught) ask(t testing.TB, q question) asked {
	t.Helper()
	if a, ok := x.asked[q.text]; ok {
		return a
	}
	shown := map[string]bool{}
	for _, p := range x.window(t, window.Request{Question: q.text, Budget: 1000}).Parts {
		shown[p.ID] = true
	}
	a := asked{gold: map[string]bool{}}
	for _, r := range x.view.Ranks(q.text) {
		if shown[r.ID] {
			a.ranks = append(a.ranks, r)
			a.gold[r.ID] = slices.ContainsFunc(x.keys[r.ID], func(key string) bool { return slices.Contains(q.gold, key) })
		}
	}
	x.asked[q.text] = a
	return a
}

// learn returns what feedback on questions teaches, if a share of what is called useful is
// false: another node is called so instead.
func (x *taught) learn(t testing.TB, questions []question, lies float64, rng *mersenne) recall.Model {
	t.Helper()
	var events []recall.Event
	for _, q := range questions {
		a, useful := x.ask(t, q), map[string]bool{}
		for _, r := range a.ranks {
			switch {
			case !a.gold[r.ID]:
			case rng.float() < lies:
				useful[choose(rng, a.ranks).ID] = true
			default:
				useful[r.ID] = true
			}
		}
		if len(useful) == 0 {
			continue // nobody says anything
		}
		e := recall.Event{Question: merkle.SumText(q.text), Owner: true}
		for _, r := range a.ranks {
			s := recall.Shown{Region: r.Region, Kind: r.Kind, Score: r.Score, Features: r.Features}
			if useful[r.ID] {
				s.Verdict = recall.Useful
			}
			e.Shown = append(e.Shown, s)
		}
		events = append(events, e)
	}
	return recall.Fit(events, len(recall.FeatureNames))
}

// gain adds what a model gains on questions.
func (x *taught) gain(t testing.TB, f *figures, name string, m recall.Model, questions []question, windows bool) {
	t.Helper()
	with := *x.opened
	with.view = x.view.ByFeedback(m)
	before, after := newFigures(), newFigures()
	for _, q := range questions {
		key := q.text + strings.Join(q.gold, " ")
		if x.found[key] == nil {
			x.found[key] = x.opened.found(t, q.text, 10)
		}
		before.ranking(q.kind, x.found[key], q.gold)
		after.ranking(q.kind, with.found(t, q.text, 10), q.gold)
		if windows {
			before.add("ER@1000", x.shown(x.window(t, window.Request{Question: q.text, Budget: 1000}), q.gold))
			after.add("ER@1000", x.shown(with.window(t, window.Request{Question: q.text, Budget: 1000}), q.gold))
		}
	}
	for _, of := range after.names {
		f.add(name+of, after.mean(of)-before.mean(of))
	}
}

// learnedSeeds are of the orders in which questions are asked.
var learnedSeeds = []uint32{1, 2, 3, 4, 5, 6, 7, 8}

// learnedRows measures what feedback on some questions about chats gains on the other
// questions about them, and loses on those about talks.
func learnedRows(t testing.TB, x *taught, counts []int, emit printer) {
	t.Helper()
	for _, lies := range []float64{0, .2} {
		for _, n := range counts {
			f := newFigures()
			for _, seed := range learnedSeeds {
				rng := newMersenne(seed)
				order := draw(rng, x.chats, len(x.chats))
				m := x.learn(t, order[:n], lies, rng)
				on := 0.
				if m.On() {
					on = 1
				}
				f.add("on", on)
				x.gain(t, f, "", m, order[n:], n == 300 && lies == 0 && seed <= 2)
				if len(x.talks) > 0 {
					x.gain(t, f, "talks ", m, x.talks, false)
				}
			}
			emit(fmt.Sprintf("%d questions, %.0f %% false", n, 100*lies), f)
		}
	}
}

// reverseRow measures what feedback on talks loses on chats, in points.
func reverseRow(t testing.TB, x *taught, emit printer) {
	t.Helper()
	f := newFigures()
	m := x.learn(t, x.talks, 0, newMersenne(1))
	x.gain(t, f, "", m, x.chats, false)
	emit(fmt.Sprintf("%d questions about talks, on %v", len(x.talks), m.On()), f)
}

// printGains prints a row of gains in points.
func printGains(title string, f *figures) {
	fmt.Printf("%-36s", title)
	for _, name := range f.names {
		if name == "on" {
			fmt.Printf("  on %.2f", f.mean(name))
		} else {
			fmt.Printf("  %s %+.1f", name, 100*f.mean(name))
		}
	}
	fmt.Println()
}

// BenchmarkLearned prints what feedback gains, in points, by the number of questions: in a
// memory of chats, with talks beside them, and with both in one folder.
func BenchmarkLearned(b *testing.B) {
	foveatest.Testdata(b)
	alone, beside := []int{25, 50, 100, 300, 500}, []int{300}
	if testing.Short() {
		alone, beside = []int{5}, []int{5}
	}
	for b.Loop() {
		fmt.Println("chats alone")
		learnedRows(b, openTaught(b, ""), alone, printGains)
		fmt.Println("talks in another folder")
		x := openTaught(b, "talks")
		learnedRows(b, x, beside, printGains)
		reverseRow(b, x, printGains)
		fmt.Println("talks in the same folder")
		x = openTaught(b, "chats/talks")
		learnedRows(b, x, beside, printGains)
		reverseRow(b, x, printGains)
	}
}

// TestLearned: feedback on 300 questions, of what a window of 1,000 tokens showed, gains at
// least 2 points of nDCG@10, and no less of R@10 than 1, on other questions; it loses at most 1
// point if a fifth of what is called useful is false, and at most half a point on another corpus
// in a folder beside it.
func TestLearned(t *testing.T) {
	foveatest.Testdata(t)
	if testing.Short() {
		t.Skip("-short leaves out what is learned from")
	}
	hold := func(least map[string]float64) printer {
		return func(title string, f *figures) {
			printGains(title, f)
			for name, want := range least {
				if title == "300 questions, 0 % false" && name == "nDCG" {
					want = .02
				} else if title == "300 questions, 0 % false" && name == "R@10" {
					want = .01
				}
				if f.counts[name] > 0 && f.mean(name) < want {
					t.Errorf("%s: %s changes by %+.4f, want at least %+.3f", title, name, f.mean(name), want)
				}
			}
		}
	}
	learnedRows(t, openTaught(t, ""), []int{300}, hold(map[string]float64{"R@10": -.01, "nDCG": -.01}))
	beside := openTaught(t, "talks")
	learnedRows(t, beside, []int{300}, hold(map[string]float64{"R@10": -.01, "nDCG": -.01, "talks R@10": -.005, "talks nDCG": -.005}))
	reverseRow(t, beside, hold(map[string]float64{"R@10": -.005, "nDCG": -.005}))
}
