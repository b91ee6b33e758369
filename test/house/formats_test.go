// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

// importsOrg are the packages that may import org, each with its reason. Any other one
// asks document.Formats for what every format has.
var importsOrg = map[string]string{
	"ast":              "the contents of a tree are Org",
	"cmd/fovea":        "settings of the user's Emacs; the merge driver of Git for Org files",
	"internal/config":  "settings of the user's Emacs",
	"internal/guard":   "src blocks, which are guarded one by one",
	"internal/inert":   "what acts in Org or Emacs",
	"internal/notes":   "refiling and archiving, and trees as Org text",
	"internal/recall":  "spans, which are elements of Org, and their queries",
	"internal/foreign": "Org as Markdown, element by element",
	".":                "the format of files by default",
	"internal/corpus":  "a skill written in Org",
}

// onlySomeImportOrg complains about other packages, and about reasons that no package
// needs any more.
func onlySomeImportOrg(sources []*source) []string {
	var complaints []string
	unused := maps.Clone(importsOrg)
	for _, s := range sources {
		if s.isTest() || s.nested {
			continue
		}
		spec, ok := s.imports()[modulePath+"/org"]
		if !ok {
			continue
		}
		delete(unused, s.dir())
		if importsOrg[s.dir()] == "" {
			complaints = append(complaints, s.at(spec.Pos(), "%s imports org; ask document.Formats for what every format has", s.dir()))
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(unused)) {
		complaints = append(complaints, fmt.Sprintf("%s does not import org; take it off the list in test/house/formats_test.go", dir))
	}
	return complaints
}

func TestOnlySomeImportOrg(t *testing.T) { hold(t, onlySomeImportOrg) }

func TestFormatRulesCatch(t *testing.T) {
	const text = "package graph\nimport _ \"github.com/fovea-memory/fovea/org\""
	catches(t, onlySomeImportOrg, map[string]string{"internal/graph/a.go": text}, "ask document.Formats")
}
