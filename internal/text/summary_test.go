// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package text

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/internal/index"
)

func summaryOf(body, question string, limit int) string {
	x := NewSummary(body, index.NewMatcher(question))
	x.Choose(limit, true)
	return x.Text()
}

// TestSummary proves that a summary has the opening, what matches the question, and what
// stands for the whole, in this order of importance and in the order of the text.
func TestSummary(t *testing.T) {
	const body = "Minutes of the board.\n\nAda opened a window.\n\nThe pump of the mill broke.\n\nBen had tea.\n\n" +
		"The mill needs another pump.\n\nA new pump costs much.\n\nCid left."
	for _, tc := range []struct {
		name, body, question string
		limit                int
		want                 string
	}{
		{"nothing", "", "", 100, ""},
		{"all of it", "One.\n\nTwo.", "", 100, "One.\nTwo."},
		{"the opening", body, "", 25, "Minutes of the board. …"},
		{"what is repeated", body, "", 105, "Minutes of the board. …\nThe pump of the mill broke. …\nThe mill needs another pump.\nA new pump costs much. …"},
		{"the question first", body, "tea", 35, "Minutes of the board. …\nBen had tea. …"},
		{"scripts without blanks", "始まり。\n\n雨。\n\n水車が壊れた。\n\n犬。\n\n水車が要る。", "", 75, "始まり。 …\n水車が壊れた。 …\n水車が要る。"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := summaryOf(tc.body, tc.question, tc.limit); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestLead proves that a text stands before the passages where it takes at most half of the
// room.
func TestLead(t *testing.T) {
	x := NewSummary("One word.\n\nTwo words.\n\nThree words.", index.NewMatcher(""))
	x.Lead("Said by a model.")
	for limit, whole := range map[int]bool{x.Enough(): true, x.Enough() - 1: false} {
		if x.Choose(limit, true); x.IsWhole() && x.HasLead() != whole {
			t.Errorf("%d: whole %t, lead %t", limit, x.IsWhole(), x.HasLead())
		}
	}
	x.Choose(0, true)
	for limit, want := range map[int]string{
		30: "One word.\nTwo words. …", 32: "Said by a model.\nOne word. …", 100: "Said by a model.\nOne word.\nTwo words.\nThree words.",
	} {
		with := x.Clone()
		with.Choose(limit, true)
		if got := with.Text(); got != want {
			t.Errorf("%d: got %q, want %q", limit, got, want)
		}
	}
	if x.IsWhole() || x.Text() != "" {
		t.Errorf("choosing in a copy changed the first: %q", x.Text())
	}
}

// TestBest proves that what answers the question can come before the opening, alone or with
// more of the text, and that the opening is the best where nothing does.
func TestBest(t *testing.T) {
	const body = "Minutes of the board.\n\nAda opened a window.\n\nBen had tea."
	for question, want := range map[string]string{"": "Minutes of the board. …", "tea": "Ben had tea.", "minutes": "Minutes of the board. …"} {
		x := NewSummary(body, index.NewMatcher(question))
		x.Lead("A lead that is long.")
		x.MatchFirst()
		x.ChooseBest()
		if got := x.Text(); got != want || !x.HasChosen() || x.HasLead() {
			t.Errorf("%s: the best is %q", question, got)
		}
		x.Choose(25, true)
		if got := x.Text(); strings.Contains(got, "Ben had tea.") != (question == "tea") {
			t.Errorf("%s: chosen is %q", question, got)
		}
	}
	empty := NewSummary("", index.NewMatcher(""))
	empty.MatchFirst()
	if empty.ChooseBest(); empty.HasChosen() || empty.Enough() != 0 {
		t.Error("something of nothing is chosen")
	}
}

// TestLines proves that lines are chosen by rank, and stand in their order.
func TestLines(t *testing.T) {
	x := ExcerptOfLines([]ExcerptLine{{"1 a", 1}, {"", 0}, {"2 b", 0}, {"3 " + strings.Repeat("x", 500), 2}, {"4 d\nforged", 0}})
	for limit, want := range map[int]string{0: "", 4: "2 b", 8: "2 b\n4 d …", 12: "1 a\n2 b\n4 d …"} {
		x.Choose(limit, true)
		if got := x.Text(); got != want {
			t.Errorf("%d: got %q, want %q", limit, got, want)
		}
	}
	x.Choose(1000, true)
	if got := x.Text(); !x.IsWhole() || len(got) > 280 || !strings.Contains(got, "xxx …\n4 d") {
		t.Errorf("a long line: %q", got)
	}
}

// TestSummaryOfAnyText proves that, whatever the text is, a summary is in its order, costs at
// most its limit, and is the same each time.
func TestSummaryOfAnyText(t *testing.T) {
	pieces := rapid.SampledFrom([]string{"gauge", "pump ", "\n", "\n\n", "- ", "| a | b |\n", ". ", "。", "語", "\r",
		strings.Repeat("x", 300), strings.Repeat("word ", 70)})
	rapid.Check(t, func(t *rapid.T) {
		body := strings.Join(rapid.SliceOfN(pieces, 0, 60).Draw(t, "body"), "")
		question := rapid.SampledFrom([]string{"", "gauge", "語語"}).Draw(t, "question")
		limit := rapid.IntRange(0, 2000).Draw(t, "limit")
		x := NewSummary(body, index.NewMatcher(question))
		x.Choose(limit, true)
		cost, rest := 0, body
		for passage := range x.Chosen() {
			cost += costOf(passage)
			_, after, ok := strings.Cut(rest, passage)
			if !ok {
				t.Fatalf("%q is not in the order of %q", passage, body)
			}
			rest = after
		}
		if cost > limit || x.Text() != summaryOf(body, question, limit) {
			t.Fatalf("%d for a limit of %d", cost, limit)
		}
		if len(x.passages) > 0 && int(x.passages[0].cost) <= limit && !x.passages[0].chosen {
			t.Fatalf("the opening is missing in %q", x.Text())
		}
	})
}

func FuzzSummary(f *testing.F) {
	f.Add("One. Two.\n\nThree pumps.", "pump", 40)
	f.Fuzz(func(t *testing.T, body, question string, limit int) {
		x := NewSummary(body, index.NewMatcher(question))
		x.Lead(question)
		x.Choose(limit, true)
		if one := x.Text(); one != x.Text() {
			t.Error("two texts differ")
		}
		var lines []ExcerptLine
		for i, l := range strings.Split(body, "\n") {
			lines = append(lines, ExcerptLine{l, i % 3})
		}
		y := ExcerptOfLines(lines)
		y.Choose(limit, true)
		_ = y.Text()
	})
}

// BenchmarkSummary makes a summary of 1 MB.
func BenchmarkSummary(b *testing.B) {
	var body strings.Builder
	for i := 0; body.Len() < 1<<20; i++ {
		fmt.Fprintf(&body, "The harbour and its crane moved the cargo of ship %d on day %d. Nothing else was said.\n\n", i, i%365)
	}
	b.SetBytes(int64(body.Len()))
	for b.Loop() {
		summaryOf(body.String(), "crane", 8000)
	}
}
