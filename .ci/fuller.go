// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build ignore

// Fuller prints, a line each, the arguments with which go test runs the tests of the main
// module that .ci/test skips or thins: those that ask internal/foveatest for a program,
// packages, sources or the outside corpus, and those that -short makes smaller. It goes by
// names: a test that calls something of the name of such a function counts as one, so that
// it prints rather too many than too few.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// kits matches the folders of helpers for tests, whose callers in other packages count.
var kits = regexp.MustCompile(`^internal/foveatest(/|$)`)

// within are the names with which every difference begins inside a kit, and origins those outside:
// -short makes rapid draw less, and the last two are suites of tests.
var (
	within  = []string{"Part", "Elisp", "NodePackages", "Sources", "Testdata", "Thin", "Size", "testing.Short"}
	origins = []string{"testing.Short", "rapid.Check", "rapid.MakeCheck", "rapid.MakeFuzz", "storetest.Run", "placetest"}
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "fuller:", err)
		os.Exit(1)
	}
}

func run() error {
	folders, err := parse()
	if err != nil {
		return err
	}
	shared := slices.Clone(origins)
	for folder, files := range folders {
		if kits.MatchString(folder) {
			for _, name := range append(slices.Collect(maps.Keys(reach(files, within))), within...) {
				shared = append(shared, path.Base(folder)+"."+name)
			}
		}
	}
	var packages, tests []string
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		found := false
		for name := range reach(folders[folder], shared) {
			if isTest.MatchString(name) {
				found, tests = true, append(tests, name)
			}
		}
		if found {
			packages = append(packages, "./"+folder)
		}
	}
	slices.Sort(tests)
	fmt.Printf("-run\n^(%s)$\n%s\n", strings.Join(slices.Compact(tests), "|"), strings.Join(packages, "\n"))
	return nil
}

var isTest = regexp.MustCompile(`^(Test|Example|Fuzz)([^a-z]|$)`)

// parse reads the test files of the main module, and all files of the kits, by folder.
func parse() (map[string][]*ast.File, error) {
	folders := map[string][]*ast.File{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, inner := os.Stat(filepath.Join(name, "go.mod"))
			if hidden := strings.HasPrefix(d.Name(), "."); name != "." && (hidden || inner == nil || d.Name() == "testdata" || name == "examples") {
				return fs.SkipDir
			}
			return nil
		}
		folder := filepath.ToSlash(filepath.Dir(name))
		if !strings.HasSuffix(name, "_test.go") && !(kits.MatchString(folder) && strings.HasSuffix(name, ".go")) {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		folders[folder] = append(folders[folder], file)
		return err
	})
	return folders, err
}

// reach returns the names that the files declare for what mentions one of names, directly or
// through another of them.
func reach(files []*ast.File, names []string) map[string]bool {
	mentions := map[string][]string{} // from a name to those who mention it
	for _, file := range files {
		for _, decl := range file.Decls {
			declared := declares(decl)
			ast.Inspect(decl, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					mentions[n.Name] = append(mentions[n.Name], declared...)
				case *ast.SelectorExpr:
					if of, ok := n.X.(*ast.Ident); ok {
						mentions[of.Name+"."+n.Sel.Name] = append(mentions[of.Name+"."+n.Sel.Name], declared...)
					}
				}
				return true
			})
		}
	}
	reached, left := map[string]bool{}, slices.Clone(names)
	for len(left) > 0 {
		name := left[0]
		left = left[1:]
		for _, by := range mentions[name] {
			if !reached[by] && by != name {
				reached[by] = true
				left = append(left, by)
			}
		}
	}
	return reached
}

// declares returns the names of a declaration.
func declares(decl ast.Decl) (names []string) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		names = append(names, d.Name.Name)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok {
				for _, id := range v.Names {
					names = append(names, id.Name)
				}
			}
		}
	}
	return names
}
