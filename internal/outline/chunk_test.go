// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/internal/text"
)

// joins fails unless chunks join to src, none empty and none above the limit, with the lines
// that they are on.
func joins(t interface {
	Helper()
	Fatalf(string, ...any)
}, src []byte, chunks []Chunk, limit int) {
	t.Helper()
	at := 0
	for _, c := range chunks {
		first := 1 + bytes.Count(src[:c.Start], []byte("\n"))
		last := first + bytes.Count(src[c.Start:c.End-1], []byte("\n"))
		if c.Start != at || c.End <= c.Start || c.End-c.Start > max(limit, utf8.UTFMax) || c.FirstLine != first || c.EndLine != last {
			t.Fatalf("%+v, after %d bytes, with a limit of %d, on lines %d to %d", c, at, limit, first, last)
		}
		at = c.End
	}
	if at != len(src) {
		t.Fatalf("the chunks have %d bytes of %d", at, len(src))
	}
	if !utf8.Valid(src) {
		return
	}
	for _, c := range chunks {
		if !utf8.Valid(src[c.Start:c.End]) {
			t.Fatalf("%+v cuts a rune", c)
		}
	}
}

// TestChunks proves where texts are cut: where meaning cuts, as far as the limit allows.
func TestChunks(t *testing.T) {
	goCode := "package a\n\n// One is one.\nfunc One() int {\n\treturn 1\n}\n\n// Two is two.\nfunc Two() int {\n\treturn 2\n}\n"
	python := "class A:\n    def one(self):\n        return 1\n\n    def two(self):\n        return 2\n\nclass B:\n    pass\n"
	for _, tc := range []struct {
		name, language, text string
		limit                int
		want                 []string
	}{
		{"nothing", "", "", 10, nil},
		{"what fits", "Go", goCode, 1000, []string{goCode}},
		{"definitions with their comments", "Go", goCode, 70, []string{goCode[:strings.Index(goCode, "// Two")], goCode[strings.Index(goCode, "// Two"):]}},
		{"outer definitions first", "Python", python, 100, []string{python[:strings.Index(python, "class B")], python[strings.Index(python, "class B"):]}},
		{"methods", "Python", python, 60, []string{
			"class A:\n    def one(self):\n        return 1\n\n", "    def two(self):\n        return 2\n\nclass B:\n    pass\n"}},
		{"Org", Org, "* One\ntext\n** Deep\ntext\n* Two\ntext\n", 30, []string{"* One\ntext\n** Deep\ntext\n", "* Two\ntext\n"}},
		{"Markdown", "", "# One\ntext\n\n## Deep\ntext\n\n# Two\ntext\n", 30, []string{"# One\ntext\n\n## Deep\ntext\n\n", "# Two\ntext\n"}},
		{"paragraphs", "", "One.\nOne.\n\nTwo.\nTwo.\n", 15, []string{"One.\nOne.\n\n", "Two.\nTwo.\n"}},
		{"lines", "", "first\nsecond\nthird\n", 14, []string{"first\nsecond\n", "third\n"}},
		{"sentences", "", "The first is here. The second is there.", 25, []string{"The first is here. ", "The second is there."}},
		{"words", "", "onlywords andnothing else", 12, []string{"onlywords ", "andnothing ", "else"}},
		{"runes", "", "語語語語", 7, []string{"語語", "語語"}},
		{"at least a rune", "", "語語", 1, []string{"語", "語"}},
		{"no rune", "", "\xff\xfe\xfd\xfc\xfb", 4, []string{"\xff\xfe\xfd\xfc", "\xfb"}},
		{"a drawer", Org, "Text.\nMore.\n:LOG:\n- one\n\n- two\n:END:\nLast.\n", 32, []string{"Text.\nMore.\n", ":LOG:\n- one\n\n- two\n:END:\nLast.\n"}},
		{"a heading with its drawer", Org, "Text.\n\n* One\n:PROPERTIES:\n:ID: x\n:END:\n\nOne.\n", 39,
			[]string{"Text.\n\n", "* One\n:PROPERTIES:\n:ID: x\n:END:\n\nOne.\n"}},
		{"a block of source", Org, "Text.\n#+BEGIN_SRC go\n\na()\n\nb()\n#+end_src\nLast.\n", 38,
			[]string{"Text.\n", "#+BEGIN_SRC go\n\na()\n\nb()\n#+end_src\n", "Last.\n"}},
		{"a block without end", Org, "#+begin_src\n\na()\n\nb()\n", 20, []string{"#+begin_src\n\na()\n\n", "b()\n"}},
		{"a heading ends what is open", Org, "#+begin_src\n* One\n\na\n#+end_src\n", 24, []string{"#+begin_src\n", "* One\n\na\n#+end_src\n"}},
		{"a table", Org, "Text.\n| a | b |\n|---+---|\n| 1 | 2 |\nLast.\n", 32, []string{"Text.\n", "| a | b |\n|---+---|\n| 1 | 2 |\n", "Last.\n"}},
		{"a table that is too long", Org, "| a |\n| b |\n| c |\n| d |\n", 13, []string{"| a |\n| b |\n", "| c |\n| d |\n"}},
		{"a comment in a fence", "", "Text.\n```sh\n# One\na\n\nb\n```\n# Two\n", 32, []string{"Text.\n```sh\n# One\na\n\nb\n```\n", "# Two\n"}},
		{"sentences without blanks", "", "雨が降る。雪が降る。風が吹", 36, []string{"雨が降る。雪が降る。", "風が吹"}},
		{"parts of a sentence", "", "雨が降る、雪が降る、風が吹く", 36, []string{"雨が降る、雪が降る、", "風が吹く"}},
		{"a heading and a long line", Org, "* One\n" + strings.Repeat("雨。", 9), 30, []string{"* One\n" + strings.Repeat("雨。", 4), strings.Repeat("雨。", 5)}},
		{"line ends of DOS", "", "One.\r\n\r\nTwo.\r\n", 10, []string{"One.\r\n\r\n", "Two.\r\n"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			chunks := Chunks(tc.language, []byte(tc.text), tc.limit)
			joins(t, []byte(tc.text), chunks, tc.limit)
			var got []string
			for _, c := range chunks {
				got = append(got, tc.text[c.Start:c.End])
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestChunksJoin proves for any text that its chunks join to it, and are not many more than
// the limit asks for.
func TestChunksJoin(t *testing.T) {
	pieces := rapid.SampledFrom([]string{"func A() {\n", "}\n", "\n", "* Head\n", "## Head\n", "// note\n", "class B:\n", "    def c(self):\n", "語", "\xff",
		"\r\n", "word ", "。", "、", ":A:\n", ":END:\n", "#+begin_x\n", "#+end_x\n", "| a |\n", "```\n", "End. ", strings.Repeat("x", 40), "\t\n"})
	rapid.Check(t, func(t *rapid.T) {
		src := []byte(strings.Join(rapid.SliceOfN(pieces, 0, 80).Draw(t, "text"), ""))
		language := rapid.SampledFrom([]string{"", "Go", "Python", Org}).Draw(t, "language")
		limit := rapid.IntRange(0, 200).Draw(t, "limit")
		chunks := Chunks(language, src, limit)
		joins(t, src, chunks, limit)
		if most := 4*len(src)/max(limit, utf8.UTFMax) + 4; len(chunks) > most {
			t.Fatalf("%d chunks of %d bytes with a limit of %d", len(chunks), len(src), limit)
		}
	})
}

func FuzzChunks(f *testing.F) {
	f.Add("Go", []byte("package a\n\nfunc A() {}\n"), 12)
	f.Add(Org, []byte("* A\n** B\ntext. text\n"), 7)
	f.Add(Org, []byte("* A\n:P:\n:END:\n#+begin_x\n| a |\n| b |\n#+end_x\n雨。雨、雨"), 9)
	f.Add("", []byte("```\n# a\n```\n# b\n"), 9)
	f.Fuzz(func(t *testing.T, language string, src []byte, limit int) {
		joins(t, src, Chunks(language, src, limit), limit)
	})
}

// terms matches the words of a question.
type terms []string

func (w terms) Len() int { return len(w) }

func (w terms) Append(found []int32, text string) []int32 {
	for i, word := range w {
		if strings.Contains(text, word) {
			found = append(found, int32(i))
		}
	}
	return found
}

// TestListing proves that a listing has the outline, with the numbers of the whole file, and
// after it the definitions that a question is about.
func TestListing(t *testing.T) {
	const src = "package a\n\nimport \"fmt\"\n\n// One is one.\nfunc One() {\n\tfmt.Println(\"valve\")\n}\n\nfunc Two() {\n\tfmt.Println(\"gauge\")\n}\n"
	texts := func(lines []text.ExcerptLine) (out []string) {
		for _, l := range lines {
			out = append(out, fmt.Sprint(l.Rank, "|", l.Text))
		}
		return out
	}
	file := Read("Go", []byte(src))
	outline := texts(file.Listing(src, 11, terms{}))
	if len(outline) < 3 || !slices.Contains(outline, "-1|16 func One()") || !slices.Contains(outline, "0|20 func Two()") {
		t.Errorf("got %q", outline)
	}
	got := texts(file.Listing(src, 11, terms{"gauge", "Println"}))
	want := slices.Concat(outline[:len(outline)-2], []string{
		"0|16 func One()", "1002|17 \tfmt.Println(\"valve\")", "1002|18 }", "-1|20 func Two()", "1001|21 \tfmt.Println(\"gauge\")", "1001|22 }"})
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if Read("", []byte(src)) != nil || Read("Go", []byte("no code")) != nil {
		t.Error("there is a listing of what has no outline")
	}
}

// BenchmarkChunks cuts 1 MB of Go.
func BenchmarkChunks(b *testing.B) {
	src := []byte("package a\n\n" + strings.Repeat("// A is a.\nfunc A(a, b int) int {\n\treturn a + b\n}\n\n", 20_000))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		Chunks("Go", src, 16<<10)
	}
}
