// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package notes

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// noteKey identifies a title and a text, ignoring case, white space and Unicode form.
type noteKey = merkle.Digest

// keyOfNote returns the key of a title and the text below it.
func keyOfNote(title, body string) noteKey {
	b := appendFolded(make([]byte, 0, len(title)+len(body)+2), title)
	return merkle.Sum(appendFolded(append(b, '\n'), body))
}

// keyOfNode returns the key of a headline's own text; false if n is no headline or is
// encrypted.
func keyOfNode(n *node.Node) (noteKey, bool) {
	if n == nil || n.Type != document.TypeHeadline || n.Derived.Encrypted {
		return noteKey{}, false
	}
	return keyOfNote(n.Title(), n.Body()), true
}

// appendFolded appends text in lower case and NFC, with one blank for each run of white
// space and none at its ends.
func appendFolded(b []byte, text string) []byte {
	if strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
		text = norm.NFC.String(strings.ToLower(norm.NFC.String(text)))
	}
	b = slices.Grow(b, len(text))
	start, blank := len(b), false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			blank = true
			continue
		case blank && len(b) > start:
			b = append(b, ' ')
		}
		blank = false
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		b = utf8.AppendRune(b, r)
	}
	return b
}

// knownNotes lists the ids of headlines by key. It is nil until the first lookup, which builds it
// from the whole state; each later commit updates it. The caller is the chain's writer.
type knownNotes map[noteKey][]string

// find returns the ids of the headlines with the key.
func (k *knownNotes) find(state *graph.State, key noteKey) []string {
	if *k == nil {
		*k = knownNotes{}
		for n := range state.All() {
			k.add(n)
		}
	}
	return (*k)[key]
}

func (k knownNotes) add(n *node.Node) {
	if key, ok := keyOfNode(n); ok {
		k[key] = append(k[key], n.ID)
	}
}

// Follow applies the changes of a commit to the known notes, nil for any change, see
// chain.Options.Published.
func Follow(ns *Notes, delta *graph.Delta) {
	known := ns.known
	switch {
	case known == nil:
		return
	case delta == nil:
		ns.known = nil
		return
	}
	for _, c := range delta.Changes {
		if c.Old != nil && c.New != nil && c.Old.Own == c.New.Own && c.Old.Derived == c.New.Derived {
			continue
		}
		if key, ok := keyOfNode(c.Old); ok {
			left := slices.DeleteFunc(known[key], func(id string) bool { return id == c.ID })
			if known[key] = left; len(left) == 0 {
				delete(known, key)
			}
		}
		known.add(c.New)
	}
}

const (
	maxSimilar   = 5
	similarHits  = 20 // search hits compared word by word
	similarWords = 32 // words of the note searched for, the rarest
)

// similar returns at most maxSimilar ids, most similar first, of nodes that keep accepts and
// whose words have at least the Jaccard similarity SimilarFrom to those of a text.
func similar(v *view.View, title, body string, keep func(*node.Node) bool) []string {
	words := wordSet(title + "\n" + body)
	if len(words) == 0 {
		return nil
	}
	type hit struct {
		id    string
		share float64
	}
	var hits []hit
	for _, h := range view.WordsOf(v).Search(index.Query{Text: title + "\n" + body, Limit: similarHits, Terms: similarWords}) {
		n, ok := v.Get(h.ID)
		if !ok || n.Derived.Encrypted || v.CopyOf(n.Path) != "" || !keep(n) {
			continue
		}
		if share := inCommon(words, wordSet(n.Title()+"\n"+n.Body())); share >= SimilarFrom {
			hits = append(hits, hit{n.ID, share})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.share, a.share) })
	var ids []string
	for _, h := range hits[:min(len(hits), maxSimilar)] {
		ids = append(ids, h.id)
	}
	return ids
}

// wordSet returns the set of folded words of a text.
func wordSet(text string) map[string]bool {
	words := map[string]bool{}
	folded := string(appendFolded(nil, text))
	for word := range strings.FieldsFuncSeq(folded, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		words[word] = true
	}
	return words
}

// inCommon returns the Jaccard similarity of two sets of words.
func inCommon(a, b map[string]bool) float64 {
	both := 0
	for w := range a {
		if b[w] {
			both++
		}
	}
	return float64(both) / float64(max(1, len(a)+len(b)-both))
}
