// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package text

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLine is the cost in quarters of a token above which a line of a listing is cut.
const maxLine = maxSentence

// ExcerptLine is a line of a listing. Lines of lower rank are chosen first, and lines of equal
// rank in order.
type ExcerptLine struct {
	Text string // without a line end
	Rank int
}

// ExcerptOfLines returns an excerpt whose passages are lines. Long ones are cut. No passage is
// chosen yet. O(n log n) for n lines.
func ExcerptOfLines(lines []ExcerptLine) *Excerpt {
	x := &Excerpt{passages: make([]passage, 0, len(lines)), order: make([]int32, 0, len(lines))}
	var body strings.Builder
	ranks := make([]int, 0, len(lines))
	for i, l := range lines {
		text, cost, cut := cutLine(l.Text)
		if strings.TrimSpace(text) == "" {
			continue
		}
		start := body.Len()
		body.WriteString(text)
		x.order = append(x.order, int32(len(x.passages)))
		ranks = append(ranks, l.Rank)
		x.passages = append(x.passages, passage{start: int32(start), end: int32(body.Len()), group: int32(i), cost: int32(cost + 1), cut: cut})
		body.WriteByte('\n')
	}
	x.body = body.String()
	slices.SortStableFunc(x.order, func(a, b int32) int { return cmp.Compare(ranks[a], ranks[b]) })
	return x
}

// cutLine returns the beginning of a line that costs at most maxLine.
func cutLine(text string) (cut string, cost int, more bool) {
	for i, r := range text {
		if r == '\n' || r == '\r' || cost+letterCost(r) > maxLine {
			return text[:i], cost, true
		}
		cost += letterCost(r)
	}
	return text, cost, false
}

// NewSummary is NewExcerpt with the passages ordered by how well they represent the whole text:
// the opening, passages that match the question, and then passages with most of the words that
// the text repeats. Text marks every omission with an ellipsis. O(len(body) + n log n) for n
// passages.
func NewSummary(body string, question Matcher) *Excerpt {
	x := NewExcerpt(body, question)
	x.marked = true
	if len(x.passages) == 0 {
		return x
	}
	central := x.central()
	slices.SortStableFunc(x.order[x.matching:], func(a, b int32) int { return cmp.Compare(central[b], central[a]) })
	at := slices.Index(x.order, 0)
	copy(x.order[1:at+1], x.order[:at])
	x.order[0] = 0
	if at >= x.matching && x.matching > 0 {
		x.matching++
	}
	return x
}

// MatchFirst puts the passage that matches the question best before the opening, in case
// only one passage is chosen.
func (x *Excerpt) MatchFirst() {
	if o := x.order; len(o) > 1 && x.passages[o[1]].score > x.passages[o[0]].score {
		o[0], o[1] = o[1], o[0]
	}
}

// ChooseBest chooses the best passage alone, whatever it costs, and leaves out the lead.
func (x *Excerpt) ChooseBest() {
	x.led = false
	for i := range x.passages {
		x.passages[i].chosen = int32(i) == x.order[0]
	}
}

// central returns how well each passage represents the text, by the weights of its words. A
// word weighs more if more passages have it, but less if most have it. The first passage of a
// paragraph counts more, because it often announces the rest.
func (x *Excerpt) central() []float64 {
	const firstBonus = 1.25
	numbers, counts := map[string]int32{}, []int32(nil)
	found, ends := x.terms(func(found []int32, text string) []int32 {
		for w := range wordsOf(text) {
			n, known := numbers[w]
			if !known {
				n = int32(len(counts))
				numbers[w], counts = n, append(counts, 0)
			}
			found = append(found, n)
		}
		return found
	})
	for _, n := range found {
		counts[n]++
	}
	total, first := float64(len(x.passages)), 0
	scores := make([]float64, len(x.passages))
	for i, end := range ends {
		for _, n := range found[first:end] {
			c := float64(counts[n])
			scores[i] += (c - 1) / c * math.Log(c) * math.Log(1+total/c)
		}
		scores[i] /= math.Sqrt(float64(8 + end - first))
		if i == 0 || x.passages[i-1].group != x.passages[i].group {
			scores[i] *= firstBonus
		}
		first = end
	}
	return scores
}

// wordsOf yields the words of a text in lower case: runs of at least three letters and digits,
// and each letter of a script that is written without blanks.
func wordsOf(text string) func(yield func(string) bool) {
	const short, wide = 3, 0x2E80
	return func(yield func(string) bool) {
		start, letters := -1, 0
		for i, r := range text + " " {
			isWord := unicode.IsLetter(r) || unicode.IsDigit(r)
			if isWord && r < wide {
				if start < 0 {
					start, letters = i, 0
				}
				letters++
				continue
			}
			if start >= 0 && letters >= short && !yield(strings.ToLower(text[start:i])) {
				return
			}
			start = -1
			if isWord && !yield(string(r)) {
				return
			}
		}
	}
}

// Lead puts a text before the passages, such as a summary. [Excerpt.Choose] keeps it if it
// costs at most half of the limit.
func (x *Excerpt) Lead(text string) {
	x.lead, x.leadCost = text, costOf(text)
}

// HasLead reports whether the last choice of passages kept the lead.
func (x *Excerpt) HasLead() bool { return x.led }

// Clone returns a copy in which other passages can be chosen.
func (x *Excerpt) Clone() *Excerpt {
	with := *x
	with.passages = slices.Clone(x.passages)
	return &with
}

// Words returns the set of significant words of a text, in lower case. Words of one or
// two letters and stop words are left out.
func Words(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, isNoWord) {
		if word = strings.ToLower(word); utf8.RuneCountInString(word) > 2 && !stopWords[word] {
			set[word] = true
		}
	}
	return set
}

// SharedWords returns the words of query, which are in lower case, that occur in a text, in the order of their
// first occurrence.
func SharedWords(text string, query map[string]bool) (shared []string) {
	for word := range strings.FieldsFuncSeq(text, isNoWord) {
		if word = strings.ToLower(word); query[word] && !slices.Contains(shared, word) {
			shared = append(shared, word)
		}
		if len(shared) == len(query) {
			break
		}
	}
	return shared
}

// isNoWord reports whether a rune is not part of a word.
func isNoWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// stopWords are common English words without information about a topic.
var stopWords = WordSet("the and for are was were that this with from have has had not but you your what which when where who how why can could would " +
	"should does did about into than then there their they them its our out use used will any all one may also")

// WordSet returns the words of a text as a set.
func WordSet(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}

// SharedPrefix returns the number of bytes with which both texts begin. O(that number).
func SharedPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
