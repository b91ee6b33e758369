// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package minds

import (
	"encoding/base64"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestRecipeHasNoTextOfSources: what a window copied from a source is no text of its own,
// however large the sources are, and wherever in them it stands.
func TestRecipeHasNoTextOfSources(t *testing.T) {
	const note = "The quiet code of the blue door is 4711, and the zebra sleeps beside the violin of Johannes.\n"
	text := "* x\n" + note
	for _, size := range []int{0, 100 << 10, maxSources - len(note)} {
		filler := words(size)
		for _, sources := range [][]string{{note, filler}, {filler, note}, {filler[:size/2], note, filler[size/2:]}} {
			r, ok := cook(text, sources)
			if !ok || len(r.Own) > len("* x\n") {
				t.Errorf("%d bytes of other sources: own text %q, %v", size, r.Own, ok)
			}
			if got, err := r.follow(sources, make([]bool, len(sources)), mark); err != nil || got != text {
				t.Errorf("%d bytes of other sources: followed %q, %v", size, got, err)
			}
		}
	}
}

// words is a text of random words.
func words(size int) string {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for b.Len() < size {
		for range 3 + r.IntN(7) {
			b.WriteByte('a' + byte(r.IntN(26)))
		}
		b.WriteByte(' ')
	}
	return b.String()[:size]
}

// FuzzRecipe: a recipe gives the text that it was made of; one of any bytes gives an error at
// worst.
func FuzzRecipe(f *testing.F) {
	f.Add("* x\n note", "note", "more", "")
	f.Add("aaaaaaaaaa\xff", "aaaa", "aa\xe2\x82", "AAAA")
	f.Fuzz(func(t *testing.T, text, one, two, copies string) {
		sources := []string{one, two}
		if r, ok := cook(text, sources); ok {
			if got, err := r.follow(sources, make([]bool, 2), mark); err != nil || got != text {
				t.Fatalf("got %q, %v, want %q", got, err, text)
			}
		}
		r := recipe{Own: text, Copies: copies}
		_, _ = r.follow(sources, []bool{false, true}, mark)
	})
}

// TestRecipeBomb: instructions that came from elsewhere cannot fill memory.
func TestRecipeBomb(t *testing.T) {
	source := strings.Repeat("x", 1<<20)
	var steps []byte
	for range 100 {
		for _, n := range []uint64{0, 0, 0, uint64(len(source))} {
			steps = binary.AppendUvarint(steps, n)
		}
	}
	r := recipe{Copies: base64.RawStdEncoding.EncodeToString(steps)}
	if text, err := r.follow([]string{source}, []bool{false}, mark); err == nil {
		t.Errorf("it gave %d bytes", len(text))
	}
}
