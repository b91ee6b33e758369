// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// reference is textbook BM25 over plain maps, an independent implementation of Search.
func reference(docs map[string]Doc, text string) []Hit {
	weights := map[string]map[string]float64{}
	lengths := map[string]float64{}
	total := 0.0
	for id, d := range docs {
		w := map[string]float64{}
		count := func(text string, weight float64) {
			for _, term := range Terms(text) {
				w[term] += weight
				lengths[id] += weight
				total += weight
			}
		}
		count(d.Title, 3)
		count(strings.Join(d.Tags, " "), 2)
		eachProse(d.Body, func(piece string) { count(piece, 1) })
		weights[id] = w
	}
	var hits []Hit
	for id := range docs {
		score := 0.0
		for _, q := range queryTerms(text) {
			df := 0.0
			for _, w := range weights {
				if w[q.Text] > 0 {
					df++
				}
			}
			tf := weights[id][q.Text]
			n := float64(len(docs))
			idf := math.Log(1 + (n-df+0.5)/(df+0.5))
			score += q.Weight * idf * tf * 2.2 / (tf + 1.2*(0.25+0.75*lengths[id]/(total/n)))
		}
		if score > 0 {
			hits = append(hits, Hit{id, score})
		}
	}
	slices.SortFunc(hits, compareHits)
	return hits
}

// genDoc draws documents over few ids and words, so that they often coincide.
func genDoc(t *rapid.T) Doc {
	words := rapid.SampledFrom([]string{"apple", "apples", "bear", "cat's", "the", "dog", "42", "学习", "x", ":PROPERTIES:\n:ID: q\n:END:\n", "élan"})
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(words, 0, 12).Draw(t, "words"), " ")
	})
	return Doc{
		ID:    rapid.StringMatching(`n[0-9]{1,2}`).Draw(t, "id"),
		Title: text.Draw(t, "title"),
		Tags:  rapid.SliceOfN(words, 0, 2).Draw(t, "tags"),
		Body:  text.Draw(t, "body"),
	}
}

var queries = []string{"apple", "bear cat dog", "the", "the 42", "学习 élan apple apple", "none", ""}

// answers collects the results of all query methods.
func answers(x *Lexical) map[string][]Hit {
	all := map[string][]Hit{}
	for _, q := range queries {
		all[q] = x.Search(Query{Text: q})
	}
	return all
}

// TestHistoryLeavesNoTrace checks the main invariant: after any sequence of updates, an
// index answers and encodes exactly as one built from the remaining documents, and
// earlier versions are unaffected.
func TestHistoryLeavesNoTrace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type version struct {
			index *Lexical
			docs  map[string]Doc
		}
		versions := []version{{nil, map[string]Doc{}}}
		for range rapid.IntRange(1, 12).Draw(t, "updates") {
			from := rapid.SampledFrom(versions).Draw(t, "from")
			add := rapid.SliceOfN(rapid.Custom(genDoc), 0, 8).Draw(t, "add")
			remove := rapid.SliceOfN(rapid.StringMatching(`n[0-9]{1,2}`), 0, 12).Draw(t, "remove")
			docs := map[string]Doc{}
			for id, d := range from.docs {
				if !slices.Contains(remove, id) {
					docs[id] = d
				}
			}
			for _, d := range add {
				docs[d.ID] = d
			}
			versions = append(versions, version{from.index.Update(remove, add), docs})
		}
		for i, v := range versions {
			var docs []Doc
			for _, d := range v.docs {
				docs = append(docs, d)
			}
			fresh := Build(docs)
			if v.index.Len() != len(docs) || fresh.Len() != len(docs) {
				t.Fatalf("version %d: Len %d, built %d, want %d", i, v.index.Len(), fresh.Len(), len(docs))
			}
			got, want := answers(v.index), answers(fresh)
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatalf("version %d (-built +updated):\n%s", i, diff)
			}
			gotBytes, _ := v.index.AppendBinary(nil)
			wantBytes, _ := fresh.AppendBinary(nil)
			if string(gotBytes) != string(wantBytes) {
				t.Fatalf("version %d is written otherwise than one built anew", i)
			}
			for _, q := range queries {
				closeTo := cmpopts.EquateApprox(1e-12, 0)
				byID := cmpopts.SortSlices(func(a, b Hit) int { return cmp.Compare(a.ID, b.ID) })
				if diff := gocmp.Diff(reference(v.docs, q), want[q], closeTo, byID, cmpopts.EquateEmpty()); diff != "" {
					t.Fatalf("version %d, %q (-reference +got):\n%s", i, q, diff)
				}
			}
		}
	})
}

// TestSearchMethodsAgree checks that Search with and without limits and filters, Scores and
// Explain agree.
func TestSearchMethodsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var x *Lexical
		for _, docs := range rapid.SliceOfN(rapid.SliceOfN(rapid.Custom(genDoc), 1, 20), 1, 4).Draw(t, "batches") {
			x = x.Update(nil, docs)
		}
		text := rapid.SampledFrom(queries).Draw(t, "query")
		limit := rapid.IntRange(1, 30).Draw(t, "limit")
		all := x.Search(Query{Text: text})

		if diff := gocmp.Diff(all[:min(limit, len(all))], x.Search(Query{Text: text, Limit: limit}), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("limit %d of %q:\n%s", limit, text, diff)
		}
		keep := func(id string) bool { return id[len(id)-1]%2 == 0 }
		kept := slices.DeleteFunc(slices.Clone(all), func(h Hit) bool { return !keep(h.ID) })
		if diff := gocmp.Diff(kept[:min(limit, len(kept))], x.Search(Query{Text: text, Limit: limit, Keep: keep}), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("filtered %q:\n%s", text, diff)
		}
		var scored []Hit
		for id, score := range x.Scores(text) {
			scored = append(scored, Hit{id, score})
		}
		byID := slices.SortedFunc(slices.Values(all), func(a, b Hit) int { return cmp.Compare(a.ID, b.ID) })
		if diff := gocmp.Diff(byID, scored, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("Scores of %q:\n%s", text, diff)
		}
		for _, hit := range all {
			sum := 0.0
			for _, m := range x.Explain(text, hit.ID) {
				sum += m.Score
			}
			if sum != hit.Score {
				t.Fatalf("Explain of %s for %q adds up to %v, the score is %v", hit.ID, text, sum, hit.Score)
			}
		}
	})
}

func TestPartsStayFewAndAlive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := new(Lexical)
		for n := range rapid.IntRange(1, 400).Draw(t, "steps") {
			id := fmt.Sprint("n", n)
			switch {
			case n%5 == 4:
				x = x.Update([]string{fmt.Sprint("n", n/2)}, nil)
			default:
				x = x.Update(nil, []Doc{{ID: id, Body: "word " + id}})
			}
			after := 0
			for i, p := range slices.Backward(x.parts) {
				if p.live == 0 || p.live < partRatio*after {
					t.Fatalf("step %d: part %d has %d live documents, %d follow", n, i, p.live, after)
				}
				if dead := len(p.lengths) - p.live; 100*dead > maxDeadPercent*len(p.lengths) {
					t.Fatalf("step %d: part %d has %d dead of %d", n, i, dead, len(p.lengths))
				}
				after += p.live
			}
			if after != x.Len() {
				t.Fatalf("step %d: parts hold %d live documents, Len is %d", n, after, x.Len())
			}
		}
	})
}

func TestEmptyIndex(t *testing.T) {
	for name, x := range map[string]*Lexical{
		"nil": nil, "zero": {}, "built": Build(nil),
		"emptied": Build([]Doc{{ID: "a", Body: "b"}}).Update([]string{"a"}, nil),
	} {
		t.Run(name, func(t *testing.T) {
			if x.Len() != 0 || x.Has("a") || x.Search(Query{Text: "b"}) != nil || x.Explain("b", "a") != nil {
				t.Errorf("an empty index returns results")
			}
			for id := range x.Scores("b") {
				t.Errorf("an empty index scores %q", id)
			}
			if x.Update([]string{"zzz"}, nil).Len() != 0 {
				t.Errorf("removing what is not there leaves something")
			}
		})
	}
}

// TestTitleAlone: a node may be a long title and nothing else.
func TestTitleAlone(t *testing.T) {
	x := Build([]Doc{{ID: "a", Title: strings.Repeat("a long title ", 100)}})
	if got := x.Search(Query{Text: "title"}); len(got) != 1 || got[0].ID != "a" {
		t.Errorf("found %v", got)
	}
}

func TestFieldsWeigh(t *testing.T) {
	filler := strings.Repeat("filler words about nothing at all ", 3)
	x := Build([]Doc{
		{ID: "body", Title: "one", Body: "zebra " + filler},
		{ID: "tag", Title: "two", Tags: []string{"zebra"}, Body: filler},
		{ID: "title", Title: "zebra", Body: filler},
		{ID: "none", Title: "four", Body: filler},
	})
	var got []string
	for _, hit := range x.Search(Query{Text: "Zebras"}) {
		got = append(got, hit.ID)
	}
	if diff := gocmp.Diff([]string{"title", "tag", "body"}, got); diff != "" {
		t.Errorf("order of the fields (-want +got):\n%s", diff)
	}
	want := []Match{{Term: "zebra", Weight: 3, Documents: 3}}
	if diff := gocmp.Diff(want, x.Explain("zebra", "title"), cmpopts.IgnoreFields(Match{}, "Score")); diff != "" {
		t.Errorf("explanation (-want +got):\n%s", diff)
	}
}

// TestReadersShareNothing searches one index concurrently while it is updated, for the
// race detector.
func TestReadersShareNothing(t *testing.T) {
	x := Build([]Doc{{ID: "a", Body: "apple bear"}, {ID: "b", Body: "bear"}, {ID: "c", Body: "cat"}})
	want := x.Search(Query{Text: "bear apple"})
	done := make(chan []Hit)
	for range 4 {
		go func() {
			var got []Hit
			for range 100 {
				got = x.Search(Query{Text: "bear apple"})
				x.Update([]string{"a"}, []Doc{{ID: "d", Body: "bear"}})
			}
			done <- got
		}()
	}
	for range 4 {
		if diff := gocmp.Diff(want, <-done); diff != "" {
			t.Errorf("with concurrent readers:\n%s", diff)
		}
	}
}

// TestTopTerms checks that only the rarest terms of a long text are used, and all terms
// of a short one.
func TestTopTerms(t *testing.T) {
	var docs []Doc
	for i := range 40 {
		docs = append(docs, Doc{ID: fmt.Sprint(i), Body: "common words everywhere"})
	}
	docs[7].Body += " quokka"
	docs[9].Body += " numbat"
	x := Build(docs)
	long := "common words everywhere quokka numbat"
	ids := func(hits []Hit) (out []string) {
		for _, h := range hits {
			out = append(out, h.ID)
		}
		return out
	}
	if got := ids(x.Search(Query{Text: long, Terms: 2})); !slices.Equal(got, []string{"7", "9"}) {
		t.Errorf("two heaviest terms find %v, want 7 and 9", got)
	}
	if got, want := x.Search(Query{Text: long, Terms: 5}), x.Search(Query{Text: long}); !slices.Equal(got, want) {
		t.Errorf("as many terms as there are find %v, want %v", got, want)
	}
	var later *Lexical
	for _, d := range docs {
		later = later.Update(nil, []Doc{{ID: d.ID, Body: "quokka numbat common"}}).Update(nil, []Doc{d})
	}
	for most := range 5 {
		q := Query{Text: long, Terms: most}
		if got, want := later.Search(q), x.Search(q); !slices.Equal(got, want) {
			t.Errorf("%d terms: after a history %v, built fresh %v", most, got, want)
		}
	}
}

// TestTopTermsMatchFullRanking checks that skipping common terms early chooses the same
// terms as ranking all of them.
func TestTopTermsMatchFullRanking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"alpha", "beta", "gamma", "delta", "river", "stone", "cloud", "meadow", "forest", "unseen"})
		text := func(name string, most int) string {
			return strings.Join(rapid.SliceOfN(word, 0, most).Draw(t, name), " ")
		}
		var docs []Doc
		for i := range rapid.IntRange(1, 20).Draw(t, "documents") {
			docs = append(docs, Doc{ID: fmt.Sprint(i), Body: text("body", 6)})
		}
		x := Build(docs).Update([]string{"0"}, []Doc{{ID: "x", Body: text("later", 6)}})
		terms, most := queryTerms(text("query", 30)), rapid.IntRange(1, 6).Draw(t, "most")
		s, formula := new(scratch), x.formula()
		weight := func(q Term) float64 {
			if x.loadPostings(q.Text, s); s.docFreq == 0 {
				return 0
			}
			return formula.idf(s.docFreq, q.Weight)
		}
		want := slices.Clone(terms)
		if len(terms) > most {
			slices.SortFunc(want, func(a, b Term) int {
				return cmp.Or(cmp.Compare(weight(b), weight(a)), strings.Compare(a.Text, b.Text))
			})
			want = want[:most]
			kept := func(q Term) bool { return weight(q) == 0 || !slices.Contains(want, q) }
			want = slices.DeleteFunc(slices.Clone(terms), kept)
		}
		if got := x.topTerms(terms, most); !slices.Equal(got, want) {
			t.Fatalf("of %v at most %d: got %v, want %v", terms, most, got, want)
		}
	})
}
