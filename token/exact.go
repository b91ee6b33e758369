// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package token

import (
	"fmt"
	"sync"
	"unicode/utf8"

	tiktoken_loader "github.com/pkoukk/tiktoken-go-loader"
)

// Exact returns the counter named o200k: the number of tokens of OpenAI's
// o200k_base encoding, which GPT-4o and later models use. Text that spells a
// special token, such as <|endoftext|>, counts as ordinary text. A byte that is
// not UTF-8 counts as U+FFFD, which is what it becomes in JSON.
//
// The vocabulary is part of the program. The first call reads it, which takes
// some tenths of a second and 30 MB; later calls return the same counter or the
// same error. Count takes linear time in the text, and n log n for one piece
// without a place to cut, such as a line of a million letters a.
func Exact() (Counter, error) {
	v, err := o200kVocabulary()
	if err != nil {
		return nil, err
	}
	return exact{v}, nil
}

var o200kVocabulary = sync.OnceValues(func() (*vocabulary, error) {
	ranks, err := tiktoken_loader.NewOfflineLoader().LoadTiktokenBpe("o200k_base.tiktoken")
	if err != nil {
		return nil, fmt.Errorf("token: read the %s vocabulary: %w", O200k, err)
	}
	return newVocabulary(ranks), nil
})

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

// deferred is the exact counter, whose vocabulary is read when it is needed.
// Were the vocabulary unreadable, which it is in no program that passes its
// tests, it would count a token for every byte: never too few.
type lazyExact struct{}

func (lazyExact) Name() string { return O200k }

func (lazyExact) Count(text string) int {
	c, err := Exact()
	if err != nil {
		return len(text)
	}
	return c.Count(text)
}
