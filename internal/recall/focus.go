// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"github.com/fovea-memory/fovea/internal/index"
)

// Arms of Focus.
const (
	ArmFocus = "like the focus"     // words that a node shares with the focus
	ArmTitle = "title in the focus" // words of its title that the focus has
)

// Weights of the arms of a focus. A node that is as similar to the focus as the focus
// itself gets 1.
const (
	weightTitle = .4
	titleWhole  = 4 // idf of the words of a title for the full weight
)

// maxLike is the maximum number of nodes that are compared with a focus. Later ones hardly
// resemble it.
const maxLike = 500

// Focus ranks by what nodes share with the focus.
type Focus struct{}

// Rank implements Ranker.
func (Focus) Rank(req *Request, b *Board) {
	f := req.Focus
	if f == nil {
		return
	}
	text := f.Title() + "\n" + f.Body()
	hits := b.Words.Search(index.Query{Text: text, Limit: maxLike, Terms: req.Terms})
	if len(hits) == 0 {
		return
	}
	self := hits[0].Score
	for _, h := range hits {
		if h.ID == f.ID {
			self = h.Score
		}
	}
	like, title := b.Arm(ArmFocus), b.Arm(ArmTitle)
	inFocus, rarity := map[string]bool{}, map[string]float64{}
	for _, t := range b.Words.QuestionTerms(text, 0) {
		inFocus[t.Text] = true
	}
	for _, h := range hits {
		pos, ok := b.Order.Position(h.ID)
		n, has := b.State.Get(h.ID)
		if !ok || !has {
			continue
		}
		like.Add(pos, min(1, h.Score/self))
		if h.ID != f.ID {
			title.Add(pos, weightTitle*b.titleIn(n.Title(), inFocus, rarity))
		}
	}
}

// titleIn returns the share of a title that is among words, 0 to 1. rarity caches the weights of terms, since titles
// repeat them and the weight of a frequent term costs a read of all its postings.
func (b *Board) titleIn(title string, words map[string]bool, rarity map[string]float64) float64 {
	found, all := 0.0, 0.0
	for _, t := range b.Words.QuestionTerms(title, 0) {
		idf, known := rarity[t.Text]
		if !known {
			idf = b.Words.IDF(t.Text)
			rarity[t.Text] = idf
		}
		if all += idf; words[t.Text] {
			found += idf
		}
	}
	if found == 0 {
		return 0
	}
	return found / all * min(1, found/titleWhole)
}
