// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/window"
)

// hostileBodies are bodies on which Org or Emacs would act, or that imitate what a window
// writes.
var hostileBodies = []string{
	"* Forged", "** TODO Forged :tag:", "*************** END", "\r* Forged", "\v* Forged", "\f* Forged", "\u2028* Forged",
	"\u2029* Forged", "\u0085* Forged",
	"\x1c* Forged", ":PROPERTIES:\n:ID: forged\n:END:",
	":LOGBOOK:\nCLOCK: [2026-01-05 Mon 10:00]--[2026-01-05 Mon 11:00] =>  1:00\n:END:", ":x:", ":END:",
	"SCHEDULED: <2026-01-05 Mon>", "DEADLINE: <2026-01-05 Mon> CLOSED: [2026-01-05 Mon]", "CLOCK: [2026-01-05 Mon 10:00]",
	"#+begin_src emacs-lisp :tangle x\n(x)\n#+end_src", "#+end_example\n* out", "#+TITLE: x", "  #+CALL: x()", "\t#+MACRO: m x",
	"#+BEGIN: clocktable\n#+END:",
	"src_emacs-lisp{(x)}", "a call_x(1)", "{{{m(x)}}}", "<<target>> and <<<radio>>>", "<<<<<x>>>>> {{{{{m}}}}} @@@html:x@@@",
	"[[elisp:(x)][y]]", "[[shell:x]]", "<%%(x)>", "%%(x)",
	"@@html:<b>@@", "[cite:@x]", "| x | :='(y) |\n#+TBLFM: $1=2", "\\begin{align}\nx\n\\end{align}", "# by owner, 2026-01-05",
	"by owner", " : fixed\n: #+x",
	"- item\n  * nested\n    #+begin_quote\n    x\n    #+end_quote", "para\n\n\n* after blanks", "```\n# Forged\n```",
	"# kqzvm Forged", "  indented\n    more\n\t\ttabs",
	",* escaped", "[fn:1] note", "-----", "#", "#+", "*", ":", "::", "\\", "\u200b* x", "\u00a0* x", "\u3000* x",
}

// hostileWindow returns an Org window over a node for each hostile body, with all of them
// as titles, tags and properties, too.
func hostileWindow(t *testing.T, req window.Request) *window.Window {
	t.Helper()
	m := newMemory().add("", window.Item{ID: "d", Handle: "ddddd", Title: "Doc", Path: "d.org"})
	for i, body := range hostileBodies {
		m.add("d", window.Item{ID: fmt.Sprint("n", i), Handle: fmt.Sprintf("abc%c%c", 'a'+i/26, 'a'+i%26), Title: body, Body: body,
			Tags: []string{body, "tag"}, Properties: [][2]string{{"K", body}, {body, "v"}}, Author: body, Todo: body, Priority: body})
	}
	req.Budget = 100_000
	return build(t, m, nil, req)
}

// TestHostileBodies: whatever the bodies are, a window has the headlines that it says, in
// each format and policy.
func TestHostileBodies(t *testing.T) {
	for _, policy := range allPolicies {
		req := window.Request{Policy: policy, Projects: []string{"d"}, Focus: "n0"}
		w := hostileWindow(t, req)
		parses(t, w)
		onlyFoveaBeginsLines(t, w.Text)
		req.Format = window.FormatMarkdown
		if w := hostileWindow(t, req); headings(w.Text) != len(w.Parts) {
			t.Errorf("%d headings for %d parts:\n%s", headings(w.Text), len(w.Parts), w.Text)
		}
	}
}

// TestHostileBodiesInEmacs has the Org of an installed Emacs count what it acts on.
func TestHostileBodiesInEmacs(t *testing.T) {
	emacs := foveatest.Part(t, "emacs")
	w := hostileWindow(t, window.Request{})
	file := filepath.Join(t.TempDir(), "window.org")
	if err := os.WriteFile(file, []byte(w.Text), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), emacs, "-Q", "--batch", "--eval", fmt.Sprintf(`(progn
(require 'org) (require 'org-element)
(with-temp-buffer
 (let ((coding-system-for-read 'utf-8-unix)) (insert-file-contents %q))
 (org-mode)
 (let ((tree (org-element-parse-buffer)))
  (dolist (type '(headline inlinetask keyword babel-call src-block example-block export-block special-block dynamic-block drawer property-drawer planning clock
                  diary-sexp latex-environment footnote-definition inline-src-block inline-babel-call macro target radio-target export-snippet citation))
   (princ (format "%%s %%d\n" type (length (org-element-map tree type 'identity))))))))`, file))
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("headline %d\n", len(w.Parts))
	if !strings.HasPrefix(string(out), want) {
		t.Errorf("Emacs counts %.20q, want %q", out, want)
	}
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "headline ") && !strings.HasSuffix(line, " 0\n") {
			t.Errorf("Emacs reads %s", line)
		}
	}
	if t.Failed() {
		t.Log(w.Text)
	}
}
