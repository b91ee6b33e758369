// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSplitters: the cases in which tokenizers.js, the reference of the other tests,
// differs from the original, and those that it lacks.
func TestSplitters(t *testing.T) {
	split := func(behavior string, invert bool) element {
		return element{"type": "Split", "pattern": element{"String": "-"}, "behavior": behavior, "invert": invert}
	}
	for name, c := range map[string]struct {
		pre  element
		text string
		want []string
	}{
		"blanks":               {element{"type": "WhitespaceSplit"}, " a\tb  c ", []string{"a", "b", "c"}},
		"words":                {element{"type": "Whitespace"}, "naïve_x, 東京!? 1½", []string{"naïve_x", ",", "東京", "!?", "1½"}},
		"punctuation":          {element{"type": "Punctuation"}, "a!?b", []string{"a", "!", "?", "b"}},
		"punctuation, joined":  {element{"type": "Punctuation", "behavior": "Contiguous"}, "a!?b", []string{"a", "!?", "b"}},
		"digits":               {element{"type": "Digits", "individual_digits": true}, "ab12c", []string{"ab", "1", "2", "c"}},
		"digits, joined":       {element{"type": "Digits"}, "ab12c", []string{"ab", "12", "c"}},
		"removed":              {split("Removed", false), "a--b-c", []string{"a", "b", "c"}},
		"isolated":             {split("Isolated", false), "a--b", []string{"a", "-", "-", "b"}},
		"with the one before":  {split("MergedWithPrevious", false), "a--b-c", []string{"a-", "-", "b-", "c"}},
		"with the next one":    {split("MergedWithNext", false), "a--b-c", []string{"a", "-", "-b", "-c"}},
		"contiguous":           {split("Contiguous", false), "a--b", []string{"a", "--", "b"}},
		"inverted":             {split("Removed", true), "a--b", []string{"-", "-"}},
		"metaspace":            {element{"type": "Metaspace", "prepend_scheme": "never"}, "a b  c", []string{"a", "▁b", "▁", "▁c"}},
		"metaspace, prepended": {element{"type": "Metaspace"}, "a b", []string{"▁a", "▁b"}},
		"metaspace, whole":     {element{"type": "Metaspace", "split": false}, "a b", []string{"▁a▁b"}},
		"metaspace, no prefix": {element{"type": "Metaspace", "add_prefix_space": false}, " b", []string{"▁b"}},
		"bytes, prefix":        {element{"type": "ByteLevel"}, "a é", []string{"Ġa", "ĠÃ©"}},
	} {
		if diff := cmp.Diff(c.want, wordsOf(t, []string{c.text}, c.pre)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestModels(t *testing.T) {
	plain, long := element{"type": "WhitespaceSplit"}, strings.Repeat("long", 300)
	vocab := map[string]int{"a": 1, "b": 2, "ab": 3, "[UNK]": 0, "b</w>": 5, "ab</w>": 6, "a</w>": 7, "##b": 8}
	for name, c := range map[string]struct {
		file element
		text string
		want []int
	}{
		"words": {element{"pre_tokenizer": plain,
			"model": element{"type": "WordLevel", "vocab": vocab, "unk_token": "[UNK]"}}, "ab x [UNK] a", []int{3, 1}},
		"words, long": {element{"pre_tokenizer": plain, "model": element{"type": "WordLevel", "vocab": map[string]int{long: 4}, "max_input_chars_per_word": 5}},
			long, []int{4}},
		"words, no pieces": {element{"pre_tokenizer": plain, "model": element{"type": "WordLevel", "vocab": vocab, "continuing_subword_prefix": "##"}},
			"ab abb a", []int{3, 1}},
		"pairs": {element{"pre_tokenizer": plain,
			"model": element{"type": "BPE", "vocab": vocab, "merges": []any{[]string{"a", "b"}}}}, "ab a b", []int{3, 1, 2}},
		"no type, pieces": {element{"pre_tokenizer": plain, "model": element{"vocab": vocab, "unk_token": "[UNK]"}}, "ab abb x", []int{3, 3, 8}},
		"no type, pairs":  {element{"pre_tokenizer": plain, "model": element{"vocab": vocab, "merges": []string{}, "ignore_merges": true}}, "ab ba", []int{3, 2, 1}},
		"no type, scores": {element{"model": element{"vocab": []any{[]any{"?", 0}, []any{"a", -1}}, "unk_id": 0}}, "aa", []int{1, 1}},
		"bytes of unknown runes": {element{"model": element{"type": "Unigram", "byte_fallback": true, "unk_id": 0,
			"vocab": []any{[]any{"?", 0}, []any{"a", -1}, []any{"<0xC3>", -1}, []any{"<0xA9>", -1}}}}, "aé€", []int{1, 2, 3}},
		"added, normalized": {element{"normalizer": element{"type": "Lowercase"}, "model": element{"type": "WordLevel", "vocab": vocab},
			"added_tokens": []element{{"id": 9, "content": "<X>", "normalized": true}}}, "a<X><x>b", []int{1, 9, 9, 2}},
		"prefix and trimmed": {element{"normalizer": element{"type": "Sequence", "normalizers": []element{
			{"type": "Strip", "strip_left": true, "strip_right": true}, {"type": "NFD"}, {"type": "Prepend", "prepend": "a"}}},
			"model": element{"type": "WordLevel", "vocab": vocab}}, " b ", []int{3}},
	} {
		got := parseFile(t, c.file).encode(c.text)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// deep is an element within depth sequences.
func deep(depth int, kind, key string) element {
	e := element{"type": "NFC"}
	if kind == "pre" {
		e = element{"type": "WhitespaceSplit"}
	}
	for range depth {
		e = element{"type": "Sequence", key: []element{e}}
	}
	return e
}

func TestParseRefuses(t *testing.T) {
	model := element{"type": "WordLevel", "vocab": element{}}
	for name, c := range map[string]struct {
		file any
		want error
	}{
		"no object":             {7, errTokenizer},
		"no model":              {element{}, errTokenizer},
		"model":                 {element{"model": element{"type": "Quantum"}}, errUnknown},
		"ends of words":         {element{"model": element{"type": "BPE", "vocab": element{}, "end_of_word_suffix": "</w>"}}, errUnknown},
		"inner pieces":          {element{"model": element{"type": "BPE", "vocab": element{}, "continuing_subword_prefix": "##"}}, errUnknown},
		"normalizer":            {element{"model": model, "normalizer": element{"type": "Nmt"}}, errUnknown},
		"pre-tokenizer":         {element{"model": model, "pre_tokenizer": element{"type": "UnicodeScripts"}}, errUnknown},
		"one in a sequence":     {element{"model": model, "pre_tokenizer": element{"type": "Sequence", "pretokenizers": []any{element{"type": "X"}}}}, errUnknown},
		"deep normalizers":      {element{"model": model, "normalizer": deep(20, "norm", "normalizers")}, errTokenizer},
		"deep pre-tokenizers":   {element{"model": model, "pre_tokenizer": deep(20, "pre", "pretokenizers")}, errTokenizer},
		"pattern":               {element{"model": model, "normalizer": element{"type": "Replace", "pattern": element{"Regex": "("}}}, errUnknown},
		"no pattern":            {element{"model": model, "normalizer": element{"type": "Replace", "pattern": element{"String": ""}}}, errTokenizer},
		"behavior":              {element{"model": model, "pre_tokenizer": element{"type": "Split", "pattern": element{"String": "a"}, "behavior": "x"}}, errUnknown},
		"behavior of a class":   {element{"model": model, "pre_tokenizer": element{"type": "Punctuation", "behavior": "odd"}}, errUnknown},
		"no replacement":        {element{"model": model, "pre_tokenizer": element{"type": "Metaspace", "replacement": ""}}, errTokenizer},
		"settings":              {element{"model": model, "pre_tokenizer": element{"type": "Metaspace", "split": "yes"}}, errTokenizer},
		"settings of bytes":     {element{"model": model, "pre_tokenizer": element{"type": "ByteLevel", "use_regex": "yes"}}, errTokenizer},
		"settings of a split":   {element{"model": model, "pre_tokenizer": element{"type": "Split", "invert": "yes"}}, errTokenizer},
		"settings of digits":    {element{"model": model, "pre_tokenizer": element{"type": "Digits", "individual_digits": 1}}, errTokenizer},
		"settings of BERT":      {element{"model": model, "normalizer": element{"type": "BertNormalizer", "lowercase": 1}}, errTokenizer},
		"settings of a strip":   {element{"model": model, "normalizer": element{"type": "Strip", "strip_left": 1}}, errTokenizer},
		"settings of a replace": {element{"model": model, "normalizer": element{"type": "Replace", "content": 1}}, errTokenizer},
		"merge of one":          {element{"model": element{"type": "BPE", "vocab": element{}, "merges": []any{"ab"}}}, errTokenizer},
		"merge of a number":     {element{"model": element{"type": "BPE", "vocab": element{}, "merges": []any{1}}}, errTokenizer},
		"vocabulary":            {element{"model": element{"type": "BPE", "vocab": 3}}, errTokenizer},
		"piece":                 {element{"model": element{"type": "Unigram", "vocab": []any{[]any{1, "a"}}}}, errTokenizer},
		"scores":                {element{"model": element{"type": "Unigram", "vocab": 3}}, errTokenizer},
		"unknown id":            {element{"model": element{"type": "Unigram", "vocab": []any{}, "unk_id": 3}}, errTokenizer},
		"empty added token":     {element{"model": model, "added_tokens": []any{element{"id": 1}}}, errTokenizer},
		"single word":           {element{"model": model, "added_tokens": []any{element{"id": 1, "content": "a", "single_word": true}}}, errUnknown},
		"many added tokens":     {element{"model": model, "added_tokens": make([]element, maxAdded+1)}, errTokenizer},
	} {
		raw, err := json.Marshal(c.file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseTokenizer(raw); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
	if _, err := parseTokenizer(make([]byte, maxTokenizer+1)); !errors.Is(err, errTokenizer) {
		t.Error(err)
	}
}

// TestHardPatternsAreQuick: a pattern that is exponential elsewhere is linear here.
func TestHardPatternsAreQuick(t *testing.T) {
	hard := parseFile(t, element{"model": element{"type": "WordLevel", "vocab": element{"b": 1}},
		"pre_tokenizer": element{"type": "Split", "behavior": "Removed", "pattern": element{"Regex": `(a+)+$|a+`}}})
	if got := hard.encode(strings.Repeat("a", 1000) + "b"); !slices.Equal(got, []int{1}) {
		t.Errorf("got %v", got)
	}
}

// TestPatterns: Unicode's classes, and blanks before a word.
func TestPatterns(t *testing.T) {
	for source, want := range map[string]string{
		`\s+(?!\S)|\s+`: "naïve|  | |٣x|\t  | |ẞ", `\w+`: "naïve|   |٣x|\t   |ẞ", `\d`: "naïve   |٣|x\t   ẞ", `[\s\d]+`: "naïve|   ٣|x|\t   |ẞ",
		`\S+`: "naïve|   |٣x|\t   |ẞ", `x*`: "naïve   ٣|x|\t   ẞ", `\x78\t`: "naïve   ٣|x\t|   ẞ",
	} {
		f, err := pattern{Regex: &source}.compile()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(join(f.cut("naïve   ٣x\t   ẞ"), isolated), "|"); got != want {
			t.Errorf("%s: got %q, want %q", source, got, want)
		}
	}
}

// FuzzTokenizer: no file and no text makes it panic, and ids are those of the file.
func FuzzTokenizer(f *testing.F) {
	for _, file := range files(f) {
		raw, err := json.Marshal(file.file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw, "The memory of an agent. \xff 東京 <|end|> x")
	}
	f.Fuzz(func(t *testing.T, file []byte, text string) {
		tokenizer, err := parseTokenizer(file)
		if err != nil {
			return
		}
		if diff := cmp.Diff(tokenizer.encode(text), tokenizer.encode(text)); diff != "" {
			t.Errorf("a second time: %s", diff)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	for name, f := range files(b) {
		b.Run(name, func(b *testing.B) {
			tokenizer := parseFile(b, f.file)
			text := strings.Join(sampleTexts(5, 50), " ")
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				tokenizer.encode(text)
			}
		})
	}
}
