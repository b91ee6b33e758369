// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"fmt"
	"go/ast"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// wordsPage settles one word for each concept.
const wordsPage = "doc/words.md"

// beforeGlossary lists the packages whose names are older than the glossary. A package
// leaves the list when its names follow it, and none is added.
var beforeGlossary = []string{
	".",
}

// TestWords also requires packages that follow the glossary to leave beforeGlossary.
func TestWords(t *testing.T) {
	replaced := replacedWords(t)
	hold(t, func(sources []*source) []string {
		var complaints []string
		older := map[string]bool{}
		for _, s := range sources {
			switch found := namesUseTheGlossary([]*source{s}, replaced); {
			case !slices.Contains(beforeGlossary, s.dir()):
				complaints = append(complaints, found...)
			case len(found) > 0:
				older[s.dir()] = true
			}
		}
		for _, dir := range beforeGlossary {
			if !older[dir] {
				complaints = append(complaints, fmt.Sprintf("the names of %s follow the glossary; take it off beforeGlossary", dir))
			}
		}
		return complaints
	})
}

// replacedWords returns the words of the last column of the glossary, each with the word
// that replaces it.
func replacedWords(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(wordsPage)
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "| concept | word | not |\n")
	if !ok {
		t.Fatalf("%s has no table of concepts", wordsPage)
	}
	words := map[string]string{}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if len(cells) != 3 {
			continue
		}
		for word := range strings.SplitSeq(cells[2], ", ") {
			words[word] = cells[1]
		}
	}
	return words
}

// namesUseTheGlossary complains about declared names that contain a replaced word.
func namesUseTheGlossary(sources []*source, replaced map[string]string) []string {
	part := regexp.MustCompile(`[A-Z]+(?:[^a-z]|$)|[A-Z]?[a-z]+`)
	var complaints []string
	for _, s := range sources {
		if s.isTest() || s.nested {
			continue
		}
		for _, name := range declared(s.syntax) {
			parts := part.FindAllString(name.Name, -1)
			for i := range parts {
				parts[i] = strings.ToLower(parts[i])
			}
			parts = append(parts, strings.ToLower(name.Name))
			for _, p := range slices.Compact(parts) {
				if instead, ok := replaced[p]; ok {
					complaints = append(complaints, s.at(name.Pos(), "%s: the glossary has %s instead of %q; see %s", name.Name, instead, p, wordsPage))
				}
			}
		}
	}
	return complaints
}

// declared returns the names of the functions, types, fields, constants and variables that
// a file declares outside functions.
func declared(f *ast.File) []*ast.Ident {
	var names []*ast.Ident
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			names = append(names, n.Name)
			return false
		case *ast.TypeSpec:
			names = append(names, n.Name)
		case *ast.ValueSpec:
			names = append(names, n.Names...)
		case *ast.Field:
			names = append(names, n.Names...)
		case *ast.FuncType:
			return false
		}
		return true
	})
	return names
}

// TestWordsCatch breaks the rule, and keeps it.
func TestWordsCatch(t *testing.T) {
	rule := func(sources []*source) []string {
		return namesUseTheGlossary(sources, map[string]string{"pile": "batch", "longest": "max", "tell": "report"})
	}
	for _, tc := range []struct{ text, want string }{
		{"type pile struct{}", "batch"},
		{"type t struct{ longestName int }", "max"},
		{"func (t) TellAll() {}", "report"},
		{"const pilot = 1", ""},
	} {
		catches(t, rule, map[string]string{"x/x.go": "package x\n" + tc.text}, tc.want)
	}
}
