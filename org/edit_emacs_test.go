// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/org"
)

// floorEdits is the share of edits, in percent, whose result must be that of Emacs,
// listed deviations counted as differing.
const floorEdits = 98.0

// editNow is the time of every edit of the comparison.
var editNow = time.Date(2026, 3, 3, 10, 0, 0, 0, time.UTC)

// editJob is a line of the oracle's input, see testdata/edit-oracle.el.
type editJob struct {
	ID     int    `json:"id"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Op     string `json:"op"`
	A      string `json:"a"`
	B      string `json:"b"`
	Target int    `json:"target"`
	Now    int64  `json:"now"`

	name          string // of the file, in the list of deviations
	got, gotOther string // our result
	err           error
	src           string
}

func (j *editJob) String() string {
	return strings.TrimRight(fmt.Sprintf("%s@%d %s %s", j.Op, j.Line, j.A, j.B), " ")
}

// editAnswer is a line of the oracle's output.
type editAnswer struct {
	ID    int    `json:"id"`
	Text  []byte `json:"text"`
	Other []byte `json:"other"`
	Error string `json:"error"`
}

// TestEditAgreement compares edits with what Emacs' own commands make of the same
// files. It draws them over the outside corpus where there is one, and over generated
// files in any case.
func TestEditAgreement(t *testing.T) {
	emacs := foveatest.Part(t, "emacs")
	dir := t.TempDir()
	var jobs []*editJob
	for _, file := range editFiles(t, dir) {
		jobs = append(jobs, drawEdits(t, dir, file)...)
	}
	for i, j := range jobs {
		j.ID, j.Now = i, editNow.Unix()
	}
	listed := readEditDeviations(t)
	used := map[string]bool{}
	equal, perOp := 0, map[string][2]int{}
	for _, answer := range runOracle(t, emacs, dir, jobs) {
		j := jobs[answer.ID]
		n := perOp[j.Op]
		n[1]++
		key := j.name + "\t" + j.String()
		if difference := j.compare(answer); difference == "" {
			equal++
			n[0]++
		} else if listed[key] {
			used[key] = true
		} else {
			t.Errorf("%s: %v: %s", j.name, j, difference)
		}
		perOp[j.Op] = n
	}
	for _, op := range slices.Sorted(maps.Keys(perOp)) {
		t.Logf("%-10s %4d of %4d equal", op, perOp[op][0], perOp[op][1])
	}
	share := percent(equal, len(jobs))
	t.Logf("%d of %d edits (%.2f %%) as Emacs makes them", equal, len(jobs), share)
	if share < floorEdits {
		t.Errorf("%.2f %% of the edits agree, the floor is %.2f %%", share, floorEdits)
	}
	for key := range listed {
		if !used[key] && (os.Getenv(foveatest.TestdataEnv) != "" || strings.HasPrefix(key, "generated/")) {
			t.Errorf("testdata/edit-deviations.txt lists %q, but the edit agrees or is not made; remove the line", key)
		}
	}
}

// compare returns how the answer differs from our result, or "".
func (j *editJob) compare(a editAnswer) string {
	switch {
	case a.Error != "" && j.err != nil:
		return ""
	case a.Error != "":
		return "Emacs fails: " + a.Error
	case j.err != nil:
		return "we fail: " + j.err.Error()
	}
	if d := firstDifference(string(a.Text), j.got); d != "" {
		return d
	}
	if j.Op == "archive" {
		return firstDifference(string(a.Other), j.gotOther)
	}
	return ""
}

// firstDifference shows the lines around the first difference; the final line end
// does not count, for Emacs adds it when it saves.
func firstDifference(want, got string) string {
	w, g := editLines(want), editLines(got)
	i := 0
	for i < min(len(w), len(g)) && w[i] == g[i] {
		i++
	}
	if i == len(w) && i == len(g) {
		return ""
	}
	show := func(lines []string) []string { return lines[min(i, len(lines)):min(i+4, len(lines))] }
	return fmt.Sprintf("line %d:\n want %q\n got  %q", i+1, show(w), show(g))
}

func editLines(s string) []string {
	s = strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r")
	return strings.Split(s, "\n")
}

// runOracle has Emacs do the jobs and returns its answers.
func runOracle(t *testing.T, emacs, dir string, jobs []*editJob) []editAnswer {
	t.Helper()
	input, output := filepath.Join(dir, "jobs"), filepath.Join(dir, "answers")
	f, err := os.Create(input)
	if err != nil {
		t.Fatal(err)
	}
	w := json.NewEncoder(f)
	w.SetEscapeHTML(false)
	for _, j := range jobs {
		if err := w.Encode(j); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(emacs, "-Q", "--batch", "-l", "testdata/edit-oracle.el", "-f", "fovea-run", input, output)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	f, err = os.Open(output)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var answers []editAnswer
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var a editAnswer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, a)
	}
	if err := lines.Err(); err != nil || len(answers) != len(jobs) {
		t.Fatalf("%d answers for %d jobs: %v", len(answers), len(jobs), err)
	}
	return answers
}

var _ = base64.StdEncoding // encoding/json reads []byte so

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
	for range file.edits {
		i := draw.IntN(len(d.Headlines))
		j := &editJob{File: path, name: file.name, src: src}
		drawEdit(draw, d, i, j)
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
	j.Line = lineOf(d.Source, h.Start)
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
		j.edit(d, i, org.SetTodo{Keyword: j.A})
	case 7:
		j.Op, j.A = "priority", pick("A", "B", "C")
		if h.Priority != "" && draw.IntN(2) == 0 {
			j.A = ""
		}
		j.edit(d, i, org.SetPriority{Priority: j.A})
	case 8:
		j.Op, j.A = "title", pick("New title", "标题 with =code=", "a [[https://example.org][link]]")
		j.edit(d, i, org.SetTitle{Title: j.A})
	case 9:
		j.Op, j.A = "tag", tag
		j.edit(d, i, org.AddTag{Tag: tag})
	case 10:
		j.Op, j.A = "untag", tag
		j.edit(d, i, org.RemoveTag{Tag: tag})
	case 11, 12:
		j.Op, j.A, j.B = "property", property, pick("v", "a longer value", "")
		j.edit(d, i, org.SetProperty{Key: property, Value: j.B})
	case 13:
		j.Op, j.A = "unproperty", property
		j.edit(d, i, org.RemoveProperty{Key: property})
	case 14:
		if h.Scheduled != "" && draw.IntN(3) == 0 {
			when = ""
		}
		j.Op, j.A = "schedule", when
		j.edit(d, i, org.Schedule{When: when})
	case 15:
		if h.Deadline != "" && draw.IntN(3) == 0 {
			when = ""
		}
		j.Op, j.A = "deadline", when
		j.edit(d, i, org.Deadline{When: when})
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
		for _, box := range [][2]string{{"- [ ] ", "X"}, {"- [X] ", " "}} {
			check := org.CheckItem{Line: line, State: box[1]}
			if _, err := d.Edit(i, editNow, check); strings.HasPrefix(strings.TrimLeft(text, " "), box[0]) && err == nil && (j.Op == "" || draw.IntN(2) == 0) {
				j.Op, j.Line = "check", line
				j.edit(d, i, check)
			}
		}
		line++
	}
}

// drawMove draws an edit that adds, removes or moves a whole headline.
func drawMove(draw *rand.Rand, d *org.Document, i int, j *editJob) {
	h := &d.Headlines[i]
	switch draw.IntN(5) {
	case 0:
		j.Op = "delete"
		j.edit(d, i, org.Delete{})
	case 1:
		j.Op, j.A = "sibling", "New"
		j.edit(d, i, org.InsertHeadline{Title: "New", Sibling: true})
	case 2:
		j.Op, j.A = "child", "New"
		for k, child := range d.Headlines {
			if int(child.Parent) == i {
				j.Target = lineOf(d.Source, d.Headlines[k].Start)
			}
		}
		j.edit(d, i, org.InsertHeadline{Title: "New"})
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
		j.gotOther, _ = org.ApplySplices("", other)
	}
	_ = h
}

func (j *editJob) edit(d *org.Document, i int, edit org.Edit) {
	j.result(d.Edit(i, editNow, edit))
}

func (j *editJob) result(splices []org.Splice, err error) {
	if j.err = err; err == nil {
		j.got, j.err = org.ApplySplices(j.src, splices)
	}
}

func lineOf(src string, offset int) int { return 1 + strings.Count(src[:offset], "\n") }

// readEditDeviations reads the list: file, edit and reason, parted by tabs.
func readEditDeviations(t *testing.T) map[string]bool {
	t.Helper()
	listed := map[string]bool{}
	text, err := os.ReadFile("testdata/edit-deviations.txt")
	if errors.Is(err, fs.ErrNotExist) {
		return listed
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) != 3 || cells[2] == "" {
			t.Fatalf("testdata/edit-deviations.txt: want file, edit and reason, parted by tabs: %q", line)
		}
		listed[cells[0]+"\t"+cells[1]] = true
	}
	return listed
}

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
