// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package token

import (
	"bytes"
	"compress/flate"
	_ "embed" // for the vocabulary
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"unicode/utf8"
)

// Exact returns the counter named o200k: the number of tokens of OpenAI's o200k_base
// encoding, which GPT-4o and later models use. Text that spells a special token, such
// as <|endoftext|>, counts as ordinary text. An invalid byte counts as U+FFFD, which is
// its form in JSON.
//
// The vocabulary is embedded in the program. The first call loads it, which takes some
// tenths of a second and 30 MB; later calls return the same counter or the same error.
// Count takes linear time in the length of the text, and O(n log n) for a piece that
// cannot be split, such as a line of a million letters a.
func Exact() (Counter, error) {
	v, err := o200kVocabulary()
	if err != nil {
		return nil, err
	}
	return exact{v}, nil
}

var o200kVocabulary = sync.OnceValues(func() (*vocabulary, error) {
	ranks, err := readRanks(vocabularyFile)
	if err != nil {
		return nil, fmt.Errorf("token: read the %s vocabulary: %w", O200k, err)
	}
	return newVocabulary(ranks), nil
})

// vocabularyFile has the tokens of o200k in the order of their ranks, each after its length as
// an unsigned varint, compressed by DEFLATE. A test derives it from the table of OpenAI.
//
//go:embed o200k.bin
var vocabularyFile []byte

// maxVocabulary is the largest vocabulary file, in bytes, uncompressed.
const maxVocabulary = 16 << 20

// readRanks returns the ranks of the tokens in a vocabulary file. O(file).
func readRanks(file []byte) (map[string]int, error) {
	data, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(file)), maxVocabulary))
	if err != nil {
		return nil, err
	}
	text := string(data)
	ranks := make(map[string]int, 1<<18)
	for len(data) > 0 {
		n, size := binary.Uvarint(data)
		if size <= 0 || n == 0 || n > uint64(len(data)-size) {
			return nil, errors.New("a token of a wrong length")
		}
		end := size + int(n)
		ranks[text[size:end]] = len(ranks)
		data, text = data[end:], text[end:]
	}
	return ranks, nil
}

type exact struct{ vocabulary *vocabulary }

func (exact) Name() string { return O200k }

func (e exact) Count(text string) int {
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	tokens := 0
	for text != "" {
		n := pieceLen(text)
		tokens += e.vocabulary.count(text[:n])
		text = text[n:]
	}
	return tokens
}

// lazyExact is the exact counter, with the vocabulary loaded on first use. If loading
// fails, which tests would detect, it counts one token per byte: never too few.
type lazyExact struct{}

func (lazyExact) Name() string { return O200k }

func (lazyExact) Count(text string) int {
	c, err := Exact()
	if err != nil {
		return len(text)
	}
	return c.Count(text)
}
