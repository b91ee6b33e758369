// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"cmp"
	"hash/fnv"
	"math"
	"slices"

	"github.com/kljensen/snowball/english"
)

// Lift measures how closely the documents of a file are related.
type Lift struct {
	// Neighbours is how much more alike neighbours are than documents of the same file
	// that are further apart: 1 if the order means nothing.
	Neighbours float64
	// File is how much more alike the documents of the file are than any two documents.
	File float64
}

// Limits of the text read to measure a lift, and of its noise.
const (
	maxLiftDocs  = 64  // documents of a file that are read
	liftRun      = 8   // documents read one after the other
	maxLiftBytes = 512 // of the text of each
	maxSample    = 256 // documents of the sample of the whole index
	maxSampled   = 32  // files of the sample
	liftPrior    = 20  // pairs of the whole index that are added to those of a file
)

// likeness is a sum of cosines.
type likeness struct {
	sum   float64
	pairs float64
}

func (l *likeness) add(cosine float64) { l.sum, l.pairs = l.sum+cosine, l.pairs+1 }

func (l *likeness) join(o likeness) { l.sum, l.pairs = l.sum+o.sum, l.pairs+o.pairs }

func (l likeness) mean() float64 { return l.sum / max(l.pairs, 1) }

// shrunk is the mean with liftPrior more pairs of the given mean.
func (l likeness) shrunk(mean float64) float64 {
	return (l.sum + liftPrior*mean) / (l.pairs + liftPrior)
}

// cohesion is the likeness of near and of far documents of a file. It depends only on that file.
type cohesion struct{ near, far likeness }

// pool has the statistics of the sample. It is immutable.
type pool struct {
	files  []*File // that were read
	whole  cohesion
	random likeness // of any two documents
	words  *rarity  // in the sample
}

// liftMemo keeps the lift of a file for a pool.
type liftMemo struct {
	own  *cohesion
	pool *pool
	lift Lift
}

// Lift measures file n, or returns the earlier measurement. text returns the text of a
// document. Only the first maxLiftBytes of at most maxLiftDocs documents are read; what
// was measured is kept until the file changes.
func (o *Order) Lift(n int, text func(id string) string) Lift {
	f, p := o.files[n], o.poolOf(text)
	memo := f.lift.Load()
	if memo != nil && memo.pool == p {
		return memo.lift
	}
	next := &liftMemo{pool: p}
	docs := f.read(text)
	if memo != nil {
		next.own = memo.own
	} else {
		next.own = cohesionOf(docs, nil)
	}
	near, far := next.own.near.shrunk(p.whole.near.mean()), next.own.far.shrunk(p.whole.far.mean())
	next.lift = Lift{Neighbours: ratio(near, far), File: ratio(p.alike(docs).shrunk(p.random.mean()), p.random.mean())}
	f.lift.Store(next)
	return next.lift
}

// ratio is a/b, 1 if b is too small.
func ratio(a, b float64) float64 {
	const least = 1e-9
	if b < least {
		return 1
	}
	return a / b
}

// sampled is a document that was read to measure lift.
type sampled struct {
	local int
	words []word // by hash
}

type word struct {
	hash  uint32
	count float64
}

// read reads documents of a file: all, or runs that are evenly spread.
func (f *File) read(text func(id string) string) []sampled {
	var docs []sampled
	add := func(local int) { docs = append(docs, sampled{local, wordsIn(text(f.IDs[local]))}) }
	n := len(f.IDs)
	if n <= maxLiftDocs {
		for i := range n {
			add(i)
		}
		return docs
	}
	const runs = maxLiftDocs / liftRun
	for r := range runs {
		start := r * (n - liftRun) / (runs - 1)
		for i := start; i < start+liftRun; i++ {
			add(i)
		}
	}
	return docs
}

// wordsIn returns the distinct words at the beginning of a text.
func wordsIn(text string) []word {
	var s scanner
	s.reset(text[:min(len(text), maxLiftBytes)])
	var words []word
	for s.next() {
		if s.plain && english.IsStopWord(string(s.word)) {
			continue
		}
		words = append(words, word{hashOf(s.word), 1})
	}
	slices.SortFunc(words, func(a, b word) int { return cmp.Compare(a.hash, b.hash) })
	out := words[:0]
	for _, w := range words {
		if n := len(out); n > 0 && out[n-1].hash == w.hash {
			out[n-1].count++
			continue
		}
		out = append(out, w)
	}
	return out
}

// hashOf is the same in every process.
func hashOf(word []byte) uint32 {
	h := fnv.New32a()
	h.Write(word)
	return h.Sum32()
}

// rarity counts in how many documents words are.
type rarity struct {
	docs  int
	words map[uint32]int // documents that have a word, by hash
}

// rarityIn counts the words of docs.
func rarityIn(docs []sampled) *rarity {
	r := &rarity{len(docs), map[uint32]int{}}
	for _, d := range docs {
		for _, w := range d.words {
			r.words[w.hash]++
		}
	}
	return r
}

// of returns the idf of a word.
func (r *rarity) of(hash uint32) float64 {
	df := r.words[hash]
	return math.Log(1 + (float64(r.docs-df)+0.5)/(float64(df)+0.5))
}

// weigh turns the counts of words into the components of unit vectors.
func weigh(docs []sampled, r *rarity) [][]word {
	out := make([][]word, len(docs))
	for i, d := range docs {
		v, sum := slices.Clone(d.words), 0.0
		for j, w := range v {
			v[j].count = (1 + math.Log(w.count)) * r.of(w.hash)
			sum += v[j].count * v[j].count
		}
		for j := range v {
			v[j].count /= math.Sqrt(sum)
		}
		out[i] = v
	}
	return out
}

// cosine is the product of two unit vectors.
func cosine(a, b []word) (sum float64) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].hash < b[0].hash:
			a = a[1:]
		case a[0].hash > b[0].hash:
			b = b[1:]
		default:
			sum += a[0].count * b[0].count
			a, b = a[1:], b[1:]
		}
	}
	return sum
}

// cohesionOf compares neighbours, and documents more than wideRadius apart. It leaves out pairs
// for which comparable, which may be nil, returns false.
func cohesionOf(docs []sampled, comparable func(a, b sampled) bool) *cohesion {
	const partners = 3 // of each document, further apart
	c := &cohesion{}
	v := weigh(docs, rarityIn(docs))
	n := len(docs)
	for i := range n {
		for k := 1; k <= nearRadius; k++ {
			if i+k < n && docs[i+k].local == docs[i].local+k && (comparable == nil || comparable(docs[i], docs[i+k])) {
				c.near.add(cosine(v[i], v[i+k]))
			}
		}
		for k := 1; k <= nearRadius; k++ {
			for far := range partners {
				if j := i + k + (wideRadius+1)*(far+1); j < n && (comparable == nil || comparable(docs[i], docs[j])) {
					c.far.add(cosine(v[i], v[j]))
				}
			}
		}
	}
	return c
}

// pairs calls f for pairs of n documents: for all, or for the same number of others for each.
func pairs(n int, f func(i, j int)) {
	const all, others = 17, 8
	if n <= all {
		for i := range n {
			for j := i + 1; j < n; j++ {
				f(i, j)
			}
		}
		return
	}
	for i := range n {
		for k := range others {
			f(i, (i+1+k*(n/2-1)/(others-1))%n)
		}
	}
}

// poolOf returns the pool of the sample: the earlier one if no file of the sample
// changed since.
func (o *Order) poolOf(text func(id string) string) *pool {
	o.once.Do(func() {
		files, p := o.sample(), o.before
		if p == nil || !slices.Equal(p.files, files) {
			p = newPool(files, text)
		}
		o.pool.Store(p)
	})
	return o.pool.Load()
}

// sample chooses files by their paths, so that the choice outlives most changes.
func (o *Order) sample() []*File {
	files := slices.Clone(o.files)
	hash := func(f *File) uint64 {
		h := fnv.New64a()
		h.Write([]byte(f.Path))
		return h.Sum64()
	}
	if len(files) > maxSampled {
		slices.SortFunc(files, func(a, b *File) int { return cmp.Compare(hash(a), hash(b)) })
		files = files[:maxSampled]
	}
	return files
}

func newPool(files []*File, text func(id string) string) *pool {
	p := &pool{files: files}
	var docs []sampled
	each := max(1, maxSample/max(1, len(files)))
	for _, f := range files {
		read := f.read(text)
		own := cohesionOf(read, nil)
		p.whole.near.join(own.near)
		p.whole.far.join(own.far)
		n := min(each, len(read))
		for i := range n {
			docs = append(docs, read[i*len(read)/n])
		}
	}
	p.words = rarityIn(docs)
	v := weigh(docs, p.words)
	pairs(len(v), func(i, j int) { p.random.add(cosine(v[i], v[j])) })
	return p
}

// alike compares documents of one file with each other, by words that are rare in the whole
// index.
func (p *pool) alike(docs []sampled) (l likeness) {
	v := weigh(docs, p.words)
	pairs(len(v), func(i, j int) { l.add(cosine(v[i], v[j])) })
	return l
}
