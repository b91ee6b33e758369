// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bench

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	fovea "github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/embed"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/meaning"
	"github.com/fovea-memory/fovea/node"
)

// madeUp is an embedder whose vectors are a function of the text. Documents are random
// vectors, with a part that they share with their file (topic) and one that all share
// (offset). Questions are random, or, of an oracle, the mean of what they ask for and noise.
type madeUp struct {
	kind          string // random, blind or oracle
	seed          string
	topic, offset float64
	noise         float64

	vectors map[string][]float32 // of the texts of nodes
	titles  map[string]string    // text of a node by its title, or by the beginning of its body
	golds   map[string][]string  // texts of the nodes that a question asks for
}

const madeUpDim = 256

func (e *madeUp) Model() embed.Model {
	return embed.Model{Name: "made up", Fingerprint: fmt.Sprint(e.kind, e.seed, e.topic, e.offset, e.noise), Dim: madeUpDim}
}

func (e *madeUp) Embed(_ context.Context, p embed.Purpose, texts []string) ([]embed.Result, error) {
	out := make([]embed.Result, len(texts))
	for i, text := range texts {
		out[i].Vector = e.vector(p, text)
	}
	return out, nil
}

func (e *madeUp) vector(p embed.Purpose, text string) []float32 {
	if p == embed.Document {
		return e.vectors[text]
	}
	noise := e.gauss("question "+text, max(e.noise, 1e-3))
	if e.kind != "oracle" {
		return noise
	}
	golds := e.golds[text]
	if golds == nil {
		golds = []string{e.titles[text]}
	}
	for _, gold := range golds {
		add(noise, e.vectors[gold], 1/float64(len(golds)))
	}
	return noise
}

// gauss returns a normal vector that depends on its name and the seed.
func (e *madeUp) gauss(name string, deviation float64) []float32 {
	key := sha256.Sum256([]byte(e.seed + "\x00" + name))
	r := rand.New(rand.NewChaCha8(key))
	v := make([]float32, madeUpDim)
	for i := range v {
		v[i] = float32(deviation * r.NormFloat64())
	}
	return v
}

func add(v, other []float32, share float64) {
	for i := range other {
		v[i] += float32(share) * other[i]
	}
}

func cosine(a, b []float32) float64 {
	c, err := embed.Cosine(a, b)
	if err != nil {
		panic(err)
	}
	return c
}

// learn makes the vectors of the nodes of a view, and remembers what asks for which.
func (e *madeUp) learn(o *opened) {
	e.vectors, e.titles, e.golds = map[string][]float32{}, map[string]string{}, map[string][]string{}
	offset, byKey := e.gauss("offset", e.offset), map[string]string{}
	for n := range o.view.All() {
		text := meaning.Text(n)
		v := e.gauss("node "+text, 1)
		add(v, e.gauss("topic "+n.Path, e.topic), 1)
		add(v, offset, 1)
		e.vectors[text], e.titles[n.Title()], e.titles[sentenceOf(n)] = v, text, text
		for _, key := range o.keys[n.ID] {
			byKey[key] = text
		}
	}
	for _, q := range o.questions {
		for _, gold := range q.gold {
			e.golds[q.text] = append(e.golds[q.text], byKey[gold])
		}
	}
}

// sentenceOf is how the text of a node begins, as a model is asked to prove itself.
func sentenceOf(n *node.Node) string { return meaning.FirstSentence(n.Body()) }

// meant is a library in a memory with a made-up embedder.
type meant struct {
	*opened
	memory *fovea.Memory
	e      *madeUp
}

func openMeant(t testing.TB, l library, e madeUp) *meant {
	t.Helper()
	m := &meant{e: &e}
	m.opened, m.memory = openWith(t, l, func(context.Context) (embed.Embedder, error) { return m.e, nil })
	m.e.learn(m.opened)
	if err := m.memory.Meaning().Fill(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return m
}

// ask asks all questions by words and meaning.
func (m *meant) ask(t testing.TB) *figures {
	f, room := newFigures(), m.memory.Meaning()
	for _, q := range m.questions {
		hits, err := byVectors(t, room, m.view, meaning.Hybrid, q.text).Search(q.text, 10, nil, qualityTime)
		if err != nil {
			t.Fatal(err)
		}
		f.ranking(q.kind, m.keysOf(hits), q.gold)
	}
	return f
}

func (m *meant) keysOf(hits []node.Hit) (keys []string) {
	for _, h := range hits {
		keys = append(keys, m.keys[h.Node.ID]...)
	}
	return keys
}

// fusions are what one could do who knew the labels: a share of the best cosine at some
// weights, and the sum of reciprocal ranks.
var fusions = []string{"0.25", "0.5", "1", "2", "4", "rrf"}

// fused ranks by a fusion; "" is the cosine alone.
func (m *meant) fused(t testing.TB, fusion string) *figures {
	f := newFigures()
	for _, q := range m.questions {
		hits, err := m.view.Search(q.text, m.view.Len(), nil, qualityTime)
		if err != nil {
			t.Fatal(err)
		}
		f.ranking(q.kind, m.best(fusion, m.e.vector(embed.Query, q.text), hits), q.gold)
	}
	return f
}

func (m *meant) best(fusion string, asked []float32, hits []node.Hit) (keys []string) {
	type scored struct {
		n                 *node.Node
		words, near, both float64
		rank              int
	}
	words := map[string]scored{}
	for i, h := range hits {
		words[h.Node.ID] = scored{words: h.Score / hits[0].Score, rank: i + 1}
	}
	var all []scored
	for n := range m.view.All() {
		s := words[n.ID]
		s.n, s.near = n, cosine(asked, m.e.vectors[meaning.Text(n)])
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b scored) int { return cmp.Or(cmp.Compare(b.near, a.near), strings.Compare(a.n.ID, b.n.ID)) })
	var weight float64
	_, _ = fmt.Sscan(fusion, &weight)
	top := all[0].near
	for i := range all {
		s := &all[i]
		switch fusion {
		case "":
			s.both = s.near
		case "rrf":
			if s.both = 1 / float64(60+i+1); s.rank > 0 {
				s.both += 1 / float64(60+s.rank)
			}
		default:
			s.both = s.words + weight*s.near/top
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.both, a.both) })
	for _, s := range all[:min(10, len(all))] {
		keys = append(keys, m.keys[s.n.ID]...)
	}
	return keys
}

// shape is how the vectors of documents are distributed.
type shape struct {
	name          string
	topic, offset float64
}

var shapes = []shape{{"plain", 0, 0}, {"topics", 1, 0}, {"topics, off zero", 1, 1}}

// madeUpSeeds are of the vectors of made-up models.
var madeUpSeeds = []string{"1", "2", "3", "4", "5"}

// harmRows prints what search loses by models that know nothing, a row for each seed, so
// that a gain by chance does not hide a loss.
func harmRows(t testing.TB, set []library, s shape, seeds []string, emit printer) {
	t.Helper()
	words := both(set, func(l library) *figures { return ask(t, l, nil, true) })
	for _, kind := range []string{"random", "blind"} {
		for _, seed := range seeds {
			e := madeUp{kind: kind, seed: seed, noise: 1}
			if kind == "blind" {
				e.topic, e.offset = s.topic, s.offset
			}
			f, lost := both(set, func(l library) *figures { return openMeant(t, l, e).ask(t) }), newFigures()
			for _, name := range []string{"R@10", "nDCG"} {
				lost.add(name+" lost", words.mean(name)-f.mean(name))
			}
			emit(kind+" "+seed, lost)
		}
	}
}

// gainRows prints what search gains by models that know, the mean of the seeds.
func gainRows(t testing.TB, set []library, s shape, seeds []string, emit printer) {
	t.Helper()
	words := both(set, func(l library) *figures { return ask(t, l, nil, true) })
	for _, alone := range []float64{.95, .85, .75} {
		emit(fmt.Sprintf("oracle %.2f", alone), oracle(t, set, words, s, alone, seeds))
	}
}

// oracle measures the share of what the best fusion gains that search gains.
func oracle(t testing.TB, set []library, words *figures, s shape, alone float64, seeds []string) *figures {
	t.Helper()
	gain := newFigures()
	for _, seed := range seeds {
		e := madeUp{kind: "oracle", seed: seed, topic: s.topic, offset: s.offset}
		e.noise = noiseFor(t, set, e, alone)
		of := func(measure func(*meant) *figures) *figures {
			return both(set, func(l library) *figures { return measure(openMeant(t, l, e)) })
		}
		best := map[string]float64{}
		for _, fusion := range fusions {
			f := of(func(m *meant) *figures { return m.fused(t, fusion) })
			for _, name := range []string{"R@10", "nDCG"} {
				best[name] = max(best[name], f.mean(name))
			}
		}
		hybrid := of(func(m *meant) *figures { return m.ask(t) })
		for _, name := range []string{"R@10", "nDCG"} {
			gain.add(name, hybrid.mean(name))
			gain.add("share of "+name, (hybrid.mean(name)-words.mean(name))/(best[name]-words.mean(name)))
		}
	}
	return gain
}

// noiseFor returns the noise with which the cosine alone has an R@10.
func noiseFor(t testing.TB, set []library, e madeUp, alone float64) float64 {
	t.Helper()
	var opened []*meant
	for _, l := range set {
		opened = append(opened, openMeant(t, l, e))
	}
	low, high := 0.0, 20.0
	for range 9 {
		middle, f := (low+high)/2, newFigures()
		for _, m := range opened {
			m.e.noise = middle
			for _, q := range m.questions {
				f.ranking(q.kind, m.best("", m.e.vector(embed.Query, q.text), nil), q.gold)
			}
		}
		if f.mean("R@10") > alone {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Round(100*low) / 100
}

// BenchmarkMeaning prints what made-up models cost, with five seeds, and what they gain, for
// LoCoMo and a talk. It takes some minutes.
func BenchmarkMeaning(b *testing.B) {
	sets := map[string][]library{"LoCoMo turns": locomoForms(b).turns, "talk 1": {talkOf(b, 1, foveatest.Size(150_000, 10_000)).asLibrary()}}
	for b.Loop() {
		for _, set := range []string{"LoCoMo turns", "talk 1"} {
			for _, s := range shapes {
				emit := func(title string, f *figures) {
					fmt.Print(set, ", ", s.name, ", ", title)
					for _, n := range f.names {
						fmt.Printf("  %s %.3f", n, f.mean(n))
					}
					fmt.Println()
				}
				harmRows(b, sets[set], s, madeUpSeeds[:foveatest.Size(len(madeUpSeeds), 1)], emit)
				gainRows(b, sets[set], s, madeUpSeeds[:1], emit)
			}
		}
	}
}

// TestMeaning: a model that knows nothing costs nothing, and one that knows gains most of
// what a fusion with labels would.
func TestMeaning(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out the talk of 150,000 tokens")
	}
	set := []library{talkOf(t, 1, 150_000).asLibrary()}
	harmRows(t, set, shapes[2], madeUpSeeds, func(title string, f *figures) {
		for _, name := range f.names {
			if lost := f.mean(name); lost > .01 {
				t.Errorf("%s: %s is %.3f", title, name, lost)
			}
		}
	})
	gainRows(t, set, shapes[1], madeUpSeeds[:1], func(title string, f *figures) {
		for name, least := range map[string]float64{"R@10": .55, "nDCG": .8} { // a steeper weight costs real models more, see decision 0297
			if share := f.mean("share of " + name); share < least {
				t.Errorf("%s gains %.2f of what there is of %s", title, share, name)
			}
		}
	})
}
