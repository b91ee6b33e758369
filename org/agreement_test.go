// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/org"
)

// The floors of TestAgreement, in percent of files whose headline data are all
// equal, listed deviations aside, and of single values. They are what was reached:
// raise them with the parser, never lower them.
const (
	floorFiles  = 100.0
	floorValues = 100.0
)

// summary is what Org reads in one file, as testdata of the corpus gives it.
type summary struct {
	File      string            `json:"file"`
	FileTags  []string          `json:"filetags"`
	Todo      []string          `json:"todo"`
	Done      []string          `json:"done"`
	FileProps [][2]string       `json:"fileprops"`
	Headlines []summaryHeadline `json:"headlines"`
	Links     []string          `json:"links"`
}

type summaryHeadline struct {
	B         int         `json:"B"`
	E         int         `json:"E"`
	Level     int         `json:"true-level"`
	Todo      string      `json:"todo-keyword"`
	TodoType  string      `json:"todo-type"`
	Priority  string      `json:"priority"`
	Title     string      `json:"raw-value"`
	Tags      []string    `json:"tags"`
	AllTags   []string    `json:"alltags"`
	Commented bool        `json:"commentedp"`
	Archived  bool        `json:"archivedp"`
	Footnotes bool        `json:"footnote-section-p"`
	Scheduled string      `json:"scheduled"`
	Deadline  string      `json:"deadline"`
	Closed    string      `json:"closed"`
	Props     [][2]string `json:"props"`
}

// fields are the compared values in order of the table.
var fields = []string{
	"headlines", "todo keywords", "done keywords", "file tags", "file properties",
	"begin", "end", "level", "todo", "done", "priority", "title", "tags", "all tags", "commented", "archived",
	"footnotes", "scheduled", "deadline", "closed", "properties",
}

// corpusFolders names a set of files, its folder and that of Org's reading of them.
type corpusFolders struct{ name, files, golden string }

// corpora are the two sets of files with Org's own reading of them.
var corpora = []corpusFolders{
	{"public", "corpus/org", "corpus/golden"},
	{"agenda", "corpus/gtd", "corpus/gtd/golden"},
}

// place is a value that may deviate: a field of the headline at an offset of a
// file, or of the file itself (offset -1). In the list of deviations the offset -2,
// written *, stands for all headlines of the file.
type place struct {
	file   string
	offset int
	field  string
}

const everyHeadline = -2

// difference is a value read otherwise than Org does.
type difference struct {
	place
	got, want string
}

// agreement counts equal values by field, over all files.
type agreement struct {
	total, present, equal map[string]int
	files, equalFiles     int
	headlines             int
	differences           []difference
}

func newAgreement() *agreement {
	return &agreement{total: map[string]int{}, present: map[string]int{}, equal: map[string]int{}}
}

// TestAgreement compares the outline of every file with Org's own reading of it. Run
// it with -v for the table that README.md shows.
func TestAgreement(t *testing.T) {
	dir := foveatest.Testdata(t)
	listed := readDeviations(t)
	used := map[place]bool{}
	for _, corpus := range corpora {
		a := measure(t, dir, corpus)
		unlisted := a.unlisted(listed, used)
		for i, d := range unlisted {
			if i == 40 {
				t.Logf("... and %d more", len(unlisted)-i)
				break
			}
			t.Errorf("%s: %s at %d: %s: got %s, want %s", corpus.name, d.file, d.offset, d.field, d.got, d.want)
		}
		t.Logf("%s files\n%s", corpus.name, a.table())
		a.checkFloors(t, corpus.name, unlisted)
	}
	for p := range listed {
		if !used[p] {
			t.Errorf("testdata/deviations.txt lists %v, but it is read as Org reads it; remove the line", p)
		}
	}
}

// measure compares all files of a corpus below the folder dir.
func measure(t *testing.T, dir string, corpus corpusFolders) *agreement {
	t.Helper()
	a := newAgreement()
	wrong := readGoldenDeviations(t, filepath.Join(dir, corpus.golden, "deviations.tsv"))
	for s := range records[summary](t, filepath.Join(dir, corpus.golden, "org-9.8.9.summary.jsonl.gz")) {
		correct(s, wrong)
		src := readFile(t, filepath.Join(dir, corpus.files, s.File))
		a.compare(s, org.Parse(src, &org.Options{Setup: setupFrom(filepath.Join(dir, corpus.files, path.Dir(s.File)))}))
	}
	return a
}

// checkFloors fails below the floors, not counting listed deviations.
func (a *agreement) checkFloors(t *testing.T, name string, unlisted []difference) {
	t.Helper()
	bad := map[string]bool{}
	for _, d := range unlisted {
		bad[d.file] = true
	}
	if got := percent(a.files-len(bad), a.files); got < floorFiles {
		t.Errorf("%s: %.2f %% of the files agree, the floor is %.2f %%", name, got, floorFiles)
	}
	values := 0
	for _, n := range a.total {
		values += n
	}
	if got := percent(values-len(unlisted), values); got < floorValues {
		t.Errorf("%s: %.4f %% of the values agree, the floor is %.4f %%", name, got, floorValues)
	}
}

// unlisted returns the differences that listed does not hold, and marks the others
// as used.
func (a *agreement) unlisted(listed, used map[place]bool) []difference {
	var out []difference
	for _, d := range a.differences {
		all := d.place
		all.offset = everyHeadline
		switch {
		case listed[d.place]:
			used[d.place] = true
		case listed[all]:
			used[all] = true
		default:
			out = append(out, d)
		}
	}
	return out
}

// compare adds the values of one file.
func (a *agreement) compare(s *summary, d *org.Document) {
	before := len(a.differences)
	a.files++
	a.headlines += len(s.Headlines)
	file := place{file: s.File, offset: -1}
	a.value(file, "todo keywords", d.Todo.All, s.Todo)
	a.value(file, "done keywords", d.Todo.Done, s.Done)
	a.value(file, "file tags", d.FileTags, s.FileTags)
	a.value(file, "file properties", matchBrackets(d.Properties), s.FileProps)

	got := make([]int, len(d.Headlines))
	for i, h := range d.Headlines {
		got[i] = h.Start
	}
	want := make([]int, len(s.Headlines))
	for i, h := range s.Headlines {
		want[i] = h.B
	}
	a.value(file, "headlines", got, want)
	if slices.Equal(got, want) {
		for i := range want {
			a.headline(place{file: s.File, offset: want[i]}, d, i, &s.Headlines[i])
		}
	}
	if len(a.differences) == before {
		a.equalFiles++
	}
}

// headline adds the values of one headline.
func (a *agreement) headline(at place, d *org.Document, i int, want *summaryHeadline) {
	h := &d.Headlines[i]
	a.value(at, "begin", h.Start, want.B)
	a.value(at, "end", h.End, want.E)
	a.value(at, "level", h.Level, want.Level)
	a.value(at, "todo", h.Todo, want.Todo)
	a.value(at, "done", h.Done, want.TodoType == "done")
	a.value(at, "priority", h.Priority, want.Priority)
	a.value(at, "title", h.Title, want.Title)
	a.value(at, "tags", h.Tags, want.Tags)
	a.value(at, "all tags", d.AllTags(i), want.AllTags)
	a.value(at, "commented", h.Commented, want.Commented)
	a.value(at, "archived", h.Archived, want.Archived)
	a.value(at, "footnotes", h.Footnotes, want.Footnotes)
	a.value(at, "scheduled", h.Scheduled, want.Scheduled)
	a.value(at, "deadline", h.Deadline, want.Deadline)
	a.value(at, "closed", h.Closed, want.Closed)
	a.value(at, "properties", matchBrackets(h.Properties), want.Props)
}

// value adds one value. Values that are empty on both sides are equal, but are not
// counted as present.
func (a *agreement) value(at place, field string, got, want any) {
	a.total[field]++
	g, w := printed(got), printed(want)
	if !isEmpty(g) || !isEmpty(w) {
		a.present[field]++
		if g == w {
			a.equal[field]++
		}
	}
	if g != w {
		at.field = field
		a.differences = append(a.differences, difference{at, g, w})
	}
}

func isEmpty(printed string) bool {
	return printed == `""` || printed == "[]" || printed == "false"
}

// printed makes a value comparable and readable.
func printed(v any) string {
	var out string
	switch v := v.(type) {
	case string:
		out = strconv.Quote(replaceInvalid(v))
	case []string:
		quoted := make([]string, len(v))
		for i, s := range v {
			quoted[i] = strconv.Quote(replaceInvalid(s))
		}
		out = "[" + strings.Join(quoted, " ") + "]"
	case [][2]string:
		var flat []string
		for _, p := range v {
			flat = append(flat, p[0], p[1])
		}
		return printed(flat)
	default:
		out = fmt.Sprint(v)
	}
	return out
}

// replaceInvalid puts a replacement character for each run of invalid bytes: Emacs
// prints one for some runs and several for others.
func replaceInvalid(s string) string {
	return repeated.ReplaceAllString(strings.ToValidUTF8(s, "\ufffd"), "\ufffd")
}

var repeated = regexp.MustCompile("\ufffd+")

func matchBrackets(properties []org.Property) [][2]string {
	out := make([][2]string, len(properties))
	for i, p := range properties {
		out[i] = [2]string{p.Key, p.Value}
	}
	return out
}

// table prints the agreement of each field: how many values there are, how many of
// them are not empty on either side, and how many of these are equal; then the files
// that differ, listed deviations included.
func (a *agreement) table() string {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "field\tvalues\tpresent\tequal\tagreement\t\n")
	for _, field := range fields {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.3f %%\t\n", field, a.total[field], a.present[field], a.equal[field], percent(a.equal[field], a.present[field]))
	}
	fmt.Fprintf(w, "files\t%d\t%d\t%d\t%.3f %%\t\n", a.files, a.files, a.equalFiles, percent(a.equalFiles, a.files))
	_ = w.Flush() // a bytes.Buffer takes everything
	perFile := map[string]int{}
	for _, d := range a.differences {
		perFile[d.file]++
	}
	for _, file := range slices.Sorted(maps.Keys(perFile)) {
		fmt.Fprintf(&b, "%s: %d values differ\n", file, perFile[file])
	}
	return b.String()
}

func percent(part, whole int) float64 {
	if whole == 0 {
		return 100
	}
	return 100 * float64(part) / float64(whole)
}

// setupFrom serves setup files from a folder, but nothing from the network.
func setupFrom(folder string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		if strings.Contains(name, "://") {
			return "", false
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(folder, name)
		}
		text, err := os.ReadFile(name)
		return string(text), err == nil
	}
}

func readFile(tb testing.TB, name string) string {
	tb.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		tb.Fatalf("read corpus file: %v", err)
	}
	return string(text)
}

// records yields the records of a golden file, one a line.
func records[T any](tb testing.TB, name string) iter.Seq[*T] {
	tb.Helper()
	return func(yield func(*T) bool) {
		f, err := os.Open(name)
		if err != nil {
			tb.Fatalf("open golden file: %v", err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			tb.Fatalf("open golden file: %v", err)
		}
		lines := bufio.NewScanner(z)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			record := new(T)
			if err := json.Unmarshal(lines.Bytes(), record); err != nil {
				tb.Fatalf("read golden file: %v", err)
			}
			if !yield(record) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			tb.Fatalf("read golden file: %v", err)
		}
	}
}

// readGoldenDeviations reads the headlines whose title Org itself gets wrong, by
// file and offset.
func readGoldenDeviations(t *testing.T, name string) map[place]string {
	t.Helper()
	titles := map[place]string{}
	for line := range strings.Lines(readFile(t, name)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || len(cells) != 5 {
			continue
		}
		offset, err := strconv.Atoi(cells[1])
		if err != nil {
			t.Fatalf("read golden deviations: %v", err)
		}
		titles[place{file: cells[0], offset: offset}] = cells[4]
	}
	return titles
}

// correct replaces what Org gets wrong by what is right: no priority, whole title.
func correct(s *summary, titles map[place]string) {
	for i := range s.Headlines {
		h := &s.Headlines[i]
		if title, ok := titles[place{file: s.File, offset: h.B}]; ok {
			h.Priority, h.Title = "", title
		}
	}
}

// readDeviations reads our own list: lines of file, offset, field, reason, parted by
// tabs. Offset * stands for all headlines of the file, - for the file itself.
func readDeviations(t *testing.T) map[place]bool {
	t.Helper()
	text, err := os.ReadFile("testdata/deviations.txt")
	if err != nil {
		t.Fatalf("read deviations: %v", err)
	}
	listed := map[place]bool{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) != 4 || cells[3] == "" || !slices.Contains(fields, cells[2]) {
			t.Fatalf("testdata/deviations.txt: want file, offset, field and reason, parted by tabs: %q", line)
		}
		p := place{file: cells[0], offset: everyHeadline, field: cells[2]}
		switch cells[1] {
		case "*":
		case "-":
			p.offset = -1
		default:
			if p.offset, err = strconv.Atoi(cells[1]); err != nil {
				t.Fatalf("testdata/deviations.txt: offset: %v", err)
			}
		}
		listed[p] = true
	}
	return listed
}

// TestAgreementCanFail shows that the comparison notices a difference.
func TestAgreementCanFail(t *testing.T) {
	s := &summary{File: "f", Todo: []string{"TODO", "DONE"}, Done: []string{"DONE"}, Headlines: []summaryHeadline{
		{B: 0, E: 4, Level: 1, Title: "b"},
	}}
	a := newAgreement()
	a.compare(s, org.Parse("* a\n", nil))
	want := []difference{{place{"f", 0, "title"}, `"a"`, `"b"`}}
	if diff := cmp.Diff(want, a.differences, cmp.AllowUnexported(difference{}, place{})); diff != "" {
		t.Errorf("differences (-want +got):\n%s", diff)
	}
	if a.equalFiles != 0 {
		t.Errorf("the file counts as equal")
	}
}
