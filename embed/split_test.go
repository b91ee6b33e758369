// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/token"
)

func TestHalve(t *testing.T) {
	for name, c := range map[string]struct{ text, left, right string }{
		"paragraph before sentence": {"One two. Three four five.\n\nSix seven. Eight nine ten.", "One two. Three four five.", "Six seven. Eight nine ten."},
		"sentence before line":      {"one two\nthree four. five\nsix seven eight", "one two\nthree four.", "five\nsix seven eight"},
		"line before word":          {"one two three\nfour five six seven eight", "one two three", "four five six seven eight"},
		"word":                      {"one two three four five six seven eight", "one two three four", "five six seven eight"},
		"Japanese sentence":         {"今日は天気です。明日は雨です。", "今日は天気です。", "明日は雨です。"},
		"no end":                    {strings.Repeat("x", 40), strings.Repeat("x", 20), strings.Repeat("x", 20)},
		"between runes":             {strings.Repeat("€", 13), strings.Repeat("€", 6), strings.Repeat("€", 7)},
	} {
		left, right, ok := halve(c.text)
		if diff := cmp.Diff([]string{c.left, c.right}, []string{left, right}); diff != "" || !ok {
			t.Errorf("%s: %v %s", name, ok, diff)
		}
	}
	if _, _, ok := halve("too short to be cut"); ok {
		t.Error("a short text is cut")
	}
}

// TestSplitLaws: parts are within the limit or cannot be cut, and have all words in order.
func TestSplitLaws(t *testing.T) {
	piece := rapid.SampledFrom([]string{"word", "longer words", ". ", "\n\n", "\n", " ", "東京の天気", "€", "x", "?", "\xff"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 1, 300).Draw(t, "text"), "")
		limit := rapid.IntRange(16, 100).Draw(t, "limit")
		parts, truncated := split(text, limit)
		if truncated {
			t.Fatal("truncated")
		}
		without := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if without(strings.Join(parts, " ")) != without(text) {
			t.Fatalf("%q became %q", text, parts)
		}
		for _, part := range parts {
			if _, _, ok := halve(part); ok && token.Estimate().Count(part) > limit {
				t.Fatalf("%q is over %d tokens", part, limit)
			}
			if utf8.ValidString(text) && !utf8.ValidString(part) {
				t.Fatalf("%q is cut within a rune", part)
			}
		}
	})
	if parts, truncated := split(strings.Repeat("word ", maxText), 1000); !truncated || len(strings.Join(parts, "")) > maxText {
		t.Error("a huge text is not cut")
	}
}

func TestPool(t *testing.T) {
	a, b, bad := &part{text: "aaa", vector: []float32{1, 0}}, &part{text: "a", vector: []float32{0, 1}}, &part{text: "b", err: ErrRefused}
	want := []float32{3, 1}
	if err := unit(want); err != nil {
		t.Fatal(err)
	}
	if got := pool([]*part{a, b}); !slices.Equal(got.Vector, want) || got.Truncated || got.Err != nil {
		t.Errorf("%v, want %v", got, want)
	}
	if got := pool([]*part{bad, a}); !slices.Equal(got.Vector, []float32{1, 0}) || !got.Truncated || got.Err != nil {
		t.Errorf("one failed: %v", got)
	}
	if got := pool([]*part{bad, bad}); got.Vector != nil || !errors.Is(got.Err, ErrRefused) {
		t.Errorf("all failed: %v", got)
	}
	opposite := &part{text: "b", vector: []float32{0, -1}}
	if got := pool([]*part{b, opposite}); got.Vector != nil || !errors.Is(got.Err, ErrVector) {
		t.Errorf("a sum of zero: %v", got)
	}
}
