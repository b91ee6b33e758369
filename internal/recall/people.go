// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/node"
)

// ArmPeople is the arm of People: who speaks or writes is named in the question.
const ArmPeople = "people"

// Weights of people. Measured on LoCoMo with .4 and -.3, R@10 and nDCG@10: .74 and .56 with
// names as words, .778 and .620 with people; .55 and -.45 gain .003 and .005 more.
const (
	weightNamed = .55 / weightAll
	weightOther = -.45 / weightAll // another person, beside the named one
)

const (
	maxNameWords  = 3
	maxShare      = .7 // of the nodes that one name may stand for, to tell anything
	minLabels     = 3  // titles that are a name, to count as one
	markAuthor    = "by:"
	markLabel     = "as:"
	markHasAuthor = "who"
)

// personKeys are the properties that name who speaks or writes.
var personKeys = map[string]bool{"SPEAKER": true, "AUTHOR": true, "FROM": true, "SENDER": true, "BY": true}

// People ranks by who speaks or writes.
type People struct{}

// Rank implements Ranker.
func (People) Rank(req *Request, b *Board) {
	named := b.named(req.Text)
	if len(named) == 0 {
		return
	}
	arm := b.Arm(ArmPeople)
	files := map[int]bool{}
	for name := range named {
		for _, kind := range []string{markAuthor, markLabel} {
			for pos := range b.Order.Marked(kind + name) {
				f, _ := b.Order.Place(pos)
				files[f] = true
				arm.addOnce(pos, weightNamed)
			}
		}
	}
	for pos := range b.Order.Marked(markHasAuthor) {
		if f, _ := b.Order.Place(pos); files[f] {
			arm.addOnce(pos, weightOther)
		}
	}
}

// named returns the words of a text that name people who speak or write, in lower case.
func (b *Board) named(text string) map[string]bool {
	var named map[string]bool
	for _, word := range nameWords(text) {
		low := strings.ToLower(word)
		authors, labels := b.Order.CountMarked(markAuthor+low), 0
		if r, _ := utf8.DecodeRuneInString(word); unicode.IsUpper(r) {
			labels = b.Order.CountMarked(markLabel + low)
		}
		if count := max(authors, labels); (authors > 0 || labels >= minLabels) && float64(count) <= maxShare*float64(b.Order.Len()) {
			if named == nil {
				named = map[string]bool{}
			}
			named[low] = true
		}
	}
	return named
}

// nameWords returns the words that could be names.
func nameWords(text string) []string {
	const maxWords = 64
	words := strings.FieldsFunc(text[:min(len(text), maxQuestion)], func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && !unicode.IsDigit(r) })
	return words[:min(len(words), maxWords)]
}

// startsSmall reports whether a word begins with anything but a capital letter.
func startsSmall(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return !unicode.IsUpper(r)
}

// peopleMarks adds the marks of who speaks or writes a node.
func peopleMarks(marks []string, n *node.Node, properties []document.Property) []string {
	hasAuthor := false
	for _, p := range properties {
		if personKeys[strings.ToUpper(strings.TrimSuffix(p.Key, "+"))] {
			words := nameWords(p.Value)
			if len(words) > 0 && len(words) <= maxNameWords {
				hasAuthor = true
				for _, w := range words {
					marks = append(marks, markAuthor+strings.ToLower(w))
				}
			}
		}
	}
	if hasAuthor {
		marks = append(marks, markHasAuthor)
	}
	if n.Type == document.TypeHeadline {
		if words := nameWords(n.Derived.Title); len(words) > 0 && len(words) <= maxNameWords && !slices.ContainsFunc(words, startsSmall) {
			for _, w := range words {
				marks = append(marks, markLabel+strings.ToLower(w))
			}
		}
	}
	return marks
}
