// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/org"
)

// mergedText merges two versions of a headline and returns the text and the conflicts.
func mergedText(base, won, lost string) (string, []document.Conflict) {
	part := func(text string) *document.Part {
		return &org.Format{}.Outline("a.org", []document.Part{document.File(text, false)}, nil).Parts[1]
	}
	p, conflicts := org.Format{}.Merge(&document.Merging{Won: "ann", Lost: "ben"}, part(base), part(won), part(lost), 1)
	return p.Content, conflicts
}

// Two machines that log the same task agree without a conflict, whichever side wins.
func TestMergeOfLogs(t *testing.T) {
	state := func(day string) string {
		return "- State \"DONE\"       from \"TODO\"       [2026-01-" + day + " Fri 10:00]\n"
	}
	note := func(day string) string {
		return "- Note taken on [2026-01-" + day + " Fri 10:00] \\\\\n  words of " + day + "\n"
	}
	clock := func(day string) string {
		return "CLOCK: [2026-01-" + day + " Fri 10:00]--[2026-01-" + day + " Fri 11:00] =>  1:00\n"
	}
	drawer := func(lines ...string) string { return ":LOGBOOK:\n" + strings.Join(lines, "") + ":END:\n" }
	repeat := func(day string) string { return ":PROPERTIES:\n:LAST_REPEAT: [2026-01-" + day + " Fri 10:00]\n:END:\n" }
	for _, c := range []struct{ name, base, a, b, want string }{
		{"the first lines", "", repeat("09") + state("09"), repeat("08") + state("08"), repeat("09") + state("09") + state("08")},
		{"further lines", repeat("01") + state("01"), repeat("08") + state("08") + state("01"), repeat("09") + state("09") + state("01"),
			repeat("09") + state("09") + state("08") + state("01")},
		{"oldest first", state("01") + state("02"), state("01") + state("02") + state("09"), state("01") + state("02") + note("08"),
			state("01") + state("02") + note("08") + state("09")},
		{"clocks", drawer(clock("01")), drawer(clock("08"), clock("01")), drawer(clock("09"), clock("01")), drawer(clock("09"), clock("08"), clock("01"))},
		{"first clocks", "text\n", drawer(clock("08")) + "text\n", drawer(clock("09")) + "text\n", drawer(clock("09"), clock("08")) + "text\n"},
		{"clocks without a drawer", clock("01") + "text\n", clock("08") + clock("01") + "text\n", clock("09") + clock("01") + "text\n",
			clock("09") + clock("08") + clock("01") + "text\n"},
		{"a clock that ended, and a line", drawer("CLOCK: [2026-01-08 Fri 10:00]\n"), drawer(clock("08")), drawer(state("09"), "CLOCK: [2026-01-08 Fri 10:00]\n"),
			drawer(state("09"), clock("08"))},
		{"notes", note("01"), note("08") + note("01"), note("09") + note("01"), note("09") + note("08") + note("01")},
		{"a note that one side corrected", note("01"), strings.ReplaceAll(note("01"), "words", "word"), note("09") + note("01"),
			note("09") + strings.ReplaceAll(note("01"), "words", "word")},
		{"a line that one side removed", state("02") + state("01"), state("02"), state("09") + state("02") + state("01"), state("09") + state("02")},
		{"the same line", state("01"), state("08") + state("01"), state("08") + state("01"), state("08") + state("01")},
		{"the same line and one more", state("01"), state("08") + state("01"), state("09") + state("08") + state("01"), state("09") + state("08") + state("01")},
		{"lines and the text", state("01") + "text\n", state("08") + state("01") + "text\n", state("01") + "other\n", state("08") + state("01") + "other\n"},
		{"into a drawer and beside it", "", drawer(clock("08")), state("09"), drawer(clock("08")) + state("09")},
		{"words, and a clock", drawer("words\n"),
			drawer("words\n", clock("08"), clock("09")), drawer("other words\n"), drawer(clock("08"), clock("09"), "other words\n")},
		{"words that one side added", drawer(clock("01")), drawer(clock("08"), clock("09"), clock("01")), drawer(":x:\n", clock("01")),
			drawer(":x:\n", clock("09"), clock("08"), clock("01"))},
		{"words that one side removed", drawer("words\n", clock("01")),
			drawer("words\n", clock("08"), clock("01")), drawer(clock("01")), drawer(clock("08"), clock("01"))},
		{"the same words", drawer("words\n"), drawer("other\n", clock("08")), drawer("  other\n", clock("09")), ""},
		{"carriage returns", "", state("08"), strings.ReplaceAll(state("09"), "\n", "\r\n"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			const head = "* TODO A\n"
			for _, sides := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
				got, conflicts := mergedText(head+c.base, head+sides[0], head+sides[1])
				if diff := cmp.Diff(head+c.want, got); diff != "" && c.want != "" || len(conflicts) > 0 {
					t.Errorf("%d conflicts (-want +got):\n%s", len(conflicts), diff)
				}
			}
		})
	}
}

// Logs merge as sets: a line stands if both sides have it, or if one side added it; the
// result is the same whichever side wins, and is in order if both sides were.
func TestMergeOfLogsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC)
		line := func(n int) string {
			at := start.Add(time.Duration(n) * 26 * time.Hour)
			if n%3 == 0 {
				return "CLOCK: " + at.Format("[2006-01-02 Mon 15:04]") + "--" + at.Add(time.Hour).Format("[2006-01-02 Mon 15:04]") + " =>  1:00\n"
			}
			return "- State \"DONE\"       from \"TODO\"       " + at.Format("[2006-01-02 Mon 15:04]") + strings.Repeat(" \\\\\n  note", n%2) + "\n"
		}
		reversed, drawer := rapid.Bool().Draw(t, "reversed"), rapid.Bool().Draw(t, "drawer")
		text := func(set []int, words ...string) string {
			set = slices.Clone(set)
			slices.Sort(set)
			if !reversed {
				slices.Reverse(set)
			}
			var b strings.Builder
			for _, n := range set {
				b.WriteString(line(n))
			}
			if drawer && len(set) > 0 {
				return "* a\n:LOGBOOK:\n" + strings.Join(words, "") + b.String() + ":END:\ntext\n"
			}
			return "* a\n" + b.String() + "text\n"
		}
		base := rapid.SliceOfNDistinct(rapid.IntRange(0, 20), 2, 8, rapid.ID).Draw(t, "base")
		change := func(name string) []int {
			gone := rapid.SliceOfN(rapid.SampledFrom(base), 0, 1).Draw(t, name+" gone")
			came := rapid.SliceOfNDistinct(rapid.IntRange(21, 30), 0, 4, rapid.ID).Draw(t, name+" came")
			return append(slices.DeleteFunc(slices.Clone(base), func(n int) bool { return slices.Contains(gone, n) }), came...)
		}
		a, b := change("a"), change("b")
		var want []int
		for n := range 31 {
			inA, inB := slices.Contains(a, n), slices.Contains(b, n)
			if inA && inB || (inA || inB) && !slices.Contains(base, n) {
				want = append(want, n)
			}
		}
		if len(a) < 2 || len(b) < 2 || len(want) == 0 {
			t.Skip("too short to show an order")
		}
		if drawer {
			checkWords(t, func(side int, words ...string) string { return text([][]int{base, a, b}[side], words...) })
		}
		for _, sides := range [][2][]int{{a, b}, {b, a}} {
			got, conflicts := mergedText(text(base), text(sides[0]), text(sides[1]))
			if diff := cmp.Diff(text(want), got); diff != "" || len(conflicts) > 0 {
				t.Fatalf("%d conflicts (-want +got):\n%s", len(conflicts), diff)
			}
		}
	})
}

// checkWords merges logs with lines of a person, which each side leaves, changes, adds to, or
// removes: what a side wrote is in the result, or in a conflict, and what one side removed is
// gone if the other side left the words.
func checkWords(t *rapid.T, text func(side int, words ...string) string) {
	had := []string{"one word\n", ":two:\n"}
	change := func(side string) []string {
		return [][]string{had, had, {"of " + side + "\n"}, {had[0], had[1], "of " + side + "\n"}, {had[0]}, nil}[rapid.IntRange(0, 5).Draw(t, side)]
	}
	a, b := change("a"), change("b")
	for _, swap := range []bool{false, true} {
		won, lost := text(1, a...), text(2, b...)
		if swap {
			won, lost = lost, won
		}
		got, conflicts := mergedText(text(0, had...), won, lost)
		want := a
		if slices.Equal(a, had) {
			want = b
		}
		for _, words := range slices.Concat(a, b) {
			inBoth := slices.Contains(a, words) && slices.Contains(b, words)
			if (inBoth || !slices.Contains(had, words)) && !strings.Contains(got, words[:len(words)-1]) {
				t.Fatalf("%q is lost of\n%s", words, got)
			}
		}
		if lines := countLines(got); slices.Equal(a, had) || slices.Equal(b, had) || slices.Equal(a, b) {
			for _, words := range slices.Concat(had, want) {
				if (lines[strings.TrimSpace(words)] > 0) != slices.Contains(want, words) {
					t.Fatalf("%q stands %d times in\n%s", words, lines[strings.TrimSpace(words)], got)
				}
			}
			if len(conflicts) > 0 {
				t.Fatalf("%d conflicts:\n%s", len(conflicts), got)
			}
		}
	}
}
