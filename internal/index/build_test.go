// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// TestBuildCountsAsTermsSay builds from enough text to grow every table and compares
// each posting with a count over Terms.
func TestBuildCountsAsTermsSay(t *testing.T) {
	var docs []Doc
	for f := range 40 {
		docs = headlines(docs, "node", foveatest.GenFile(f, 10))
	}
	want := map[string]map[string]uint32{} // term -> id -> weight
	total := 0
	for _, d := range docs {
		count := func(text string, weight uint32) {
			for _, term := range Terms(text) {
				if want[term] == nil {
					want[term] = map[string]uint32{}
				}
				want[term][d.ID] += weight
				total += int(weight)
			}
		}
		count(d.Title, titleWeight)
		for _, tag := range d.Tags {
			count(tag, tagWeight)
		}
		eachProse(d.Body, func(piece string) { count(piece, bodyWeight) })
	}
	x := Build(docs)
	s := x.parts[0].segment
	got := map[string]map[string]uint32{}
	for term := range s.terms.len() {
		byID := map[string]uint32{}
		for _, p := range s.postings(nil, term, nil) {
			byID[s.ids.at(int(p.doc))] = p.weight
		}
		got[s.terms.at(term)] = byID
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("weights by term and document (-Terms +built):\n%s", diff)
	}
	if x.length != total || len(want) < 512 {
		t.Errorf("length %d, want %d; %d terms", x.length, total, len(want))
	}
}

func TestLexiconNumbersEachStringOnce(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	x := newLexicon()
	numbers := map[string]uint32{}
	for range 20_000 {
		// Few letters, and lengths around the eight bytes of a number.
		key := make([]byte, 1+rnd.IntN(18))
		for i := range key {
			key[i] = "abc"[rnd.IntN(3)]
		}
		want, known := numbers[string(key)]
		if !known {
			want = uint32(len(numbers))
			numbers[string(key)] = want
		}
		if got, isNew := x.intern(key); got != want || isNew == known {
			t.Fatalf("intern(%q) = %d, %v; want %d, %v", key, got, isNew, want, !known)
		}
	}
	var got, want []string
	for _, n := range x.sorted() {
		got = append(got, string(x.list[n]))
	}
	for key := range numbers {
		want = append(want, key)
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sorted (-want +got):\n%s", diff)
	}
}

func TestPostingsReadBack(t *testing.T) {
	for _, weight := range []uint32{1, 2, 127, 128, 1<<32 - 1} {
		for _, gap := range []uint32{0, 1, 63, 64, 1<<20 - 1} {
			t.Run(fmt.Sprint(gap, " ", weight), func(t *testing.T) {
				list := appendPosting(appendPosting(nil, gap, weight), 0, 1)
				if want := postingSize(gap, weight) + postingSize(0, 1); len(list) != want {
					t.Errorf("%d bytes, postingSize says %d", len(list), want)
				}
				s := &segment{lengths: make([]uint32, gap+2), lists: table{string(list), []int{len(list)}}}
				want := []posting{{gap, weight}, {gap + 1, 1}}
				if diff := cmp.Diff(want, s.postings(nil, 0, nil), cmp.AllowUnexported(posting{})); diff != "" {
					t.Errorf("read back (-want +got):\n%s", diff)
				}
			})
		}
	}
}
