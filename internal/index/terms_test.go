// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestTerms(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string
	}{
		{"empty", "", nil},
		{"punctuation", " .,;-- \n\t()[]*/=~ ", nil},
		{"stems", "Running runners ran; connections connected", []string{"run", "runner", "ran", "connect", "connect"}},
		{"stop words stay", "the same", []string{"the", "same"}},
		{"numbers", "12 2023-05-07 3.14 x86", []string{"12", "2023", "05", "07", "3", "14", "x86"}},
		{"apostrophes and identifiers", "Caroline's don’t foo_bar", []string{"carolin", "s", "don", "t", "foo", "bar"}},
		{"other scripts keep their form", "Häuser ДОМА", []string{"häuser", "дома"}},
		{"decomposed and composed", "cafe\u0301 caf\u00e9", []string{"café", "café"}},
		{"full width", "ＷＡＬＫＩＮＧ", []string{"walk"}},
		{"Chinese", "学习中文", []string{"学习", "习中", "中文"}},
		{"lone rune", "水 and 火", []string{"水", "and", "火"}},
		{"Japanese next to Latin", "Emacsで書く", []string{"emac", "で書", "書く"}},
		{"kana with a long sound", "データ・ベース", []string{"デー", "ータ", "ベー", "ース"}},
		{"Korean", "기억 장치", []string{"기억", "장치"}},
		{"Thai", "ไทย", []string{"ไท", "ทย"}},
		{"Hindi keeps its marks", "हिन्दी", []string{"हिन्दी"}},
		{"symbols", "done 🎉❤️ → │──│", []string{"done", "🎉", "❤"}},
		{"invalid UTF-8", "a\xffb\xc3", []string{"a", "b"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Terms(tc.text)); diff != "" {
				t.Errorf("Terms(%q) (-want +got):\n%s", tc.text, diff)
			}
		})
	}
}

func TestLongWords(t *testing.T) {
	just := strings.Repeat("é", maxWordBytes/2)
	for _, tc := range []struct {
		name, text string
		want       string
	}{
		{"at the limit", just, just},
		{"beyond it", strings.Repeat("x1", 40), strings.Repeat("x1", 20) + "~18005d5a19409445"},
		{"cut before a rune", "a" + just, "a" + strings.Repeat("é", 19) + "~b1357d3a3b96468c"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff([]string{tc.want}, Terms(tc.text)); diff != "" {
				t.Errorf("Terms(%q) (-want +got):\n%s", tc.text, diff)
			}
		})
	}
	a, b := strings.Repeat("x", 1000)+"a", strings.Repeat("X", 1000)+"b"
	if cmp.Equal(Terms(a), Terms(b)) {
		t.Errorf("words that differ at byte 1000 have the same term %q", Terms(a))
	}
	if diff := cmp.Diff(Terms(a), Terms(strings.ToUpper(a))); diff != "" {
		t.Errorf("case changes the term of a long word:\n%s", diff)
	}
}

func TestQueryTerms(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string
	}{
		{"order and repeats", "zebra apple zebras", []string{"zebra", "appl"}},
		{"stop words go", "When did the zebra run?", []string{"zebra", "run"}},
		{"unless there is nothing else", "To be or not to be", []string{"to", "be", "or", "not"}},
		{"nothing", "?!", []string{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, QueryTerms(tc.text)); diff != "" {
				t.Errorf("QueryTerms(%q) (-want +got):\n%s", tc.text, diff)
			}
		})
	}
}

func TestProse(t *testing.T) {
	for _, tc := range []struct {
		name, body string
		want       []string
	}{
		{"no drawer", "one\n: two\n", []string{"one\n: two\n"}},
		{"drawer", "before\n  :properties:\n  :ID: 7\n  :EFFORT: 1:30\n  :END:\nafter", []string{"before\n", "1:30", "after"}},
		{"keys with colons and appends", ":PROPERTIES:\n:a:b: c\n:x+: y\n:END:\n", []string{"c", "y"}},
		{"not closed", ":PROPERTIES:\n:A: b\nplain :ID: words", []string{"b", "plain :ID: words"}},
		{"in the middle of a line", "see :PROPERTIES: here\n:ID: 7\n", []string{"see :PROPERTIES: here\n:ID: 7\n"}},
		{"with more on the line", ":PROPERTIES: x\n:ID: 7", []string{":PROPERTIES: x\n:ID: 7"}},
		{"two drawers", ":PROPERTIES:\n:A: 1\n:END:\nx\n:PROPERTIES:\n:B: 2\n:END:", []string{"1", "x\n", "2"}},
		{"carriage returns", ":PROPERTIES:\r\n:A: 1\r\n:END:\r\nx", []string{"1", "x"}},
		{"a property without a value", ":PROPERTIES:\n:A:\n:B: c\n:END:\nx", []string{"c", "x"}},
		{"a value of END", ":PROPERTIES:\n:END: of it\n:B: c\n:END:\nx", []string{"of it", "c", "x"}},
		{"at the end", "x\n:PROPERTIES:", []string{"x\n"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			eachProse(tc.body, func(piece string) {
				if piece != "" {
					got = append(got, piece)
				}
			})
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("prose of %q (-want +got):\n%s", tc.body, diff)
			}
		})
	}
}

// FuzzTerms checks that analysis of any bytes terminates, that terms are not empty and
// bounded in length, and that analysing two texts separately gives the terms of both
// joined.
func FuzzTerms(f *testing.F) {
	f.Add("When did Caroline's cafe\u0301 close?", "学习 中文")
	f.Add(strings.Repeat("x", 100), "\xff\xc3🎉ＷＡＬＫ")
	f.Add(":PROPERTIES:\n:ID: 7", "ﷺ ½ İstanbul ſ")
	f.Fuzz(func(t *testing.T, a, b string) {
		terms := Terms(a)
		for _, term := range terms {
			// Composing may lengthen a rune elevenfold at most, by the stability
			// policy of Unicode's normal forms (18 bytes for 3 is the maximum today).
			if term == "" || len(term) > 11*maxWordBytes || !utf8.ValidString(term) {
				t.Errorf("term %q of %q", term, a)
			}
		}
		if !utf8.ValidString(a) {
			return
		}
		apart := append(Terms(a), Terms(b)...)
		if diff := cmp.Diff(apart, Terms(a+" "+b)); diff != "" {
			t.Errorf("%q and %q apart and together:\n%s", a, b, diff)
		}
	})
}
