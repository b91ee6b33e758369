// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/fovea-memory/fovea/internal/bound"
)

// Parameters of BM25: k1 limits the effect of repeated words, b is the strength of
// length normalization. These are the values of Robertson and Walker. With 0.9 and 0.4,
// which Trotman, Jia and Crane (2012) found best over many collections, conversations in
// short turns gain 0.005 of R@10, and talk with an assistant, where remarks stand among
// long answers, loses 0.08 to 0.12.
const (
	k1 = 1.2
	b  = 0.75
)

// Query is a query to the lexical index.
type Query struct {
	// Text is any text. Its terms are combined with OR; see QuestionTerms. A term that
	// occurs n times counts n times.
	Text string
	// Limit is the maximum number of hits; 0 or less means no limit.
	Limit int
	// Keep, if not nil, decides whether a document may become a hit. It must always
	// return the same result for the same id. It is called from one goroutine, and only
	// for documents whose score suffices.
	Keep func(id string) bool
	// Terms is the maximum number of terms used: those with the highest weight, which
	// are the rare and the repeated ones. 0 or less means all. It is meant for long
	// texts, whose common words match everything.
	Terms int
}

// Hit is one search result.
type Hit struct {
	ID    string
	Score float64 // above 0; comparable within one answer only
}

// compareHits orders hits by falling score, then by id.
func compareHits(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.ID, b.ID))
}

// Search returns the documents that have a term of the query, best first, equal scores
// by id. The score is BM25 with the statistics of all documents, including any that
// Keep rejects. O(postings of the terms).
func (x *Lexical) Search(q Query) []Hit {
	if x.Len() == 0 {
		return nil
	}
	s := scratches.Get().(*scratch)
	defer s.release()
	x.score(x.topTerms(queryTerms(q.Text), q.Terms), s)
	limit := q.Limit
	if limit <= 0 {
		limit = len(s.touched)
	}
	top := bound.NewTop(limit, func(a, b Hit) bool { return compareHits(a, b) > 0 }, nil)
	for _, slot := range s.touched {
		score := s.scores[slot]
		if worst, full := top.Worst(); full && score < worst.Score {
			continue
		}
		id := x.id(slot)
		if q.Keep == nil || q.Keep(id) {
			top.Add(Hit{id, score})
		}
	}
	return top.Sorted()
}

// scratch is the working memory of one search.
type scratch struct {
	scores  []float64 // by slot, the number of a document across all parts; 0 between uses
	touched []uint32  // slots with a score above 0
	lists   [][]posting
	docFreq int // number of postings in lists
}

// scratches is reused between searches, so that a search allocates only its answer.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

// release clears s and returns it to the pool.
func (s *scratch) release() {
	for _, slot := range s.touched {
		s.scores[slot] = 0
	}
	s.touched = s.touched[:0]
	scratches.Put(s)
}

// score fills scores and touched of s. Terms are added in query order in every part, so
// the sum of floats depends on nothing else.
func (x *Lexical) score(terms []Term, s *scratch) {
	slots := 0
	for _, p := range x.parts {
		slots += len(p.lengths)
	}
	if len(s.scores) < slots {
		s.scores = make([]float64, slots)
	}
	formula := x.formula()
	for _, q := range terms {
		x.loadPostings(q.Text, s)
		idf := formula.idf(s.docFreq, q.Weight)
		first := 0
		for i, p := range x.parts {
			scores := s.scores[first : first+len(p.lengths)]
			for _, hit := range s.lists[i] {
				if scores[hit.doc] == 0 {
					s.touched = append(s.touched, uint32(first)+hit.doc)
				}
				scores[hit.doc] += formula.termScore(idf, hit.weight, p.lengths[hit.doc])
			}
			first += len(p.lengths)
		}
	}
}

// topTerms returns the limit terms with the highest weight, in their original order; 0
// or less means all.
func (x *Lexical) topTerms(terms []Term, limit int) []Term {
	if limit <= 0 || len(terms) <= limit {
		return terms
	}
	formula := x.formula()
	weights := make(map[string]float64, len(terms))
	for _, q := range terms {
		if n := x.docFreq(q.Text); n > 0 {
			weights[q.Text] = formula.idf(n, q.Weight)
		}
	}
	ranked := slices.Clone(terms)
	slices.SortFunc(ranked, func(a, b Term) int {
		return cmp.Or(cmp.Compare(weights[b.Text], weights[a.Text]), strings.Compare(a.Text, b.Text))
	})
	for _, q := range ranked[limit:] {
		delete(weights, q.Text)
	}
	return slices.DeleteFunc(slices.Clone(terms), func(q Term) bool {
		_, chosen := weights[q.Text]
		return !chosen
	})
}

// docFreq returns the number of live documents that have term.
func (x *Lexical) docFreq(term string) int {
	s := scratches.Get().(*scratch)
	defer s.release()
	x.loadPostings(term, s)
	return s.docFreq
}

// IDF returns the weight of a term: the higher, the rarer it is.
func (x *Lexical) IDF(term string) float64 {
	if x.Len() == 0 {
		return 0
	}
	return x.formula().idf(x.docFreq(term), 1) / (k1 + 1)
}

// loadPostings fills lists and docFreq of s with the live postings of term. Counting
// live postings here keeps the statistics those of the live documents.
func (x *Lexical) loadPostings(term string, s *scratch) {
	for len(s.lists) < len(x.parts) {
		s.lists = append(s.lists, nil)
	}
	s.docFreq = 0
	for i, p := range x.parts {
		s.lists[i] = s.lists[i][:0]
		if t, ok := p.terms.find(term); ok {
			s.lists[i] = p.postings(s.lists[i], t, p.dead)
		}
		s.docFreq += len(s.lists[i])
	}
}

// id returns the id of the document at slot.
func (x *Lexical) id(slot uint32) string {
	i := 0
	for int(slot) >= len(x.parts[i].lengths) {
		slot -= uint32(len(x.parts[i].lengths))
		i++
	}
	return x.parts[i].ids.at(int(slot))
}

// bm25 is the ranking function with the statistics of one index.
type bm25 struct {
	docs      float64
	perLength float64
}

func (x *Lexical) formula() bm25 {
	return bm25{docs: float64(x.docs), perLength: k1 * b * float64(x.docs) / float64(max(x.length, 1))}
}

// idf returns the weight of a term with the given document frequency and weight in the
// query. It is always above 0.
func (f bm25) idf(documents int, weight float64) float64 {
	df := float64(documents)
	return weight * (k1 + 1) * math.Log(1+(f.docs-df+0.5)/(df+0.5))
}

// lengthFactor is by how much a document of a length counts as longer than the mean.
func (f bm25) lengthFactor(length uint32) float64 {
	return (1 - b) + f.perLength*float64(length)/k1
}

// termScore returns the score of one term in one document. The conversion to float64
// stops compilers from fusing the product into the sum, which would change the bits.
func (f bm25) termScore(idf float64, weight, length uint32) float64 {
	tf := float64(weight)
	return idf * tf / (tf + (k1*(1-b) + float64(f.perLength*float64(length))))
}
