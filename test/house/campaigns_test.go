// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	campaignPattern  = regexp.MustCompile(`(?m)^CAMPAIGNS = (.+)$`)
	campaignPackages = regexp.MustCompile(`-run '\$\(CAMPAIGNS\)' (.+)`)
	campaignTargets  = regexp.MustCompile("`(?:([a-z/]+)\\.)?((?:Test|Fuzz)[A-Za-z0-9]+)`")
)

// notRun lists what the rows of a table of campaigns name and makefile does not run.
func notRun(makefile, table string) (missing []string) {
	pattern, packages := campaignPattern.FindStringSubmatch(makefile), campaignPackages.FindStringSubmatch(makefile)
	if pattern == nil || packages == nil {
		return []string{"every campaign"}
	}
	selected, folders := regexp.MustCompile(pattern[1]), strings.Fields(packages[1])
	for row := range strings.Lines(table) {
		if !strings.HasPrefix(row, "| ") {
			continue
		}
		for _, name := range campaignTargets.FindAllStringSubmatch(row, -1) {
			folder, target := "./"+name[1], name[2]
			if name[1] == "" {
				folder = "./test"
			}
			fuzz := regexp.MustCompile(`-fuzz '\^` + target + `\$\$' .* ` + regexp.QuoteMeta(folder) + `\n`)
			if strings.HasPrefix(target, "Fuzz") && fuzz.MatchString(makefile) {
				continue
			}
			if strings.HasPrefix(target, "Test") && selected.MatchString(target) && slices.Contains(folders, folder) {
				continue
			}
			missing = append(missing, folder+" "+target)
		}
	}
	return missing
}

// TestCampaignsAreRun: make campaign runs each test and fuzz target that the first
// table of doc/reliability.md names.
func TestCampaignsAreRun(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("doc/reliability.md")
	if err != nil {
		t.Fatal(err)
	}
	table, _, _ := strings.Cut(string(text), "\n## ")
	if named := campaignTargets.FindAllString(table, -1); len(named) < 14 {
		t.Fatalf("the table names %d tests", len(named))
	}
	for _, missing := range notRun(string(makefile), table) {
		t.Errorf("doc/reliability.md names %s, which make campaign does not run", missing)
	}
	if missing := notRun(string(makefile), "| x | y | `TestNothing`, `api.FuzzNothing` |\n"); len(missing) != 2 {
		t.Errorf("of two that are not run, it finds %q", missing)
	}
}
