// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package text

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"
	"unicode"
)

// Matcher finds the terms of a question.
type Matcher interface {
	// Len returns the number of terms.
	Len() int
	// Append appends the numbers, from 0, of the terms in a text, with repeats.
	Append(found []int32, text string) []int32
}

// Excerpt is a text, split into passages, some of which are chosen. It must be used by one
// goroutine only.
type Excerpt struct {
	body     string
	passages []passage
	order    []int32 // passages, best first
	matching int     // number of passages at the beginning of order that match the question
	marked   bool    // an ellipsis replaces every omission
	lead     string  // before the passages, see Lead
	leadCost int     // in quarters of a token
	led      bool    // the lead is chosen
}

// NewExcerpt splits a text in UTF-8 with Unix line ends, and scores its passages for a question.
// No passage is chosen yet. O(len(body) + n log n) for n passages.
func NewExcerpt(body string, question Matcher) *Excerpt {
	x := &Excerpt{body: body, passages: passages(body)}
	x.score(question)
	x.order = make([]int32, len(x.passages))
	for i := range x.order {
		x.order[i] = int32(i)
		if x.passages[i].score > 0 {
			x.matching++
		}
	}
	slices.SortStableFunc(x.order, func(a, b int32) int { return cmp.Compare(x.passages[b].score, x.passages[a].score) })
	return x
}

// neighbourShares are the shares of its score that a passage adds to the passages at distance
// one and two: an answer is often next to a passage that repeats the words of the question.
// With 0.4 and 0, notes of one conversation each lose 0.07 of the evidence at 1,000 tokens.
var neighbourShares = [...]float64{0.5, 0.4}

// terms returns the distinct terms of each passage in order, for all passages in one list, and the
// index at which the terms of each passage end. of appends the terms of a text.
func (x *Excerpt) terms(of func(found []int32, text string) []int32) (found []int32, ends []int) {
	ends = make([]int, len(x.passages))
	for i, p := range x.passages {
		first := len(found)
		found = of(found, x.body[p.start:p.end])
		slices.Sort(found[first:])
		found = found[:first+len(slices.Compact(found[first:]))]
		ends[i] = len(found)
	}
	return found, ends
}

// score sets the scores of the passages: the sum of the weights of the question's terms
// in them. A term that fewer passages have weighs more.
func (x *Excerpt) score(question Matcher) {
	if question.Len() == 0 {
		return
	}
	counts := make([]int32, question.Len())
	found, ends := x.terms(question.Append)
	for _, term := range found {
		counts[term]++
	}
	const margin = len(neighbourShares)
	own := make([]float64, len(x.passages)+2*margin) // with zeros at each end
	total, first := float64(len(x.passages)), 0
	for i, end := range ends {
		for _, term := range found[first:end] {
			n := float64(counts[term])
			own[i+margin] += math.Log(1 + (total-n+0.5)/(n+0.5))
		}
		first = end
	}
	for i := range x.passages {
		sum := own[i+margin]
		for d, share := range neighbourShares {
			sum += share * (own[i+margin-d-1] + own[i+margin+d+1])
		}
		x.passages[i].score = sum
	}
}

// Choose chooses the best passages that together cost at most limit, in quarters of a
// token. Without fill, it leaves out passages that do not match the question. If none
// matches, it chooses the beginning of the first paragraph or item, or with fill the
// beginning of the body.
func (x *Excerpt) Choose(limit int, fill bool) {
	list := x.order
	switch {
	case fill:
	case x.matching > 0:
		list = list[:x.matching]
	default:
		list = list[:x.opening()]
	}
	used := 0
	if x.led = x.lead != "" && 2*x.leadCost <= limit; x.led {
		used = x.leadCost
	}
	for i := range x.passages {
		x.passages[i].chosen = false
	}
	for _, i := range list {
		if p := &x.passages[i]; used+int(p.cost) <= limit {
			p.chosen = true
			used += int(p.cost)
		}
	}
}

// IsWhole reports whether all passages are chosen.
func (x *Excerpt) IsWhole() bool {
	return !slices.ContainsFunc(x.passages, func(p passage) bool { return !p.chosen })
}

// Enough returns the smallest limit with which Choose, with fill, chooses everything.
func (x *Excerpt) Enough() int {
	cost := x.leadCost
	for i := range x.passages {
		cost += int(x.passages[i].cost)
	}
	return max(cost, 2*x.leadCost)
}

// HasChosen reports whether any passage is chosen.
func (x *Excerpt) HasChosen() bool {
	return slices.ContainsFunc(x.passages, func(p passage) bool { return p.chosen })
}

// ChooseAll chooses every passage.
func (x *Excerpt) ChooseAll() {
	for i := range x.passages {
		x.passages[i].chosen = true
	}
}

// ChooseFunc chooses, in order, the passages that keep accepts, as long as they together cost
// at most limit, and returns their number. keep gets the text of a passage without leading
// and trailing blanks.
func (x *Excerpt) ChooseFunc(limit int, keep func(passage string) bool) (chosen int) {
	used := 0
	for i := range x.passages {
		p := &x.passages[i]
		if p.chosen = used+int(p.cost) <= limit && keep(x.trimmed(p)); p.chosen {
			used += int(p.cost)
			chosen++
		}
	}
	return chosen
}

// Drop removes the passages that drop accepts from the chosen ones, and returns the numbers of
// passages that are left and that were dropped.
func (x *Excerpt) Drop(drop func(passage string) bool) (left, dropped int) {
	for i := range x.passages {
		p := &x.passages[i]
		switch {
		case !p.chosen:
		case drop(x.trimmed(p)):
			p.chosen = false
			dropped++
		default:
			left++
		}
	}
	return left, dropped
}

// Chosen yields the chosen passages, without leading and trailing blanks.
func (x *Excerpt) Chosen() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range x.passages {
			if p := &x.passages[i]; p.chosen && !yield(x.trimmed(p)) {
				return
			}
		}
	}
}

func (x *Excerpt) trimmed(p *passage) string { return strings.TrimSpace(x.body[p.start:p.end]) }

// opening returns the number of passages in the first paragraph or item.
func (x *Excerpt) opening() int {
	n := 0
	for n < len(x.passages) && x.passages[n].group == x.passages[0].group {
		n++
	}
	return n
}

// Text returns the chosen passages in the order of the body. A passage starts a new line
// unless it directly follows the previous one. An ellipsis marks an omission between two
// passages of the same paragraph or item.
func (x *Excerpt) Text() string {
	var b strings.Builder
	last := -1
	if x.led {
		b.WriteString(x.lead + "\n")
	}
	for i := range x.passages {
		p := &x.passages[i]
		if !p.chosen {
			continue
		}
		passage := x.body[p.start:p.end]
		adjacent := last >= 0 && last+1 == i && x.passages[last].group == p.group
		if last >= 0 && !adjacent {
			x.endPassage(&b, last)
			b.WriteByte('\n')
		}
		if isInside := i > 0 && x.passages[i-1].group == p.group; isInside && !adjacent {
			passage = strings.TrimLeftFunc(passage, unicode.IsSpace)
		}
		b.WriteString(passage)
		last = i
	}
	if last >= 0 {
		x.endPassage(&b, last)
	}
	return b.String()
}

// endPassage writes an ellipsis if passage i ends within a sentence, or if the next chosen
// passage is a later one of the same paragraph or item. In a marked excerpt, it also does so
// if the next passage is not chosen.
func (x *Excerpt) endPassage(b *strings.Builder, i int) {
	more := x.passages[i].cut || x.marked && i+1 < len(x.passages) && !x.passages[i+1].chosen
	for _, p := range x.passages[i+1:] {
		if more || p.group != x.passages[i].group {
			break
		}
		more = p.chosen
	}
	if more {
		b.WriteString(" " + ellipsis)
	}
}
