// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
)

// hostileProperties are KEY=VALUE that no agent may set: names that are more than a name,
// names that Org, Emacs or Fovea acts on, and values that cannot stand under their name.
var hostileProperties = []string{
	`<%%(progn(write-region"x"nil"W"))>=v`, "[[elisp:(x)]]=v", "[[shell:x]]=v", "src_sh{x}=v", "call_x()=v", "{{{m}}}=v", "a b=v", "a:b=v", "a\tb=v",
	"a\nb=v", "a\x00b=v", "a\x1b[2J=v", "a\x1b]0;x\x07=v", "a\u202eb=v", "a\u200bb=v", "a\u2028b=v", "=v", ":=v", "<2026-13-45>=v", "*=v", "#+TODO:=v",
	"PROPERTIES=v", "END=v", "END:=v", "ID:x=v", "AUTHOR:=v", "TRUST+=v", "Created=v", "SESSION=v",
	"header-args=:tangle x", "header-args:sh+=:tangle x", "HEADER-ARGS:x=v", "EXPORT_FILE_NAME=x", "HTML_CONTAINER=script", "BEAMER_ENV=x",
	"COLUMNS=%ITEM", "LOGGING=x", "ARCHIVE=/tmp/x::", "DIR=/tmp", "ATTACH_DIR=/tmp", "CRYPTKEY=x", "STYLE=habit", "Foo_ALL=(((", "TABLE_EXPORT_FORMAT=x",
	"BLOCKER=x", "TRIGGER=x", "LAST_REPEAT=x", "REPEAT_TO_STATE=x", "ARCHIVE_FILE=x",
	"Effort=v", "effort=1:30:", "EFFORT=-1", "Effort+=v", "Effort=1 fortnight", "Effort+=0:20", "Age+=1d", "Spent+=0:10", "bloc\u212aer=x",
	"Effort=99999999999999", "Age=v", "Spent=v",
}

// TestHostileProperties: none gets into a drawer, by any operation that sets properties.
// Age and Spent are columns that this file computes with.
func TestHostileProperties(t *testing.T) {
	ada, id, text := inFileOfTasks(t)
	before := text()
	for _, p := range hostileProperties {
		for op, call := range map[string]func() error{
			"remember": func() error {
				_, err := api.OpRemember.Call(t.Context(), ada, api.RememberRequest{Title: "T " + p, Under: "tasks.org", Property: []string{p}})
				return err
			},
			"remember below": func() error {
				_, err := api.OpRemember.Call(t.Context(), ada, api.RememberRequest{Title: "T " + p, Under: id, Property: []string{p}})
				return err
			},
			"edit": func() error {
				_, err := api.OpEdit.Call(t.Context(), ada, api.EditRequest{ID: id, Property: []string{p}})
				return err
			},
			"edit of the file": func() error {
				_, err := api.OpEdit.Call(t.Context(), ada, api.EditRequest{ID: "tasks.org", Property: []string{p}})
				return err
			},
		} {
			if err := call(); fovea.KindOf(err) != fovea.Invalid {
				t.Errorf("%s of %q: %v", op, p, err)
			}
		}
	}
	if got := text(); got != before {
		t.Errorf("the file became\n%s", got)
	}
	for _, p := range []string{"Effort=1:30", "Effort=1h 30min", "Effort=90", "Age=2d 3h", "Spent=0:10", "größe=1", "a-b_c@d#e%f=x",
		"SOURCE=elisp:x", "Effort="} {
		if _, err := api.OpEdit.Call(t.Context(), ada, api.EditRequest{ID: id, Property: []string{p}}); err != nil {
			t.Errorf("edit with %q: %v", p, err)
		}
	}
}

// inFileOfTasks returns an agent over a memex with a task of the owner in a file that
// has settings of its own, the id of that task, and what the file
// and the task hold.
func inFileOfTasks(t *testing.T) (ada api.Service, id string, text func() string) {
	t.Helper()
	owner, _ := serve(t, map[string]string{"tasks.org": "#+LINK: run elisp:\n#+LINK: call %(witness)\n#+COLUMNS: %ITEM %Age{@min} %Spent{:}\n" +
		"* TODO Owner task\n:PROPERTIES:\n:ID: owner-task\n:END:\n[[elisp:(mine)]]\n"})
	ada = api.Service(func(ctx context.Context, c api.Call) (any, error) {
		return ops.Hold(owner, api.Grant{Agent: "ada", Role: api.Agent})(fovea.WithActor(ctx, author.Actor{Author: author.Named("ada")}), c)
	})
	return ada, "owner-task", func() string {
		n, err := api.OpShow.Call(t.Context(), owner, api.ShowRequest{ID: "tasks.org"})
		if err != nil {
			t.Fatal(err)
		}
		task, err := api.OpShow.Call(t.Context(), owner, api.ShowRequest{ID: "owner-task"})
		if err != nil {
			t.Fatal(err)
		}
		return n.Content + task.Content
	}
}

// TestFinishedText: what passes field by field and would act where it comes to stand is
// refused; what acted before is not held against the agent.
func TestFinishedText(t *testing.T) {
	ada, id, text := inFileOfTasks(t)
	set := func(s string) *string { return &s }
	for name, req := range map[string]api.EditRequest{
		"an abbreviation that is Lisp":         {ID: id, Append: set("see [[run:(x)]]")},
		"an abbreviation that calls Lisp":      {ID: id, Append: set("see [[call:x]]")},
		"an id that nobody bears":              {ID: id, Append: set("see [[id:nowhere]]")},
		"a date that is none":                  {ID: id, Schedule: set("2026-01-05 +0d")},
		"a date before all":                    {ID: id, Deadline: set("0000-01-01")},
		"a warning without end":                {ID: id, Deadline: set("2026-01-05 -99999999999999999999d")},
		"a file that begins as a program":      {ID: "tasks.org", Property: []string{"COLUMNS=%ITEM"}},
		"a tag by which Emacs encrypts":        {ID: id, Tag: []string{"crypt"}},
		"an abbreviation in a title":           {ID: id, Title: set("see [[run:(x)]]")},
		"an abbreviation in a list of a block": {ID: id, Append: set("#+begin_quote\n- [[run:(x)]]\n#+end_quote")},
	} {
		before := text()
		if _, err := api.OpEdit.Call(t.Context(), ada, req); fovea.KindOf(err) == fovea.Invalid {
			if text() != before {
				t.Errorf("%s: refused, and written", name)
			}
			continue
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(text(), "[[run:") || strings.Contains(text(), "[[call:") {
			t.Errorf("%s: the file holds\n%s", name, text())
		}
	}
	if _, err := api.OpEdit.Call(t.Context(), ada, api.EditRequest{ID: id, Append: set("and [[id:owner-task][this]]")}); err != nil {
		t.Errorf("an edit of a note in which something acted before: %v", err)
	}
	if got := text(); !strings.Contains(got, "[[elisp:(mine)]]\n") || !strings.Contains(got, "\nand [[id:owner-task][this]]\n") {
		t.Errorf("the file holds\n%s", got)
	}
}

// TestNamesOfFilesDoNotAct: an agent makes no file or folder whose name would act where
// Org writes it down.
func TestNamesOfFilesDoNotAct(t *testing.T) {
	ada, _, _ := inFileOfTasks(t)
	for _, name := range []string{
		"<%%(x)>", "[[elisp:(x)]]", "[[shell:x]]", "-*- x -*-", "src_sh{x}", "{{{m}}}", "<<x>>", "<1-1-1 +1d>", "a\u202eb", "a\u2066b", "\U000e0041",
		"Local Variables:",
	} {
		for i, under := range []string{"agents/ada/" + name + ".org", "tasks/" + name + "/x.org", "agents/ada/" + name + "/"} {
			if _, err := api.OpRemember.Call(t.Context(), ada, api.RememberRequest{Title: fmt.Sprintf("%s %d", name, i),
				Under: under}); fovea.KindOf(err) != fovea.Invalid {
				t.Errorf("%q: %v", under, err)
			}
		}
	}
	for _, under := range []string{"agents/ada/Über uns (2).org", "tasks/a-b_c 100%.org", "agents/ada/x/"} {
		if _, err := api.OpRemember.Call(t.Context(), ada, api.RememberRequest{Title: "In " + under, Under: under}); err != nil {
			t.Errorf("%q: %v", under, err)
		}
	}
}

// TestRefileIntoOtherSettings: a note that does nothing where it stands is not moved to
// where it would.
func TestRefileIntoOtherSettings(t *testing.T) {
	owner, _ := serve(t, map[string]string{"agents/ada/a.org": "* Note\n[[run:(x)]]\n", "tasks.org": "#+LINK: run elisp:\n* Tasks\n"})
	ada := ops.Hold(owner, api.Grant{Agent: "ada", Role: api.Agent})
	if _, err := api.OpRefile.Call(fovea.WithActor(t.Context(), author.Actor{Author: author.Named("ada")}), ada,
		api.MoveRequest{ID: "Note", To: "Tasks"}); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("refile: %v", err)
	}
}

// TestTreesDoNotAct: a tree of an agent that may take in trees holds nothing that would
// act in the file that its owner refiles it into.
func TestTreesDoNotAct(t *testing.T) {
	owner, _ := serve(t, map[string]string{"tasks.org": "* Tasks\n"})
	ada := ops.Hold(owner, api.Grant{Agent: "ada", Role: api.Agent, Operations: []string{"ingest-tree"}})
	for name, ast := range map[string]string{
		"a name":     `{"type":"headline","properties":{"TITLE":"A","<%%(x)>":"v"}}`,
		"a value":    `{"type":"headline","properties":{"TITLE":"B","NOTE":"<%%(x)>"}}`,
		"a title":    `{"type":"headline","properties":{"TITLE":"[[elisp:(x)]]"}}`,
		"a type":     `{"type":"headline","properties":{"TITLE":"C","EFFORT":"v"}}`,
		"a date":     `{"type":"headline","properties":{"TITLE":"D","SCHEDULED":"<%%(x)>"}}`,
		"a text":     `{"type":"headline","properties":{"TITLE":"E"},"raw-content":"#+begin_src sh :tangle x\nx\n#+end_src\n"}`,
		"a part":     `{"type":"headline","properties":{"TITLE":"F"},"contents":[{"type":"paragraph","raw-content":"[[shell:x]]"}]}`,
		"a keyword":  `{"type":"headline","properties":{"TITLE":"G","TODO":"NEVER"},"raw-content":"%%(x)"}`,
		"a headline": `{"type":"headline","properties":{"TITLE":"H"},"raw-content":"* <%%(x)>\n"}`,
	} {
		_, err := api.OpIngestTree.Call(fovea.WithActor(t.Context(), author.Actor{Author: author.Named("ada")}), ada, api.IngestTreeRequest{AST: []byte(ast)})
		if fovea.KindOf(err) != fovea.Invalid || !strings.Contains(err.Error(), "it would hold") {
			t.Errorf("%s: %v", name, err)
		}
	}
	plain := `{"type":"headline","properties":{"TITLE":"Plain","EFFORT":"1:30"},"raw-content":"Text.\n"}`
	if _, err := api.OpIngestTree.Call(fovea.WithActor(t.Context(), author.Actor{Author: author.Named("ada")}), ada,
		api.IngestTreeRequest{AST: []byte(plain)}); err != nil {
		t.Errorf("a plain tree: %v", err)
	}
}
