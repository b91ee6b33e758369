// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// maxTokenizer is the size in bytes of the largest tokenizer.json that is read.
const maxTokenizer = 64 << 20

// maxAdded is the maximum number of added tokens of a file, maxAddedBytes that of their bytes.
const maxAdded, maxAddedBytes = 10_000, 1 << 20

// The errors of parseTokenizer.
var (
	errUnknown   = errors.New("this part of a tokenizer is not implemented; use another model")
	errTokenizer = errors.New("the tokenizer is damaged")
)

// tokenizer turns texts into token ids. It never changes, so it is safe for concurrent use.
type tokenizer struct {
	normalize normalizer
	split     splitter
	model     model
	raw       added // tokens that are found in the unchanged text
	cooked    added // tokens that are found in the normalized text
}

// normalizer changes a text before it is cut.
type normalizer func(text string) string

// splitter cuts each word of a text further. A text begins as one word.
type splitter func(words []string) []string

// model appends the ids of one word.
type model interface {
	encode(ids []int, word string) []int
}

// component is one element of the file: its type, and all of it.
type component struct {
	Type string
	all  json.RawMessage
}

// UnmarshalJSON keeps the whole element with its type.
func (p *component) UnmarshalJSON(text []byte) error {
	var head struct{ Type string }
	if err := json.Unmarshal(text, &head); err != nil {
		return err
	}
	p.Type, p.all = head.Type, slices.Clone(text)
	return nil
}

// parseTokenizer reads a tokenizer.json. Errors: errUnknown, errTokenizer.
func parseTokenizer(file []byte) (*tokenizer, error) {
	var f struct {
		Normalizer *component
		Splitter   *component `json:"pre_tokenizer"`
		Model      *component
		Added      []addedToken `json:"added_tokens"`
	}
	if len(file) > maxTokenizer {
		return nil, fmt.Errorf("over %d bytes: %w", maxTokenizer, errTokenizer)
	}
	if err := json.Unmarshal(file, &f); err != nil {
		return nil, fmt.Errorf("%w: %w", errTokenizer, err)
	}
	if f.Model == nil {
		return nil, fmt.Errorf("it has no model: %w", errTokenizer)
	}
	var t tokenizer
	var err error
	if t.normalize, err = newNormalizer(f.Normalizer, 0); err != nil {
		return nil, err
	}
	if t.split, err = newSplitter(f.Splitter, 0); err != nil {
		return nil, err
	}
	if t.model, err = newModel(f.Model); err != nil {
		return nil, err
	}
	return &t, t.add(f.Added)
}

// encode returns the ids of the tokens of text. The caller owns them.
func (t *tokenizer) encode(text string) []int {
	var ids []int
	t.raw.cut(strings.ToValidUTF8(text, "\ufffd"), &ids, func(text string) {
		t.cooked.cut(t.normalize(text), &ids, func(text string) {
			for _, word := range t.split([]string{text}) {
				if word != "" {
					ids = t.model.encode(ids, word)
				}
			}
		})
	})
	return ids
}

// addedToken is text that is always one token.
type addedToken struct {
	ID                         int
	Content                    string
	SingleWord                 bool `json:"single_word"`
	LStrip, RStrip, Normalized bool
}

// added finds added tokens.
type added struct {
	pattern *regexp.Regexp
	tokens  map[string]addedToken
}

func (t *tokenizer) add(list []addedToken) error {
	if len(list) > maxAdded {
		return fmt.Errorf("over %d added tokens: %w", maxAdded, errTokenizer)
	}
	bytes := 0
	for _, a := range list {
		if bytes += len(a.Content); a.Content == "" || a.ID < 0 || bytes > maxAddedBytes {
			return fmt.Errorf("the added token %.20q is empty, has no id, or is too long: %w", a.Content, errTokenizer)
		}
		if a.SingleWord {
			return fmt.Errorf("added token %.20q with single_word: %w", a.Content, errUnknown)
		}
		into := &t.raw
		if a.Normalized {
			into = &t.cooked
			a.Content = t.normalize(a.Content)
		}
		if into.tokens == nil {
			into.tokens = map[string]addedToken{}
		}
		into.tokens[a.Content] = a
	}
	if err := t.raw.compile(); err != nil {
		return err
	}
	return t.cooked.compile()
}

func (a *added) compile() error {
	if a.tokens == nil {
		return nil
	}
	var quoted []string
	for content := range a.tokens {
		quoted = append(quoted, regexp.QuoteMeta(content))
	}
	slices.Sort(quoted)
	pattern, err := regexp.Compile(strings.Join(quoted, "|"))
	if err != nil {
		return fmt.Errorf("added tokens: %w: %w", errTokenizer, err)
	}
	pattern.Longest()
	a.pattern = pattern
	return nil
}

// cut appends the ids of added tokens and calls rest for the text between them.
func (a *added) cut(text string, ids *[]int, rest func(string)) {
	for text != "" {
		var at []int
		if a.pattern != nil {
			at = a.pattern.FindStringIndex(text)
		}
		if at == nil || at[0] == at[1] {
			rest(text)
			return
		}
		token := a.tokens[text[at[0]:at[1]]]
		before, after := text[:at[0]], text[at[1]:]
		if token.LStrip {
			before = strings.TrimRightFunc(before, unicode.IsSpace)
		}
		if token.RStrip {
			after = strings.TrimLeftFunc(after, unicode.IsSpace)
		}
		if before != "" {
			rest(before)
		}
		*ids = append(*ids, token.ID)
		text = after
	}
}
