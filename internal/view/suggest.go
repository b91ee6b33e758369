// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package view

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/internal/recall"
	"github.com/fovea-memory/fovea/node"
)

// Suggestion is a word of a question that no node has, with known words that resemble it.
type Suggestion struct {
	Word  string   `json:"word" jsonschema:"word of the question that no note has"`
	Known []string `json:"known" jsonschema:"words that notes have, the most similar first"`
}

// maxSpelling is the number of bytes of a body that are searched for the spelling of a word.
const maxSpelling = 64 << 10

// Suggest returns suggestions for the first words of a question that no node has, as far
// as known words resemble them. O(different words of the view) for each.
func (v *View) Suggest(question string) []Suggestion {
	var out []Suggestion
	for _, u := range v.words.get().Lexical.Unknown(question) {
		s := Suggestion{Word: u.Word}
		for _, k := range u.Similar {
			if word := v.spelling(k, len(u.Word)); !slices.Contains(s.Known, word) {
				s.Known = append(s.Known, word)
			}
		}
		out = append(out, s)
	}
	return out
}

// Knows reports whether a node has a word of a question, see index.Lexical.Knows.
func (v *View) Knows(question string) bool { return v.words.get().Lexical.Knows(question) }

// spelling returns a term as a document spells it, preferring words of about a length, or the term
// itself.
func (v *View) spelling(k index.Known, length int) string {
	n, ok := v.Get(k.ID)
	if !ok {
		return k.Term
	}
	d := recall.Document(n)
	text := d.Title + "\n" + strings.Join(d.Tags, " ") + "\n" + d.Body[:min(len(d.Body), maxSpelling)]
	return cmp.Or(index.Spelling(text, k.Term, length), k.Term)
}

// Newest is that of fovea.View.
func (v *View) Newest(by string, limit int) []*node.Node { return v.recall().Newest(by, limit) }
