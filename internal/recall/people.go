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

// Arms of People.
const (
	ArmPeople = "people" // who speaks or writes is named in the question
	ArmCaller = "caller" // the question is in the first person and names nobody, and the caller speaks or writes
)

// Weights of people. Measured on LoCoMo with .4 and -.3, R@10 and nDCG@10: .74 and .56 with
// names as words, .778 and .620 with people; .55 and -.45 gain .003 and .005 more.
const (
	weightNamed = .55 / weightAll
	weightOther = -.45 / weightAll // another person in the same file

	// shareOfCaller is the share of both weights for the caller. Talks with an assistant gain .015 of
	// R@10 and .02 to .03 of nDCG, and talks of people lose nothing. See doc/decisions/0296.
	shareOfCaller = .5
)

const (
	maxNameWords  = 3
	maxShare      = .7 // of the nodes; a more frequent name distinguishes nothing
	minLabels     = 3  // nodes with the same title, for it to count as a name
	markAuthor    = "by:"
	markLabel     = "as:"
	markHasAuthor = "who"
)

// personKeys are the properties that name who speaks or writes.
var personKeys = map[string]bool{"SPEAKER": true, "AUTHOR": true, "FROM": true, "SENDER": true, "BY": true}

// People ranks by who speaks or writes. In a question, I is one of the names in Caller.
type People struct{ Caller []string }

// Rank implements Ranker.
func (p People) Rank(req *Request, b *Board) {
	if named := b.named(req.Text); len(named) > 0 {
		b.raise(ArmPeople, named, 1)
		return
	}
	if !slices.ContainsFunc(tokensOf(req.Text[:min(len(req.Text), maxQuestion)]), token.isFirstPerson) {
		return
	}
	caller := map[string]bool{}
	for _, name := range p.Caller {
		for _, word := range nameWords(name) {
			if low := strings.ToLower(word); b.speaks(low, true) {
				caller[low] = true
			}
		}
	}
	b.raise(ArmCaller, caller, shareOfCaller)
}

// raise adds a share of the weights to an arm: for what people wrote, and against what others wrote in the same files.
func (b *Board) raise(name string, people map[string]bool, share float64) {
	if len(people) == 0 {
		return
	}
	arm, files := b.Arm(name), map[int]bool{}
	for name := range people {
		for _, kind := range []string{markAuthor, markLabel} {
			for pos := range b.Order.Marked(kind + name) {
				f, _ := b.Order.Place(pos)
				files[f] = true
				arm.addOnce(pos, share*weightNamed)
			}
		}
	}
	for pos := range b.Order.Marked(markHasAuthor) {
		if f, _ := b.Order.Place(pos); files[f] {
			arm.addOnce(pos, share*weightOther)
		}
	}
}

// named returns the words of a text that name people who speak or write, in lower case.
func (b *Board) named(text string) map[string]bool {
	var named map[string]bool
	for _, word := range nameWords(text) {
		if low := strings.ToLower(word); b.speaks(low, !startsSmall(word)) {
			if named == nil {
				named = map[string]bool{}
			}
			named[low] = true
		}
	}
	return named
}

// speaks reports whether a word, in lower case, is the name of a person who speaks or writes in some nodes. isName
// says whether titles count as names.
func (b *Board) speaks(word string, isName bool) bool {
	authors, labels := b.Order.CountMarked(markAuthor+word), 0
	if isName {
		labels = b.Order.CountMarked(markLabel + word)
	}
	return (authors > 0 || labels >= minLabels) && float64(max(authors, labels)) <= maxShare*float64(b.Order.Len())
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
