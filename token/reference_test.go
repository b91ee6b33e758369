// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package token

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pkoukk/tiktoken-go"
	tiktoken_loader "github.com/pkoukk/tiktoken-go-loader"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

func exactCounter(tb testing.TB) exact {
	tb.Helper()
	c, err := Exact()
	if err != nil {
		tb.Fatal(err)
	}
	return c.(exact)
}

// TestGolden compares with counts by OpenAI's own program, produced with npm's tiktoken
// 1.0.22:
//
//	const enc = require("tiktoken").get_encoding("o200k_base");
//	texts.map(text => ({ text, tokens: enc.encode_ordinary(text).length }))
func TestGolden(t *testing.T) {
	data, err := os.ReadFile("testdata/o200k.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Text   string
		Tokens int
	}
	if err := json.Unmarshal(data, &cases); err != nil || len(cases) < 50 {
		t.Fatalf("%d cases: %v", len(cases), err)
	}
	c := exactCounter(t)
	for _, tc := range cases {
		if got := c.Count(tc.Text); got != tc.Tokens {
			t.Errorf("Count(%.200q) = %d, want %d", tc.Text, got, tc.Tokens)
		}
	}
}

// reference is an independent implementation of o200k based on its authors' regular
// expression. It is slow, and quadratic for long pieces.
var reference = sync.OnceValues(func() (*tiktoken.Tiktoken, error) {
	tiktoken.SetBpeLoader(tiktoken_loader.NewOfflineLoader())
	return tiktoken.GetEncoding(tiktoken.MODEL_O200K_BASE)
})

func referenceCount(tb rapid.TB, text string) int {
	tb.Helper()
	r, err := reference()
	if err != nil {
		tb.Fatal(err)
	}
	return len(r.EncodeOrdinary(text))
}

// drawText draws texts that combine the pre-tokenizer's classes in every order.
var drawText = rapid.Custom(func(t *rapid.T) string {
	atoms := []string{
		"a", "b", "Z", "QX", "the", " The", "é", "É", "ǅ", "ʰ", "ª", "記", "\u0301", "1", "٣", "½", " ", "  ", "\t", "\u00a0", "\u2003", "\u0085",
		"\n", "\r", "\r\n", "/", "!", "-", "*", "#", ":", "'", "'s", "'LL", "'re", "_", "🙂", "\u200b", "\x00", "<|endoftext|>", "\ufffd",
	}
	parts := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(atoms), rapid.String()), 0, 14).Draw(t, "parts")
	return strings.Join(parts, "")
})

func TestExactIsTheReference(t *testing.T) {
	c := exactCounter(t)
	rapid.Check(t, func(t *rapid.T) {
		text := drawText.Draw(t, "text")
		if got, want := c.Count(text), referenceCount(t, text); got != want {
			t.Fatalf("Count(%q) = %d, want %d", text, got, want)
		}
	})
}

func TestCorpusIsTheReference(t *testing.T) {
	c := exactCounter(t)
	documents := corpus(t)
	for i, d := range documents {
		if i%10 != 0 || len(d.text) > 200_000 { // the reference takes a second for 3 MB
			continue
		}
		if got, want := c.Count(d.text), referenceCount(t, d.text); got != want {
			t.Errorf("%s: got %d, want %d", d.path, got, want)
		}
	}
}

type document struct{ path, text string }

// corpus returns the texts of the external test data.
func corpus(t *testing.T) []document {
	t.Helper()
	dir := foveatest.Testdata(t)
	var all []document
	for _, sub := range []string{"corpus", "data"} {
		err := filepath.WalkDir(filepath.Join(dir, sub), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !slices.Contains([]string{".org", ".org_archive", ".md", ".txt"}, filepath.Ext(path)) {
				return err
			}
			data, err := os.ReadFile(path)
			all = append(all, document{path, string(data)})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(all) < 1000 {
		t.Fatalf("%s holds only %d texts", dir, len(all))
	}
	return all
}

// TestPieces compares the hand-written pre-tokenizer with its expression. The lookahead
// (?!\S), which RE2 lacks, is emulated.
func TestPieces(t *testing.T) {
	pattern := regexp.MustCompile(`^(?:` + strings.Join([]string{
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
		`\p{N}{1,3}`, ` ?[^` + whiteClass + `\p{L}\p{N}]+[\r\n/]*`, `[` + whiteClass + `]*[\r\n]+`,
	}, "|") + `)`)
	blanks := regexp.MustCompile(`^[` + whiteClass + `]+`)
	want := func(s string) int {
		if m := pattern.FindString(s); m != "" {
			return len(m)
		}
		run := blanks.FindString(s)
		if runes := []rune(run); len(run) < len(s) && len(runes) > 1 {
			return len(string(runes[:len(runes)-1]))
		}
		return len(run)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ToValidUTF8(drawText.Draw(t, "text"), "?")
		for s := text; s != ""; {
			got := pieceLen(s)
			if w := want(s); got != w {
				t.Fatalf("the piece at the start of %q is %q, want %q", s, s[:got], s[:w])
			}
			s = s[got:]
		}
	})
}

// whiteClass is Unicode's White_Space, for which RE2 has no name.
const whiteClass = `\t-\r \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}`

// TestLongPieces asserts that both merge algorithms agree.
func TestLongPieces(t *testing.T) {
	v := exactCounter(t).vocabulary
	letters := rapid.SampledFrom([]string{"a", "b", "the", "ing", "é", "-", "=", "記"})
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(letters, 1, 31).Draw(t, "piece"), "")
		if short, long := v.mergeByScan(s), v.mergeByHeap(s); short != long {
			t.Fatalf("%q: merged short to %d, long to %d", s, short, long)
		}
	})
}

func TestInvalidUTF8CountsAsReplacement(t *testing.T) {
	for _, text := range []string{"\xff", "a\xff\xfeb", "\xe8\xa8", "* x\n\xc3\n", "\xf0\x9f\x99 \x80"} {
		if diff := cmp.Diff(exactCounter(t).Count(string([]rune(text))), exactCounter(t).Count(text)); diff != "" {
			t.Errorf("Count(%q) (-want +got):\n%s", text, diff)
		}
	}
}
