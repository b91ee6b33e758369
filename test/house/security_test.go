// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const securityFile = "SECURITY.md"

// threatTest is a test in the last column of the threat model: one of
// package test unless a folder is named.
var threatTest = regexp.MustCompile("^`(Test\\w+)(?:/([^`]+))?`(?: in `([^`]+)`)?$")

// threatsAreTested complains about rows of the threat model that name no test, or
// one that there is not.
func threatsAreTested(text string, proofs func(folder, test, name string) bool) []string {
	_, model, found := strings.Cut(text, "\n## Threat model\n")
	model, _, _ = strings.Cut(model, "\n## ")
	var complaints []string
	rows := 0
	for line := range strings.Lines(model) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if !strings.HasPrefix(line, "| ") || slices.Contains(cells, "test") || strings.HasPrefix(line, "| ---") {
			continue
		}
		rows++
		for item := range strings.SplitSeq(cells[len(cells)-1], ", ") {
			switch m := threatTest.FindStringSubmatch(item); {
			case m == nil:
				complaints = append(complaints, fmt.Sprintf("%q is no test; write `TestName` in `folder`: %s", item, line))
			case !proofs(orTest(m[3]), m[1], m[2]):
				complaints = append(complaints, "there is no test "+item)
			}
		}
	}
	if !found || rows == 0 {
		complaints = append(complaints, "there is no threat model")
	}
	return complaints
}

func orTest(folder string) string {
	if folder == "" {
		return "test"
	}
	return folder
}

// TestThreatModel: each row of the threat model names tests that there are.
func TestThreatModel(t *testing.T) {
	text, err := os.ReadFile(securityFile)
	if err != nil {
		t.Fatal(err)
	}
	sources, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range threatsAreTested(string(text), provedIn(sources)) {
		t.Errorf("%s: %s", securityFile, c)
	}
}

func TestThreatModelRulesCatch(t *testing.T) {
	there, err := parseSource("api/a_test.go", "package api\nfunc TestThere() { run(\"case one\") }")
	if err != nil {
		t.Fatal(err)
	}
	here, err := parseSource("test/a_test.go", "package test\nfunc TestHere() {}")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, row, want string }{
		{"good", "| who | what | detected | `TestHere`, `TestThere/case_one` in `api` |", ""},
		{"none yet", "| | what | detected | none yet |", "is no test"},
		{"no such test", "| | what | detected | `TestGone` |", "there is no test"},
		{"in another folder", "| | what | detected | `TestThere` |", "there is no test"},
		{"no such case", "| | what | detected | `TestThere/gone` in `api` |", "there is no test"},
		{"one of two", "| | what | detected | `TestHere`, `TestGone` |", "there is no test"},
		{"no rows", "", "no threat model"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text := "# Security\n\n## Threat model\n\n| who | what they try | what is detected | test |\n| --- | --- | --- | --- |\n" + tc.row +
				"\n\n## What else\n\n| not | of | the | model |\n"
			got := threatsAreTested(text, provedIn([]*source{here, there}))
			if tc.want == "" && len(got) > 0 || tc.want != "" && (len(got) != 1 || !strings.Contains(got[0], tc.want)) {
				t.Errorf("got %q, want a complaint with %q", got, tc.want)
			}
		})
	}
}
