// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

const decisionsFolder = "doc/decisions"

const (
	maxRecords      = 60 // pages; beyond it, the oldest become lines
	maxHistoryWords = 32 // of what a line says of its decision
)

var (
	recordName   = regexp.MustCompile(`^(\d{4})-[a-z0-9-]+\.md$`)
	historyLine  = regexp.MustCompile(`^\| (\d{4}) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$`)
	recordNumber = regexp.MustCompile(`\b0\d{3}\b`)
	// A reference names decisions by their numbers, "decisions 0127 and 0159", or by a file.
	reference  = regexp.MustCompile(`(?i)\b(?:decisions?|decision records?) \[?(\d{4}\b(?:(?:,| and|, and) \d{4}\b)*)|decisions/(\d{4})`)
	fourDigits = regexp.MustCompile(`\d{4}`)
)

// history is what HISTORY.md has of one decision.
type history struct{ number, title, why, now string }

// parseHistory returns the lines of HISTORY.md, and what is wrong with them.
func parseHistory(text string) (lines []history, complaints []string) {
	complain := func(format string, args ...any) { complaints = append(complaints, fmt.Sprintf(format, args...)) }
	for line := range strings.Lines(text) {
		m := historyLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			if strings.HasPrefix(line, "| 0") {
				complain("no line of number, decision, why and now: %s", line)
			}
			continue
		}
		if n := len(strings.Fields(m[3])); n < 5 || n > maxHistoryWords {
			complain("%s: its reason has %d words; write 5 to %d", m[1], n, maxHistoryWords)
		}
		if len(lines) > 0 && lines[len(lines)-1].number >= m[1] {
			complain("%s stands behind %s; sort by number", m[1], lines[len(lines)-1].number)
		}
		lines = append(lines, history{m[1], m[2], m[3], m[4]})
	}
	return lines, complaints
}

// checkDecisions complains about numbers that are given twice, or that a line names and that are
// not there, and about too many records.
func checkDecisions(records []string, lines []history) (numbers map[string]bool, complaints []string) {
	numbers = map[string]bool{}
	given := func(number string) {
		if numbers[number] {
			complaints = append(complaints, fmt.Sprintf("the number %s is given twice", number))
		}
		numbers[number] = true
	}
	for _, name := range records {
		if m := recordName.FindStringSubmatch(name); m == nil {
			complaints = append(complaints, fmt.Sprintf("%s: name a record NNNN-title.md", name))
		} else {
			given(m[1])
		}
	}
	for _, l := range lines {
		given(l.number)
	}
	for _, l := range lines {
		for _, number := range fourDigits.FindAllString(l.now, -1) {
			if !numbers[number] || number == l.number {
				complaints = append(complaints, fmt.Sprintf("%s: its place was taken by %s, which is not there", l.number, number))
			}
		}
		if l.now != "-" && !fourDigits.MatchString(l.now) {
			complaints = append(complaints, fmt.Sprintf("%s: say which decision tells more, or -", l.number))
		}
	}
	if n := len(records); n > maxRecords {
		complaints = append(complaints, fmt.Sprintf("%d records, at most %d; make lines of HISTORY.md of those that nobody meets again", n, maxRecords))
	}
	return numbers, complaints
}

// recordFiles returns the names of the records, without the template.
func recordFiles(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(decisionsFolder, "[0-9]*"))
	if err != nil || len(files) < 2 {
		t.Fatalf("records %v, %v", files, err)
	}
	for _, file := range files {
		if name := filepath.Base(file); name != "0000-template.md" {
			names = append(names, name)
		}
	}
	return names
}

// decisionNumbers returns the numbers of all decisions, records and lines.
func decisionNumbers(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(decisionsFolder, "HISTORY.md"))
	if err != nil {
		t.Fatal(err)
	}
	lines, complaints := parseHistory(string(text))
	numbers, more := checkDecisions(recordFiles(t), lines)
	for _, c := range append(complaints, more...) {
		t.Errorf("%s: %s", decisionsFolder, c)
	}
	return numbers
}

// referredTo returns the numbers of decisions that a text names; in the records themselves each
// number of four digits that begins with 0 is one.
func referredTo(name, text string) (numbers []string) {
	if strings.HasPrefix(name, decisionsFolder) {
		return recordNumber.FindAllString(text, -1)
	}
	for _, m := range reference.FindAllStringSubmatch(text, -1) {
		numbers = append(numbers, fourDigits.FindAllString(m[1]+" "+m[2], -1)...)
	}
	return numbers
}

// TestDecisionsAreFound: each number is a record or a line of HISTORY.md, once, and each reference
// in code, tests and pages leads to one.
func TestDecisionsAreFound(t *testing.T) {
	numbers := decisionNumbers(t)
	numbers["0000"] = true // the template
	found := 0
	for _, name := range trackedFiles(t) {
		if !slices.Contains([]string{".go", ".md", ".txt", ".el", ".sh", ".org"}, filepath.Ext(name)) ||
			strings.HasPrefix(name, "test/house/") && strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			continue // deleted, and not committed yet
		}
		for _, number := range referredTo(name, string(text)) {
			if found++; !numbers[number] {
				t.Errorf("%s names decision %s, which is neither a record nor a line of HISTORY.md", name, number)
			}
		}
	}
	if found < 100 {
		t.Errorf("%d references were looked at, expected hundreds", found)
	}
}

// TestDecisionsAreDated: every decision record has a day that exists; one that was replaced is no
// record any more, but a line.
func TestDecisionsAreDated(t *testing.T) {
	dated := regexp.MustCompile(`(?m)^Date: (\d{4}-\d\d-\d\d)\. State: accepted\.$`)
	for _, name := range recordFiles(t) {
		text, err := os.ReadFile(filepath.Join(decisionsFolder, name))
		if err != nil {
			t.Fatal(err)
		}
		m := dated.FindSubmatch(text)
		if m == nil {
			t.Errorf("%s: no line \"Date: YYYY-MM-DD. State: accepted.\"; what was replaced becomes a line of HISTORY.md", name)
		} else if _, err := time.Parse(time.DateOnly, string(m[1])); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if title, _, _ := strings.Cut(string(text), "\n"); !strings.HasPrefix(title, "# "+name[:4]+": ") {
			t.Errorf("%s: begin it with its number, %q", name, "# "+name[:4]+": ")
		}
	}
}

func TestDecisionRulesCatch(t *testing.T) {
	const good = "| 0001 | a | of five words or more | - |\n| 0003 | b | of five words or more | 0001, [0004](0004-d.md) |\n"
	for _, tc := range []struct{ name, text, records, want string }{
		{"good", good, "0002-c.md 0004-d.md", ""},
		{"twice", good, "0003-c.md 0004-d.md", "the number 0003 is given twice"},
		{"not there", good, "0002-c.md", "place was taken by 0004"},
		{"name", good, "0002_c.md 0004-d.md", "name a record"},
		{"order", "| 0003 | a | of five words or more | - |\n| 0001 | b | of five words or more | - |\n", "", "stands behind 0003"},
		{"cells", "| 0003 | a | of five words or more |\n", "", "no line of number"},
		{"short", "| 0003 | a | because | - |\n", "", "has 1 words"},
		{"long", "| 0003 | a |" + strings.Repeat(" word", maxHistoryWords+1) + " | - |\n", "", "33 words"},
		{"no successor", "| 0003 | a | of five words or more | gone |\n", "", "say which decision"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			lines, complaints := parseHistory(tc.text)
			_, more := checkDecisions(strings.Fields(tc.records), lines)
			got := append(complaints, more...)
			if tc.want == "" && len(got) > 0 || tc.want != "" && !slices.ContainsFunc(got, func(c string) bool { return strings.Contains(c, tc.want) }) {
				t.Errorf("got %q, want a complaint with %q", got, tc.want)
			}
		})
	}
	if _, got := checkDecisions(slices.Repeat([]string{"0001-a.md"}, maxRecords+1), nil); !strings.Contains(got[len(got)-1], "at most 60") {
		t.Errorf("got %q", got)
	}
	for text, want := range map[string]int{
		"see decisions 0127, 0151 and 0159": 3, "(doc/decisions/0151-a.md)": 1, "Decision [0101](x)": 1, "in 0127": 0, "decision 12": 0,
	} {
		if got := referredTo("a.go", text); len(got) != want {
			t.Errorf("%q names %q, want %d", text, got, want)
		}
	}
	if got := referredTo(decisionsFolder+"/0001-a.md", "as in 0127, mode 600, of 2026"); !slices.Equal(got, []string{"0127"}) {
		t.Errorf("a record names %q", got)
	}
}

// TestChangelog requires a version at the top of CHANGELOG.md, and one line for each
// change.
func TestChangelog(t *testing.T) {
	text, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	_, body, ok := strings.Cut(string(text), "\n## ")
	if !ok || !regexp.MustCompile(`\A\d+\.\d+\.\d+ \((not released|\d{4}-\d\d-\d\d)\)\n`).MatchString(body) {
		t.Error("CHANGELOG.md does not begin with a version and its date, or \"not released\"")
	}
	for line := range strings.Lines(body) {
		if strings.HasPrefix(line, "-") && !strings.HasSuffix(line, ".\n") {
			t.Errorf("a change is one line and ends with a full stop: %s", line)
		}
	}
}
