// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// changesHeading begins the last section of the comment of each floor's head package.
const changesHeading = "\n# Where a change goes\n"

// minChanges is the least number of changes that the heads of all floors list together.
const minChanges = 45

// placeName is a word that names a file or a folder of the repository.
var placeName = regexp.MustCompile(`[.a-zA-Z0-9_]*[a-zA-Z0-9_](?:/[.a-zA-Z0-9_]*[a-zA-Z0-9_])+|[a-zA-Z0-9_]+\.(?:go|md)\b`)

// missingPlaces lists the files and folders that a text names and that do not exist.
func missingPlaces(text string) (missing []string) {
	for _, name := range placeName.FindAllString(text, -1) {
		if _, err := os.Stat(name); err != nil && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	return missing
}

// changesOf returns what the comment of a package lists under "Where a change goes".
func changesOf(comment string) []string {
	_, section, _ := strings.Cut(comment, changesHeading)
	section, _, _ = strings.Cut(section, "\n# ")
	items := strings.Split("\n"+section, "\n  - ")
	return items[1:]
}

// changesNamePlaces makes the rule that each head of a floor lists changes, each with what it
// touches, and that all of it exists. It counts them.
func changesNamePlaces(heads []string, count *int) rule {
	return func(sources []*source) []string {
		var complaints []string
		for _, head := range heads {
			i := slices.IndexFunc(sources, func(s *source) bool { return s.path == path.Join(head, "doc.go") })
			if i < 0 {
				complaints = append(complaints, fmt.Sprintf("the head package %s has no doc.go", head))
				continue
			}
			changes := changesOf(sources[i].syntax.Doc.Text())
			if *count += len(changes); len(changes) == 0 {
				complaints = append(complaints, fmt.Sprintf("%s lists no change under %q", sources[i].path, strings.TrimSpace(changesHeading)))
			}
			for _, change := range changes {
				what, where, _ := strings.Cut(change, ": ")
				if !placeName.MatchString(where) {
					complaints = append(complaints, fmt.Sprintf("%s: the change %q names no file or package", sources[i].path, what))
				}
				for _, place := range missingPlaces(change) {
					complaints = append(complaints, fmt.Sprintf("%s: the change %q names %s, which does not exist", sources[i].path, what, place))
				}
			}
		}
		return complaints
	}
}

func TestChangesNamePlaces(t *testing.T) {
	page, err := os.ReadFile(architectureFile)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	hold(t, changesNamePlaces(headsOf(string(page)), &count))
	if count < minChanges {
		t.Errorf("the heads of the floors list %d changes, want at least %d", count, minChanges)
	}
}

func TestChangeRulesCatch(t *testing.T) {
	const begin = "// Package node is. Elsewhere: none.\n//\n// # Where a change goes\n//\n"
	for _, tc := range []struct{ name, comment, want string }{
		{"good", begin + "//   - A predicate: its row in query/predicates.go, in overlay.go and SECURITY.md.\n", ""},
		{"gone", begin + "//   - A predicate: its row in query/predicates.go and\n//     query/gone.go.\n", "names query/gone.go"},
		{"gone from the root", begin + "//   - A view: gone.go.\n", "names gone.go"},
		{"no place", begin + "//   - A predicate: somewhere.\n", "names no file"},
		{"no change", begin + "// Nothing.\n", "lists no change"},
		{"no section", "// Package node is. Elsewhere: none.\n//\n//   - A predicate: query/predicates.go.\n", "lists no change"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			catches(t, changesNamePlaces([]string{"node"}, new(int)), map[string]string{"node/doc.go": tc.comment + "package node\n"}, tc.want)
		})
	}
	catches(t, changesNamePlaces([]string{"node"}, new(int)), map[string]string{"node/a.go": "package node\n"}, "has no doc.go")
}
