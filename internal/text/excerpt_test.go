// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package text

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/internal/index"
)

// Limits of the tests, in quarters of a token.
const (
	maxOpening = 240
	maxSnippet = 480
)

func snippetOf(body, question string, limit int, fill bool) string {
	x := NewExcerpt(body, index.NewMatcher(question))
	x.Choose(limit, fill)
	return x.Text()
}

func TestSnippet(t *testing.T) {
	long := "This sentence has about fifty letters in it, no more. "
	list := "- Ada: Good morning.\n- Ben: Where is the gauge?\n- Ada: On the roof,\n  behind the chimney.\n- Ben: Thanks.\n- Ada: It rains.\n"
	for _, tc := range []struct {
		name, body, question string
		limit                int
		want                 string
	}{
		{"empty", "", "", maxOpening, ""},
		{"first paragraph", "\n\nfirst\nline\n\nsecond", "", maxOpening, "first\nline"},
		{"nothing matches", "first\n\nsecond", "third", maxSnippet, "first"},
		{"what matches", "about rain\n\nthe LoRa gauge\n\nsnow\n\nhail\n\nsleet", "lora gauge", 15, "the LoRa gauge"},
		{"stems match", "- it rains\n- it snowed\n- it is calm\n- it is dark", "snowing", 16, "- it snowed"},
		{"in the order of the text", "- a gauge\n- b\n- c\n- d\n- a LoRa gauge", "lora gauge", 30, "- a gauge\n- c\n- d\n- a LoRa gauge"},
		{"what stands beside a match", list, "where is the gauge", 90,
			"- Ada: Good morning.\n- Ben: Where is the gauge?\n- Ada: On the roof,\n  behind the chimney."},
		{"two on each side of a match", "- a\n- b\n- c\n- pump\n- d\n- e\n- f", "pump", 1000, "- b\n- c\n- pump\n- d\n- e"},
		{"a repeated word counts once", "- a pump\n- nothing\n- nothing\n- nothing\n- pump pump", "pump", 11, "- a pump"},
		{"a rare word counts more", "- rain a\n- rain b\n- rain c\n- hail\n- rain d", "rain hail", 8, "- hail"},
		{"rows of a table", "| gauge | roof |\n| pump | cellar |\n| saw | shed |", "pump", 20, "| pump | cellar |"},
		{"lines of a block", "#+begin_src go\nfunc a() {\n\tpump()\n}\nfunc b() {}\n#+end_src", "pump", 7, "\tpump()"},
		{"keyword lines are passed over", "#+begin_quote\nquoted\n#+end_quote", "", maxOpening, "quoted"},
		{"only keyword lines", "#+title: x\n#+author: y", "", maxOpening, ""},
		{"a keyword line ends a paragraph", "first\n#+n: x\nsecond", "", maxOpening, "first"},
		{"a row ends a paragraph", "the saw\n| pump | cellar |\n| gauge | roof |", "pump", 20, "| pump | cellar |"},
		{"a paragraph before a row", "the saw\n| pump | cellar |", "", maxOpening, "the saw"},
		{"a paragraph after a row", "| gauge | roof |\nthe pump\nis loud\n\nsaw", "loud", 16, "the pump\nis loud"},
		{"a block ends a paragraph", "saw\n#+begin_verse\nthe pump\nhums\n#+end_verse\nsaw", "hums", 4, "hums"},
		{"a quote is a paragraph", "saw\n#+begin_quote\nthe pump\nhums\n#+end_quote", "hums", 13, "the pump\nhums"},
		{"a keyword line within a block", "#+begin_src\npump()\n#+n:\nsaw()\n#+end_src\nsaw", "saw", 5, "saw()"},
		{"the text after a block", "#+begin_src\npump()\n#+end_src\nthe saw\nis sharp", "sharp", 16, "the saw\nis sharp"},
		{"numbered items", "1. a saw\n2) a pump\n10. a gauge", "pump", 9, "2) a pump"},
		{"a number is no item", "a saw of\n1.5 mm, or\n7.\n. 3. pumps", "pump", 36, "a saw of\n1.5 mm, or\n7.\n. 3. pumps"},
		{"properties", "* Head\n:PROPERTIES:\n:ID: x\n:END:\nfirst\nline", "", maxOpening, "* Head"},
		{"the text after properties", ":PROPERTIES:\n:ID: x\n:END:\nfirst\nline", "", maxOpening, "first\nline"},
		{"properties without end", ":PROPERTIES:\n:ID: x\nfirst\nline", "", maxOpening, "first\nline"},
		{"properties in a block", "#+begin_src\n:PROPERTIES:\n#+end_src", "", maxOpening, ":PROPERTIES:"},
		{"the rule of a table", "|---+---|\n| pump | cellar |", "", maxOpening, "| pump | cellar |"},
		{"all bullets", "+ a saw\n* a pump\n- a gauge", "pump", 8, "* a pump"},
		{"a dash is no item", "a saw\n-5 pumps\n-", "", maxOpening, "a saw\n-5 pumps\n-"},
		{"the second sentence of a paragraph", strings.Repeat(long, 1) + "The pump hums. " + strings.Repeat(long, 4), "pump", 20, "The pump hums."},
		{"the beginning of a paragraph", strings.Repeat(long, 6), "", maxOpening, strings.TrimSpace(strings.Repeat(long, 4))},
		{"sentences of a paragraph", strings.Repeat(long, 3) + "The pump hums. " + strings.Repeat(long, 3) + "The pump is loud.", "pump", 40,
			"The pump hums. " + ellipsis + "\nThe pump is loud."},
		{"cut after a word", strings.Repeat("word ", 100), "", maxOpening, strings.TrimSpace(strings.Repeat("word ", 48)) + " " + ellipsis},
		{"cut in one long word", strings.Repeat("x", 500), "", maxOpening, strings.Repeat("x", maxSentence) + " " + ellipsis},
		{"cut by letters that cost more", strings.Repeat("語", 500), "", maxOpening, strings.Repeat("語", maxSentence/4) + " " + ellipsis},
		{"sentences without blanks", strings.Repeat("語", 40) + "。" + strings.Repeat("語", 500), "", 4 * 41, strings.Repeat("語", 40) + "。"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := snippetOf(tc.body, tc.question, tc.limit, false); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestChosen: what is chosen, all of it or by a function, and dropped again.
func TestChosen(t *testing.T) {
	x := NewExcerpt("- a pump\n- a saw\n\n- a loud pump\n", index.NewMatcher(""))
	chosen := func(whole bool, want ...string) {
		t.Helper()
		if got := slices.Collect(x.Chosen()); !slices.Equal(got, want) || x.IsWhole() != whole {
			t.Errorf("chosen are %q, whole %t; want %q, %t", got, x.IsWhole(), want, whole)
		}
	}
	isPump := func(passage string) bool { return strings.HasSuffix(passage, "pump") }
	chosen(false)
	x.ChooseAll()
	chosen(true, "- a pump", "- a saw", "- a loud pump")
	if left, dropped := x.Drop(isPump); left != 1 || dropped != 2 {
		t.Errorf("%d are left, %d dropped", left, dropped)
	}
	chosen(false, "- a saw")
	if left, dropped := x.Drop(isPump); left != 1 || dropped != 0 {
		t.Errorf("%d are left, %d dropped, though none was chosen", left, dropped)
	}
	for limit, want := range map[int]int{7: 0, 8: 1, 20: 1, 21: 2} {
		if n := x.ChooseFunc(limit, isPump); n != want || n != len(slices.Collect(x.Chosen())) {
			t.Errorf("%d are chosen by a limit of %d, want %d", n, limit, want)
		}
	}
	for range x.Chosen() {
		break
	}
	if empty := NewExcerpt("", index.NewMatcher("")); !empty.IsWhole() {
		t.Error("a text of nothing is not whole")
	}
}

// TestFilledSnippet: with more room than what matches, a snippet goes on with the rest.
func TestFilledSnippet(t *testing.T) {
	body := "one\n\ntwo pumps\n\nthree\n\nfour\n\nfive\n\nsix"
	if got, want := snippetOf(body, "pump", 1000, true), "one\ntwo pumps\nthree\nfour\nfive\nsix"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := snippetOf(body, "", 12, true), "one\ntwo pumps"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSnippetOfAnyText: whatever the body and the question are, a snippet has only what
// stands in the body, in its order, costs at most its limit, and uses it where it can.
func TestSnippetOfAnyText(t *testing.T) {
	pieces := rapid.SampledFrom([]string{"gauge", "pump ", "\n", "\n\n", "- ", "| a | b |\n", ". ", "。", "語",
		"#+begin_src\n", "#+end_src\n", "\t", "12. ", "\r",
		"\u2028", strings.Repeat("x", 300),
		strings.Repeat("word ", 70), ".\" "})
	rapid.Check(t, func(t *rapid.T) {
		body := strings.Join(rapid.SliceOfN(pieces, 0, 60).Draw(t, "body"), "")
		question := rapid.SampledFrom([]string{"", "gauge", "pump gauge", "語語"}).Draw(t, "question")
		limit, fill := rapid.IntRange(0, 2000).Draw(t, "limit"), rapid.Bool().Draw(t, "fill")
		x := NewExcerpt(body, index.NewMatcher(question))
		x.Choose(limit, fill)
		got := x.Text()
		cost, whole, least := 0, 0, limit
		rest := x.body
		for _, p := range x.passages {
			if p.cost > maxWhole || int(p.cost) != costOf(body[p.start:p.end]) {
				t.Fatalf("passage %+v", p)
			}
			whole += int(p.cost)
			if !p.chosen {
				least = min(least, int(p.cost))
				continue
			}
			cost += int(p.cost)
			_, after, ok := strings.Cut(rest, x.body[p.start:p.end])
			if !ok {
				t.Fatalf("%q is not in the order of the body %q", x.body[p.start:p.end], x.body)
			}
			rest = after
		}
		if cost > limit || !utf8.ValidString(got) {
			t.Fatalf("%d for a limit of %d: %q", cost, limit, got)
		}
		if fill && cost < whole && cost+maxWhole <= limit {
			t.Fatalf("%d of %d are used, though %d are left out", cost, limit, whole-cost)
		}
	})
}
