// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// passage is the smallest piece of a body that a snippet shows: a paragraph, a list
// item, a sentence of a long one of these, a table row, or a line of a block.
type passage struct {
	start, end int32   // bytes of the body
	group      int32   // number of the paragraph or item; its sentences have the same group
	cost       int32   // in quarters of a token
	score      float64 // how well it matches the question
	cut        bool    // it ends within a sentence
	chosen     bool
}

const (
	maxWhole    = 240 // cost above which a paragraph or an item is split into sentences
	maxSentence = 240 // cost above which a sentence is split between words
)

// passages splits a body. It skips blank lines, keyword lines, properties and the rules of
// tables, which have little information. O(len(body)).
func passages(body string) []passage {
	p := splitter{body: body}
	for start := 0; start < len(body); {
		end := len(body)
		if i := strings.IndexByte(body[start:], '\n'); i >= 0 {
			end = start + i
		}
		p.line(start, end)
		start = end + 1
	}
	p.endGroup()
	return p.list
}

// splitter splits a body into passages.
type splitter struct {
	body       string
	list       []passage
	groups     int32
	start, end int  // of the paragraph or item being read; empty if start == end
	inBlock    bool // between #+begin_ and #+end_
	inDrawer   bool // among the properties of a headline
}

// line reads one line of the body.
func (p *splitter) line(start, end int) {
	text := strings.TrimSpace(p.body[start:end])
	p.inDrawer = !p.inBlock && (strings.EqualFold(text, ":properties:") || p.inDrawer && strings.HasPrefix(text, ":"))
	switch {
	case text == "", p.inDrawer, !p.inBlock && strings.HasPrefix(text, "|-"):
		p.endGroup()
	case strings.HasPrefix(text, "#+"):
		p.endGroup()
		p.inBlock = beginsBlock(text) || p.inBlock && !strings.EqualFold(text[:min(len(text), len("#+end_"))], "#+end_")
	case p.inBlock || text[0] == '|':
		p.endGroup()
		p.start, p.end = start, end
		p.endGroup()
	case p.start == p.end || isItem(text):
		p.endGroup()
		p.start, p.end = start, end
	default:
		p.end = end
	}
}

// beginsBlock reports whether a keyword line begins a block in which each line is a passage.
func beginsBlock(line string) bool {
	const begin = "#+begin_"
	if len(line) <= len(begin) || !strings.EqualFold(line[:len(begin)], begin) {
		return false
	}
	kind, _, _ := strings.Cut(strings.ToLower(line[len(begin):]), " ")
	return kind == "src" || kind == "example" || kind == "export" || kind == "verse"
}

// isItem reports whether a line without indentation begins a list item.
func isItem(text string) bool {
	if len(text) > 1 && strings.IndexByte("-+*", text[0]) >= 0 {
		return text[1] == ' '
	}
	digits := 0
	for digits < len(text) && text[digits] >= '0' && text[digits] <= '9' {
		digits++
	}
	return digits > 0 && digits+1 < len(text) && strings.IndexByte(".)", text[digits]) >= 0 && text[digits+1] == ' '
}

// endGroup adds the paragraph or item that was read: as it is, or its sentences if it is
// long.
func (p *splitter) endGroup() {
	if p.start == p.end {
		return
	}
	if cost := costOf(p.body[p.start:p.end]); cost <= maxWhole {
		p.add(p.start, p.end, cost, false)
	} else {
		p.sentences()
	}
	p.start, p.end = 0, 0
	p.groups++
}

// add adds a passage, unless it is blank.
func (p *splitter) add(start, end, cost int, cut bool) {
	if strings.TrimSpace(p.body[start:end]) == "" {
		return
	}
	p.list = append(p.list, passage{start: int32(start), end: int32(end), group: p.groups, cost: int32(cost), cut: cut})
}

// sentences adds the sentences of the paragraph or item that was read. A long sentence
// is split after a word.
func (p *splitter) sentences() {
	start, cost := p.start, 0
	word, wordCost := start, 0 // the last blank in the sentence, and the cost before it
	ended, wide := false, false
	for i, r := range p.body[p.start:p.end] {
		i += p.start
		blank := unicode.IsSpace(r)
		if ended && (blank || wide) {
			p.add(start, i, cost, false)
			start, cost, word = i, 0, i
		}
		if blank {
			word, wordCost = i, cost
		}
		added := letterCost(r)
		if cost+added > maxSentence {
			if word == start {
				word, wordCost = i, cost
			}
			p.add(start, word, wordCost, true)
			start, cost = word, cost-wordCost
		}
		cost += added
		ended = strings.ContainsRune(".!?。！？", r) || ended && strings.ContainsRune(`"')]”’»」`, r)
		wide = r == '。' || r == '！' || r == '？'
	}
	p.add(start, p.end, cost, false)
}

// costOf estimates the cost of a text in quarters of a token.
func costOf(text string) int {
	cost := 0
	for _, r := range text {
		cost += letterCost(r)
	}
	return cost
}

// letterCost estimates the cost of a letter in quarters of a token.
func letterCost(r rune) int {
	if r < utf8.RuneSelf {
		return 1
	}
	return min(4, utf8.RuneLen(r)+1)
}
