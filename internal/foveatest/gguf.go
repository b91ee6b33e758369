// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
)

// The sizes of the tiny BERT.
const (
	TinyDim, tinyFeed, tinyLayers, tinyHeads, TinyContext = 64, 128, 2, 4, 512
	ggufAlign                                             = 32
)

// tinyVocabulary is a WordPiece vocabulary in GGUF's form: a word begins with U+2581.
func tinyVocabulary() []string {
	const words = "the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which one you all " +
		"memory agent note project task file node graph hash search recall token context model word tree root cat dog red blue"
	tokens := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
	var plain []string
	for c := '!'; c <= '~'; c++ {
		if c < 'A' || c > 'Z' {
			plain = append(plain, string(c))
		}
	}
	seen := map[string]bool{}
	for _, word := range append(plain, strings.Fields(words)...) {
		if !seen[word] {
			tokens = append(tokens, "\u2581"+word)
		}
		seen[word] = true
	}
	tokens = append(tokens, plain...)
	return append(tokens, "ed", "ing", "er", "ly", "tion", "ment", "ness", "able")
}

// gguf writes version 3 of the format of llama.cpp.
type gguf struct {
	meta, infos, data bytes.Buffer
	keys, tensors     int
	random            *rand.Rand
}

func put(b *bytes.Buffer, values ...any) {
	for _, v := range values {
		if s, ok := v.(string); ok {
			put(b, uint64(len(s)))
			b.WriteString(s)
			continue
		}
		if err := binary.Write(b, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
}

func (g *gguf) key(name string, kind uint32, values ...any) {
	g.keys++
	put(&g.meta, name, kind)
	put(&g.meta, values...)
}

// tensor adds one of float32: of normal numbers, or of the constant value.
func (g *gguf) tensor(name string, value float32, random bool, shape ...uint64) {
	g.tensors++
	n := uint64(1)
	put(&g.infos, name, uint32(len(shape)))
	for _, d := range shape {
		n *= d
		put(&g.infos, d)
	}
	put(&g.infos, uint32(0), uint64(g.data.Len()))
	for range n {
		x := value
		if random {
			x = float32(g.random.NormFloat64() / math.Sqrt(float64(shape[0])))
		}
		put(&g.data, x)
	}
	pad(&g.data)
}

func pad(b *bytes.Buffer) { b.Write(make([]byte, -b.Len()&(ggufAlign-1))) }

// TinyBERT is a model file of random weights, the same for each seed.
func TinyBERT(seed uint64) []byte {
	g := &gguf{random: rand.New(rand.NewPCG(seed, 0))}
	tokens := tinyVocabulary()
	g.describe(tokens)
	const d, f = uint64(TinyDim), uint64(tinyFeed)
	g.tensor("token_embd.weight", 0, true, d, uint64(len(tokens)))
	g.tensor("position_embd.weight", 0, true, d, TinyContext)
	g.tensor("token_types.weight", 0, true, d, 2)
	g.tensor("token_embd_norm.weight", 1, false, d)
	g.tensor("token_embd_norm.bias", 0, false, d)
	for layer := range tinyLayers {
		name := "blk." + string(rune('0'+layer)) + "."
		for _, part := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
			g.tensor(name+part+".weight", 0, true, d, d)
			g.tensor(name+part+".bias", 0, false, d)
		}
		g.tensor(name+"attn_output_norm.weight", 1, false, d)
		g.tensor(name+"attn_output_norm.bias", 0, false, d)
		g.tensor(name+"ffn_up.weight", 0, true, d, f)
		g.tensor(name+"ffn_up.bias", 0, false, f)
		g.tensor(name+"ffn_down.weight", 0, true, f, d)
		g.tensor(name+"ffn_down.bias", 0, false, d)
		g.tensor(name+"layer_output_norm.weight", 1, false, d)
		g.tensor(name+"layer_output_norm.bias", 0, false, d)
	}
	var out bytes.Buffer
	out.WriteString("GGUF")
	put(&out, uint32(3), uint64(g.tensors), uint64(g.keys), g.meta.Bytes(), g.infos.Bytes())
	pad(&out)
	out.Write(g.data.Bytes())
	return out.Bytes()
}

// describe writes the keys that llama.cpp needs of a BERT with mean pooling.
func (g *gguf) describe(tokens []string) {
	const number, whole, float, truth, text, array = 4, 5, 6, 7, 8, 9
	g.key("general.architecture", text, "bert")
	g.key("general.name", text, "tiny-random-bert")
	g.key("general.file_type", number, uint32(0))
	for name, n := range map[string]uint32{
		"block_count": tinyLayers, "context_length": TinyContext, "embedding_length": TinyDim, "feed_forward_length": tinyFeed,
		"attention.head_count": tinyHeads, "pooling_type": 1,
	} {
		g.key("bert."+name, number, n)
	}
	g.key("bert.attention.layer_norm_epsilon", float, float32(1e-12))
	g.key("bert.attention.causal", truth, false)
	g.key("tokenizer.ggml.model", text, "bert")
	g.key("tokenizer.ggml.pre", text, "default")
	g.key("tokenizer.ggml.token_type_count", number, uint32(2))
	names, scores, types := []any{uint32(text), uint64(len(tokens))}, make([]float32, len(tokens)), make([]int32, len(tokens))
	for i, t := range tokens {
		names, scores[i], types[i] = append(names, t), -1000, 1
		if i < 5 {
			types[i] = 3
		}
	}
	g.key("tokenizer.ggml.tokens", array, names...)
	g.key("tokenizer.ggml.scores", array, uint32(float), uint64(len(tokens)), scores)
	g.key("tokenizer.ggml.token_type", array, uint32(whole), uint64(len(tokens)), types)
	for i, name := range []string{"padding", "unknown", "cls", "seperator", "mask"} { // GGUF spells it so
		g.key("tokenizer.ggml."+name+"_token_id", number, uint32(i))
	}
	g.key("tokenizer.ggml.bos_token_id", number, uint32(2))
	g.key("tokenizer.ggml.eos_token_id", number, uint32(3))
}
