// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const modulePath = "github.com/fovea-memory/fovea"

// source is one Go file of the repository, parsed.
type source struct {
	path   string // slash-separated, from the root of the repository
	text   string
	fset   *token.FileSet
	syntax *ast.File
	nested bool // not of this module: in one of its own, such as oracle, or a script of .ci
}

// dir is the folder of the package, "." for the root.
func (s *source) dir() string { return path.Dir(s.path) }

func (s *source) isTest() bool { return strings.HasSuffix(s.path, "_test.go") }

// isScript reports whether the file is run by name and belongs to no package.
func isScript(s *source) bool {
	return strings.HasPrefix(s.path, ".ci/") || strings.HasPrefix(s.path, "examples/")
}

// at starts a complaint about the place pos.
func (s *source) at(pos token.Pos, format string, args ...any) string {
	return fmt.Sprintf("%s:%d: %s", s.path, s.fset.Position(pos).Line, fmt.Sprintf(format, args...))
}

// imports returns the import specs with their paths.
func (s *source) imports() map[string]*ast.ImportSpec {
	specs := map[string]*ast.ImportSpec{}
	for _, spec := range s.syntax.Imports {
		if name, err := strconv.Unquote(spec.Path.Value); err == nil {
			specs[name] = spec
		}
	}
	return specs
}

// uses calls f for each use of a name that the file takes from the package
// importPath, such as Now of time.
func (s *source) uses(importPath string, f func(name string, pos token.Pos)) {
	spec, ok := s.imports()[importPath]
	if !ok {
		return
	}
	local := path.Base(importPath)
	if spec.Name != nil {
		local = spec.Name.Name
	}
	ast.Inspect(s.syntax, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == local {
				f(sel.Sel.Name, sel.Pos())
			}
		}
		return true
	})
}

func parseSource(name, text string) (*source, error) {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return &source{path: name, text: text, fset: fset, syntax: syntax}, nil
}

// walkTree calls f for each file of the repository, in lexical order, leaving
// out what Git does not keep. It is told the slash-separated path.
func walkTree(f func(name string) error) error {
	return filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if slices.Contains([]string{".git", ".cache", "bin", "dist"}, name) {
				return fs.SkipDir
			}
			return nil
		case !entry.Type().IsRegular(), name == ".git": // a worktree has a file there
			return nil
		}
		return f(filepath.ToSlash(name))
	})
}

// repository parses every Go file once for all tests.
var repository = sync.OnceValues(func() (sources []*source, err error) {
	var modules []string
	err = walkTree(func(name string) error {
		if path.Base(name) == "go.mod" && name != "go.mod" {
			modules = append(modules, path.Dir(name)+"/")
		}
		if !strings.HasSuffix(name, ".go") || strings.Contains("/"+name, "/testdata/") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		s, err := parseSource(name, string(text))
		if err != nil {
			return err
		}
		sources = append(sources, s)
		return nil
	})
	for _, s := range sources {
		s.nested = isScript(s) || slices.ContainsFunc(modules, func(m string) bool { return strings.HasPrefix(s.path, m) })
	}
	return sources, err
})

// rule looks at all files and returns one complaint for each breach: where,
// what, and what to do.
type rule func([]*source) []string

// hold fails the test with every complaint that the rule has about the repository.
func hold(t *testing.T, r rule) {
	t.Helper()
	sources, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	for _, complaint := range r(sources) {
		t.Error(complaint)
	}
}

// catches fails the test unless the rule complains in the wanted words about the
// files, a map from path to text, and does not complain when want is empty.
func catches(t *testing.T, r rule, files map[string]string, want string) {
	t.Helper()
	var sources []*source
	for name, text := range files {
		s, err := parseSource(name, text)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, s)
	}
	got := r(sources)
	if want == "" {
		if len(got) > 0 {
			t.Errorf("complains without cause: %q", got)
		}
		return
	}
	if !slices.ContainsFunc(got, func(c string) bool { return strings.Contains(c, want) }) {
		t.Errorf("got %q, want a complaint with %q", got, want)
	}
}
