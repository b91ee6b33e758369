// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// placeName is text in backticks that names a file or a folder of the repository.
var placeName = regexp.MustCompile("`([a-zA-Z0-9_.]+(?:/[a-zA-Z0-9_.]+)+|[A-Z]+\\.md)`")

// missingPlaces lists the files and folders that a text names and that do not exist. notBuilt
// are packages to come.
func missingPlaces(text string, notBuilt []string) (missing []string) {
	for _, m := range placeName.FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(m[1]); err != nil && !slices.Contains(notBuilt, m[1]) && !slices.Contains(missing, m[1]) {
			missing = append(missing, m[1])
		}
	}
	return missing
}

// TestArchitectureNamesPlaces: the table of ARCHITECTURE.md that says where a change goes
// names files that exist, in each row.
func TestArchitectureNamesPlaces(t *testing.T) {
	page, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n## Where a change goes\n")
	table, rest, found := strings.Cut(table, "\n## ")
	_, planned, _ := strings.Cut(rest, "\n## Not built yet\n")
	if !found || strings.Count(table, "\n| ") < 20 {
		t.Fatal("ARCHITECTURE.md has no table of changes")
	}
	var notBuilt []string
	for _, m := range placeName.FindAllStringSubmatch(planned, -1) {
		notBuilt = append(notBuilt, m[1])
	}
	for _, place := range missingPlaces(table, notBuilt) {
		t.Errorf("ARCHITECTURE.md names %s, which does not exist", place)
	}
	if got := missingPlaces("`query/predicates.go` `query/gone.go` `internal/gone` `GONE.md` `internal/soon`", []string{"internal/soon"}); len(got) != 3 {
		t.Errorf("the rule finds %q", got)
	}
}
