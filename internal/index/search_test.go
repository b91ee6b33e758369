// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// vocabulary draws words from a skewed distribution: from words that nearly every
// document has to words that few have.
type vocabulary struct {
	rnd  *rand.Rand
	zipf *rand.Zipf
}

func newVocabulary(seed uint64, skew float64) vocabulary {
	rnd := rand.New(rand.NewPCG(seed, 7))
	return vocabulary{rnd, rand.NewZipf(rnd, skew, 1, 400)}
}

func (v vocabulary) text(words int) string {
	var b strings.Builder
	for range words {
		fmt.Fprintf(&b, "q%dz ", v.zipf.Uint64())
	}
	return b.String()
}

func (v vocabulary) docs(from, n int, even bool) []Doc {
	docs := make([]Doc, n)
	for i := range docs {
		words := 6
		if !even {
			words = 1 + v.rnd.IntN(30)
		}
		docs[i] = Doc{ID: v.docID(from + i), Body: v.text(words)}
		if !even && v.rnd.IntN(8) == 0 {
			docs[i].Title = v.text(2)
		}
	}
	return docs
}

// TestTopHitsEqualFullSearch checks that a limit returns, bit for bit, the first hits of a
// full search: with long lists, several parts, dead documents, equal scores and
// filters.
func TestTopHitsEqualFullSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := newVocabulary(rapid.Uint64().Draw(t, "seed"), rapid.SampledFrom([]float64{1.01, 1.3, 2.5}).Draw(t, "skew"))
		even := rapid.Bool().Draw(t, "even") // all documents of one length
		n := rapid.IntRange(1, 1500).Draw(t, "documents")
		x := Build(v.docs(0, n, even))
		for range rapid.IntRange(0, 4).Draw(t, "updates") {
			more := rapid.SampledFrom([]int{1, 20, 200}).Draw(t, "more")
			var gone []string
			if share := rapid.SampledFrom([]int{0, 1, 20}).Draw(t, "percent gone"); share > 0 {
				first := v.rnd.IntN(n)
				for i := first; i < min(n, first+1+n*share/100); i++ {
					gone = append(gone, v.docID(i))
				}
			}
			x = x.Update(gone, v.docs(n, more, even))
			n += more
		}
		for range 8 {
			q := Query{
				Text:  v.text(rapid.SampledFrom([]int{1, 2, 3, 12}).Draw(t, "words")),
				Limit: rapid.SampledFrom([]int{1, 3, 10, 200, 5000}).Draw(t, "limit"),
			}
			if rapid.Bool().Draw(t, "filtered") {
				mod := rapid.IntRange(2, 40).Draw(t, "of")
				q.Keep = func(id string) bool { return int(id[len(id)-1])%mod == 0 || len(id)%mod == 0 }
			}
			want := x.Search(Query{Text: q.Text, Keep: q.Keep})
			got := x.Search(q)
			if diff := gocmp.Diff(want[:min(q.Limit, len(want))], got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("%q, limit %d of %d (-all +best):\n%s", q.Text, q.Limit, len(want), diff)
			}
		}
	})
}

func (vocabulary) docID(i int) string { return fmt.Sprintf("%04x-%d", uint16(i*40503), i) }
