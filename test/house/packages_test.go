// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// A package beyond these is several packages. Tests do not count.
const (
	maxPackageLines = 4500
	maxPackageFiles = 40
)

// largePackages names the packages that may be larger, each with its reason.
var largePackages = map[string]string{
	"org":            "a format with thirty kinds of elements, one file for each",
	"api":            "the operations, one file for each room, over one call; a package for each room exported what they share",
	"internal/place": "the one engine of carrying, with its places in a file, a folder, behind SSH and in git refs",
	"internal/disk":  "the files of a history and all that is done with them, which name one another; no package but the opener names it",
}

// linesByPackage returns the number of lines and of files of each package.
func linesByPackage(sources []*source) (lines, files map[string]int) {
	lines, files = map[string]int{}, map[string]int{}
	for _, s := range shipped(sources) {
		lines[s.dir()] += strings.Count(s.text, "\n")
		files[s.dir()]++
	}
	return lines, files
}

// packagesAreSmall finds the packages beyond the limits.
func packagesAreSmall(sources []*source) []breach {
	lines, files := linesByPackage(sources)
	var found []breach
	for _, dir := range slices.Sorted(maps.Keys(lines)) {
		if _, ok := largePackages[dir]; !ok && (lines[dir] > maxPackageLines || files[dir] > maxPackageFiles) {
			found = append(found, breach{dir, fmt.Sprintf("%s has %d lines in %d files, the limits are %d and %d; cut it where few names cross",
				dir, lines[dir], files[dir], maxPackageLines, maxPackageFiles)})
		}
	}
	return found
}

func TestPackagesAreSmall(t *testing.T) { holdButDebts(t, "large packages", packagesAreSmall) }

func TestPackageRulesCatch(t *testing.T) {
	few := func(dir, suffix string, n int) map[string]string {
		files := map[string]string{}
		for i := range n {
			files[fmt.Sprintf("%s/f%d%s.go", dir, i, suffix)] = "package x\n"
		}
		return files
	}
	long := "package x\n" + strings.Repeat("\n", maxPackageLines)
	for _, tc := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"at the limit", few("node", "", maxPackageFiles), ""},
		{"many files", few("node", "", maxPackageFiles+1), "41 files"},
		{"many test files", few("node", "_test", maxPackageFiles+1), ""},
		{"many lines", map[string]string{"node/a.go": long}, "4501 lines"},
		{"lines of a test kit", map[string]string{"internal/faultfs/a.go": long}, ""},
		{"a reason", few("org", "", maxPackageFiles+1), ""},
	} {
		t.Run(tc.name, func(t *testing.T) { catches(t, asRule(packagesAreSmall), tc.files, tc.want) })
	}
}
