// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// element is a part of a tokenizer.json.
type element = map[string]any

// sampleTexts are texts of words and oddities, the same for each seed.
func sampleTexts(seed uint64, n int) []string {
	pieces := strings.Split("the|memory|of|an|agent|Notes|notebook|forgets|unforgettable|remembering|Café|naïve|Ångström|résumé|東京|天気|日本語|Привет|мир|"+
		"ﬁne|½|２０２６|2026-11-23|12.5%|3rd|don't|we'll|I'm|(see|that)|[x]|"+
		"a_b|foo.bar()|https://example.org/?q=1|C++|e\u0301|🙂|👩‍👩‍👧|—|…|“quoted”|$5|x=y|\t|\n|\n\n|  |   |"+
		"\u00a0|\u3000|\u200b|\u0007|ß|İstanbul|ǆ|한국어|zzzzzzzz|qqq|supercalifragilistic|AND|OR|don|t|!!!|?!|~|`code`|<tag>", "|")
	random := rand.New(rand.NewPCG(seed, 7))
	texts := make([]string, n)
	for i := range texts {
		var b strings.Builder
		for range 1 + random.IntN(14) {
			b.WriteString(pieces[random.IntN(len(pieces))])
			if random.IntN(5) > 0 {
				b.WriteByte(' ')
			}
		}
		texts[i] = b.String()
	}
	return texts
}

// trainPairs learns merges of byte pairs from words: the most frequent pair first.
func trainPairs(words []string, merges int) (vocab map[string]int, pairs [][2]string) {
	vocab = map[string]int{"<unk>": 0}
	split := make([][]string, len(words))
	for i, w := range words {
		split[i] = strings.Split(w, "")
		for _, c := range split[i] {
			if _, ok := vocab[c]; !ok && c != "🙂" {
				vocab[c] = len(vocab)
			}
		}
	}
	for range merges {
		counts := map[[2]string]int{}
		for _, w := range split {
			for i := 1; i < len(w); i++ {
				counts[[2]string{w[i-1], w[i]}]++
			}
		}
		keys := slices.SortedFunc(maps.Keys(counts), func(a, b [2]string) int { return strings.Compare(a[0]+"\x00"+a[1], b[0]+"\x00"+b[1]) })
		var best [2]string
		for _, k := range keys {
			if counts[k] > counts[best] {
				best = k
			}
		}
		pairs = append(pairs, best)
		if _, ok := vocab[best[0]+best[1]]; !ok {
			vocab[best[0]+best[1]] = len(vocab)
		}
		for i, w := range split {
			split[i] = mergePair(w, best)
		}
	}
	return vocab, pairs
}

func mergePair(word []string, pair [2]string) []string {
	var out []string
	for i := 0; i < len(word); i++ {
		if i+1 < len(word) && word[i] == pair[0] && word[i+1] == pair[1] {
			out = append(out, pair[0]+pair[1])
			i++
			continue
		}
		out = append(out, word[i])
	}
	return out
}

// wordsOf cuts texts with a splitter of the package.
func wordsOf(tb testing.TB, texts []string, pre element) []string {
	raw, err := json.Marshal(pre)
	if err != nil {
		tb.Fatal(err)
	}
	var p component
	if err := json.Unmarshal(raw, &p); err != nil {
		tb.Fatal(err)
	}
	split, err := newSplitter(&p, 0)
	if err != nil {
		tb.Fatal(err)
	}
	return split(texts)
}

// wordPieceFile is a tokenizer as BERT has it.
func wordPieceFile(lower bool) element {
	vocab := map[string]int{}
	put := func(s string) {
		if _, ok := vocab[s]; !ok {
			vocab[s] = len(vocab)
		}
	}
	for s := range strings.FieldsSeq("[PAD] [UNK] [CLS] [SEP] [MASK] the memory of an note ##book forget ##s un ##forget ##table remember ##ing cafe naive " +
		"ang ##strom Café Ang 東 京 天 日 при ##вет мир super ##cali ##fragi don ##zz and or 20 ##26 http https example org") {
		put(s)
	}
	for c := '!'; c <= '~'; c++ {
		put(string(c))
		put("##" + string(c))
	}
	return element{
		"added_tokens":  []element{{"id": 4, "content": "[MASK]", "lstrip": true, "rstrip": false, "normalized": false, "special": true}},
		"normalizer":    element{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": nil, "lowercase": lower},
		"pre_tokenizer": element{"type": "BertPreTokenizer"},
		"model":         element{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocab},
	}
}

// pairsFile is a tokenizer of byte pairs with a normalizer and a splitter.
func pairsFile(tb testing.TB, normalizer, pre element, added ...element) element {
	texts := sampleTexts(1, 200)
	vocab, pairs := trainPairs(wordsOf(tb, texts, pre), 300)
	merges := make([]string, len(pairs))
	for i, p := range pairs {
		merges[i] = p[0] + " " + p[1]
	}
	for _, r := range byteRunes() {
		if _, ok := vocab[string(r)]; !ok {
			vocab[string(r)] = len(vocab)
		}
	}
	return element{
		"added_tokens": added, "normalizer": normalizer, "pre_tokenizer": pre,
		"model": element{"type": "BPE", "unk_token": "<unk>", "vocab": vocab, "merges": merges},
	}
}

// fallbackFile is a tokenizer as Llama has it: no words, pairs as lists, unknown runes as bytes.
func fallbackFile(tb testing.TB) element {
	f := pairsFile(tb, nil, element{"type": "Metaspace", "replacement": "▁"})
	m := f["model"].(element)
	vocab := m["vocab"].(map[string]int)
	for i := range 256 {
		vocab[strings.ToUpper("<0x"+hex2(i)+">")] = len(vocab)
	}
	for _, r := range byteRunes() {
		if r > 255 {
			delete(vocab, string(r))
		}
	}
	var pairs [][]string
	for _, merge := range m["merges"].([]string) {
		pairs = append(pairs, strings.SplitN(merge, " ", 2))
	}
	m["merges"], m["byte_fallback"], m["unk_token"] = pairs, true, "<unk>"
	f["normalizer"] = element{"type": "Sequence", "normalizers": []element{
		{"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": element{"String": " "}, "content": "▁"},
	}}
	f["pre_tokenizer"] = nil
	// vocab was numbered with gaps after the deletions; ids need not be dense.
	return f
}

func hex2(i int) string { return string("0123456789abcdef"[i>>4]) + string("0123456789abcdef"[i&15]) }

// unigramFile is a tokenizer as XLM-R has it.
func unigramFile(tb testing.TB) element {
	random := rand.New(rand.NewPCG(3, 3))
	counts := map[string]int{}
	for _, w := range wordsOf(tb, sampleTexts(2, 200), element{"type": "Metaspace", "replacement": "▁"}) {
		runes := []rune(w)
		for i := range runes {
			for n := 1; n <= 8 && i+n <= len(runes); n++ {
				counts[string(runes[i:i+n])]++
			}
		}
	}
	vocab := [][2]any{{"<s>", 0}, {"<pad>", 0}, {"</s>", 0}, {"<unk>", 0}}
	for _, s := range slices.Sorted(maps.Keys(counts)) {
		if n := counts[s]; n > 3 && s != "🙂" && s != "京" {
			score := math.Log(float64(n)) + float64(utf8.RuneCountInString(s)) - 14 + random.Float64()
			vocab = append(vocab, [2]any{s, score})
		}
	}
	return element{
		"added_tokens": []element{{"id": 3, "content": "<unk>", "normalized": false, "special": true}},
		"normalizer": element{"type": "Sequence", "normalizers": []element{
			{"type": "Precompiled", "precompiled_charsmap": ""},
			{"type": "Replace", "pattern": element{"Regex": " {2,}"}, "content": " "},
			{"type": "Strip", "strip_left": false, "strip_right": true},
		}},
		"pre_tokenizer": element{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
		"model":         element{"type": "Unigram", "unk_id": 3, "vocab": vocab},
	}
}

// files are tokenizers of each kind, with the id of the unknown token.
func files(tb testing.TB) map[string]struct {
	file    element
	unknown int
} {
	byteLevel := element{"type": "ByteLevel", "add_prefix_space": false, "use_regex": true}
	const regex = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	loose := element{"type": "Sequence", "normalizers": []element{{"type": "NFKD"}, {"type": "StripAccents"}, {"type": "Lowercase"}}}
	split := element{"type": "Sequence", "pretokenizers": []element{
		{"type": "Split", "behavior": "Isolated", "invert": false, "pattern": element{"Regex": regex}},
		{"type": "ByteLevel", "add_prefix_space": false, "use_regex": false},
	}}
	end := element{"id": 1, "content": "<|end|>", "normalized": false, "special": true, "rstrip": true}
	return map[string]struct {
		file    element
		unknown int
	}{
		"WordPiece":              {wordPieceFile(true), 1},
		"WordPiece, cased":       {wordPieceFile(false), 1},
		"BPE of bytes":           {pairsFile(tb, element{"type": "NFC"}, byteLevel, end), 0},
		"BPE of bytes, by split": {pairsFile(tb, loose, split), 0},
		"BPE, bytes if unknown":  {fallbackFile(tb), 0},
		"Unigram":                {unigramFile(tb), 3},
	}
}

// TestAgainstTheReference compares the ids of 1,000 texts with those of tokenizers.js.
func TestAgainstTheReference(t *testing.T) {
	modules := foveatest.NodePackages(t, "@huggingface/tokenizers")
	node := foveatest.Part(t, "node")
	dir := t.TempDir()
	script, err := os.ReadFile("testdata/reference.mjs")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "reference.mjs"), script, 0o600); err != nil {
		t.Fatal(err)
	}
	texts := append(sampleTexts(4, 997), "", "a <|end|>  b [MASK] c", "plain words only")
	for name, f := range files(t) {
		t.Run(name, func(t *testing.T) {
			input, err := json.Marshal(element{"tokenizer": f.file, "texts": texts})
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "input.json")
			if err := os.WriteFile(path, input, 0o600); err != nil {
				t.Fatal(err)
			}
			command := exec.Command(node, filepath.Join(dir, "reference.mjs"), path)
			command.Stderr = os.Stderr
			out, err := command.Output()
			if err != nil {
				t.Fatal(err)
			}
			var want [][]int
			if err := json.Unmarshal(out, &want); err != nil {
				t.Fatal(err)
			}
			compareIDs(t, f.file, texts, want, f.unknown)
		})
	}
}

func compareIDs(t *testing.T, file element, texts []string, want [][]int, unknown int) {
	tokenizer := parseFile(t, file)
	wrong, tokens := 0, 0
	for i, text := range texts {
		got := tokenizer.encode(text)
		known := slices.DeleteFunc(want[i], func(id int) bool { return id == unknown })
		if tokens += len(known); !slices.Equal(got, known) {
			if wrong++; wrong < 4 {
				t.Errorf("%q: %s", text, cmp.Diff(known, got))
			}
		}
	}
	t.Logf("%d of %d texts differ, %d tokens", wrong, len(texts), tokens)
}

func parseFile(tb testing.TB, file element) *tokenizer {
	tb.Helper()
	raw, err := json.Marshal(file)
	if err != nil {
		tb.Fatal(err)
	}
	tokenizer, err := parseTokenizer(raw)
	if err != nil {
		tb.Fatal(err)
	}
	return tokenizer
}
