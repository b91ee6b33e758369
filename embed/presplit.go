// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// bytesPattern is the one by which GPT-2 cuts words.
const bytesPattern = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

// patterns are those of splitters that equal a Split by one pattern. \w is Unicode's, as in Rust.
var patterns = map[string]string{"Whitespace": `[^\w\s]+|\w+`, "Punctuation": `[\p{P}$+<=>^` + "`" + `|~]`, "Digits": `\p{N}+`}

// The behaviors of a split: what happens to the text that a pattern matches.
const (
	removed, isolated, contiguous      = "removed", "isolated", "contiguous"
	mergedWithPrevious, mergedWithNext = "mergedwithprevious", "mergedwithnext"
)

func newSplitter(p *component, depth int) (splitter, error) {
	if p == nil {
		return func(words []string) []string { return words }, nil
	}
	switch p.Type {
	case "Sequence":
		return newSplitters(p, depth)
	case "WhitespaceSplit":
		return each(strings.Fields), nil
	case "BertPreTokenizer":
		return each(bertWords), nil
	case "ByteLevel":
		return newByteLevel(p)
	case "Metaspace":
		return newMetaspace(p)
	case "Split", "Whitespace", "Punctuation", "Digits":
		return newSplit(p)
	}
	return nil, fmt.Errorf("pre-tokenizer %.40q: %w", p.Type, errUnknown)
}

// each makes a splitter of a function that cuts one word.
func each(cut func(word string) []string) splitter {
	return func(words []string) []string {
		var all []string
		for _, word := range words {
			all = append(all, cut(word)...)
		}
		return all
	}
}

func newSplitters(p *component, depth int) (splitter, error) {
	var s struct {
		All []*component `json:"pretokenizers"`
	}
	if err := p.settings(&s); err != nil {
		return nil, err
	}
	return sequence("pre-tokenizers", s.All, depth, newSplitter)
}

// piece is a piece of a word that a pattern matched, or one between matches.
type piece struct {
	text    string
	matched bool
}

// newSplit cuts words at the matches of a pattern, or between them where it is inverted.
func newSplit(p *component) (splitter, error) {
	var s struct {
		Pattern    pattern
		Invert     bool
		Behavior   string
		Individual bool `json:"individual_digits"`
	}
	if err := p.settings(&s); err != nil {
		return nil, err
	}
	if known, ok := patterns[p.Type]; ok {
		s.Pattern = pattern{Regex: &known}
		s.Behavior = cmp.Or(s.Behavior, isolated)
		if s.Invert = p.Type == "Whitespace"; s.Invert {
			s.Behavior = removed
		}
		if s.Individual {
			*s.Pattern.Regex = `\p{N}`
		}
	}
	re, err := s.Pattern.compile()
	if err != nil {
		return nil, err
	}
	behavior := strings.ToLower(s.Behavior)
	if !slices.Contains([]string{removed, isolated, contiguous, mergedWithPrevious, mergedWithNext}, behavior) {
		return nil, fmt.Errorf("behavior %.40q: %w", behavior, errUnknown)
	}
	return each(func(word string) []string {
		pieces := re.cut(word)
		for i := range pieces {
			pieces[i].matched = pieces[i].matched != s.Invert
		}
		return join(pieces, behavior)
	}), nil
}

// join makes words of pieces according to a behavior.
func join(pieces []piece, behavior string) []string {
	var words []string
	for i, p := range pieces {
		before := i > 0 && pieces[i-1].matched
		switch {
		case p.matched && behavior == removed:
			continue
		case i > 0 && (behavior == mergedWithPrevious && p.matched && !before || behavior == mergedWithNext && !p.matched && before ||
			behavior == contiguous && p.matched == before):
			words[len(words)-1] += p.text
			continue
		}
		words = append(words, p.text)
	}
	return words
}

// bertWords cuts word at blanks and around each sign of punctuation.
func bertWords(word string) []string {
	var b strings.Builder
	for _, r := range word {
		if unicode.IsPunct(r) || r < 0x7f && unicode.IsSymbol(r) {
			b.WriteString(" " + string(r) + " ")
		} else {
			b.WriteRune(r)
		}
	}
	return strings.Fields(b.String())
}

// newByteLevel cuts words as GPT-2 does and writes each byte as a visible rune.
func newByteLevel(p *component) (splitter, error) {
	s := struct {
		Prefix bool `json:"add_prefix_space"`
		Regex  bool `json:"use_regex"`
	}{true, true}
	if err := p.settings(&s); err != nil {
		return nil, err
	}
	source := bytesPattern
	re, err := pattern{Regex: &source}.compile()
	if err != nil {
		return nil, err
	}
	visible := byteRunes()
	return each(func(word string) []string {
		if s.Prefix && !strings.HasPrefix(word, " ") {
			word = " " + word
		}
		words := []string{word}
		if s.Regex {
			words = join(re.cut(word), isolated)
		}
		for i, w := range words {
			var b strings.Builder
			for _, c := range []byte(w) {
				b.WriteRune(visible[c])
			}
			words[i] = b.String()
		}
		return words
	}), nil
}

// byteRunes is GPT-2's table: visible bytes of Latin-1 map to themselves, the others to
// the runes from 256 on.
func byteRunes() (visible [256]rune) {
	next := rune(256)
	for c := range rune(256) {
		if c >= '!' && c <= '~' || c >= 0xa1 && c <= 0xac || c >= 0xae {
			visible[c] = c
			continue
		}
		visible[c] = next
		next++
	}
	return visible
}

// newMetaspace writes spaces as the replacement, by default U+2581, and cuts before it.
func newMetaspace(p *component) (splitter, error) {
	s := struct {
		Replacement string
		Scheme      string `json:"prepend_scheme"`
		Prefix      *bool  `json:"add_prefix_space"`
		Split       *bool
	}{Replacement: "\u2581"}
	if err := p.settings(&s); err != nil {
		return nil, err
	}
	if s.Replacement == "" {
		return nil, fmt.Errorf("pre-tokenizer Metaspace without a replacement: %w", errTokenizer)
	}
	prepend := cmp.Or(s.Scheme, "always") != "never" && (s.Prefix == nil || *s.Prefix)
	return each(func(word string) []string {
		word = strings.ReplaceAll(word, " ", s.Replacement)
		if prepend && !strings.HasPrefix(word, s.Replacement) {
			word = s.Replacement + word
		}
		if s.Split != nil && !*s.Split {
			return []string{word}
		}
		words := strings.Split(word, s.Replacement)
		for i := range words[1:] {
			words[i+1] = s.Replacement + words[i+1]
		}
		return slices.DeleteFunc(words, func(word string) bool { return word == "" })
	}), nil
}
