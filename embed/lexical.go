// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"context"
	"hash/fnv"
	"math"
	"strconv"

	"github.com/kljensen/snowball/english"

	"github.com/fovea-memory/fovea/internal/index"
)

// The built-in vectors.
const (
	lexicalName = "lexical"
	lexicalDim  = 768
	// Weights relative to a content word: of a function word, and of all 3- and 4-grams
	// of a word together.
	stopWeight = 0.1
	gramWeight = 1
)

// lexical embeds texts by the hashes of their stems and of the 3- and 4-grams of the stems.
// The weight of a stem grows with the logarithm of its count and the root of its length,
// and is small for English function words. A vector depends only on its text. It finds
// inflected and misspelt words, but no synonyms.
type lexical struct{ model Model }

func newLexical() *lexical {
	return &lexical{Model{
		Name: lexicalName, Kind: KindLexical, Dim: lexicalDim, Lexical: true,
		Fingerprint: fingerprint(lexicalName, "1", index.AnalyzerVersion, strconv.Itoa(lexicalDim)),
	}}
}

// Model returns the one model of this embedder.
func (l *lexical) Model() Model { return l.model }

// Embed never fails as a whole, unless the context has ended.
func (l *lexical) Embed(ctx context.Context, _ Purpose, texts []string) ([]Result, error) {
	results := make([]Result, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		results[i] = lexicalVector(text)
	}
	return results, nil
}

func lexicalVector(text string) Result {
	counts := map[string]int{}
	var order []string // sums of floats depend on the order
	for _, term := range index.Terms(text) {
		if counts[term]++; counts[term] == 1 {
			order = append(order, term)
		}
	}
	if len(order) == 0 {
		return Result{Err: ErrEmpty}
	}
	v := make([]float32, lexicalDim)
	for _, term := range order {
		weight := 1 + math.Log(float64(counts[term]))
		if english.IsStopWord(term) {
			weight *= stopWeight
		}
		addTerm(v, term, weight*math.Sqrt(float64(min(len(term), 8))))
	}
	if err := unit(v); err != nil {
		return Result{Err: err}
	}
	return Result{Vector: v}
}

// addTerm adds a term and its grams. The ends of a term are marked, so that grams at the
// beginning differ from grams in the middle.
func addTerm(v []float32, term string, weight float64) {
	addHash(v, "w"+term, weight)
	runes := []rune("^" + term + "$")
	grams := max(0, len(runes)-2) + max(0, len(runes)-3)
	if len(runes) < 5 { // the grams of a short word are little but itself
		return
	}
	each := weight * gramWeight / math.Sqrt(float64(grams))
	for n := 3; n <= 4; n++ {
		for i := 0; i+n <= len(runes); i++ {
			addHash(v, "g"+string(runes[i:i+n]), each)
		}
	}
}

// addHash adds weight at the place, and with the sign, that the hash of key gives.
func addHash(v []float32, key string, weight float64) {
	h := hash64(key)
	if h>>63 == 1 {
		weight = -weight
	}
	v[h%uint64(len(v))] += float32(weight)
}

// hash64 is FNV-1a with the last step of MurmurHash3, which mixes the low bits: the
// same on every machine.
func hash64(key string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(key))
	x := h.Sum64()
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}
