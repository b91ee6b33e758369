// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package face

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

func TestVisible(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"plain", "a b\tc\nč 記 é e\u0301", "a b\tc\nč 記 é e\u0301"},
		{"escape", "\x1b[31m", `\x1b[31m`},
		{"bell, backspace, null, delete", "\a\b\x00\x7f", `\x07\x08\x00\x7f`},
		{"C1", "\u009b31m\u0085", `\u{9b}31m\u{85}`},
		{"not UTF-8", "a\xffb\xc3", `a\xffb\xc3`},
		{"a C1 byte", "\x9b1m", `\x9b1m`},
		{"an overlong escape", "\xc0\x9b", `\xc0\x9b`},
		{"a surrogate", "\xed\xa0\x80", `\xed\xa0\x80`},
		{"direction", "\u202a\u202e\u2066\u2069\u200e\u200f\u061c", `\u{202a}\u{202e}\u{2066}\u{2069}\u{200e}\u{200f}\u{61c}`},
		{"separators", "\u2028\u2029", `\u{2028}\u{2029}`},
		{"zero width", "\u200b\u2060\ufeff\u00ad\u180e\u115f\u3164\u034f", `\u{200b}\u{2060}\u{feff}\u{ad}\u{180e}\u{115f}\u{3164}\u{34f}`},
		{"tags", "\U000e0041\U000e0001", `\u{e0041}\u{e0001}`},
		{"line ends of DOS", "a\r\nb\r\n", "a\nb\n"},
		{"carriage return", "secret\rpublic\r", `secret\x0dpublic\x0d`},
		{"two of them", "a\r\r\n", `a\x0d` + "\n"},
		{"a family", "👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"},
		{"a heart on fire", "❤\ufe0f\u200d🔥", "❤\ufe0f\u200d🔥"},
		{"Persian", "می\u200cخواهم", "می\u200cخواهم"},
		{"Hindi", "क्\u200dष", "क्\u200dष"},
		{"a joiner in a password", "pass\u200dword", `pass\u{200d}word`},
		{"a joiner at the end", "ی\u200c", "ی" + `\u{200c}`},
		{"two joiners", "ی\u200c\u200cخ", "ی" + `\u{200c}\u{200c}` + "خ"},
		{"hidden behind selectors", "a\ufe00\ufe01\ufe0f", "a\ufe00" + `\u{fe01}\u{fe0f}`},
		{"an Arabic sign", "\u0600\u06dd", "\u0600\u06dd"},
		{"nothing", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Visible(tc.text); got != tc.want {
				t.Errorf("Visible(%q) = %q, want %q", tc.text, got, tc.want)
			}
		})
	}
}

// FuzzVisible: nothing hidden is left, what was visible stays, and JSON means the same.
func FuzzVisible(f *testing.F) {
	for _, text := range []string{foveatest.TerminalControls, "می\u200cخواهم\r\n", "\xf0\x9f\x91\xa8\u200d\xf0\x9f\x91", "\r", "0\u0605",
		"❤\ufe0f\u200d🔥\ufe0f\ufe0f"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		whole := Visible(text)
		if found := foveatest.ActingOnTerminal(strings.ReplaceAll(whole, "\u200dword", "")); len(found) > 0 {
			t.Fatalf("Visible(%q) = %q holds %s", text, whole, found)
		}
		if !utf8.ValidString(whole) || Visible(whole) != whole {
			t.Fatalf("Visible(%q) = %q is not what it stays", text, whole)
		}
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var was, is string
		if err := json.Unmarshal(quoted, &was); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(reveal(string(quoted), spelledJSON)), &is); err != nil || is != was {
			t.Fatalf("JSON says %q, was %q, %v", is, was, err)
		}
	})
}

// TestRow: a pipe gets one line a record with tabs between the columns, all of each;
// a terminal a line no wider than it is.
func TestRow(t *testing.T) {
	long := strings.Repeat("wide 記憶 ", 30)
	cells := []Cell{Column("1", 3), Column("a\tb\nc\r\nd", 10), Column(long, Rest), Text("notes/a.org:7")}
	for _, wide := range []int{40, 60, 80, 100, 200} {
		got := NewStream(io.Discard, wide, true).layout(append([]Cell{}, cells...))
		for line := range strings.Lines(got) {
			if w := cellsWide(strings.TrimRight(line, "\n")); w > wide {
				t.Errorf("at %d columns a line has %d: %q", wide, w, line)
			}
		}
		if !strings.HasSuffix(got, "notes/a.org:7") || !strings.HasPrefix(got, "1    a b c d ") {
			t.Errorf("at %d columns: %q", wide, got)
		}
	}
}

func cellsWide(text string) int { return uniseg.StringWidth(text) }
