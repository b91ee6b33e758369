// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// budgetFile has the most lines of Go that each package may have, and all of them together,
// tests and test kits apart. A commit that raises a number changes nothing else, so that
// growth is a decision of its own and seen in the log.
const budgetFile = "test/house/budget.txt"

// maxUnused is how far a package may be below its budget before the budget must be lowered:
// room for a small change, and none for a feature.
const maxUnused = 150

var updateBudget = flag.Bool("budget", false, "write the present number of lines to "+budgetFile)

// budgetHead explains the file to its reader.
const budgetHead = `# Lines of Go that each package may have, tests and test kits apart (test/house/budget_test.go).
# A commit that raises a number changes nothing else. To write the present numbers:
#   go test ./test/house -run Budget -budget
`

// parseBudget returns the number of lines by package, and that of "total".
func parseBudget(text string) (map[string]int, error) {
	budget := map[string]int{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		var name string
		var n int
		if _, err := fmt.Sscanf(line, "%s %d\n", &name, &n); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", budgetFile, line, err)
		}
		budget[name] = n
	}
	return budget, nil
}

// spent returns the present number of lines by package, and that of "total".
func spent(sources []*source) map[string]int {
	lines, _ := linesByPackage(sources)
	for _, n := range slices.Collect(maps.Values(lines)) {
		lines["total"] += n
	}
	return lines
}

// overBudget makes the rule that a budget sets.
func overBudget(budget map[string]int) rule {
	return func(sources []*source) []string {
		lines := spent(sources)
		var complaints []string
		for _, name := range slices.Sorted(maps.Keys(lines)) {
			switch most, ok := budget[name]; {
			case !ok:
				complaints = append(complaints, fmt.Sprintf("%s has no row in %s; it has %d lines", name, budgetFile, lines[name]))
			case lines[name] > most:
				complaints = append(complaints, fmt.Sprintf("%s has %d lines, its budget is %d; remove some, or raise it in a commit of its own", name, lines[name], most))
			case most-lines[name] > maxUnused && name != "total":
				complaints = append(complaints, fmt.Sprintf("%s has %d lines, its budget is %d; lower it", name, lines[name], most))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(budget)) {
			if _, ok := lines[name]; !ok {
				complaints = append(complaints, fmt.Sprintf("there is no package %s; remove its row from %s", name, budgetFile))
			}
		}
		return complaints
	}
}

// raisedWithOthers complains about a commit that raises a number and changes another file. A
// row for a new package is no raise; the total is.
func raisedWithOthers(v version) ([]string, error) {
	before, err := parseBudget(v.before)
	if err != nil {
		return nil, err
	}
	after, err := parseBudget(v.text)
	if err != nil {
		return nil, err
	}
	var complaints []string
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if old, ok := before[name]; ok && after[name] > old && len(v.others) > 0 {
			complaints = append(complaints, fmt.Sprintf("commit %s raises the budget of %s from %d to %d, and changes %s too", v.commit, name, old, after[name],
				v.others[0]))
		}
	}
	return complaints, nil
}

func TestBudget(t *testing.T) {
	if *updateBudget {
		sources, err := repository()
		if err != nil {
			t.Fatal(err)
		}
		lines := spent(sources)
		var text strings.Builder
		text.WriteString(budgetHead)
		for _, name := range slices.Sorted(maps.Keys(lines)) {
			fmt.Fprintf(&text, "%s %d\n", name, lines[name])
		}
		if err := os.WriteFile(budgetFile, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(budgetFile)
	if err != nil {
		t.Fatal(err)
	}
	budget, err := parseBudget(string(text))
	if err != nil {
		t.Fatal(err)
	}
	hold(t, overBudget(budget))
}

func TestBudgetIsRaisedAlone(t *testing.T) {
	for _, v := range versions(t, budgetFile) {
		complaints, err := raisedWithOthers(v)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range complaints {
			t.Error(c)
		}
	}
}

func TestBudgetRulesCatch(t *testing.T) {
	files := map[string]string{"node/a.go": "package node\n\n\n", "api/a.go": "package api\n"}
	for _, tc := range []struct{ name, budget, want string }{
		{"as large", "api 1\nnode 3\ntotal 4\n", ""},
		{"smaller", "api 1\nnode 153\ntotal 200\n", ""},
		{"too large", "api 1\nnode 2\ntotal 4\n", "node has 3 lines, its budget is 2"},
		{"too many together", "api 1\nnode 3\ntotal 3\n", "total has 4 lines, its budget is 3"},
		{"much smaller", "api 1\nnode 154\ntotal 155\n", "node has 3 lines, its budget is 154; lower it"},
		{"a new package", "node 3\ntotal 4\n", "api has no row"},
		{"a package less", "api 1\nnode 3\norg 9\ntotal 13\n", "there is no package org"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			budget, err := parseBudget(budgetHead + tc.budget)
			if err != nil {
				t.Fatal(err)
			}
			catches(t, overBudget(budget), files, tc.want)
		})
	}
	others := []string{"node/node.go"}
	for _, tc := range []struct {
		name, after string
		others      []string
		want        int
	}{
		{"raised alone", "node 4\ntotal 5\n", nil, 0},
		{"raised with code", "node 4\ntotal 3\n", others, 1},
		{"the total raised with code", "api 2\nnode 3\ntotal 5\n", others, 1},
		{"lowered with code", "node 2\ntotal 3\n", others, 0},
		{"moved to a new package", "ast 2\nnode 1\ntotal 3\n", others, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := raisedWithOthers(version{before: "node 3\ntotal 3\n", text: tc.after, others: tc.others})
			if err != nil || len(got) != tc.want {
				t.Errorf("got %q, %v, want %d complaints", got, err, tc.want)
			}
		})
	}
	if _, err := parseBudget("node three\n"); err == nil {
		t.Error("a row without a number is accepted")
	}
}
