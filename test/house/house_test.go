// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// Budgets. A file or function beyond them is two things that want two names.
const (
	maxFileLines     = 800
	maxFunctionLines = 80
	maxRootTypes     = 12
	maxRootFunctions = 8
)

// bucketNames name packages for what they are made of, not for what they do.
var bucketNames = []string{"util", "utils", "common", "helper", "helpers", "types", "model", "models", "misc", "base", "shared", "lib"}

// sizesHold complains about files and functions beyond the budgets. A long
// function is accepted when its comment says why with the word "long".
func sizesHold(sources []*source) []string {
	var complaints []string
	for _, s := range sources {
		if n := strings.Count(s.text, "\n"); n > maxFileLines {
			complaints = append(complaints, fmt.Sprintf("%s: %d lines, the budget is %d; split it by reason to change", s.path, n, maxFileLines))
		}
		for _, decl := range s.syntax.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || s.isTest() {
				continue
			}
			n := s.fset.Position(f.End()).Line - s.fset.Position(f.Pos()).Line + 1
			if n > maxFunctionLines && !strings.Contains(strings.ToLower(f.Doc.Text()), "long") {
				complaints = append(complaints, s.at(f.Pos(), "%s has %d lines, the budget is %d; split it, or say in its comment why it is long", f.Name.Name, n,
					maxFunctionLines))
			}
		}
	}
	return complaints
}

// packagesAreNamedForTasks complains about packages that collect.
func packagesAreNamedForTasks(sources []*source) []string {
	var complaints []string
	for _, s := range sources {
		for _, name := range []string{path.Base(s.dir()), s.syntax.Name.Name} {
			if slices.Contains(bucketNames, strings.TrimSuffix(name, "_test")) {
				complaints = append(complaints, fmt.Sprintf("%s: no package is called %s; name it for what it does", s.path, name))
			}
		}
	}
	return complaints
}

// foreignTools complains about imports that the house does without.
func foreignTools(sources []*source) []string {
	banned := regexp.MustCompile(`testify|gomock|go\.uber\.org/mock|pkg/errors$|^encoding/json/v2$|^io/ioutil$`)
	var complaints []string
	for _, s := range sources {
		for name, spec := range s.imports() {
			if banned.MatchString(name) {
				complaints = append(complaints, s.at(spec.Pos(), "does not import %s; compare with go-cmp, wrap with %%w, run the real part", name))
			}
		}
	}
	return complaints
}

// callsAreAllowed complains about calls that make tests slow, silent or bound to
// the machine.
func callsAreAllowed(sources []*source) []string {
	var complaints []string
	for _, s := range sources {
		complain := func(importPath, instead string, names ...string) {
			s.uses(importPath, func(name string, pos token.Pos) {
				if slices.Contains(names, name) {
					complaints = append(complaints, s.at(pos, "no %s.%s: %s", path.Base(importPath), name, instead))
				}
			})
		}
		complain("time", "use testing/synctest in tests, a timer or a channel elsewhere", "Sleep")
		if s.isTest() && s.dir() != "internal/foveatest" {
			complain("os/exec", "call foveatest.Part, which names what it skips and fails where the part was installed", "LookPath")
		}
		if dir := s.dir(); !s.isTest() && dir != "internal/config" && dir != "internal/foveatest" && !s.nested {
			complain("os", "only internal/config reads the environment; take the value as a parameter", "Getenv", "LookupEnv", "Environ", "ExpandEnv")
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if name := program(call); s.isTest() && name != "" && !slices.Contains(everywhere, name) {
				complaints = append(complaints, s.at(call.Pos(), "runs %s by its name: call foveatest.Part, which leaves it out where a run does without parts", name))
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if ok && sel.Sel.Name == "SkipNow" || ok && sel.Sel.Name == "Skip" && len(call.Args) == 0 && s.isTest() {
				complaints = append(complaints, s.at(call.Pos(), "a skip names what is missing: use Skip with words, or foveatest.Part or Testdata"))
			}
			return true
		})
	}
	return complaints
}

// everywhere lists the programs that a test may run by name: a clone is built with them, or every
// Unix has them.
var everywhere = []string{"go", "git", "sh", "cp", "chmod", "chown", "mkfifo"}

// program returns the program that a call of os/exec names in the text of the source, else "".
func program(call *ast.CallExpr) string {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	at := slices.Index([]string{"Command", "CommandContext"}, sel.Sel.Name)
	if pkg, ok := sel.X.(*ast.Ident); !ok || pkg.Name != "exec" || at < 0 || len(call.Args) <= at {
		return ""
	}
	literal, ok := call.Args[at].(*ast.BasicLit)
	if !ok {
		return ""
	}
	if name := strings.Trim(literal.Value, "`\""); !strings.HasPrefix(name, ".") { // none of this repository
		return path.Base(name)
	}
	return ""
}

// rootStaysSmall complains when the root package exports more than a reader can
// hold.
func rootStaysSmall(sources []*source) []string {
	var types, functions []string
	for _, s := range sources {
		if s.dir() != "." || s.isTest() {
			continue
		}
		for _, decl := range s.syntax.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.IsExported() {
					functions = append(functions, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if t, ok := spec.(*ast.TypeSpec); ok && t.Name.IsExported() {
						types = append(types, t.Name.Name)
					}
				}
			}
		}
	}
	var complaints []string
	if len(types) > maxRootTypes {
		complaints = append(complaints, fmt.Sprintf("the root exports %d types, the budget is %d; move some into the package they belong to: %s", len(types),
			maxRootTypes, strings.Join(types, " ")))
	}
	if len(functions) > maxRootFunctions {
		complaints = append(complaints, fmt.Sprintf("the root exports %d functions, the budget is %d; make some methods: %s", len(functions), maxRootFunctions,
			strings.Join(functions, " ")))
	}
	return complaints
}

// machinePath matches what names one machine: a home of root, a working folder
// at the root, or the folder of outside test material by its place.
var machinePath = regexp.MustCompile(`(^|[\s"'(=<` + "`" + `])/(root|work)/\w|\.\./` + `shared|goproxy|GOPROXY=http`)

// machinePaths returns the lines of a text that name one machine.
func machinePaths(text string) []string {
	var found []string
	for n, line := range strings.Split(text, "\n") {
		if machinePath.MatchString(line) {
			found = append(found, fmt.Sprintf("%d: %s", n+1, strings.TrimSpace(line)))
		}
	}
	return found
}

func TestSizes(t *testing.T)        { hold(t, sizesHold) }
func TestPackageNames(t *testing.T) { hold(t, packagesAreNamedForTasks) }
func TestForeignTools(t *testing.T) { hold(t, foreignTools) }
func TestCalls(t *testing.T)        { hold(t, callsAreAllowed) }
func TestRootIsSmall(t *testing.T)  { hold(t, rootStaysSmall) }

// TestNoMachinePaths reads every text of the repository but .ci, whose one task
// is to know where the outside material lies, and this file.
func TestNoMachinePaths(t *testing.T) {
	err := walkTree(func(name string) error {
		if strings.HasPrefix(name, ".ci/") || name == "test/house/house_test.go" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil || !utf8.Valid(text) {
			return err
		}
		for _, line := range machinePaths(string(text)) {
			t.Errorf("%s:%s\n\tnames a path of one machine; use a relative path or a variable of the environment", name, line)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestHouseRulesCatch(t *testing.T) {
	long := "{\n" + strings.Repeat("_ = 1\n", maxFunctionLines) + "}\n"
	for _, tc := range []struct {
		name       string
		rule       rule
		path, text string
		want       string
	}{
		{"long file", sizesHold, "org/a_test.go", "package org" + strings.Repeat("\n", maxFileLines+1), "budget is 800"},
		{"long function", sizesHold, "org/a.go", "package org\nfunc f() " + long, "f has 82 lines"},
		{"long function with a reason", sizesHold, "org/a.go", "package org\n// f is long: one case for each kind.\nfunc f() " + long, ""},
		{"bucket by folder", packagesAreNamedForTasks, "internal/util/a.go", "package clock", "called util"},
		{"bucket by name", packagesAreNamedForTasks, "internal/clock/a.go", "package helpers", "called helpers"},
		{"testify", foreignTools, "org/a_test.go", "package org\nimport _ \"github.com/stretchr/testify/assert\"", "testify"},
		{"sleep", callsAreAllowed, "org/a_test.go", "package org\nimport \"time\"\nvar _ = time.Sleep", "time.Sleep"},
		{"part by hand", callsAreAllowed, "org/a_test.go", "package org\nimport \"os/exec\"\nvar _ = exec.LookPath", "foveatest.Part"},
		{"program by name", callsAreAllowed, "org/a_test.go",
			"package org\nimport \"os/exec\"\nvar _ = exec.CommandContext(nil, \"/usr/bin/emacs\")", "runs emacs by its name"},
		{"program that building needs", callsAreAllowed, "org/a_test.go", "package org\nimport \"os/exec\"\nvar _ = exec.Command(\"go\", \"list\")", ""},
		{"environment", callsAreAllowed, "api/a.go", "package api\nimport \"os\"\nvar _ = os.Getenv", "internal/config"},
		{"silent skip", callsAreAllowed, "org/a_test.go", "package org\nfunc f(t T) { t.Skip() }", "names what is missing"},
		{"skip with words", callsAreAllowed, "org/a_test.go", "package org\nfunc f(t T) { t.Skip(\"no disk\") }", ""},
		{"wide root", rootStaysSmall, "a.go", "package fovea\n" + strings.Repeat("func F() {}\n", maxRootFunctions+1), "9 functions"},
		{"many types", rootStaysSmall, "a.go", "package fovea\n" + strings.Repeat("type T int\n", maxRootTypes+1), "13 types"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			catches(t, tc.rule, map[string]string{tc.path: tc.text}, tc.want)
		})
	}
}

func TestMachinePathsCatch(t *testing.T) {
	for _, tc := range []struct {
		line string
		want bool
	}{
		{`dir := "/root/notes"`, true},
		{"cd /wo" + "rk/main", true},
		{"export FOVEA_TESTDATA=.." + "/shared", true},
		{"https://example.org/work/report", false},
		{"[[file:/home/noor/plan.org]]", false},
		{"the root/child pair", false},
	} {
		if got := len(machinePaths(tc.line)) > 0; got != tc.want {
			t.Errorf("%q: got %v, want %v", tc.line, got, tc.want)
		}
	}
}

// TestPagesAreListed keeps the tables of contents of the documents complete, and
// their links alive.
func TestPagesAreListed(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^):#]+)\)`)
	for _, folder := range []string{"doc", "doc/format", "doc/decisions"} {
		readme, err := os.ReadFile(path.Join(folder, "README.md"))
		if err != nil {
			t.Fatal(err)
		}
		var linked []string
		for _, m := range link.FindAllStringSubmatch(string(readme), -1) {
			linked = append(linked, m[1])
			if _, err := os.Stat(path.Join(folder, m[1])); err != nil {
				t.Errorf("%s/README.md links to %s, which is not there", folder, m[1])
			}
		}
		pages, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range pages {
			name := page.Name()
			if page.IsDir() {
				name += "/README.md"
			}
			if name != "README.md" && !slices.Contains(linked, name) {
				t.Errorf("%s/%s is not listed in %s/README.md; add its row", folder, name, folder)
			}
		}
	}
}
