// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/org"
)

// editFile is a file to draw edits from, and how many.
type editFile struct {
	name  string
	edits int
}

// editFiles puts the files that are edited below dir and names them.
func editFiles(t *testing.T, dir string) []editFile {
	t.Helper()
	var files []editFile
	add := func(name, text string, edits int) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if edits > 0 {
			files = append(files, editFile{name, edits})
		}
	}
	for f := range 8 {
		add(fmt.Sprintf("generated/f%d.org", f), foveatest.GenFile(f, 10), 30)
	}
	add("generated/settings.org", editSettings, 300)
	add("generated/indented.org", "#+STARTUP: lognotedone logreschedule logredeadline logrefile\n"+editIndented, 200)
	add("generated/indented-drawer.org", "#+STARTUP: logdone logdrawer logreschedule logredeadline logrefile\n"+editIndented, 200)
	root := os.Getenv(foveatest.TestdataEnv)
	if root == "" {
		return files
	}
	for _, corpus := range []struct {
		folder string
		edits  int
	}{{"gtd", 24}, {"org", 3}} {
		base := filepath.Join(root, "corpus", corpus.folder)
		n := 0
		err := filepath.WalkDir(base, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			name := corpus.folder + "/" + strings.TrimPrefix(path, base+"/")
			edits := corpus.edits
			switch filepath.Ext(path) {
			case ".org":
			case ".setup":
				edits = 0
			default:
				return nil
			}
			text, err := os.ReadFile(path)
			if n++; err != nil || corpus.folder == "org" && (len(text) > 64<<10 || n%4 != 0) {
				return err
			}
			add(name, string(text), edits)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// drawEdits draws edits of a file, the same ones each time, and makes them.
func drawEdits(t *testing.T, dir string, file editFile) []*editJob {
	t.Helper()
	path := filepath.Join(dir, file.name)
	src := readFile(t, path)
	d := org.Parse(src, &org.Options{Setup: setupFrom(filepath.Dir(path))})
	if len(d.Headlines) == 0 {
		return nil
	}
	h := fnv.New64a()
	h.Write([]byte(file.name))
	draw := rand.New(rand.NewPCG(1, h.Sum64()))
	var jobs []*editJob
	seen := map[string]bool{}
	for k := range file.edits + file.edits/3 {
		i := draw.IntN(len(d.Headlines))
		j := &editJob{File: path, name: file.name, src: src, Line: lineOf(src, d.Headlines[i].Start)}
		if k < file.edits {
			drawEdit(draw, d, i, j)
		} else {
			drawCheck(draw, d, i, j)
		}
		if j.Op != "" && !seen[j.String()] {
			seen[j.String()] = true
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// drawEdit draws an edit of headline i and makes it.
func drawEdit(draw *rand.Rand, d *org.Document, i int, j *editJob) {
	h := &d.Headlines[i]
	pick := func(words ...string) string { return words[draw.IntN(len(words))] }
	property := pick("Effort", "LongerPropertyName", "x")
	if len(h.Properties) > 0 && draw.IntN(2) == 0 {
		property = h.Properties[draw.IntN(len(h.Properties))].Key
	}
	tag := pick("home", "büro", "a_b")
	if len(h.Tags) > 0 && draw.IntN(2) == 0 {
		tag = h.Tags[draw.IntN(len(h.Tags))]
	}
	when := pick("2026-04-01", "2026-02-28 09:30", "2027-01-01 10:00-11:30")
	switch draw.IntN(20) {
	case 0, 1, 2, 3, 4, 5, 6:
		j.Op, j.A = "todo", pick(append(d.Todo.All, "", d.Todo.Done[0])...)
		j.edit(d, i, document.SetTodo{Keyword: j.A})
	case 7:
		j.Op, j.A = "priority", pick("A", "B", "C")
		if h.Priority != "" && draw.IntN(2) == 0 {
			j.A = ""
		}
		j.edit(d, i, document.SetPriority{Priority: j.A})
	case 8:
		j.Op, j.A = "title", pick("New title", "标题 with =code=", "a [[https://example.org][link]]")
		j.edit(d, i, document.SetTitle{Title: j.A})
	case 9:
		j.Op, j.A = "tag", tag
		j.edit(d, i, document.AddTag{Tag: tag})
	case 10:
		j.Op, j.A = "untag", tag
		j.edit(d, i, document.RemoveTag{Tag: tag})
	case 11, 12:
		j.Op, j.A, j.B = "property", property, pick("v", "a longer value", "")
		if strings.EqualFold(property, "ID") && j.B == "" {
			j.B = "v" // an empty ID is refused here, but not by Emacs
		}
		j.edit(d, i, document.SetProperty{Key: property, Value: j.B})
	case 13:
		j.Op, j.A = "unproperty", property
		j.edit(d, i, document.RemoveProperty{Key: property})
	case 14:
		if h.Scheduled != "" && draw.IntN(3) == 0 {
			when = ""
		}
		j.Op, j.A = "schedule", when
		j.edit(d, i, document.Schedule{When: when})
	case 15:
		if h.Deadline != "" && draw.IntN(3) == 0 {
			when = ""
		}
		j.Op, j.A = "deadline", when
		j.edit(d, i, document.Deadline{When: when})
	case 16:
		drawCheck(draw, d, i, j)
	default:
		drawMove(draw, d, i, j)
	}
}

// drawCheck draws a checkbox of headline i that can be turned.
func drawCheck(draw *rand.Rand, d *org.Document, i int, j *editJob) {
	h := &d.Headlines[i]
	line := j.Line
	for text := range strings.Lines(d.Source[h.Start:h.SectionEnd]) {
		for _, box := range [][2]string{{" [ ]", "X"}, {" [X]", " "}} {
			check := document.CheckItem{Line: line, State: box[1]}
			if !strings.Contains(text, box[0]) {
				continue
			}
			if _, err := d.Edit(i, editNow, check); err == nil && (j.Op == "" || draw.IntN(2) == 0) {
				j.Op, j.Line = "check", line
				j.edit(d, i, check)
			}
		}
		line++
	}
}

// drawMove draws an edit that adds, removes or moves a whole headline.
func drawMove(draw *rand.Rand, d *org.Document, i int, j *editJob) {
	switch draw.IntN(5) {
	case 0:
		j.Op = "delete"
		j.edit(d, i, document.Delete{})
	case 1:
		j.Op, j.A = "sibling", "New"
		j.edit(d, i, document.InsertHeadline{Title: "New", Sibling: true})
	case 2:
		j.Op, j.A = "child", "New"
		for k, child := range d.Headlines {
			if int(child.Parent) == i {
				j.Target = lineOf(d.Source, d.Headlines[k].Start)
			}
		}
		j.edit(d, i, document.InsertHeadline{Title: "New"})
	case 3:
		target := draw.IntN(len(d.Headlines))
		j.Op, j.Target = "refile", lineOf(d.Source, d.Headlines[target].Start)
		j.B = fmt.Sprint(j.Target)
		splices, _, err := org.Refile(d, i, d, target, editNow)
		j.result(splices, err)
	case 4:
		j.Op = "archive"
		splices, other, err := org.Archive(d, i, j.File, nil, editNow)
		j.result(splices, err)
		j.gotOther, _ = document.Apply("", other)
	}
}

func (j *editJob) edit(d *org.Document, i int, edit document.Edit) {
	j.result(d.Edit(i, editNow, edit))
}

func (j *editJob) result(splices []document.Splice, err error) {
	if j.err = err; err == nil {
		j.got, j.err = document.Apply(j.src, splices)
	}
}

func lineOf(src string, offset int) int { return 1 + strings.Count(src[:offset], "\n") }

// editSettings has the settings and forms that the generated files lack.
const editSettings = `#+STARTUP: logdone logdrawer logreschedule lognoteredeadline logrefile
#+TODO: TODO(t) WAIT(w@/!) | DONE(d!) CANX(c@)
#+FILETAGS: :all:
#+PRIORITIES: A E C

* Project [1/3] [33%]  :work:
:PROPERTIES:
:CATEGORY: proj
:END:
** TODO [#A] first task   :urgent:
SCHEDULED: <2026-03-01 Sun +1w> DEADLINE: <2026-03-05 Thu -2d>
:PROPERTIES:
:Effort: 1:00
:END:
:LOGBOOK:
- State "DONE"       from "TODO"       [2026-02-22 Sun 10:00]
:END:
- [ ] one [0/2]
  - [ ] two
  - [X] three
- [X] four
** DONE second
CLOSED: [2026-02-01 Sun 10:00]

text

** WAIT third
   DEADLINE: <2026-03-03 Tue 09:00 ++1d>
   :PROPERTIES:
   :REPEAT_TO_STATE: WAIT
   :END:

   indented

*** deep :x:y:
:PROPERTIES:
:LOGGING: nil
:END:
**** TODO deeper <2026-01-31 Sat .+1m>
* Habit
** TODO stretch
SCHEDULED: <2026-03-01 Sun 07:00 .+2d/4d>
:PROPERTIES:
:STYLE: habit
:LAST_REPEAT: [2026-02-27 Fri 07:30]
:END:
* CANX dropped 中文 :tag:
CLOSED: [2026-02-01 Sun 10:00] SCHEDULED: <2026-02-01 Sun>
* List [%]
:PROPERTIES:
:COOKIE_DATA: checkbox recursive
:END:
1. [ ] a
2. [X] b
   - [ ] c
** TODO below
`

// editIndented has planning lines, drawers, logs and texts in columns of their own.
const editIndented = `#+TODO: TODO(t!) WAIT(w@/!) | DONE(d@) CANX(c)

* Top [0/4]  :all:
** TODO planning
   SCHEDULED: <2026-03-01 Sun +1d>
** TODO drawer
   :PROPERTIES:
   :CREATED:  [2026-01-01 Thu]
   :END:
   text
** WAIT both
    DEADLINE: <2026-03-05 Thu>
  :PROPERTIES:
  :CREATED:  [2026-01-01 Thu]
  :END:
** TODO text
   some text
** TODO list
   SCHEDULED: <2026-03-01 Sun>
   - State "TODO"       from              [2026-01-01 Thu 10:00]
   - another
** TODO log
   SCHEDULED: <2026-03-01 Sun>
 :LOGBOOK:
   - State "TODO"       from              [2026-01-01 Thu 10:00]
 :END:
** TODO clock
   :LOGBOOK:
   CLOCK: [2026-01-01 Thu 10:00]--[2026-01-01 Thu 11:00] =>  1:00
   :END:
** TODO blank

   SCHEDULED: <2026-03-01 Sun>
** TODO tab
	SCHEDULED: <2026-03-01 Sun>
	:PROPERTIES:
	:K: v
	:END:
** TODO empty log
  :LOGBOOK:
  :END:
   text
** DONE closed
   CLOSED: [2026-01-01 Thu 10:00]

   text
** TODO blanks behind
   SCHEDULED: <2026-03-01 Sun>


   text
** TODO twice
   :PROPERTIES:
   :Effort:   1:00
   :x:        1
   :Effort:   2:00
   :END:
`
