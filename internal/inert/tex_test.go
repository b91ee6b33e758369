// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/inert"
)

// formulas are texts of TeX that only set type, and what becomes of them.
var formulas = map[string]string{
	`$E = mc^2$ and \(\sqrt[3]{x}\)`:               "$ E = mc^2$ and \\\u200b(\\\u200bsqrt[3]{x}\\)",
	`\[ \sum_{i=1}^n x \]`:                         "\\\u200b[ \\sum_{i=1}^n x \\]",
	`$$\int_0^\infty e^{-x}\,dx$$`:                 "$\u200b$\\int_0^\\infty e^{-x}\\,dx$$",
	`\emph{x} and \ref{eq:x}`:                      "\\\u200bemph{x} and \\\u200bref{eq:x}",
	"\\begin{align}\na &= b\n\\end{align}":         "\\\u200bbegin{align}\na &= b\n\\\u200bend{align}",
	"#+begin_example\n\\end{align}\n#+end_example": "#+begin_example\n\\\u200bend{align}\n#+end_example",
}

// unset are texts with signs of TeX that Org sets as they are written.
var unset = []string{
	`\alpha \nbsp{} \sum y`, `5$ and 6$, ^^ and 50%`, `~\input{x}~ and =\write18{x}= stay`,
	"#+begin_example\n\\input{x} \\n \\d\n#+end_example", ": \\input{x}",
	"#+begin_src tex :eval never :tangle no :noweb no\n\\begin{align}\\input{x}\n#+end_src",
	`[[file:a.png]] [[file:notes/a%20b.org]] [[https://x.org/a.png][a picture]] https://x.org/a?b=c#d {a} <b> @c`,
	`"\u005b \ud83d\ude00 \ufeff"`,
}

// TestFormulasAreText: what agents write is never typeset. A formula stays readable, and text
// that Org does not give to TeX stays as it is.
func TestFormulasAreText(t *testing.T) {
	for text, want := range formulas {
		if got := inert.Text(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
		if err := check(text); err == nil {
			t.Errorf("%q passes", text)
		}
		if err := check(want); err != nil {
			t.Errorf("%q: %v", want, err)
		}
		for _, fragment := range inert.Fragments(want) {
			t.Errorf("%q still has %q", want, fragment)
		}
	}
	for _, text := range unset {
		if got := inert.Text(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
		if err := check(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// activeTeX is TeX that reads, writes, runs or defines something, takes more than its
// fragment holds, or is read as HTML or as the name of a file.
var activeTeX = []string{
	`\input{/etc/passwd}`, `\input /etc/passwd`, `\InputIfFileExists{x}{}{}`, `\openin3=x`, `\read3 to \x`, `\immediate\write18{x}`, `\write18{x}`,
	`\ShellEscape{x}`,
	`\csname input\endcsname{x}`, `\expandafter\x`, `\catcode92=12`, `\lowercase{x}`, `\directlua{x}`, `\latelua{x}`, `\def\x{y}`, `\let\x\y`,
	`\newcommand{\x}{y}`, `\usepackage{x}`,
	`\RequirePackage{x}`, `\documentclass{x}`, `\includegraphics{http://x/y.png}`, `\include{x}`, `\import{x}{y}`, `\subfile{x}`, `\lstinputlisting{x}`,
	`\verbatiminput{x}`, `\inputminted{x}{y}`, `\bibliography{x}`,
	`\special{x}`, `\pdfobj{x}`, `\pdffiledump{x}`, `\scantokens{x}`, `\everypar{x}`, `\jobname`, `\verb|x|`, `\href{javascript:x}{y}`, `\url{x}`,
	`\require{html}`, `\style{x}{y}`, `\cssId{x}{y}`, `\class{x}{y}`, `\unicode{x}`,
	`\char92 input`, `\makeatletter`, `\begingroup`, `\loop`, `\closeout`, `\typeout{x}`, `\message{x}`, `\errmessage{x}`, `\filecontents{x}`,
}

// TestActiveTeX: in no place, and in no spelling, does it stay what it is.
func TestActiveTeX(t *testing.T) {
	places := []string{"%s", "$%s$", "$$%s$$", `\(%s\)`, `\[%s\]`, "\\begin{align}\n%s\n\\end{align}", "  \\begin{equation}\n x%s\n  \\end{equation}",
		"$\\text{%s}$", "| %s |", "- %s :: x", "*%s*", "x_{%s}", "[fn::%s]", "[cite:%s @x]", "[[https://x.org][%s]]",
		"#+begin_verse\n%s\n#+end_verse", "\\emph{%s}"}
	for _, tex := range activeTeX {
		for _, place := range places {
			text := strings.Replace(place, "%s", tex, 1)
			got := inert.Text(text)
			if strings.Contains(got, tex) && !strings.Contains(got, "[\u200bcite") {
				t.Errorf("%q becomes %q", text, got)
			}
			if err := check(text); err == nil {
				t.Errorf("%q passes", text)
			}
		}
	}
	for _, text := range []string{
		// notations
		`$\@@input x$`, `$^^5cinput{x}$`, `$^^^^005cinput$`, `\emph{^^5cinput}`, "\\begin{align}\n^^5cinput\n\\end{align}", `[[file:a^^5cinput.png]]`,
		// what would take the text behind it
		`$\frac$`, `$\frac{a}$`, `\(\text\)`, `$\sqrt[$`, `$x \\[$`, `$\left$`, `\emph`, `$a\$`, `\(a\\)`, `\(\frac12%\)`, `$\begin{array}$`,
		"\\begin{array}\n\\end{array}", `$\hat\frac$`,
		// what changes all that follows
		`\tiny`, `\color{white}`, `\d`, `\Users`, `\u`, `\ufeff{\input x}`, `\u00`,
		// pairs
		`$a}$`, `$\text{$`, `\({\)`, `\begin{align}`, `\end{verbatim}`, `$\begin{aligned}a$`, `\(\begin{matrix}{\end{matrix}}\)`, `\end{document}`,
		// environments
		"\\begin{verbatim}\nx\n\\end{verbatim}", "\\begin{filecontents}{x}\nx\n\\end{filecontents}", "\\begin{luacode}\nx\n\\end{luacode}",
		"\\begin{tikzpicture}\n\\end{tikzpicture}", "\\begin{comment}\n\\end{comment}",
		// out of what is written as it stands
		"#+begin_src sh :eval never :tangle no :noweb no\n\\end{verbatim}\\input{x}\n#+end_src", ": \\end{verbatim}\\input{x}",
		"#+begin_example\n\\end {lstlisting}\n#+end_example", "#+begin_example\n\\end{frame}\n#+end_example",
		// HTML
		`$<script>x</script>$`, `\(a<img src=x>\)`, "\\begin{align}\n% <script>\n<!-- x\n\\end{align}", `\emph{<b>}`, `$@include x$`,
		// addresses
		`[[file:x}\input{f}.png]]`, `[[file:a.tikz]]`, `[[./b.pgf]]`, `[[https://x.org][file:c.tikz]]`, `[[file:a%.png]]`, `[[file:d.svg]]`,
		`[[file:javascript:alert(1)][x]]`, `[[file:x" onclick="z][w]]`, `[[doi:10/x" onclick="y]]`,
		`[[file:java	script:x]]`, `[[file:JavaScript:x]]`, `[[file:data:text/html,x][x]]`, `[[file:javascript&colon;x][x]]`, `[[https://x.org/a.png]]`,
		`https://x.org/a.png`, `<https://x.org/a.JPG?x>`, `[[https://x.org][https://y.org/a.gif]]`, `[[file:run:calc][x]]`,
	} {
		if err := check(text); err == nil {
			t.Errorf("%q passes", text)
		}
		if got := inert.Text(text); got == text || check(got) != nil {
			t.Errorf("%q becomes %q: %v", text, got, check(got))
		}
	}
}

// TestNotesWithTeX: of the fragments of TeX in the notes of people, none is left, and of
// their text nothing is lost.
func TestNotesWithTeX(t *testing.T) {
	root := filepath.Join(foveatest.Testdata(t), "corpus")
	all := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".org") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, fragment := range inert.Fragments(string(text)) {
			all++
			got := inert.Text(fragment)
			if left := inert.Fragments(got); len(left) > 0 {
				t.Errorf("%q becomes %q, with %q", fragment, got, left)
			}
		}
		return nil
	})
	if err != nil || all < 1000 {
		t.Errorf("%d fragments, %v", all, err)
	}
}
