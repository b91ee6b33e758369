// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/foveatest"
)

func openLexical(tb testing.TB) Embedder {
	e, err := Open(context.Background(), Config{})
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// vectorOf embeds one text, which must have a vector.
func vectorOf(tb testing.TB, e Embedder, p Purpose, text string) []float32 {
	tb.Helper()
	results, err := e.Embed(context.Background(), p, []string{text})
	if err != nil || len(results) != 1 || results[0].Err != nil {
		tb.Fatalf("%q: %v, %v", text, results, err)
	}
	return results[0].Vector
}

func likeness(tb testing.TB, e Embedder, a, b string) float64 {
	tb.Helper()
	c, err := Cosine(vectorOf(tb, e, Document, a), vectorOf(tb, e, Query, b))
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func TestLexicalOrdersByWords(t *testing.T) {
	e := openLexical(t)
	for _, c := range []struct{ text, near, far string }{
		{"the backup of the database failed", "database backups fail", "a recipe for bread"},
		{"configuration of the embedder", "confguration embeder", "holiday in the mountains"},
		{"the cat and the dog are in the house", "cat dog house", "the bird and the fish are in the lake"},
		{"東京の天気は晴れです", "東京の天気", "大阪で食べる"},
	} {
		near, far := likeness(t, e, c.text, c.near), likeness(t, e, c.text, c.far)
		if near < far+0.2 {
			t.Errorf("%q: %q has %.2f, %q has %.2f", c.text, c.near, near, c.far, far)
		}
	}
}

// TestLexicalIsFixed: the vectors are the same on every machine and in every release
// that has this fingerprint. Other vectors need another version in newLexical.
func TestLexicalIsFixed(t *testing.T) {
	e := openLexical(t)
	h := sha256.New()
	for _, text := range []string{"Fovea remembers the naïve café", "x", "backups, backups and BACKUPS 42", "東京"} {
		for _, x := range vectorOf(t, e, Document, text) {
			if err := binary.Write(h, binary.LittleEndian, int32(x*1e5)); err != nil {
				t.Fatal(err)
			}
		}
	}
	const want = "7a37b73e72b891e0"
	if got := hex.EncodeToString(h.Sum(nil))[:16]; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestLexicalModel(t *testing.T) {
	m := openLexical(t).Model()
	if m.Name != "lexical" || m.Dim != 768 || m.Remote || !m.Lexical || len(m.Fingerprint) != 64 {
		t.Errorf("%+v", m)
	}
}

// TestLexicalLaws: any text has a vector of norm 1 or is empty, alone or among others,
// for either purpose.
func TestLexicalLaws(t *testing.T) {
	e := openLexical(t)
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOf(rapid.String()).Draw(t, "texts")
		results, err := e.Embed(context.Background(), Document, texts)
		if err != nil || len(results) != len(texts) {
			t.Fatal(len(results), err)
		}
		for i, r := range results {
			alone, err := e.Embed(context.Background(), Query, texts[i:i+1])
			if err != nil || !slices.Equal(alone[0].Vector, r.Vector) || !errors.Is(alone[0].Err, r.Err) {
				t.Fatalf("%q alone differs: %v", texts[i], err)
			}
			if r.Err == nil && (len(r.Vector) != 768 || !hasNormOne(r.Vector)) || r.Err != nil && !errors.Is(r.Err, ErrEmpty) {
				t.Fatalf("%q: %v", texts[i], r.Err)
			}
		}
	})
}

func TestLexicalEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := openLexical(t).Embed(ctx, Document, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestOpenRefusesKinds(t *testing.T) {
	if _, err := Open(context.Background(), Config{Kind: "quantum"}); !errors.Is(err, ErrConfig) || fault.KindOf(err) != fault.Invalid {
		t.Error(err)
	}
}

// TestLexicalFindsAnswers: alone, the built-in vectors find at least 0.46 of the evidence
// of LoCoMo among the first ten.
func TestLexicalFindsAnswers(t *testing.T) {
	e := openLexical(t)
	found, questions := 0.0, 0
	for _, c := range foveatest.Locomo(t) {
		var ids, texts []string
		for _, s := range c.Sessions {
			for _, turn := range s.Turns {
				ids, texts = append(ids, turn.ID), append(texts, turn.Speaker+": "+turn.Text)
			}
		}
		turns, err := e.Embed(context.Background(), Document, texts)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range c.Questions {
			found += recallAt10(t, vectorOf(t, e, Query, q.Text), turns, ids, q.Evidence)
			questions++
		}
	}
	got := found / float64(questions)
	t.Logf("R@10 %.3f of %d questions", got, questions)
	if got < 0.46 {
		t.Errorf("R@10 is %.3f", got)
	}
}

func recallAt10(tb testing.TB, query []float32, turns []Result, ids, evidence []string) float64 {
	order := make([]int, len(turns))
	cosines := make([]float64, len(turns))
	for i, turn := range turns {
		order[i] = i
		cosine, err := Cosine(query, turn.Vector)
		if err != nil && turn.Err == nil {
			tb.Fatal(err)
		}
		cosines[i] = cosine
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(cosines[b], cosines[a])
	})
	n := 0
	for _, i := range order[:10] {
		if slices.Contains(evidence, ids[i]) {
			n++
		}
	}
	return float64(n) / float64(len(evidence))
}

func BenchmarkLexical(b *testing.B) {
	e := openLexical(b)
	text := []string{"The backup of the database failed twice this week; the disk of the second server is full, and nobody was told."}
	for b.Loop() {
		if _, err := e.Embed(context.Background(), Document, text); err != nil {
			b.Fatal(err)
		}
	}
}
