// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bench

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kljensen/snowball/english"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// asLibrary returns a talk as a file for each session and a headline for each message,
// with the role as its title.
func (k talk) asLibrary() library {
	var l library
	for i, s := range k.sessions {
		d := file{path: fmt.Sprintf("talk-%03d.org", i+1)}
		var b strings.Builder
		fmt.Fprintf(&b, "#+title: Talk %d\n#+date: %s\n", i+1, s.date)
		for _, m := range s.messages {
			role := map[string]string{"user": "Me", "assistant": "Assistant"}[m.role]
			fmt.Fprintf(&b, "* %s\n:PROPERTIES:\n:SPEAKER: %s\n:DATE: [%s]\n:END:\n%s", role, role, s.date, orgBody(m.text))
			d.headlines = append(d.headlines, []passage{{m.id, m.text}})
		}
		d.text = b.String()
		l.documents = append(l.documents, d)
	}
	for _, q := range k.questions {
		l.questions = append(l.questions, question{q.text, q.ability, q.evidence})
	}
	return l
}

// talkOf generates the talk of a seed from the prose of the corpus.
func talkOf(t testing.TB, seed uint32, tokens int) talk {
	t.Helper()
	return talkIn(t, seed, tokens, nil)
}

// talkIn is talkOf in other words, if there are any.
func talkIn(t testing.TB, seed uint32, tokens int, words map[string][]string) talk {
	t.Helper()
	foveatest.Testdata(t)
	paras, err := corpusProse()
	if err != nil {
		t.Fatal(err)
	}
	return generateTalk(seed, tokens, paras, words)
}

// corpusProse returns the prose of the corpus, which is read once.
var corpusProse = sync.OnceValues(func() ([]paragraph, error) {
	return prose(filepath.Join(os.Getenv(foveatest.TestdataEnv), "corpus", "org"))
})

// plainBM25 is BM25 over whole passages, with English stems and stop words.
type plainBM25 struct {
	k1, b   float64
	keys    []string
	counts  []map[string]int
	lengths []float64
	mean    float64
	in      map[string]int // number of passages by term
}

func newPlain(l library, k1, b float64) *plainBM25 {
	p := &plainBM25{k1: k1, b: b, in: map[string]int{}}
	for _, d := range l.documents {
		for _, passages := range d.headlines {
			for _, x := range passages {
				counts, length := map[string]int{}, 0.0
				for _, term := range stems(x.text) {
					counts[term]++
					length++
				}
				for term := range counts {
					p.in[term]++
				}
				p.keys, p.counts, p.lengths, p.mean = append(p.keys, x.key), append(p.counts, counts), append(p.lengths, length), p.mean+length
			}
		}
	}
	p.mean /= float64(len(p.keys))
	return p
}

// search returns the keys of the passages that share a term with a text, best first.
func (p *plainBM25) search(text string) []string {
	score := map[string]float64{}
	for _, term := range stems(text) {
		n := float64(p.in[term])
		idf := math.Log(1 + (float64(len(p.keys))-n+.5)/(n+.5))
		for i, counts := range p.counts {
			if f := float64(counts[term]); f > 0 {
				score[p.keys[i]] += idf * f * (p.k1 + 1) / (f + p.k1*(1-p.b+p.b*p.lengths[i]/p.mean))
			}
		}
	}
	found := sortedKeys(score)
	slices.SortStableFunc(found, func(x, y string) int { return cmp.Compare(score[y], score[x]) })
	return found
}

func stems(text string) (terms []string) {
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		if !english.IsStopWord(word) {
			terms = append(terms, english.Stem(word, true))
		}
	}
	return terms
}

// rankedPlain measures plain BM25 on a library.
func rankedPlain(l library, k1, b float64) *figures {
	p, f := newPlain(l, k1, b), newFigures()
	for _, q := range l.questions {
		f.ranking(q.kind, p.search(q.text), q.gold)
	}
	return f
}

// TestTalk holds the generator to the bytes that its Python twin makes.
func TestTalk(t *testing.T) {
	paras := paragraphs(strings.Repeat("* A heading of some kind :tag:\n"+strings.Repeat("Some words stand in [[a][links]] here. ", 9)+"\n\n", 5))
	for name, c := range map[string]struct {
		words map[string][]string
		want  string
	}{
		"words":       {nil, "f7ddc845fb08036ae7920113efe8c17d785d7d2d2e3975e787dd0f05793bfef3"},
		"other words": {otherWords, "d8c8484df22c3ab55e68d433370965a6003491224dfcce63d658e4547f9ec9e6"},
	} {
		sum := sha256.New()
		k := generateTalk(7, 30_000, paras, c.words)
		for _, s := range k.sessions {
			for _, m := range s.messages {
				fmt.Fprintln(sum, s.date, m.id, m.role, m.text)
			}
		}
		for _, q := range k.questions {
			fmt.Fprintln(sum, q.ability, q.text, strings.Join(q.evidence, " "))
		}
		if got := fmt.Sprintf("%x", sum.Sum(nil)); got != c.want {
			t.Errorf("the talk in %s has the digest %s, want %s", name, got, c.want)
		}
	}
}
