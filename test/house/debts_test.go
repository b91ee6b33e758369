// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// debtsFile lists the code that is older than a rule and does not follow it, in one section
// for each rule. An entry leaves the list when its code follows the rule. A section may
// exchange entries, as when a file moves, but it never grows.
const debtsFile = "test/house/debts.txt"

// breach is a place that does not follow a rule.
type breach struct {
	debt      string // how debtsFile lists it: a package, a file, or a package and a type
	complaint string
}

// parseDebts returns the entries of each section.
func parseDebts(text string) map[string][]string {
	debts := map[string][]string{}
	var section string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			section = strings.TrimSuffix(name, "]")
			debts[section] = []string{}
		} else if line != "" && !strings.HasPrefix(line, "#") {
			debts[section] = append(debts[section], line)
		}
	}
	return debts
}

// unpaid returns the complaints of the breaches that are no debts, and one for each debt
// without a breach.
func unpaid(debts []string, found []breach) []string {
	var complaints []string
	for _, b := range found {
		if !slices.Contains(debts, b.debt) {
			complaints = append(complaints, b.complaint)
		}
	}
	for _, debt := range debts {
		if !slices.ContainsFunc(found, func(b breach) bool { return b.debt == debt }) {
			complaints = append(complaints, fmt.Sprintf("%s follows the rule; take it off %s", debt, debtsFile))
		}
	}
	return complaints
}

// holdButDebts fails the test with each breach that the section of debtsFile does not list.
func holdButDebts(t *testing.T, section string, find func([]*source) []breach) {
	t.Helper()
	text, err := os.ReadFile(debtsFile)
	if err != nil {
		t.Fatal(err)
	}
	debts, ok := parseDebts(string(text))[section]
	if !ok {
		t.Fatalf("%s has no section [%s]", debtsFile, section)
	}
	hold(t, func(sources []*source) []string { return unpaid(debts, find(sources)) })
}

// asRule makes a rule that accepts no debts.
func asRule(find func([]*source) []breach) rule {
	return func(sources []*source) []string { return unpaid(nil, find(sources)) }
}

// shipped returns the sources that are built into programs: neither tests, test kits nor
// other modules.
func shipped(sources []*source) []*source {
	return slices.DeleteFunc(slices.Clone(sources), func(s *source) bool {
		l, ok := layerOf(s.dir())
		return s.isTest() || s.nested || ok && l.reach == tests
	})
}

// version is the text of a file after one commit, and that commit's other files.
type version struct {
	commit string
	before string // the text of the parent
	text   string
	others []string // the other files that the commit changes
}

// versions returns how a file changed, the oldest change first, without the commit that
// added it and without merges. It skips the test where there is no history.
func versions(t *testing.T, name string) []version {
	t.Helper()
	git := func(args ...string) string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), "git", args...).Output()
		if err != nil {
			t.Skipf("no history: git %s: %v", strings.Join(args, " "), err)
		}
		return string(out)
	}
	var all []version
	for commit := range strings.FieldsSeq(git("log", "--reverse", "--no-merges", "--diff-filter=M", "--format=%H", "--", name)) {
		files := strings.Fields(git("diff-tree", "--no-commit-id", "--name-only", "-r", commit))
		all = append(all, version{
			commit: commit[:12], before: git("show", commit+"^:"+name), text: git("show", commit+":"+name),
			others: slices.DeleteFunc(files, func(f string) bool { return f == name }),
		})
	}
	return all
}

// grownDebts complains about a commit after which a section has more entries.
func grownDebts(v version) []string {
	before, after := parseDebts(v.before), parseDebts(v.text)
	var complaints []string
	for _, section := range slices.Sorted(maps.Keys(after)) {
		if old, ok := before[section]; ok && len(after[section]) > len(old) {
			complaints = append(complaints, fmt.Sprintf("commit %s adds to [%s] of %s, which only shrinks", v.commit, section, debtsFile))
		}
	}
	return complaints
}

func TestDebtsShrink(t *testing.T) {
	for _, v := range versions(t, debtsFile) {
		for _, c := range grownDebts(v) {
			t.Error(c)
		}
	}
}

func TestDebtRulesCatch(t *testing.T) {
	found := []breach{{"a", "a is large"}, {"b", "b is large"}}
	for _, tc := range []struct {
		name  string
		debts []string
		want  string
	}{
		{"listed", []string{"a", "b"}, ""},
		{"not listed", []string{"a"}, "b is large"},
		{"paid", []string{"a", "b", "c"}, "c follows the rule"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := strings.Join(unpaid(tc.debts, found), "; "); tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	for _, tc := range []struct {
		name, after string
		want        int
	}{
		{"exchanged", "[x]\nc\n", 0},
		{"less", "[x]\n", 0},
		{"more", "# why\n[x]\na\nb\n", 1},
		{"a new section", "[x]\na\n[y]\nb\n", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := grownDebts(version{before: "[x]\na\n", text: tc.after}); len(got) != tc.want {
				t.Errorf("got %q, want %d complaints", got, tc.want)
			}
		})
	}
}
