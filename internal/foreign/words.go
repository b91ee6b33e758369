// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foreign

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/org"
)

// wordsKey is the key of front matter with the TODO words of a file, a list of sequences as they
// stand after #+TODO: there.
const wordsKey = "todo_words"

// Bounds of the TODO words of a file.
const (
	maxSequences = 16
	maxSequence  = 512 // bytes of one
)

// todoWord is a word of a sequence. One with a letter to choose it by, or with marks that make
// Emacs ask for a note, is taken without them.
var todoWord = regexp.MustCompile(`^[\pL\pN_@#%!?.-]+$`)

// words takes the TODO words that a file declares, so that they are words of headlines here, too.
func (m *markdown) words(r *reader, values []string) {
	for _, value := range values {
		words := strings.Fields(value)
		for i, word := range words {
			words[i], _, _ = strings.Cut(word, "(")
		}
		bad := func(word string) bool { return word != "|" && !todoWord.MatchString(word) }
		if len(words) == 0 || len(value) > maxSequence || len(m.Words) == maxSequences || slices.ContainsFunc(words, bad) {
			r.problem(m.Source, "%s holds what are no TODO words, left out", wordsKey)
			continue
		}
		m.Words = append(m.Words, strings.Join(words, " "))
	}
}

// declaredWords returns the sequences of TODO words that an Org file declares.
func declaredWords(text string) (sequences []string) {
	for _, k := range org.Parse(text, nil).Settings {
		switch k.Key {
		case "TODO", "SEQ_TODO", "TYP_TODO":
			sequences = append(sequences, k.Value)
		}
	}
	return sequences
}
