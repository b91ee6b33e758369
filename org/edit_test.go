// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/org"
)

// What Emacs makes of an edit is compared in TestEditAgreement. These are the edits
// that Emacs has no command for, and those that the comparison cannot show.
func TestEdit(t *testing.T) {
	tests := []struct {
		name, src string
		i         int
		edits     []document.Edit
		want      string
	}{
		{"nothing", "* a", 0, nil, "* a"},
		{"several in order", "* a\n", 0, []document.Edit{document.SetTodo{Keyword: "TODO"}, document.SetTitle{Title: "b"}, document.SetProperty{Key: "K",
			Value: "v"},
			document.Schedule{When: "2026-04-01"}},
			"* TODO b\nSCHEDULED: <2026-04-01 Wed>\n:PROPERTIES:\n:K:        v\n:END:\n"},
		{"planning without final line end", "* a", 0, []document.Edit{document.Schedule{When: "2026-04-01 9:00 +1w -2d"}},
			"* a\nSCHEDULED: <2026-04-01 Wed 09:00 +1w -2d>"},
		{"carriage returns", "* a\r\ntext\r\n", 0, []document.Edit{document.SetProperty{Key: "K", Value: "v"}},
			"* a\r\n:PROPERTIES:\r\n:K:        v\r\n:END:\r\ntext\r\n"},
		{"byte order mark", "\xef\xbb\xbf* a", 0, []document.Edit{document.SetTodo{Keyword: "DONE"}}, "\xef\xbb\xbf* DONE a"},
		{"invalid bytes stay", "* \xff\n\xfe\n", 0, []document.Edit{document.SetTodo{Keyword: "TODO"}}, "* TODO \xff\n\xfe\n"},
		{"title keeps the rest", "* TODO [#A] COMMENT old  :x:\n", 0, []document.Edit{document.SetTitle{Title: "new"}},
			"* TODO [#A] COMMENT new" + strings.Repeat(" ", 51) + ":x:\n"},
		{"title takes the blanks behind the old one along", "* old \t\ntext\n", 0, []document.Edit{document.SetTitle{Title: "new"}}, "* new\ntext\n"},
		{"log that the entry asks for", "* TODO a\n:PROPERTIES:\n:LOGGING: logdone\n:END:\n", 0, []document.Edit{document.SetTodo{Keyword: "DONE"}},
			"* DONE a\nCLOSED: [2026-03-03 Tue 10:00]\n:PROPERTIES:\n:LOGGING: logdone\n:END:\n"},
		{"log that the entry does not want", "#+STARTUP: logdone\n* TODO a\n:PROPERTIES:\n:LOGGING: nil\n:END:\n", 0,
			[]document.Edit{document.SetTodo{Keyword: "DONE"}},
			"#+STARTUP: logdone\n* DONE a\n:PROPERTIES:\n:LOGGING: nil\n:END:\n"},
		{"log of a state that the entry asks for", "#+TODO: TODO | DONE\n* TODO a\n:PROPERTIES:\n:LOGGING: DONE(!)\n:END:\n", 0,
			[]document.Edit{document.SetTodo{Keyword: "DONE"}},
			"#+TODO: TODO | DONE\n* DONE a\n:PROPERTIES:\n:LOGGING: DONE(!)\n:END:\n- State \"DONE\"       from \"TODO\"       [2026-03-03 Tue 10:00]\n"},
		{"repeat without other brackets", "* TODO a\n<2026-01-05 Mon +1w]\n",
			0, []document.Edit{document.SetTodo{Keyword: "DONE"}}, "* DONE a\n<2026-01-05 Mon +1w]\n"},
		{"repeat",
			"#+STARTUP: nologrepeat\n* TODO a\n<2026-03-03 Tue 08:00 ++1h> <2026-03-03 Tue 08:00-09:30 .+1h>" +
				" <2026-02-01 Sun .+2d> <2026-01-05 Mon +1m> <2026-01-05 Mon +1y>\n", 0,
			[]document.Edit{document.SetTodo{Keyword: "DONE"}},
			"#+STARTUP: nologrepeat\n* TODO a\n<2026-03-03 Tue 11:00 ++1h> <2026-03-03 Tue 11:00-12:30 .+1h>" +
				" <2026-03-05 Thu .+2d> <2026-02-05 Thu +1m> <2027-01-05 Tue +1y>\n"},
		{"repeat with any name of the day", "#+STARTUP: nologrepeat\n* TODO a\n<2026-11-18 T4 14:30 +1w>" +
			" <2026-11-18 W3d 14:30-15:00 +1h> <2026-11-18 ar-أ 14:30 +1w>" +
			" <2026-11-18 4 +1w> <2026-11-18 We+1w> <2026-11-18  ср. .+1d/2d>--<2026-11-18 st.d. +1w -1d>\n", 0,
			[]document.Edit{document.SetTodo{Keyword: "DONE"}},
			"#+STARTUP: nologrepeat\n* TODO a\n<2026-11-25 Wed 14:30 +1w> <2026-11-18 Wed 15:30-16:00 +1h> <2026-11-25 Wed 14:30 +1w>" +
				" <2026-11-25 Wed +1w> <2026-11-25 Wed+1w> <2026-03-04 Wed .+1d/2d>--<2026-11-25 Wed +1w -1d>\n"},
		{"schedule with any name of the day", "* a\n", 0, []document.Edit{document.Schedule{When: "<2026-11-18 T4 14:30 +1w>"}},
			"* a\nSCHEDULED: <2026-11-18 Wed 14:30 +1w>\n"},
		{"repeat to a state", "#+STARTUP: nologrepeat\n#+TODO: A B | DONE\n* B a\n:PROPERTIES:\n:REPEAT_TO_STATE: B\n:END:\n<2026-03-02 Mon +1d>\n", 0,
			[]document.Edit{document.SetTodo{Keyword: "DONE"}},
			"#+STARTUP: nologrepeat\n#+TODO: A B | DONE\n* B a\n:PROPERTIES:\n:REPEAT_TO_STATE: B\n:END:\n<2026-03-03 Tue +1d>\n"},
		{"repeat types", "#+STARTUP: nologrepeat\n#+TYP_TODO: A B | DONE\n* B a\n<2026-03-02 Mon +1d>\n",
			0, []document.Edit{document.SetTodo{Keyword: "DONE"}},
			"#+STARTUP: nologrepeat\n#+TYP_TODO: A B | DONE\n* B a\n<2026-03-03 Tue +1d>\n"},
		{"insert at odd levels", "#+STARTUP: odd\n* a\n", 0, []document.Edit{document.InsertHeadline{Title: "b"}}, "#+STARTUP: odd\n* a\n*** b\n"},
		{"append after an insert", "* a\n* b\n",
			0, []document.Edit{document.InsertHeadline{Title: "c", Body: "d"}, document.AppendBody{Text: "e"}}, "* a\ne\n** c\nd\n* b\n"},
		{"replace the last line without its end", "* a\nx", 0, []document.Edit{document.ReplaceBody{Text: "y\n"}}, "* a\ny"},
		{"replace after a log that is not closed", "* a\n:LOGBOOK:\nx\n", 0, []document.Edit{document.ReplaceBody{Text: "y\n"}}, "* a\ny\n"},
		{"check in a list with cookies", "* a [/]\n[%]\n- [ ] b [0/1]\n  - [ ] c\n- [X] d\n",
			0, []document.Edit{document.CheckItem{Line: 4, State: "X"}},
			"* a [2/2]\n[100%]\n- [X] b [1/1]\n  - [X] c\n- [X] d\n"},
		{"property of the document", "# comment\n#+TITLE: t\n", -1, []document.Edit{document.SetProperty{Key: "ID", Value: "1"}},
			"# comment\n:PROPERTIES:\n:ID:       1\n:END:\n#+TITLE: t\n"},
		{"last property takes the drawer along", "* a\n:PROPERTIES:\n:K: v\n:END:", 0, []document.Edit{document.RemoveProperty{Key: "k"}}, "* a"},
		{"append before blank lines", "* a\nx\n\n* b\n", 0, []document.Edit{document.AppendBody{Text: "y"}}, "* a\nx\ny\n\n* b\n"},
		{"append without final line end", "* a", 0, []document.Edit{document.AppendBody{Text: "y\nz\n"}}, "* a\ny\nz"},
		{"append to the document", "#+TITLE: t\n\n* a\n", -1, []document.Edit{document.AppendBody{Text: "y"}}, "#+TITLE: t\ny\n\n* a\n"},
		{"append children", "* a\n* b\n", 0, []document.Edit{document.AppendBody{Text: "y\n** c\n", Children: true}}, "* a\ny\n** c\n* b\n"},
		{"replace keeps plan, drawer and log", "* a\nSCHEDULED: <2026-01-01>\n:PROPERTIES:\n:K: v\n:END:\n:LOGBOOK:\n- x\n:END:\nold\nold\n\n* b\n", 0,
			[]document.Edit{document.ReplaceBody{Text: "new\n"}},
			"* a\nSCHEDULED: <2026-01-01>\n:PROPERTIES:\n:K: v\n:END:\n:LOGBOOK:\n- x\n:END:\nnew\n\n* b\n"},
		{"replace in the document keeps drawer and settings", ":PROPERTIES:\n:ID: 1\n:END:\n#+TITLE: t\n\n#+FILETAGS: :x:\n\nold\n\n* a\n", -1,
			[]document.Edit{document.ReplaceBody{Text: "new"}}, ":PROPERTIES:\n:ID: 1\n:END:\n#+TITLE: t\n\n#+FILETAGS: :x:\nnew\n\n* a\n"},
		{"replace in the document keeps what a setting stands in", "#+begin_quote\n#+TITLE: t\n#+end_quote\nold\n", -1,
			[]document.Edit{document.ReplaceBody{Text: "new"}}, "#+begin_quote\n#+TITLE: t\n#+end_quote\nnew\n"},
		{"replace in the document without settings", "old\n", -1, []document.Edit{document.ReplaceBody{Text: "new"}}, "new\n"},
		{"replace by nothing", "* a\nold\n* b\n", 0, []document.Edit{document.ReplaceBody{}}, "* a\n* b\n"},
		{"child of the document", "#+TITLE: t\n* a\n** b\n", -1, []document.Edit{document.InsertHeadline{Title: "c", Body: "text"}},
			"#+TITLE: t\n* a\n** b\n* c\ntext\n"},
		{"first headline of all", "", -1, []document.Edit{document.InsertHeadline{Title: "a"}}, "* a\n"},
		{"whole child", "* a [/]\n", 0, []document.Edit{document.InsertHeadline{Title: "b", Todo: "TODO", Priority: "A", Tags: []string{"x"},
			Deadline:   "2026-04-01",
			Properties: []document.Property{{Key: "ID", Value: "1"}}, Body: "text"}},
			"* a [0/1]\n** TODO [#A] b" + strings.Repeat(" ", 60) + ":x:\nDEADLINE: <2026-04-01 Wed>\n:PROPERTIES:\n:ID:       1\n:END:\ntext\n"},
		{"delete the last", "* a\n* b\n** c", 1, []document.Edit{document.Delete{}}, "* a"},
		{"repeat far in the past", "* TODO a\nSCHEDULED: <0001-01-01 Mon 00:30 ++1h>\n", 0, []document.Edit{document.SetTodo{Keyword: "DONE"}},
			"* TODO a\nSCHEDULED: <2026-03-03 Tue 10:30 ++1h>\n:PROPERTIES:\n:LAST_REPEAT: [2026-03-03 Tue 10:00]\n:END:\n" +
				"- State \"DONE\"       from \"TODO\"       [2026-03-03 Tue 10:00]\n"},
		{"new log as the planning line is indented", "#+STARTUP: logdrawer logreschedule\n* a\n   SCHEDULED: <2026-01-01 Thu>\n", 0,
			[]document.Edit{document.Schedule{When: "2026-04-01"}},
			"#+STARTUP: logdrawer logreschedule\n* a\n   SCHEDULED: <2026-04-01 Wed>\n   :LOGBOOK:\n" +
				"   - Rescheduled from \"[2026-01-01 Thu]\" on [2026-03-03 Tue 10:00]\n   :END:\n"},
		{"new log as the property drawer is indented", "#+TODO: A B(b!)\n* A a\n  :PROPERTIES:\n  :LOG_INTO_DRAWER: t\n  :END:\n", 0,
			[]document.Edit{document.SetTodo{Keyword: "B"}},
			"#+TODO: A B(b!)\n* B a\n  :PROPERTIES:\n  :LOG_INTO_DRAWER: t\n  :END:\n  :LOGBOOK:\n" +
				"  - State \"B\"          from \"A\"          [2026-03-03 Tue 10:00]\n  :END:\n"},
		{"new property drawer as the planning line is indented", "* a\n\tSCHEDULED: <2026-01-01 Thu>\n", 0, []document.Edit{document.SetProperty{Key: "K",
			Value: "v"}},
			"* a\n\tSCHEDULED: <2026-01-01 Thu>\n\t:PROPERTIES:\n\t:K:        v\n\t:END:\n"},
		{"parent whose cookie stays is left alone", "* p [1/1]  :x:\n** DONE a\n", 1, []document.Edit{document.SetTodo{Keyword: "DONE"}},
			"* p [1/1]  :x:\n** DONE a\n"},
		{"parent of a repeating task is left alone", "* p [0/1]  :x:\n** TODO a <2026-03-01 Sun +1d>\n:PROPERTIES:\n:LOGGING: nil\n:END:\n", 1,
			[]document.Edit{document.SetTodo{Keyword: "DONE"}},
			"* p [0/1]  :x:\n** TODO a <2026-03-02 Mon +1d>\n:PROPERTIES:\n:LOGGING: nil\n:END:\n"},
		{"repeater goes on to a later day", "* TODO a <2026-02-28 Sat 17:45 ++3d>\n:PROPERTIES:\n:LOGGING: nil\n:END:\n", 0,
			[]document.Edit{document.SetTodo{Keyword: "DONE"}},
			"* TODO a <2026-03-06 Fri 17:45 ++3d>\n:PROPERTIES:\n:LOGGING: nil\n:END:\n"},
		{"property twice", "* a\n:PROPERTIES:\n:K: 1\n:k: 2\n:K+: 3\n:END:\n", 0, []document.Edit{document.SetProperty{Key: "K", Value: "v"}},
			"* a\n:PROPERTIES:\n:K: 1\n:K:        v\n:K+: 3\n:END:\n"},
		{"check an item of the document", "- [ ] a [/]\n  - [ ] b", -1, []document.Edit{document.CheckItem{Line: 2, State: "X"}}, "- [X] a [1/1]\n  - [X] b"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := org.Parse(test.src, nil)
			splices, err := d.Edit(test.i, editNow, test.edits...)
			if err != nil {
				t.Fatal(err)
			}
			got, err := document.Apply(test.src, splices)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("edit of %q (-want +got):\n%s", test.src, diff)
			}
		})
	}
}

func TestEditErrors(t *testing.T) {
	const src = "#+PRIORITIES: A B B\n* TODO a\n:PROPERTIES:\n:ORDERED: t\n:END:\n- [ ] one\n  - [ ] two\n- [ ] three\n- four\n* TODO DONE b\n* c :x: :y:\n"
	tests := []struct {
		name string
		i    int
		edit document.Edit
		want error
	}{
		{"no headline", 3, document.Delete{}, org.ErrNoHeadline},
		{"document has no keyword", -1, document.SetTodo{Keyword: "TODO"}, org.ErrNoHeadline},
		{"delete the document", -1, document.Delete{}, org.ErrNoHeadline},
		{"keyword", 0, document.SetTodo{Keyword: "NEXT"}, org.ErrKeyword},
		{"title begins with a keyword", 1, document.SetTodo{}, org.ErrStructure},
		{"priority", 0, document.SetPriority{Priority: "C"}, org.ErrPriority},
		{"title ends in tags", 2, document.RemoveTag{Tag: "y"}, org.ErrStructure},
		{"tag", 0, document.AddTag{Tag: "a b"}, org.ErrTag},
		{"two tags", 0, document.AddTag{Tag: "a:b"}, org.ErrTag},
		{"title with line break", 0, document.SetTitle{Title: "a\n* b"}, org.ErrStructure},
		{"title that ends in tags", 0, document.SetTitle{Title: "a :b:"}, org.ErrStructure},
		{"title with priority", 0, document.SetTitle{Title: "[#A] b"}, org.ErrStructure},
		{"key with blank", 0, document.SetProperty{Key: "a b", Value: "c"}, org.ErrProperty},
		{"key that closes", 0, document.SetProperty{Key: "end"}, org.ErrProperty},
		{"special key", 0, document.SetProperty{Key: "todo", Value: "DONE"}, org.ErrProperty},
		{"value with line break", 0, document.SetProperty{Key: "a", Value: "b\n:END:"}, org.ErrProperty},
		{"empty ID", 0, document.SetProperty{Key: "ID"}, org.ErrProperty},
		{"ID with NUL", 0, document.SetProperty{Key: "ID", Value: "a\x00b"}, org.ErrProperty},
		{"ID with an escape", 0, document.SetProperty{Key: "ID", Value: "a\x1b[31m"}, org.ErrProperty},
		{"ID with DEL", 0, document.SetProperty{Key: "ID", Value: "a\x7f"}, org.ErrProperty},
		{"ID with a tab", 0, document.SetProperty{Key: "ID", Value: "a\tb"}, org.ErrProperty},
		{"ID behind a blank", 0, document.SetProperty{Key: "ID", Value: " a"}, org.ErrProperty},
		{"ID before a blank", 0, document.SetProperty{Key: "ID", Value: "a "}, org.ErrProperty},
		{"ID of blanks", 0, document.SetProperty{Key: "ID", Value: "  "}, org.ErrProperty},
		{"ID of two lines", 0, document.InsertHeadline{Title: "a", Properties: []document.Property{{Key: "ID", Value: "a\nb"}}}, org.ErrProperty},
		{"ID with a bell", 0, document.InsertHeadline{Title: "a", Properties: []document.Property{{Key: "ID", Value: "a\a"}}}, org.ErrProperty},
		{"derived ID", 0, document.SetProperty{Key: "id", Value: "~a"}, org.ErrProperty},
		{"ID of a place", 0, document.SetProperty{Key: "ID", Value: "a::b"}, org.ErrProperty},
		{"ID of a file", -1, document.SetProperty{Key: "ID", Value: "a.org"}, org.ErrProperty},
		{"ID of an archive", 0, document.InsertHeadline{Title: "a", Properties: []document.Property{{Key: "ID", Value: "a.org_archive"}}}, org.ErrProperty},
		{"three times of day", 0, document.Schedule{When: "2026-04-01 10:00-11:00-12:00"}, org.ErrTimestamp},
		{"no date", 0, document.Schedule{When: "tomorrow"}, org.ErrTimestamp},
		{"no such date", 0, document.Deadline{When: "2026-02-30"}, org.ErrTimestamp},
		{"no such time", 0, document.Deadline{When: "2026-02-28 25:00"}, org.ErrTimestamp},
		{"no cookie", 0, document.Deadline{When: "<2026-02-28 Sat 10:00 x>"}, org.ErrTimestamp},
		{"headline in a body", 0, document.AppendBody{Text: "x\n* b"}, org.ErrStructure},
		{"child too high", 0, document.AppendBody{Text: "* b", Children: true}, org.ErrStructure},
		{"setting in a body", 0, document.AppendBody{Text: "#+TODO: X | Y"}, org.ErrStructure},
		{"headline in a new headline", 0, document.InsertHeadline{Title: "b", Body: "* c"}, org.ErrStructure},
		{"drawer as a body", 0, document.InsertHeadline{Title: "b", Body: ":PROPERTIES:\n:ID: 1\n:END:"}, org.ErrStructure},
		{"planning as a body", 0, document.InsertHeadline{Title: "b", Body: "SCHEDULED: <2026-01-01>"}, org.ErrStructure},
		{"no item", 0, document.CheckItem{Line: 2, State: "X"}, org.ErrItem},
		{"item without checkbox", 0, document.CheckItem{Line: 9, State: "X"}, org.ErrItem},
		{"item above items", 0, document.CheckItem{Line: 6, State: "X"}, org.ErrItem},
		{"item out of order", 0, document.CheckItem{Line: 8, State: "X"}, org.ErrItem},
		{"no state", 0, document.CheckItem{Line: 7, State: "yes"}, org.ErrItem},
	}
	d := org.Parse(src, nil)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if splices, err := d.Edit(test.i, editNow, test.edit); !errors.Is(err, test.want) || splices != nil {
				t.Errorf("got %v and error %v, want error %v", splices, err, test.want)
			}
		})
	}
	if _, err := d.Edit(0, editNow, document.Delete{}, document.SetTodo{}); !errors.Is(err, org.ErrNoHeadline) {
		t.Errorf("edit behind a deletion: %v", err)
	}
}

// TestEditMessages shows that an error says what to do, once, and in which line.
func TestEditMessages(t *testing.T) {
	const src = "#+TODO: A | B\nintro\n* a\n** b\n"
	tests := []struct {
		name string
		i    int
		edit document.Edit
		want string
	}{
		{"headline", 0, document.AppendBody{Text: "x\r\ny\n* b"},
			"append body: line 3 of the text begins a headline; escape it with a comma, or allow subheadings"},
		{"level", 1, document.ReplaceBody{Text: "x\n* b", Children: true},
			"replace body: line 2 of the text begins a headline of level 1; give it at least 3 stars"},
		{"setting", -1, document.ReplaceBody{Text: "x\n#+title: y\n"}, "replace body: line 2 of the text sets #+TITLE for the file; escape it with a comma"},
		{"planning", 0, document.AppendBody{Text: "SCHEDULED: <2026-01-01>\nx"},
			"append body: line 1 of the text is a planning line; set the date by an edit of its own"},
		{"drawer", 0, document.AppendBody{Text: ":PROPERTIES:\n:A: b\n:END:\n"},
			"append body: line 1 of the text begins a property drawer; set properties by edits of their own"},
		{"document", -1, document.Delete{}, "delete: not possible on the document itself; name a headline"},
		{"ID", 0, document.SetProperty{Key: "ID", Value: "a.org"}, `set property "ID" to "a.org": an ID does not end like the name of an Org file`},
		{"title", 0, document.SetTitle{Title: "[#A] b"}, `set title "[#A] b": it would be read as more than a title; leave out keyword, priority and tags`},
	}
	d := org.Parse(src, nil)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := d.Edit(test.i, editNow, test.edit)
			if diff := cmp.Diff(test.want, fmt.Sprint(err)); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRefile(t *testing.T) {
	from := org.Parse("#+STARTUP: logrefile\n* a\n** TODO b :x:\ntext\n*** c\n* d", nil)
	to := org.Parse("* t\r\n* u\r\n", nil)
	tests := []struct {
		name         string
		to           *org.Document
		i, target    int
		want, wantTo string
	}{
		{"within, down", from, 1, 3, "#+STARTUP: logrefile\n* a\n* d\n** TODO b" + strings.Repeat(" ", 65) +
			":x:\n- Refiled on [2026-03-03 Tue 10:00]\ntext\n*** c", ""},
		{"within, up", from, 3, 0, "#+STARTUP: logrefile\n* a\n** TODO b :x:\ntext\n*** c\n** d\n- Refiled on [2026-03-03 Tue 10:00]", ""},
		{"to the top of another", to, 1, -1, "#+STARTUP: logrefile\n* a\n* d",
			"* t\r\n* u\r\n* TODO b" + strings.Repeat(" ", 66) + ":x:\r\n- Refiled on [2026-03-03 Tue 10:00]\r\ntext\r\n** c\r\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			splices, toSplices, err := org.Refile(from, test.i, test.to, test.target, editNow)
			if err != nil {
				t.Fatal(err)
			}
			got, err := document.Apply(from.Source, splices)
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				t.Errorf("from (-want +got): %v\n%s", err, diff)
			}
			if test.to == from {
				return
			}
			got, err = document.Apply(test.to.Source, toSplices)
			if diff := cmp.Diff(test.wantTo, got); diff != "" || err != nil {
				t.Errorf("to (-want +got): %v\n%s", err, diff)
			}
		})
	}
	for _, test := range []struct {
		i, target int
		want      string
	}{{0, 2, "a headline cannot be refiled below itself"}, {-1, 0, "a document cannot be refiled; move the file"}, {4, 0, "refile: no such headline"}} {
		if _, _, err := org.Refile(from, test.i, from, test.target, editNow); !errors.Is(err, org.ErrNoHeadline) || err.Error() != test.want {
			t.Errorf("refile %d to %d: error %v, want %q", test.i, test.target, err, test.want)
		}
	}
}

func TestArchive(t *testing.T) {
	from := org.Parse("* a [/] :x:\n** DONE b :y:\n** TODO c\n", nil)
	archive := org.Parse("* old", nil)
	splices, archiveSplices, err := org.Archive(from, 1, "dir/f.org", archive, editNow)
	if err != nil {
		t.Fatal(err)
	}
	got, err := document.Apply(from.Source, splices)
	want := "* a [0/1]" + strings.Repeat(" ", 65) + ":x:\n** TODO c\n"
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("from (-want +got): %v\n%s", err, diff)
	}
	got, err = document.Apply(archive.Source, archiveSplices)
	want = "* old\n\n* DONE b" + strings.Repeat(" ", 66) + ":y:\n:PROPERTIES:\n:ARCHIVE_TIME: 2026-03-03 Tue 10:00\n:ARCHIVE_FILE: dir/f.org\n" +
		":ARCHIVE_OLPATH: a [/]\n:ARCHIVE_CATEGORY: f\n:ARCHIVE_TODO: DONE\n:ARCHIVE_ITAGS: x\n:END:"
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("archive (-want +got): %v\n%s", err, diff)
	}
}

func TestArchiveErrors(t *testing.T) {
	inside := org.Parse("#+ARCHIVE: ::\n* a", nil)
	for i, want := range map[int]error{-2: org.ErrNoHeadline, -1: org.ErrNoHeadline, 0: org.ErrArchive, 1: org.ErrNoHeadline} {
		splices, archiveSplices, err := org.Archive(inside, i, "f.org", nil, editNow)
		if !errors.Is(err, want) || splices != nil || archiveSplices != nil {
			t.Errorf("headline %d: %v with %d and %d splices, want %v", i, err, len(splices), len(archiveSplices), want)
		}
	}
}

func TestArchiveFile(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"default", "* a", "dir/f.org_archive"},
		{"of the file", "#+ARCHIVE: old/%s.old::\n* a", "dir/old/f.org.old"},
		{"of the headline", "#+ARCHIVE: x::\n* a\n:PROPERTIES:\n:ARCHIVE: /abs/%s::\n:END:", "/abs/f.org"},
		{"with a headline", "#+ARCHIVE: %s_archive::* Old\n* a", ""},
		{"within the file", "#+ARCHIVE: ::\n* a", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := org.ArchiveFile(org.Parse(test.src, nil), 0, "dir/f.org")
			if got != test.want || (test.want == "") != errors.Is(err, org.ErrArchive) {
				t.Errorf("got %q and error %v, want %q", got, err, test.want)
			}
		})
	}
}
