// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/foveatest"
)

// hostileTexts are texts that run something in Emacs, or end one of its commands with
// an error. LISP stands for Lisp that leaves a file behind, FILE for its name.
var hostileTexts = []string{
	"<%%(progn LISP t)>", "%%(progn LISP t)", "&%%(progn LISP t)", "[<%%(progn LISP t)>]", "<%%(progn\nLISP t)>",
	"[[elisp:LISP][x]]", "<elisp:LISP>", "elisp:LISP", "[[shell:touch FILE]]", "[[eshell:touch FILE]]", "[[file+sys:FILE]]", "[[file+emacs:FILE]]",
	"[[run:LISP]]", "[[man:x;touch FILE]]",
	"src_emacs-lisp{LISP}", "src_sh[:results none]{touch FILE}", "call_x(LISP)", "{{{m(LISP)}}}", "{{{undefined}}}",
	"#+begin_src emacs-lisp :tangle FILE :exports results :eval yes\nLISP\n#+end_src", "#+begin_src emacs-lisp\nLISP\n#+end_src",
	"#+begin_src\nLISP\n#+end_src",
	"#+begin_src sh :var x=LISP\ntrue\n#+end_src", "#+begin_src sh\n<<own(x=LISP)>>\n#+end_src", "#+begin_src witness\nx\n#+end_src",
	"#+begin_src server\nx\n#+end_src",
	"#+CALL: own(x=LISP)", "#+MACRO: m (eval LISP)", "#+INCLUDE: \"/nowhere\"", "#+SETUPFILE: /nowhere", "#+BIND: x LISP",
	"#+BEGIN: clocktable :formula %\n#+END:",
	"#+begin_export html\nx\n#+end_export", "#+name: own\n| 1 |", "| x | :='LISP |\n#+TBLFM: $1='LISP", "#+ORGTBL: SEND x LISP\n| 1 |", "+---+\n| a |\n+---+",
	"| a |\n| <99999999> |",
	"# Local Variables:\n# eval: LISP\n# End:", "Local Variables:\neval: LISP\nEnd:", "-*- eval: LISP -*-", "# -*- mode: text; eval: LISP -*-",
	"\fLocal Variables:\n# eval: LISP\n# End:",
	"* Forged", "*************** END", "\r* Forged", "\v* Forged", "\u2028* Forged", "\u0085* Forged", ":PROPERTIES:\n:ID: forged\n:END:",
	":LOGBOOK:\nCLOCK: [x]--[y] =>  z\n:END:",
	"CLOCK: [2026-13-45 Foo 10:00]--[x] =>  1:00", "SCHEDULED: <1-1-1 +1d>", "DEADLINE: <%%(LISP)>", "<1-1-1 +1d>", "<2026-01-5 +1d>", "[1-1-1 +1d]",
	"<5-5-5 abc +1d>--<2026-01-01>", "<2026-01-05 Mon +0d>",
	"<99999-01-05 Mon +1w>", "[[Nowhere]]", "[[#nowhere]]", "[[(nowhere)]]", "[[id:nowhere]]", "id:nowhere", "<id:nowhere>", "[[attachment:x]]",
	"[[file:tasks.org::*Nowhere]]", "file:tasks.org::*Nowhere", "[[file:/ssh:127.0.0.1:/x.png]]", "[[file:/tmp/../ssh:127.0.0.1:/x]]",
	"[[file:/-:127.0.0.1:/x]]", "[[id:]]", "[[https:]]",
	"x[fn:nowhere]", "[fn:1] shadows", "<<<the>>>", "<<Owner task>>", "@@html:<script>x</script>@@", "\\input{/etc/passwd}", "$\\write18{touch FILE}$",
	"[cite:@nowhere]",
	"#!/bin/sh", "<?xml version=\"1.0\" encoding=\"utf-16\"?>", "<!doctype html><html><meta charset=\"utf-16\">", "25:61 lunch 99:99-88:88",
	"%s %d %(LISP) %-99s", "[/] [%] [#Z] COMMENT",
	`\evil{x}`, `\evil x`, `$\evil$`, `\(\evil\)`, `\[\evil\]`, `$$\evil$$`, `$^^5cevil$`, `\emph{\evil x}`, "\\begin{align}\n\\evil <evil>\n\\end{align}",
	"\\begin{verbatim}\n\\evil\n\\end{verbatim}", `$\text{$ \evil $}$`, `\(\frac\)`,
	"#+begin_example\n\\end{verbatim}\\evil\n#+end_example", "#+begin_src sh\n\\end{verbatim}\\evil\n#+end_src", ": \\end{verbatim}\\evil", `[cite:\evil @x]`,
	`[cite/a:@x \evil]`, `[[https://x.org][\evil]]`, "| \\evil | $<evil>$ |", "- \\evil :: [fn::\\evil]", `x_{\evil}`,
	`$<evil>$`, `\(<evil onevil="x">\)`, `<evil>`, `[[file:x}\evil{y}.png]]`, `[[https://x.org][file:x}\evil{y}.png]]`, `[[file:x^^5cevil.png]]`,
	`[[file:evil.tikz]]`, `[[https://x.org][./evil.pgf]]`, `[[file:evil.svg]]`, `[[file:evil%.png]]`,
	`[[file:javascript:evil()][x]]`, `file:javascript:evil()`, `[[file:x" onevil="y][z]]`, `[[doi:1/x" onevil="y]]`, `[[https://evil.example/a.png]]`,
	`https://evil.example/a.png`, `<https://evil.example/a.jpg>`, `[[https://x.org][https://evil.example/a.png]]`,
	`- State "DONE"       from "NEXT"       [1-1-1 Mon]`, `- State "DONE"       from "NEXT"       [2026-13-45 Foo 99:99]`,
	`- State "DONE"       from "NEXT"       [2999-12-31 Tue 10:00]`, `- Note taken on [2026-01-05 Mon +99999w]`, "a\x00b\x1b]0;x\x07\x1b[2J", "\u202eb\u2066c",
	":crypt:", "v", "1:30", "2026-13-45", "0000-01-01", "2026-01-05 +0d", "2026-01-05 .+1d/0d", "2026-01-05 10:00 -99999999999999999999d", "DONE", "A",
	"habit", "(((", "plain text",
}

// settings are what the owner's files say, so that texts and names mean something else
// there.
const settings = `#+LINK: run elisp:
#+COLUMNS: %ITEM %Age{@min} %Spent{:} %Effort{:}
#+PROPERTY: header-args :tangle FILE :exports both :noweb yes :eval yes
#+TODO: NEXT(n!) | DONE(d@)
#+STARTUP: logdrawer logreschedule logredeadline
`

// ownTask is a task of the owner's, and a habit.
const ownTask = "* NEXT Owner habit\nSCHEDULED: <2026-01-05 Mon .+1d/3d>\n:PROPERTIES:\n:ID: own-task-habit\n:STYLE: habit\n:END:\n" +
	"- State \"DONE\"       from \"NEXT\"       [2026-01-04 Sun 10:00]\n" +
	"* NEXT Owner task\nSCHEDULED: <2026-01-05 Mon +1w>\n:PROPERTIES:\n:ID: own-task\n:Effort: 1:00\n" +
	":Age: 1d\n:Spent: 0:30\n:END:\nText[fn:1].\n\n[fn:1] Mine.\n"

// TestAgentsInEmacs has an agent write hostile texts in every field of every operation
// that writes text, and Emacs look at what came of it: nothing runs, and no command ends
// with an error that it does not end with where the agent has written nothing.
func TestAgentsInEmacs(t *testing.T) {
	foveatest.Part(t, "emacs")
	e := newHostile(t)
	for i, text := range hostileTexts {
		e.write(i, text)
	}
	e.look()
}

// TestCampaignAgentsInEmacs is TestAgentsInEmacs with texts that are drawn; at length,
// with all texts in all fields and places as well.
func TestCampaignAgentsInEmacs(t *testing.T) {
	foveatest.Part(t, "emacs")
	c := foveatest.NewCampaign(t)
	between := []string{"", " ", "\n", "\n\n", "\r", "\r\n", "\t", "\u2028", "\f", "\n  ", "\n- ", "\n| ", "\n#+begin_quote\n", "\n#+end_src\n", "=", "[",
		"]]", "<", ">", ":", "\n:END:\n", "\n# "}
	if c.Length(0, 1) == 1 {
		e := newHostile(t)
		e.everywhere = true
		for i, text := range hostileTexts {
			e.write(i, text)
		}
		e.look()
	}
	for range c.Length(1, 20) {
		e := newHostile(t)
		e.everywhere = c.Length(0, 1) == 1
		for i := range c.Length(12, 100) {
			var text strings.Builder
			for range 1 + c.Rand.IntN(4) {
				part := hostileTexts[c.Rand.IntN(len(hostileTexts))]
				if c.Rand.IntN(4) == 0 {
					part = part[c.Rand.IntN(len(part)+1):]
				}
				text.WriteString(part + between[c.Rand.IntN(len(between))])
			}
			e.write(i, text.String())
		}
		e.look()
	}
}

// TestHostileTextsAct: the same texts as they came do run something in each of these
// ways, and end these commands with errors. Without this the two tests above prove nothing.
func TestHostileTextsAct(t *testing.T) {
	foveatest.Part(t, "emacs")
	dir, marks := t.TempDir(), t.TempDir()
	var paths []string
	for i, text := range hostileTexts {
		if strings.Contains(text, "9999999") || i%3 > 0 {
			continue // Emacs does not come back from it; or time is short
		}
		path := filepath.Join(dir, fmt.Sprintf("%d.org", i))
		if err := os.WriteFile(path, []byte("#+LINK: run elisp:\n* Note\n"+marked(text, marks, i)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	exports := t.TempDir()
	failed := foveatest.ExerciseInEmacs(t, exports, paths...)
	ran, err := os.ReadDir(marks)
	t.Logf("of %d texts %d ran, and %d commands failed", len(paths), len(ran), len(failed))
	acts := map[string]int{}
	for _, path := range paths {
		for form := range exportedActs {
			if text, err := os.ReadFile(filepath.Join(exports, filepath.Base(path)+form)); err == nil {
				acts[form] += len(actsExported(form, string(text)))
			}
		}
	}
	t.Logf("exports act: %v", acts)
	for form := range exportedActs {
		if acts[form] < 2 {
			t.Errorf("%d exports as %s act", acts[form], form)
		}
	}
	if err != nil || len(ran) < 4 || len(failed) < 10 {
		t.Errorf("%d ran, and %d commands failed, %v", len(ran), len(failed), err)
	}
}

// marked fills in what a text would do.
func marked(text, marks string, n int) string {
	file := filepath.Join(marks, fmt.Sprint(n))
	return strings.NewReplacer("LISP", `(write-region "" nil "`+file+`")`, "FILE", file).Replace(text)
}

// hostile is a memex in which an agent writes texts that would act.
type hostile struct {
	t          *testing.T
	dir, marks string
	ada        api.Service
	before     map[string]string // what Emacs says of the files without the agent
	written    int
	everywhere bool // each text goes to each place
}

func newHostile(t *testing.T) *hostile {
	t.Helper()
	e := &hostile{t: t, dir: t.TempDir(), marks: t.TempDir()}
	owner := marked(settings, e.marks, -1) + ownTask
	for name, text := range map[string]string{"tasks.org": owner, "tasks/dos.org": strings.ReplaceAll(owner, "\n", "\r\n"), "agents/ada/own.org": "* Mine\n"} {
		path := filepath.Join(e.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "own-task", "own-"+filepath.Base(name))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e.before = foveatest.ExerciseInEmacs(t, "", e.files()...)
	m, err := fovea.Open(t.Context(), e.dir, &fovea.Options{StateDir: filepath.Join(t.TempDir(), "state")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	svc := api.NewLocal(m, nil)
	e.ada = api.Service(func(ctx context.Context, c api.Call) (any, error) {
		return ops.Hold(svc, api.Grant{Agent: "ada", Role: api.Agent})(fovea.WithActor(ctx, author.Actor{Author: author.Named("ada")}), c)
	})
	return e
}

// files are the Org files of the memex.
func (e *hostile) files() []string {
	var out []string
	for _, pattern := range []string{"*.org*", "*/*.org*", "*/*/*.org*"} {
		found, err := filepath.Glob(filepath.Join(e.dir, pattern))
		if err != nil {
			e.t.Fatal(err)
		}
		out = append(out, found...)
	}
	slices.Sort(out)
	return out
}

// done notes how a call ended: it was carried out, or refused for what was asked.
func (e *hostile) done(what string, err error) bool {
	e.t.Helper()
	switch kind := fovea.KindOf(err); {
	case err == nil:
		e.written++
	case kind != fovea.Invalid && kind != fovea.Denied && kind != fovea.NotFound && kind != fovea.Conflict:
		e.t.Errorf("%s: %v", what, err)
	}
	return err == nil
}

// write writes one text wherever it can be written.
func (e *hostile) write(n int, raw string) {
	e.t.Helper()
	ctx := e.t.Context()
	text := marked(raw, e.marks, n)
	tight := strings.ReplaceAll(text, " ", "")
	name := func(field string) string { return fmt.Sprintf("%d %s", n, field) }
	for i, under := range e.places(n) {
		for field, req := range map[string]api.RememberRequest{
			"title": {Title: text + " " + name("title")}, "bare title": {Title: text, Body: name("bare title")}, "body": {Body: text}, "todo": {Todo: text},
			"priority": {Priority: text},
			"tag":      {Tag: []string{tight}}, "name": {Property: []string{tight + "=v"}}, "value": {Property: []string{"NOTE=" + text}},
			"effort": {Property: []string{"Effort=" + text}, Schedule: "2026-01-05"}, "age": {Property: []string{"Age=" + text}},
			"spent": {Property: []string{"SPENT=" + text}}, "id": {Property: []string{"ID=" + text}},
			"schedule": {Schedule: text}, "deadline": {Deadline: text}, "diary": {Schedule: "<" + text + ">", Todo: "NEXT"},
		} {
			if !e.turn(n, field) {
				continue
			}
			if req.Under = under; req.Title == "" {
				req.Title = fmt.Sprint(name(field), i)
			}
			_, err := api.OpRemember.Call(ctx, e.ada, req)
			e.done(name("remember "+field), err)
		}
	}
	e.edit(n, text, []string{"tasks/dos.org", "agents/ada/"}[n%2])
}

// places are where a text is written: in turn, so that each run has all of them, and
// at length in all.
func (e *hostile) places(n int) []string {
	all := []string{"agents/ada/", "tasks.org", "tasks/dos.org", "own-tasks.org"}
	if e.everywhere {
		return all
	}
	return all[n%len(all):][:1]
}

// turn reports whether a text is to go into a field: at length into each, else into one
// of three, so that over all texts each field has its share.
func (e *hostile) turn(n int, field string) bool { return e.everywhere || (n+len(field))%3 == 0 }

// edit changes one note in every field, moves it, and archives it.
func (e *hostile) edit(n int, text, under string) {
	e.t.Helper()
	ctx := e.t.Context()
	note, err := api.OpRemember.Call(ctx, e.ada, api.RememberRequest{Title: fmt.Sprintf("Edited %d in %s", n, under), Under: under, Body: "- [ ] a"})
	if !e.done("remember", err) {
		return
	}
	for field, req := range map[string]api.EditRequest{
		"append": {Append: &text}, "title": {Title: &text}, "todo": {Todo: &text}, "priority": {Priority: &text}, "tag": {Tag: []string{text}},
		"untag": {Untag: []string{text}},
		"value": {Property: []string{"NOTE=" + text}}, "name": {Property: []string{text + "=v"}}, "effort": {Property: []string{"effort+=" + text}},
		"removed":  {RemoveProperty: []string{text}},
		"schedule": {Schedule: &text}, "deadline": {Deadline: &text}, "body": {Body: &text},
	} {
		if !e.turn(n, field) {
			continue
		}
		req.ID = note.ID
		_, err := api.OpEdit.Call(ctx, e.ada, req)
		e.done(fmt.Sprintf("edit %s %d", field, n), err)
	}
	for _, req := range []api.EditRequest{{Append: &text}, {Schedule: &text}, {Todo: &text}} {
		req.ID = "own-tasks.org-habit"
		_, err := api.OpEdit.Call(ctx, e.ada, req)
		e.done("edit of a habit", err)
	}
	_, err = api.OpEdit.Call(ctx, e.ada, api.EditRequest{ID: "agents/ada/own.org", Body: &text})
	e.done("edit of a file", err)
	_, err = api.OpRefile.Call(ctx, e.ada, api.MoveRequest{ID: note.ID, To: "own-tasks.org"})
	e.done("refile", err)
	if n%3 == 0 {
		_, err = api.OpArchive.Call(ctx, e.ada, api.MoveRequest{ID: note.ID})
		e.done("archive", err)
	}
}

// look has Emacs look at the files.
func (e *hostile) look() {
	e.t.Helper()
	exports := e.t.TempDir()
	after := foveatest.ExerciseInEmacs(e.t, exports, e.files()...)
	for _, what := range slices.Sorted(maps.Keys(after)) {
		if e.before[what] == "" {
			e.t.Errorf("%s ended with %s", what, after[what])
		}
	}
	ran, err := os.ReadDir(e.marks)
	for _, f := range ran {
		e.t.Errorf("%s ran", f.Name())
	}
	e.exported(exports)
	e.t.Logf("%d writes were carried out, %d commands failed before and %d after", e.written, len(e.before), len(after))
	if err != nil || e.written == 0 {
		e.t.Errorf("%d writes, %v", e.written, err)
	}
	if e.t.Failed() {
		e.keep()
	}
}

// exported looks at what Emacs exports: nothing of the agent's is a command of TeX, a tag
// or an attribute of HTML, an address that runs something, or a picture to be fetched.
func (e *hostile) exported(dir string) {
	e.t.Helper()
	if os.Getenv("FOVEA_KEEP") != "" {
		_ = os.CopyFS(os.Getenv("FOVEA_KEEP")+"-exports", os.DirFS(dir))
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		e.t.Errorf("nothing was exported: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			e.t.Fatal(err)
		}
		for _, found := range actsExported(filepath.Ext(file), string(text)) {
			e.t.Errorf("the export %s acts: %s", filepath.Base(file), found)
		}
	}
}

// exportedActs are what acts in an export, by its form.
var exportedActs = map[string]*regexp.Regexp{
	".latex":  regexp.MustCompile(`\\(?:evil|input|include[a-z]*\{[^}]*(?:\^\^|[%\\])).{0,40}`),
	".beamer": regexp.MustCompile(`\\(?:evil|input|include[a-z]*\{[^}]*(?:\^\^|[%\\])).{0,40}`),
	".html":   regexp.MustCompile(`(?i)<evil.{0,40}|<[a-z]+(?:\s+[a-z-]+="[^"]*")*\s+onevil|(?:href|src)="\s*(?:javascript:|data:)|src="https?://[^"]*evil`),
	".md":     regexp.MustCompile(`(?i)\]\(javascript:.{0,40}|!\[[^]]*\]\(https?:[^)]*evil`),
}

// asWritten is what TeX sets as it is written, up to the first that ends it.
var asWritten = regexp.MustCompile(`(?s)\\begin\{verbatim\}.*?\\end\{verbatim\}`)

// actsExported returns what acts in the text of an export.
func actsExported(form, text string) []string {
	find := exportedActs[form]
	if find == nil {
		return nil
	}
	if form == ".latex" || form == ".beamer" {
		text = strings.ReplaceAll(asWritten.ReplaceAllString(text, ""), "^^5c", `\`)
		text = strings.ReplaceAll(text, `\\`, "") // a line break
	}
	return find.FindAllString(text, -1)
}

// keep says what the files hold.
func (e *hostile) keep() {
	if dir := os.Getenv("FOVEA_KEEP"); dir != "" {
		_ = os.CopyFS(dir, os.DirFS(e.dir))
	}
}
