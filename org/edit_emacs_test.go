// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// floorEdits is the share of edits, in percent, whose result must be that of a version
// of Org, listed deviations counted as differing.
var floorEdits = map[string]float64{referenceOrg: 97.4, "9.5": 92}

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
	Org   string `json:"org"`  // the version, as 9.8
	Text  []byte `json:"text"` // in base64
	Other []byte `json:"other"`
	Error string `json:"error"`
}

// TestEditAgreement compares edits with what Emacs' own commands make of the same
// files. It draws them over the outside corpus where there is one, and over generated
// files in any case. The reference is Org 9.8, whose folder foveatest.OrgEnv names; without it
// the Org of the installed Emacs is compared with, and the list of deviations names
// each edit that this one makes otherwise.
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
	answers := runOracle(t, emacs, dir, jobs)
	listed := readEditDeviations(t, answers[0].Org)
	used := map[string]bool{}
	equal, perOp := 0, map[string][2]int{}
	for _, answer := range answers {
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
	t.Logf("%d of %d edits (%.2f %%) as Org %s makes them", equal, len(jobs), share, answers[0].Org)
	if floor := floorEdits[answers[0].Org]; share < floor {
		t.Errorf("%.2f %% of the edits agree, the floor is %.2f %%", share, floor)
	}
	if *updateGolden && answers[0].Org == referenceOrg {
		writeEditGolden(t, dir, jobs, answers)
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
	args := []string{"-Q", "--batch"}
	if dir := os.Getenv(foveatest.OrgEnv); dir != "" {
		args = append(args, "-L", dir)
	}
	cmd := exec.Command(emacs, append(args, "-l", "testdata/edit-oracle.el", "-f", "fovea-run", input, output)...)
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

// readEditDeviations reads the list for a version of Org: the version or *, file, edit
// and reason, parted by tabs.
func readEditDeviations(t *testing.T, version string) map[string]bool {
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
		if len(cells) != 4 || cells[3] == "" {
			t.Fatalf("testdata/edit-deviations.txt: want version, file, edit and reason, parted by tabs: %q", line)
		}
		if cells[0] == "*" || cells[0] == version {
			listed[cells[1]+"\t"+cells[2]] = true
		}
	}
	return listed
}
