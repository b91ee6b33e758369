// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package token

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

func TestByName(t *testing.T) {
	for _, name := range []string{O200k, Estimated} {
		c, err := ByName(name)
		if err != nil || c.Name() != name {
			t.Errorf("Named(%q) = %v, %v", name, c, err)
		}
	}
	_, err := ByName("cl100k")
	if !errors.Is(err, ErrUnknownCounter) || !strings.Contains(err.Error(), "known are o200k and estimate") {
		t.Errorf("Named(cl100k): %v; want ErrUnknownCounter with the known names", err)
	}
}

// additive reports whether left and right can be counted separately: if it is true,
// Count(left+right) equals Count(left)+Count(right) for each counter of this package.
// It is true if either is empty, or if left ends with a newline and right starts with
// neither white space nor a slash. O(1).
//
// Why this holds for o200k: its pre-tokenizer splits a text into pieces, and no token
// crosses the end of a piece. Of the alternatives listed in pieces.go, those for words
// and numbers contain no newline; the one for punctuation continues after a newline
// only with \r, \n or /; those for white space continue only with white space. So the
// piece that contains left's last byte ends there. The following text cannot change the
// pieces of left either: the only lookahead, (?!\S), applies at the end of a run of
// white space without a newline, and left's last run has one. The estimate restarts at
// the same places.
func additive(left, right string) bool {
	if left == "" || right == "" {
		return true
	}
	first, _ := utf8.DecodeRuneInString(right)
	return strings.HasSuffix(left, "\n") && first != '/' && !unicode.IsSpace(first)
}

func TestAdditiveCases(t *testing.T) {
	for _, tc := range []struct {
		name, left, right string
		want              bool
	}{
		{"headline", "text\n", "* TODO x", true},
		{"drawer", "* x\n", ":ID: y", true},
		{"word", "a\n", "b", true},
		{"digit", "1\n", "2", true},
		{"another script", "a\n", "記", true},
		{"bytes that are no text", "a\n", "\xff", true},
		{"empty left", "", " x", true},
		{"empty right", "x", "", true},
		{"no newline", "a", "b", false},
		{"newline and blank", "a\n", " b", false},
		{"newline and wide blank", "a\n", "\u3000b", false},
		{"newline and newline", "a\n", "\nb", false},
		{"newline and slash", ".\n", "/b", false},
	} {
		if got := additive(tc.left, tc.right); got != tc.want {
			t.Errorf("%s: additive(%q, %q) = %v, want %v", tc.name, tc.left, tc.right, got, tc.want)
		}
	}
	c := exactCounter(t)
	for _, tc := range []struct{ name, left, right string }{
		{"the slash", ".\n", "/"}, {"white space", "a\n", "\n\n"},
	} {
		if c.Count(tc.left+tc.right) == c.Count(tc.left)+c.Count(tc.right) {
			t.Errorf("%s is excluded for nothing: %q and %q add up", tc.name, tc.left, tc.right)
		}
	}
}

func TestAdditive(t *testing.T) {
	counters := []Counter{exactCounter(t), Estimate()}
	part := rapid.OneOf(drawText, rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 8), func(b []byte) string { return string(b) }))
	rapid.Check(t, func(t *rapid.T) {
		left, right := part.Draw(t, "left")+"\n", part.Draw(t, "right")
		if !additive(left, right) {
			right = "*" + right
		}
		for _, c := range counters {
			if whole, apart := c.Count(left+right), c.Count(left)+c.Count(right); whole != apart {
				t.Fatalf("%s: Count(%q + %q) = %d, apart %d", c.Name(), left, right, whole, apart)
			}
		}
	})
}

func TestAdditiveCorpus(t *testing.T) {
	counters := []Counter{exactCounter(t), Estimate()}
	cuts := 0
	for i, d := range corpus(t) {
		if i%5 != 0 {
			continue
		}
		sums := make([]int, len(counters))
		for rest := d.text; rest != ""; {
			n := 0
			for line := range strings.Lines(rest) {
				n += len(line)
				if n == len(rest) || additive(line, rest[n:]) {
					break
				}
			}
			for j, c := range counters {
				sums[j] += c.Count(rest[:n])
			}
			rest = rest[n:]
			cuts++
		}
		for j, c := range counters {
			if whole := c.Count(d.text); whole != sums[j] {
				t.Errorf("%s: %s counts %d, cut at the lines %d", d.path, c.Name(), whole, sums[j])
			}
		}
	}
	if cuts < 10_000 {
		t.Errorf("only %d cuts were tried", cuts)
	}
}

func TestCountersAreSafeForConcurrentUse(t *testing.T) {
	text := foveatest.GenFile(0, 50)
	for _, name := range []string{O200k, Estimated} {
		var wg sync.WaitGroup
		counts := make([]int, 8)
		for i := range counts {
			wg.Go(func() {
				c, err := ByName(name)
				if err != nil {
					t.Error(err)
					return
				}
				counts[i] = c.Count(text)
			})
		}
		wg.Wait()
		for _, n := range counts {
			if n != counts[0] || n == 0 {
				t.Errorf("%s counted %v", name, counts)
			}
		}
	}
}

// BenchmarkCount measures prose with markup, and a megabyte without a place to split
// it, which must not take quadratic time.
func BenchmarkCount(b *testing.B) {
	texts := []struct{ name, text string }{
		{"org", strings.Repeat(foveatest.GenFile(0, 500), 4)},
		{"letters", strings.Repeat("a", 1<<20)},
		{"random", randomLetters(1 << 20)},
		{"signs", strings.Repeat("-=", 1<<19)},
		{"blanks", strings.Repeat(" ", 1<<20)},
		{"han", strings.Repeat("記憶の中で私は", 1<<16)},
	}
	for _, name := range []string{O200k, Estimated} {
		c, err := ByName(name)
		if err != nil {
			b.Fatal(err)
		}
		for _, tc := range texts {
			b.Run(name+"/"+tc.name, func(b *testing.B) {
				b.SetBytes(int64(len(tc.text)))
				for b.Loop() {
					c.Count(tc.text)
				}
			})
		}
	}
}

// randomLetters returns n letters; few adjacent ones form tokens.
func randomLetters(n int) string {
	out, state := make([]byte, n), uint32(1)
	for i := range out {
		state = state*1664525 + 1013904223
		out[i] = 'a' + byte(state>>24)%26
	}
	return string(out)
}
