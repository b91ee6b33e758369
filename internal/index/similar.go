// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"

	"github.com/fovea-memory/fovea/internal/bound"
)

// Limits of Unknown, so that a long question costs little.
const (
	maxQuestionWords = 1000
	maxUnknown       = 3 // words in an answer
	maxCompared      = 6 // words that are compared with all terms
	maxSimilar       = 3
	minSimilarRunes  = 4 // shorter words resemble too many others
	maxSimilarRunes  = 40
)

// Unknown is a word of a question that no document has, with known terms that resemble it.
type Unknown struct {
	Word    string // as the question spells it
	Similar []Known
}

// Known is a term of the index and a document that has it.
type Known struct {
	Term, ID string
}

// Unknown returns the first words of a question that no document has and that resemble
// known terms: the nearest within one edit of a short word or two edits of a longer one,
// else the nearest that share at least half of their 4-grams. Of equally near ones those
// that more documents have come first. O(terms of the index) for each unknown word.
func (x *Lexical) Unknown(question string) []Unknown {
	var unknown []Unknown
	compared := map[string]bool{}
	words := 0
	for _, word := range wordsOf(question) {
		if words++; words > maxQuestionWords || len(unknown) == maxUnknown || len(compared) == maxCompared || x.Len() == 0 {
			break
		}
		term, ok := correctable(word)
		if !ok || compared[term] || x.docFreq(term) > 0 {
			continue
		}
		compared[term] = true
		if similar := x.similar(newMisspelling(word, term)); len(similar) > 0 {
			unknown = append(unknown, Unknown{word, similar})
		}
	}
	return unknown
}

// Knows reports whether a document has a word of a question other than stop words, or whether
// the question has only stop words. O(words of the question).
func (x *Lexical) Knows(question string) bool {
	asked := false
	for _, word := range wordsOf(question) {
		if english.IsStopWord(strings.ToLower(word)) {
			continue
		}
		for _, term := range Terms(word) {
			if asked = true; x.docFreq(term) > 0 {
				return true
			}
		}
	}
	return !asked
}

// correctable returns the term of a word that may be a misspelling: only letters, neither
// very short nor very long, of a script with spaces, and not a stop word.
func correctable(word string) (term string, ok bool) {
	n := utf8.RuneCountInString(word[:min(len(word), maxSimilarRunes*utf8.UTFMax+1)])
	if n < minSimilarRunes || n > maxSimilarRunes || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) {
		return "", false
	}
	terms := Terms(word)
	return terms[0], len(terms) == 1 && !english.IsStopWord(strings.ToLower(word))
}

// similarTerm is a candidate of similar.
type similarTerm struct {
	term      string
	distance  int  // edits, or the share of 4-grams that differ in percent
	sameStart bool // its first byte is that of the misspelling
	documents int
}

func worseSimilar(a, b similarTerm) bool {
	if a.distance == b.distance && a.sameStart != b.sameStart {
		return b.sameStart
	}
	return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(b.documents, a.documents), strings.Compare(a.term, b.term)) > 0
}

// similar returns the known terms that are nearest to a misspelling.
func (x *Lexical) similar(m *misspelling) []Known {
	for _, distance := range []func(string) (int, bool){m.edits, m.gramDistance} {
		top, nearest := bound.NewTop(maxSimilar, worseSimilar, nil), 0
		for i, p := range x.parts {
			for t := range p.terms.len() {
				term := p.terms.at(t)
				if strings.HasPrefix(term, markPrefix) {
					continue
				}
				d, ok := distance(term)
				if !ok || slices.ContainsFunc(x.parts[:i], func(p part) bool { _, known := p.terms.find(term); return known }) {
					continue // too different, or met in an earlier part
				}
				if n := x.docFreq(term); n > 0 {
					top.Add(similarTerm{term, d, term[0] == m.term[0], n})
				}
			}
		}
		var similar []Known
		for _, f := range top.Sorted() {
			if len(similar) == 0 || f.distance == nearest {
				similar, nearest = append(similar, Known{f.term, x.documentWith(f.term)}), f.distance
			}
		}
		if len(similar) > 0 {
			return similar
		}
	}
	return nil
}

// documentWith returns the id of a live document that has a term, or "".
func (x *Lexical) documentWith(term string) string {
	var postings []posting
	for _, p := range x.parts {
		if t, ok := p.terms.find(term); ok {
			if postings = p.postings(postings[:0], t, p.dead); len(postings) > 0 {
				return p.ids.at(int(postings[0].doc))
			}
		}
	}
	return ""
}

// misspelling is a word that is compared with many terms.
type misspelling struct {
	term     string
	forms    [2][]rune // the word in lower case, and its term
	letters  uint64    // of both
	maxEdits int
	grams    map[string]bool
	rows     [3][]int // of the table of edits
	other    []rune
	padded   []byte
}

// suffixes are endings that stemming removes only from correctly spelled words: the stem of
// "reference" is "refer", that of "refrence" is "refrenc".
var suffixes = strings.Fields("s e es ed ing ings er ers ly al ful ous ive able ible ness ment ments ity " +
	"ance ances ence ences ion ions ation ations")

const gramBytes = 4

func newMisspelling(word, term string) *misspelling {
	word = strings.ToLower(word)
	m := &misspelling{term: term, forms: [2][]rune{[]rune(term), []rune(word)}, letters: letterSet(word + term), maxEdits: 1, grams: map[string]bool{}}
	if len(m.forms[0]) > 6 {
		m.maxEdits = 2
	}
	for i := range m.rows {
		m.rows[i] = make([]int, maxWordBytes+1)
	}
	for gram := range m.gramsOf(term) {
		m.grams[string(gram)] = true
	}
	return m
}

// letterSet returns a set of the runes of a text, modulo 64.
func letterSet(term string) (set uint64) {
	for _, r := range term {
		set |= 1 << (r & 63)
	}
	return set
}

// gramsOf yields the 4-grams of a term between a start and an end sign. They are valid
// until the next one.
func (m *misspelling) gramsOf(term string) func(yield func([]byte) bool) {
	m.padded = append(append(append(m.padded[:0], '^'), term...), '$')
	return func(yield func([]byte) bool) {
		for i := 0; i+gramBytes <= len(m.padded); i++ {
			if !yield(m.padded[i : i+gramBytes]) {
				return
			}
		}
	}
}

// gramDistance returns the share of 4-grams that a term and the misspelling do not have in
// common, in percent; ok is false if it is more than half.
func (m *misspelling) gramDistance(term string) (percent int, ok bool) {
	shared, all := 0, len(m.grams)
	for gram := range m.gramsOf(term) {
		all++
		if m.grams[string(gram)] {
			shared++
		}
	}
	percent = 100 - 200*shared/max(all, 1)
	return percent, percent <= 50
}

// edits returns how many letters must be inserted, removed, replaced, or swapped with the
// next one to turn a term into the misspelling. Removing a suffix counts as one edit. ok is
// false for more than maxEdits.
func (m *misspelling) edits(term string) (n int, ok bool) {
	if bits.OnesCount64(letterSet(term)&^m.letters) > m.maxEdits || len(term) > maxWordBytes {
		return 0, false
	}
	m.other = m.other[:0]
	for _, r := range term {
		m.other = append(m.other, r)
	}
	n = min(m.distance(m.forms[0], false), m.distance(m.forms[1], true))
	return n, n <= m.maxEdits
}

// distance returns the edits between a form of the word and the other term, or more than
// maxEdits if their lengths differ too much. suffix allows for a suffix of the form.
func (m *misspelling) distance(form []rune, suffix bool) int {
	const maxSuffix = 6
	other, best := m.other, m.maxEdits+1
	if len(other)-len(form) > m.maxEdits || len(form)-len(other) > m.maxEdits+maxSuffix {
		return best
	}
	before, last, row := m.rows[0], m.rows[1], m.rows[2]
	for j := range len(other) + 1 {
		last[j] = j
	}
	for i := range form {
		row[0] = i + 1
		for j := range other {
			replaced := last[j]
			if form[i] != other[j] {
				replaced++
			}
			row[j+1] = min(replaced, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && form[i] == other[j-1] && form[i-1] == other[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		switch n := row[len(other)]; {
		case i == len(form)-1:
			best = min(best, n)
		case suffix && n+1 < best && min(i+1, len(other)) >= minSimilarRunes && len(form)-i-1 <= maxSuffix && slices.Contains(suffixes, string(form[i+1:])):
			best = n + 1
		}
		before, last, row = last, row, before
	}
	return best
}
