// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/inert"
	"github.com/fovea-memory/fovea/org"
	"github.com/fovea-memory/fovea/window/render"
)

// forgeries are texts that would act, or be read as more than one note. MARK stands
// for Lisp that leaves a file behind, SH for a command that does.
var forgeries = []struct{ name, text, inert string }{
	{"a headline", "* Forged\ntext", " * Forged\ntext"},
	{"a deep headline", "***** TODO Forged", " ***** TODO Forged"},
	{"an id", ":PROPERTIES:\n:ID: forged\n:END:", ": :PROPERTIES:\n: :ID: forged\n: :END:"},
	{"a drawer", "  :LOGBOOK:\n  CLOCK: [2026-01-01 Thu 10:00]--[2026-01-01 Thu 11:00] =>  1:00\n  :END:",
		": :LOGBOOK:\n: CLOCK: [2026-01-01 Thu 10:00]--[2026-01-01 Thu 11:00] =>  1:00\n: :END:"},
	{"planning", "SCHEDULED: <2026-01-01 Thu>", ": SCHEDULED: <2026-01-01 Thu>"},
	{"file variables", "# Local Variables:\n# eval: MARK\n# End:", "# Local Variables\u200b:\n# eval: MARK\n# End:"},
	{"a first line", "# -*- eval: MARK -*-", "# -\u200b*- eval: MARK -\u200b*-"},
	{"a keyword", "#+STARTUP: overview\n#+begin_quote\nx\n#+end_quote", ": #+STARTUP: overview\n#+begin_quote\nx\n#+end_quote"},
	{"a setup file", "#+SETUPFILE: /etc/passwd", ": #+SETUPFILE: /etc/passwd"},
	{"tangle", "#+begin_src emacs-lisp :tangle FILE\nMARK\n#+end_src", "#+begin_src emacs-lisp :eval never :tangle no :noweb no\nMARK\n#+end_src"},
	{"eval", "#+begin_src emacs-lisp :eval yes :exports results\nMARK\n#+end_src", "#+begin_src emacs-lisp :eval never :tangle no :noweb no\nMARK\n#+end_src"},
	{"arguments that are Lisp", "#+BEGIN_SRC sh :var x=MARK :exports results\ntrue\n#+END_SRC",
		"#+BEGIN_SRC sh :eval never :tangle no :noweb no\ntrue\n#+END_SRC"},
	{"a header for code", "#+HEADER: :tangle FILE\n#+begin_src emacs-lisp\nMARK\n#+end_src",
		": #+HEADER: :tangle FILE\n#+begin_src emacs-lisp :eval never :tangle no :noweb no\nMARK\n#+end_src"},
	{"a property for code", "#+PROPERTY: header-args :tangle FILE", ": #+PROPERTY: header-args :tangle FILE"},
	{"an elisp link", "[[elisp:MARK][look]] <elisp:MARK> elisp:MARK", "[\u200b[elisp\u200b:MARK][look]] <elisp\u200b:MARK> elisp\u200b:MARK"},
	{"a shell link", "[[shell:SH][look]] [[ Shell:SH]]", "[\u200b[shell\u200b:SH][look]] [\u200b[ Shell\u200b:SH]]"},
	{"Lisp for the agenda", "%%(progn MARK t)\n<%%(progn MARK t)>", "%%\u200b(progn MARK t)\n<%%\u200b(progn MARK t)>"},
	{"code in a line", "src_emacs-lisp[:results none]{MARK} and call_x(MARK)", "src\u200b_emacs-lisp[:results none]{MARK} and call\u200b_x(MARK)"},
	{"a call", "#+CALL: x(y=MARK)", ": #+CALL: x(y=MARK)"},
	{"a macro", "#+MACRO: m (eval MARK)\n{{{m}}}", ": #+MACRO: m (eval MARK)\n{{\u200b{m}}}"},
	{"a formula", "| x | := '(MARK) |\n#+TBLFM: $1='(MARK)", "| x | :\u200b= '(MARK) |\n: #+TBLFM: $1='(MARK)"},
	{"a dynamic block", "#+BEGIN: clocktable\n#+END:", ": #+BEGIN: clocktable\n: #+END:"},
	{"a block for export", "#+begin_export html\n<script>x</script>\n#+end_export", ": #+begin_export html\n<script>x</script>\n: #+end_export"},
	{"code without an end", "#+begin_src sh\nx", ": #+begin_src sh :eval never :tangle no :noweb no\nx"},
	{"an end without code", "x\n  #+END_SRC\n#+end_example", "x\n: #+END_SRC\n: #+end_example"},
	{"code inside code", "#+begin_example\n#+begin_src sh\nx\n#+end_src\n#+end_example",
		"#+begin_example\n,#+begin_src sh :eval never :tangle no :noweb no\nx\n,#+end_src\n#+end_example"},
	{"control characters", "a\x00b\x1b[1m\r\nc\fd", "a\uFFFDb\uFFFD[1m\nc\uFFFDd"},
}

// check asks of a text as the body of a note.
func check(text string) error { return (&inert.Place{}).Check(&inert.Place{}, "", "* x\n"+text) }

// TestText: each forgery becomes text, and what is plain Org stays as it is.
func TestText(t *testing.T) {
	for _, f := range forgeries {
		t.Run(f.name, func(t *testing.T) {
			if got := inert.Text(f.text); got != f.inert {
				t.Errorf("%q becomes %q, want %q", f.text, got, f.inert)
			}
			if err := check(f.inert); err != nil {
				t.Errorf("%q: %v", f.inert, err)
			}
		})
	}
	const plain = "- [ ] item :: *bold* =code= [[https://example.org][a]] [[id:x]] <2026-01-01 Thu>\n  1. x\n\n| a | b=2 |\n" +
		"#+begin_src go :eval never :tangle no :noweb no\nfunc f() {}\n#+end_src\n# a comment"
	if got := inert.Text(plain); got != plain {
		t.Errorf("plain Org becomes %q", got)
	}
	if got := inert.Line(" a\nb -*- mode: x -*- [[elisp:y]]"); got != "a b -\u200b*- mode: x -\u200b*- [\u200b[elisp\u200b:y]]" {
		t.Errorf("a title becomes %q", got)
	}
}

// TestCheck: what is not made inert is found.
func TestCheck(t *testing.T) {
	for _, text := range []string{"* x", ":LOG:\n:END:", "#+TODO: A | B", "#+CALL: x()", "[[elisp:x]]", "%%(x)", "#+begin_export html\n#+end_export"} {
		if check(text) == nil {
			t.Errorf("%q passes", text)
		}
	}
}

// TestTextIsLinear: a text of the most bytes that a note has does not keep the writer
// from others, whatever it repeats: a search that begins anew at each place would take
// minutes.
func TestTextIsLinear(t *testing.T) {
	for _, part := range []string{"<1-1-1", "[1-1-1 ", "<<", "<<x", "[[", "[[x]]", "{{{", "-*-", "@@a", "%%(", "[fn:", "file:/", "\\input", "src_x{",
		"local variables:", "id:x ", "<2026-01-05 ", "|=", "\n* ", "$}", "$x$ ", "\\x ", `\(`, `\frac{`, `\sqrt[`, "$$", "\n\\begin{align}\n", "\n:a:\n",
		"\n#+begin_src x\n"} {
		text := inert.Text(strings.Repeat(part, 64<<10/len(part)))
		nested := inert.Text("$" + strings.Repeat(part, 64<<10/len(part)) + "$")
		if err := check(nested); err != nil {
			t.Errorf("%q in TeX: %v", part, err)
		}
		if err := check(text); err != nil {
			t.Errorf("%q: %v", part, err)
		}
	}
}

// TestFilesThroughPrograms: no spelling of an address that Emacs fetches through a
// program stays a link.
func TestFilesThroughPrograms(t *testing.T) {
	for _, before := range []string{"/", "//", "/tmp/../", "/a/b/../../", "../../../", "~/../", "/./", "/tmp/.././/"} {
		for _, method := range []string{"ssh:", "SUDO::", "-:", "scp:u@h#22:"} {
			for _, form := range []string{"[[file:%s]]", "[[file:%s][x]]", "[[%s]]", "file:%s", "<file:%s>", "[[https://example.org][file:%s]]"} {
				text := fmt.Sprintf(form, before+method+"127.0.0.1:/x.png")
				for _, got := range []string{inert.Text(text), inert.Line(text)} {
					if strings.Contains(got, method) && !strings.Contains(got, "\u200b[") && !strings.Contains(got,
						"file\u200b:") && strings.Contains(got, "/"+method) {
						t.Errorf("%q becomes %q", text, got)
					}
				}
				if got := check(text); got == nil && strings.HasPrefix(text, "[[file:") {
					t.Errorf("%q passes", text)
				}
			}
		}
	}
	for _, text := range []string{"[[file:notes/a.org]]", "[[file:../a.org][a]]", "[[file:/home/me/b-c.org]]", "see ../src/x.go:12 and 1./2:3"} {
		if got := inert.Text(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

// TestHabits: a habit has a date that org-habit can draw, or had none before.
func TestHabits(t *testing.T) {
	habit := func(date string) string {
		return "* TODO x\nSCHEDULED: " + date + "\n:PROPERTIES:\n:Style: habit\n:END:\n"
	}
	fine := habit("<2026-11-20 Fri .+2d>")
	for date, ok := range map[string]bool{
		"<2026-11-20 Fri .+2d/4d>": true, "<2026-11-20 Fri ++1w -3d>": true, "<2026-11-20 Fri 10:00 +1d/1w>": true, "<2026-11-20 Fri .+30d/1m>": false,
		"<2026-11-20 Fri>": false, "<2026-11-20 Fri -2d>": false, "<2026-11-20 Fri .+1h>": false, "<2026-11-20 Fri .+3d/2d>": false,
		"<2026-11-20 Fri .+2d/2d>": false,
	} {
		if err := (&inert.Place{}).Check(&inert.Place{}, fine, habit(date)); (err == nil) != ok {
			t.Errorf("%s: %v", date, err)
		}
		if err := (&inert.Place{}).Check(&inert.Place{}, habit(date), habit(date)+"more\n"); err != nil {
			t.Errorf("%s was there before: %v", date, err)
		}
	}
}

func TestProperty(t *testing.T) {
	for key, ok := range map[string]bool{
		"Effort+": false, "Bloc\u212aer": false, "\u017ftyle": false, "NOTE+": true,
		"SOURCE": true, "Effort": true, "id": false, "CUSTOM_ID": false, "TRUST": false, "header-args:sh": false, "header-args+": false,
		"ARCHIVE": false, "export_file_name": false, "DIR": false, "tangle": false,
		strings.Repeat("\u00e9", 100) + "+": true, strings.Repeat("E", 101): false,
	} {
		if err := inert.Property(key, ""); (err == nil) != ok {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// FuzzText: whatever an agent writes is inert after, and stays as it is then.
func FuzzText(f *testing.F) {
	for _, x := range forgeries {
		f.Add(x.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once := inert.Text(text)
		if err := check(once); err != nil {
			t.Errorf("%q becomes %q: %v", text, once, err)
		}
		if twice := inert.Text(once); twice != once {
			t.Errorf("%q, again %q", once, twice)
		}
	})
}

// readByEmacs are what Emacs searches for, written down apart from the tables that are
// tested.
var readByEmacs = regexp.MustCompile(`(?i)<%%\(|^&?%%\(|local variables:|-\*-.*-\*-|\{\{\{[a-z]|elisp:|shell:|` +
	`\nclock: *\[|<\d{1,3}-\d+-\d+[^>\n]*\+\d+[hdwmy]>|<<[^<>\n]+>>`)

// FuzzCheck: whatever passes the check of a finished text is one headline without a
// setting, and has nothing that Emacs searches for.
func FuzzCheck(f *testing.F) {
	for _, x := range forgeries {
		f.Add(x.text)
		f.Add(x.inert)
	}
	f.Add("\n:PROPERTIES:\n:<%%(x)>: v\n:END:")
	f.Add("\n:PROPERTIES:\n:Effort: v\n:END:")
	f.Fuzz(func(t *testing.T, text string) {
		text = "* x" + text
		if (&inert.Place{}).Check(&inert.Place{}, "", text) != nil {
			return
		}
		doc := org.Parse(text, nil)
		if len(doc.Headlines) != 1 || len(doc.Keywords) > 0 {
			t.Errorf("%q passes, with %d headlines and %d settings", text, len(doc.Headlines), len(doc.Keywords))
		}
		if found := readByEmacs.FindString(text); found != "" {
			t.Errorf("%q passes, with %q", text, found)
		}
		for _, p := range doc.Headlines[0].Properties {
			if err := inert.Property(p.Key, p.Value); err != nil && !strings.Contains(err.Error(), "Fovea does") {
				t.Errorf("%q passes: %v", text, err)
			}
		}
	})
}

func TestWithoutRecalled(t *testing.T) {
	fenced := render.FenceNote + "\n````\nold\n```\nmore\n````\n"
	for name, c := range map[string]struct{ text, want string }{
		"nothing recalled":  {"new\n```\ncode\n```", "new\n```\ncode\n```"},
		"between":           {"new\n" + fenced + "\nand newer", "new\n\n\nand newer"},
		"never closed":      {"new\n" + render.FenceNote + "\n```\nold", "new\n"},
		"only recalled":     {fenced, ""},
		"a window":          {render.Notice + "* old\n", ""},
		"empty from before": {"", ""},
	} {
		got, err := inert.StripRecalled(c.text)
		if got != c.want || (err != nil) != (c.want == "" && c.text != "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// TestInEmacs opens what agents wrote in Emacs, with every file variable allowed
// and nothing asked, and has it tangle, export, build the agenda and follow links that
// run something: nothing runs. The same texts as they came do run.
func TestInEmacs(t *testing.T) {
	for _, raw := range []bool{false, true} {
		dir, marks := t.TempDir(), t.TempDir()
		path := filepath.Join(dir, "notes.org")
		if raw {
			writeForgeries(t, path, marks)
		} else {
			path = rememberForgeries(t, marks)
		}
		foveatest.ExerciseInEmacs(t, "", path)
		left, err := filepath.Glob(filepath.Join(marks, "*"))
		t.Logf("as it came %v: %d ran", raw, len(left))
		if err != nil || raw != (len(left) > 0) {
			t.Errorf("as it came %v: %q ran, %v", raw, left, err)
		}
	}
}

// marked fills in what a forgery would do.
func marked(text, marks string, n int) string {
	file := filepath.Join(marks, fmt.Sprint(n))
	return strings.NewReplacer("MARK", `(write-region "" nil "`+file+`")`, "SH", "touch "+file, "FILE", file).Replace(text)
}

func writeForgeries(t *testing.T, path, marks string) {
	t.Helper()
	var b strings.Builder
	for i, f := range forgeries {
		if f.name != "control characters" {
			b.WriteString("* Note\n" + marked(f.text, marks, i) + "\n")
		}
	}
	b.WriteString(marked("# Local Variables:\n# eval: MARK\n# End:\n", marks, len(forgeries)))
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

func rememberForgeries(t *testing.T, marks string) string {
	t.Helper()
	m, err := fovea.Open(t.Context(), t.TempDir(), &fovea.Options{StateDir: filepath.Join(t.TempDir(), "state")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	ctx := fovea.WithActor(t.Context(), author.Actor{Author: author.Named("ada"), May: func(string) error { return nil }})
	for i, f := range forgeries {
		title := inert.Line(marked("-*- eval: MARK -*- [[elisp:MARK]] src_emacs-lisp{MARK} ", marks, 1000+i) + f.name)
		_, id, _, err := m.Notes().Remember(ctx, "agents/ada/", document.InsertHeadline{Title: title, Body: inert.Text(marked(f.text, marks, i))}, nil)
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		if n, ok := m.View().Get(id); !ok || len(n.Kids) > 0 || n.Title() != title || n.Derived.Todo != "" || n.Derived.Scheduled != "" {
			t.Errorf("%s: it is read as %+v", f.name, n)
		}
	}
	for d := range m.View().Documents() {
		if strings.HasPrefix(d.Path, "agents/") {
			if n := len(d.Kids); n != len(forgeries) {
				t.Errorf("%d headlines, want %d", n, len(forgeries))
			}
			return filepath.Join(m.Dir(), d.Path)
		}
	}
	t.Fatal("no file")
	return ""
}

// ignorable are the code points with the property Default_Ignorable_Code_Point, as
// DerivedCoreProperties.txt of Unicode lists them.
var ignorable = [][2]rune{{0xAD, 0xAD}, {0x34F, 0x34F}, {0x61C, 0x61C}, {0x115F, 0x1160}, {0x17B4, 0x17B5}, {0x180B, 0x180F}, {0x200B, 0x200F},
	{0x202A, 0x202E}, {0x2060, 0x206F}, {0x3164, 0x3164}, {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFF8},
	{0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}}

// TestUnseen: no character that is not displayed stays among letters in any field, alone or
// many, and none in a name.
func TestUnseen(t *testing.T) {
	for _, span := range ignorable {
		for r := span[0]; r <= span[1]; r++ {
			c := string(r)
			for _, text := range []string{"a" + c + "b", "b" + c + c, "1" + c + "2", c + c + "x", "a " + c + c,
				"漢" + c + c, "❤" + c + c, "ن" + c + c, "é" + c + "é"} {
				for _, got := range []string{inert.Text(text), inert.Line(text)} {
					if n := strings.Count(text, c) - strings.Count(got, c); n < strings.Count(text, c)-1 || n == 0 {
						t.Fatalf("%U: %q becomes %q", r, text, got)
					}
					if inert.Text(got) != got {
						t.Errorf("%U: %q becomes %q", r, got, inert.Text(got))
					}
					if err := check(got); err != nil {
						t.Errorf("%U: %q: %v", r, got, err)
					}
				}
			}
			for _, text := range []string{"a " + c + "b", "a" + c + " b", "a " + c + " b", "a\n" + c + "b", "a" + c + "\nb", c + "a", "a" + c, "a " + c + c, "7 " + c} {
				if got := inert.Text(text) + inert.Line(text); strings.Contains(got, c) {
					t.Errorf("%U stays in plain text: %q becomes %q", r, text, got)
				}
			}
			if check("a"+c+"b") == nil || inert.Property("A"+c+"B", "") == nil || inert.Property(c, "") == nil || inert.Tag("a"+c) == nil {
				t.Errorf("%U stays in a name or a finished text", r)
			}
		}
	}
	var hidden strings.Builder
	hidden.WriteString("a")
	for i := range 240 {
		hidden.WriteString(string(rune(0xE0100 + i)))
	}
	if got := inert.Line(hidden.String()); strings.ContainsFunc(got, func(r rune) bool { return r >= 0xE0000 }) {
		t.Errorf("%q stays", got)
	}
	for _, text := range []string{"👩\u200d👩\u200d👧", "❤️\u200d🔥", "👍🏽\u200d", "1️⃣ #️⃣ ‼️ ℹ️ ™️ ▶︎",
		"می\u200cخواهم", "क्\u200dष क्\u200cष", "葛󠄀城市",
		"ᠮᠣᠩᠭᠣᠯ᠋", "ภาษา\u200bไทย", "עברית\u200f!", "*b*\u200bold", "한국어", "naïve é", "ำ"} {
		text = strings.TrimSuffix(text, "\u200d")
		if got := inert.Text(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
		if got := inert.Line(text); got != text {
			t.Errorf("the title %q becomes %q", text, got)
		}
	}
	// What the owner wrote stays, and is not held against an agent that takes some of it away.
	place := &inert.Place{}
	if err := place.Check(place, "* a\u00adb c\u2060d\n", "* a\u00adb\n"); err != nil {
		t.Error(err)
	}
}
