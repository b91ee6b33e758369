// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/internal/bound"
)

// maxPiece is the length in bytes of the longest piece of Unigram that is looked up.
const maxPiece = 256

func newModel(p *component) (model, error) {
	kind := p.Type
	if kind == "" { // old files leave it out
		var keys map[string]json.RawMessage
		if err := p.settings(&keys); err != nil {
			return nil, err
		}
		kind = "WordPiece"
		if keys["merges"] != nil {
			kind = "BPE"
		} else if keys["unk_id"] != nil {
			kind = "Unigram"
		}
	}
	switch kind {
	case "WordPiece":
		m := &wordPiece{Prefix: "##", MaxRunes: 100}
		return m, p.settings(m)
	case "WordLevel":
		m := &wordLevel{}
		return m, p.settings(m)
	case "BPE":
		return newBPE(p)
	case "Unigram":
		return newUnigram(p)
	}
	return nil, fmt.Errorf("model %.40q: %w", kind, errUnknown)
}

// wordLevel has whole words of any length.
type wordLevel struct {
	Vocab   map[string]int
	Unknown string `json:"unk_token"`
}

func (m *wordLevel) encode(ids []int, word string) []int {
	if id, ok := m.Vocab[word]; ok && word != m.Unknown {
		return append(ids, id)
	}
	return ids
}

// wordPiece repeatedly takes the longest piece of the vocabulary. A word that does not
// consist of pieces is unknown as a whole.
type wordPiece struct {
	Vocab    map[string]int
	Unknown  string `json:"unk_token"`
	Prefix   string `json:"continuing_subword_prefix"`
	MaxRunes int    `json:"max_input_chars_per_word"`
}

func (m *wordPiece) encode(ids []int, word string) []int {
	if utf8.RuneCountInString(word) > min(m.MaxRunes, 1000) || word == m.Unknown {
		return ids
	}
	begin, prefix := len(ids), ""
	for word != "" {
		end, found := len(word), false
		for ; end > 0; end-- {
			if id, ok := m.Vocab[prefix+word[:end]]; ok {
				ids, found = append(ids, id), true
				break
			}
		}
		if !found {
			return ids[:begin]
		}
		word, prefix = word[end:], m.Prefix
	}
	return ids
}

// bpe merges neighbours, the pair of lowest rank first.
type bpe struct {
	Vocab   map[string]int
	Merges  []pair
	Unknown string `json:"unk_token"`
	Bytes   bool   `json:"byte_fallback"` // of unknown runes
	Whole   bool   `json:"ignore_merges"` // words of the vocabulary are not merged
	Prefix  string `json:"continuing_subword_prefix"`
	End     string `json:"end_of_word_suffix"`
	ranks   map[pair]int
}

// pair is two neighbours.
type pair [2]string

// UnmarshalJSON reads both forms of a merge: a list, and the older one, a text with a blank.
func (p *pair) UnmarshalJSON(text []byte) error {
	var list []string
	var joined string
	if json.Unmarshal(text, &joined) == nil {
		list = strings.SplitN(joined, " ", 2)
	} else if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	if len(list) != 2 {
		return fmt.Errorf("a merge of %d pieces", len(list))
	}
	*p = pair(list)
	return nil
}

func newBPE(p *component) (*bpe, error) {
	m := &bpe{ranks: map[pair]int{}}
	if err := p.settings(m); err != nil {
		return nil, err
	}
	for name, set := range map[string]string{"continuing_subword_prefix": m.Prefix, "end_of_word_suffix": m.End} {
		if set != "" {
			return nil, fmt.Errorf("model BPE with %s: %w", name, errUnknown)
		}
	}
	for rank, merged := range m.Merges {
		m.ranks[merged] = rank
	}
	m.Merges = nil
	return m, nil
}

// link is a piece of a word in a list of them; next and prev are -1 at the ends.
type link struct {
	text       string
	prev, next int
}

// merge is a pair that may be merged, and where its left piece is.
type merge struct {
	rank, at int
	of       pair
}

func (m *bpe) encode(ids []int, word string) []int {
	if id, ok := m.Vocab[word]; ok && m.Whole {
		return append(ids, id)
	}
	var links []link
	for _, r := range word {
		links = append(links, link{string(r), len(links) - 1, len(links) + 1})
	}
	links[len(links)-1].next = -1
	queue := bound.Heap[merge]{Before: func(a, b merge) bool { return a.rank < b.rank || a.rank == b.rank && a.at < b.at }}
	push := func(at int) {
		if at < 0 || links[at].next < 0 {
			return
		}
		of := pair{links[at].text, links[links[at].next].text}
		if rank, ok := m.ranks[of]; ok {
			queue.Push(merge{rank, at, of})
		}
	}
	for i := range links {
		push(i)
	}
	for len(queue.Items) > 0 {
		top := queue.Pop()
		left := &links[top.at]
		if left.text != top.of[0] || left.next < 0 || links[left.next].text != top.of[1] {
			continue // one of them was merged since
		}
		right := &links[left.next]
		left.text += right.text
		right.text = ""
		if left.next = right.next; left.next >= 0 {
			links[left.next].prev = top.at
		}
		push(left.prev)
		push(top.at)
	}
	for i := 0; i >= 0; i = links[i].next {
		ids = m.look(ids, links[i].text)
	}
	return ids
}

// look appends the id of a piece, or those of its bytes if all are known.
func (m *bpe) look(ids []int, text string) []int {
	id, ok := m.Vocab[text]
	switch {
	case ok && text != m.Unknown:
		return append(ids, id)
	case !ok && m.Bytes:
		return asBytes(ids, text, m.Vocab)
	}
	return ids
}

// asBytes appends the ids of the tokens of bytes, such as <0x0A>, or nothing if one is missing.
func asBytes(ids []int, text string, vocab map[string]int) []int {
	begin := len(ids)
	for _, c := range []byte(text) {
		id, ok := vocab[fmt.Sprintf("<0x%02X>", c)]
		if !ok {
			return ids[:begin]
		}
		ids = append(ids, id)
	}
	return ids
}

// unigram cuts a word into the pieces with the greatest sum of scores (Viterbi; Kudo,
// arXiv 1804.10959).
type unigram struct {
	ids      map[string]int
	scores   []float64
	unknown  int // -1 for none
	penalty  float64
	maxBytes int // bytes of the longest piece
	bytes    bool
}

func newUnigram(p *component) (*unigram, error) {
	var s struct {
		Vocab   [][2]json.RawMessage
		Unknown *int `json:"unk_id"`
		Bytes   bool `json:"byte_fallback"`
	}
	if err := p.settings(&s); err != nil {
		return nil, err
	}
	m := &unigram{ids: make(map[string]int, len(s.Vocab)), scores: make([]float64, len(s.Vocab)), unknown: -1, bytes: s.Bytes}
	for id, entry := range s.Vocab {
		var text string
		if json.Unmarshal(entry[0], &text) != nil || json.Unmarshal(entry[1], &m.scores[id]) != nil {
			return nil, fmt.Errorf("piece %d: %w", id, errTokenizer)
		}
		m.ids[text] = id
		m.penalty = min(m.penalty, m.scores[id])
		m.maxBytes = max(m.maxBytes, min(len(text), maxPiece))
	}
	m.penalty -= 10 // as in SentencePiece
	if s.Unknown != nil {
		if *s.Unknown < 0 || *s.Unknown >= len(s.Vocab) {
			return nil, fmt.Errorf("unk_id %d: %w", *s.Unknown, errTokenizer)
		}
		m.unknown = *s.Unknown
	}
	return m, nil
}

func (m *unigram) encode(ids []int, word string) []int {
	best := make([]float64, len(word)+1) // of word[:i]
	from := make([]int, len(word)+1)     // where its last piece begins
	for i := 1; i <= len(word); i++ {
		best[i] = math.Inf(-1)
	}
	for i, r := range word {
		single := len(string(r))
		known := false
		for n := single; n <= min(m.maxBytes, len(word)-i); n++ {
			if id, ok := m.ids[word[i:i+n]]; ok && id != m.unknown {
				known = known || n == single
				m.reach(best, from, i, i+n, m.scores[id])
			}
		}
		if !known {
			m.reach(best, from, i, i+single, m.penalty)
		}
	}
	var pieces []string
	for end := len(word); end > 0; end = from[end] {
		pieces = append(pieces, word[from[end]:end])
	}
	for i := len(pieces) - 1; i >= 0; i-- {
		if id, ok := m.ids[pieces[i]]; ok && id != m.unknown {
			ids = append(ids, id)
		} else if m.bytes {
			ids = asBytes(ids, pieces[i], m.ids)
		}
	}
	return ids
}

// reach records a way to the end of a piece if it is the best so far.
func (m *unigram) reach(best []float64, from []int, begin, end int, score float64) {
	if sum := best[begin] + score; sum > best[end] {
		best[end], from[end] = sum, begin
	}
}
