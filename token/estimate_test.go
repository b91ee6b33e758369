// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package token

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// TestWordSet derives the word set from the vocabulary. -update writes the file.
func TestWordSet(t *testing.T) {
	word := regexp.MustCompile(`^[[:^alnum:]]?[A-Z]*[a-z]*('[a-z]+)?$`)
	set := make([]byte, wordSetSize)
	words := 0
	for token := range exactCounter(t).vocabulary.ranks {
		if len(token) < 2 || !isASCII(token) || token[0] == '\n' || token[0] == '\r' || !word.MatchString(token) {
			continue
		}
		offset, mask := wordSlot(hashOf(token))
		binary.LittleEndian.PutUint64(set[offset:], binary.LittleEndian.Uint64(set[offset:])|mask)
		words++
	}
	if words < 100_000 {
		t.Fatalf("the vocabulary holds only %d words", words)
	}
	if !bytes.Equal(set, wordSet) {
		foveatest.Golden(t, "../words.bin", set)
	}
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}

func hashOf(s string) uint64 {
	hash := uint64(0)
	for i := range len(s) {
		hash = hashStep(hash, s[i])
	}
	return hash
}

func TestWordSetRarelyErrs(t *testing.T) {
	v := exactCounter(t).vocabulary
	random := randomLetters(1 << 16)
	tried, wrong := 0, 0
	for i := 0; i+6 < len(random); i += 6 {
		word := " " + random[i:i+6]
		if v.rank(word) != noRank {
			continue
		}
		tried++
		if isWord(hashOf(word)) {
			wrong++
		}
	}
	if wrong*50 > tried {
		t.Errorf("%d of %d words are taken for tokens; at most one in fifty is expected", wrong, tried)
	}
	for _, word := range []string{"DEADLINE", "SCHEDULED", "CLOSED", "WAITING", "CANCELLED", " CANCELLED"} {
		if v.rank(word) == noRank && isWord(hashOf(word)) {
			t.Errorf("%q is taken for a token; choose another seed", word)
		}
	}
}

// TestEstimateOverCounts measures the estimate on documents and entries of the external
// corpus.
func TestEstimateOverCounts(t *testing.T) {
	c, e := exactCounter(t), Estimate()
	var documents, entries []string
	for _, d := range corpus(t) {
		documents = append(documents, d.text)
		if strings.HasSuffix(d.path, ".org") {
			entries = append(entries, cutEntries(d.text)...)
		}
	}
	for _, tc := range []struct {
		name           string
		texts          []string
		under, p50     float64 // the greatest share that is under-counted, the greatest median
		worst, highest float64 // the least ratio, the greatest 95th percentile
	}{
		{"documents", documents, 0.001, 1.12, 0.98, 1.32},
		{"entries", entries, 0.002, 1.12, 0.90, 1.32},
	} {
		var ratios []float64
		under := 0
		for _, text := range tc.texts {
			want, got := c.Count(text), e.Count(text)
			if want == 0 {
				continue
			}
			if got < want {
				under++
			}
			ratios = append(ratios, float64(got)/float64(want))
		}
		slices.Sort(ratios)
		quantile := func(share float64) float64 { return ratios[int(share*float64(len(ratios)-1))] }
		summary := fmt.Sprintf("%d %s: %d under-counted, ratio least %.3f, p5 %.3f, p50 %.3f, p95 %.3f", len(ratios), tc.name, under, ratios[0], quantile(0.05),
			quantile(0.5), quantile(0.95))
		t.Log(summary)
		if float64(under) > tc.under*float64(len(ratios)) || ratios[0] < tc.worst || quantile(0.5) > tc.p50 || quantile(0.95) > tc.highest {
			t.Errorf("%s; want a share of at most %v under, none below %v, p50 at most %v, p95 at most %v", summary, tc.under, tc.worst, tc.p50, tc.highest)
		}
	}
}

func cutEntries(text string) []string {
	var entries []string
	for text != "" {
		end := len(text)
		if i := strings.Index(text[1:], "\n*"); i >= 0 {
			end = i + 2
		}
		entries = append(entries, text[:end])
		text = text[end:]
	}
	return entries
}

// TestEstimateOnGenerated needs no external data.
func TestEstimateOnGenerated(t *testing.T) {
	c, e := exactCounter(t), Estimate()
	for i := range 20 {
		for _, entry := range cutEntries(foveatest.GenFile(i, 50)) {
			if want, got := c.Count(entry), e.Count(entry); got < want || got > want*3/2+3 {
				t.Errorf("the estimate of %q is %d, exactly %d", entry, got, want)
			}
		}
	}
}

func TestEstimateCases(t *testing.T) {
	for _, tc := range []struct {
		text string
		want int
	}{
		{"", 0},
		{"a", 1},
		{"\n", 1},
		{" ", 1},
		{"hello world", 2},
		{"hello world\n", 3},
		{"don't", 1},
		{"1234567", 3},
		{"in 2026", 4}, // in, blank, 202, 6
		{"::\n\n", 2},
		{"\xff\xfe", 5}, // bytes that are no text do not stop it
		{"\xe8", 3},
	} {
		if got := Estimate().Count(tc.text); got != tc.want {
			t.Errorf("Count(%q) = %d, want %d", tc.text, got, tc.want)
		}
	}
}

// FuzzCount looks for panics, impossible counts, and texts where additive is wrong.
func FuzzCount(f *testing.F) {
	for _, s := range []string{"", "* TODO x :a:\n/it's\r\n", "記憶 é\u0301\xff", "  \n \t\f\n/\n*", "a'S'll'ſ"} {
		f.Add(s, s)
	}
	counters := []Counter{exactCounter(f), Estimate()}
	f.Fuzz(func(t *testing.T, left, right string) {
		for _, c := range counters {
			if n := c.Count(left); n < 0 || (n == 0) != (left == "") || n > 4*len(left)+1 {
				t.Fatalf("%s: Count(%q) = %d", c.Name(), left, n)
			}
			if additive(left, right) && c.Count(left+right) != c.Count(left)+c.Count(right) {
				t.Fatalf("%s: %q and %q do not add up", c.Name(), left, right)
			}
		}
	})
}
