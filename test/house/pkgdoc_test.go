// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"fmt"
	"go/ast"
	"path"
	"strings"
	"testing"
)

const licenceLine = "// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0\n\n"

// licenceComesFirst complains about files that do not start with the licence
// line and the blank line that keeps it out of the package comment.
func licenceComesFirst(sources []*source) []string {
	var complaints []string
	for _, s := range sources {
		if !strings.HasPrefix(s.text, licenceLine) {
			complaints = append(complaints, fmt.Sprintf("%s:1: start the file with the line %q and a blank line", s.path, strings.TrimSpace(licenceLine)))
		}
	}
	return complaints
}

// packageCommentIsInDoc complains about packages whose comment is missing, is
// not in doc.go, or does not start as the tools that show it expect.
func packageCommentIsInDoc(sources []*source) []string {
	var complaints []string
	documented := map[string]bool{}
	for _, s := range sources {
		comment := s.syntax.Doc
		switch {
		case comment == nil || isScript(s):
			continue
		case path.Base(s.path) != "doc.go":
			complaints = append(complaints, s.at(comment.Pos(), "a package comment belongs in doc.go alone; put a blank line after this one or move it"))
			continue
		}
		documented[s.dir()] = true
		text, name := comment.Text(), s.syntax.Name.Name
		if name != "main" && !strings.HasPrefix(text, "Package "+name+" ") {
			complaints = append(complaints, s.at(comment.Pos(), "start the package comment with \"Package %s \" and the purpose in one sentence", name))
		}
		if name != "main" && !strings.Contains(strings.ToLower(text), "elsewhere:") {
			complaints = append(complaints, s.at(comment.Pos(), "end the package comment with \"Elsewhere: ...\", naming the neighbour that a reader may be "+
				"looking for"))
		}
	}
	asked := map[string]bool{}
	for _, s := range sources {
		if dir := s.dir(); !s.isTest() && !isScript(s) && !documented[dir] && !asked[dir] {
			asked[dir] = true
			complaints = append(complaints, fmt.Sprintf("%s: the package has no comment; write %s", s.path, path.Join(dir, "doc.go")))
		}
	}
	return complaints
}

// exportedNamesAreDocumented complains about exported types, functions, methods,
// interface methods, constants and variables without a comment. A comment on a
// group of constants or variables counts for each of them.
func exportedNamesAreDocumented(sources []*source) []string {
	var complaints []string
	for _, s := range sources {
		if s.isTest() || s.syntax.Name.Name == "main" {
			continue
		}
		missing := func(id *ast.Ident) {
			complaints = append(complaints, s.at(id.Pos(), "%s.%s is exported without a comment; say what it does, or make it unexported", s.syntax.Name.Name, id.Name))
		}
		for _, decl := range s.syntax.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc == nil && receiverIsExported(d) {
					missing(d.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					checkSpec(d, spec, missing)
				}
			}
		}
	}
	return complaints
}

func checkSpec(d *ast.GenDecl, spec ast.Spec, missing func(*ast.Ident)) {
	switch sp := spec.(type) {
	case *ast.TypeSpec:
		if !sp.Name.IsExported() {
			return
		}
		if sp.Doc == nil && (d.Doc == nil || d.Lparen.IsValid()) {
			missing(sp.Name)
		}
		if face, ok := sp.Type.(*ast.InterfaceType); ok {
			for _, m := range face.Methods.List {
				for _, id := range m.Names {
					if id.IsExported() && m.Doc == nil && m.Comment == nil {
						missing(id)
					}
				}
			}
		}
	case *ast.ValueSpec:
		for _, id := range sp.Names {
			if id.IsExported() && d.Doc == nil && sp.Doc == nil && sp.Comment == nil {
				missing(id)
			}
		}
	}
}

// receiverIsExported reports whether f is a function, or a method that callers
// of the package can reach by its receiver's name.
func receiverIsExported(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	typ := f.Recv.List[0].Type
	for {
		switch t := typ.(type) {
		case *ast.StarExpr:
			typ = t.X
		case *ast.IndexExpr:
			typ = t.X
		case *ast.IndexListExpr:
			typ = t.X
		case *ast.Ident:
			return t.IsExported()
		default:
			return true
		}
	}
}

func TestLicenceLine(t *testing.T)     { hold(t, licenceComesFirst) }
func TestPackageComments(t *testing.T) { hold(t, packageCommentIsInDoc) }
func TestExportedNames(t *testing.T)   { hold(t, exportedNamesAreDocumented) }

func TestDocumentationRulesCatch(t *testing.T) {
	for _, tc := range []struct {
		name       string
		rule       rule
		path, text string
		want       string
	}{
		{"no licence", licenceComesFirst, "org/a.go", "package org", "start the file"},
		{"licence without a blank line", licenceComesFirst, "org/a.go", strings.TrimSuffix(licenceLine, "\n") + "package org", "blank line"},
		{"licence", licenceComesFirst, "org/a.go", licenceLine + "package org", ""},
		{"comment outside doc.go", packageCommentIsInDoc, "org/a.go", "// Package org parses.\npackage org", "belongs in doc.go"},
		{"comment in a test", packageCommentIsInDoc, "org/a_test.go", "// Package org parses.\npackage org", "belongs in doc.go"},
		{"no comment", packageCommentIsInDoc, "org/a.go", "package org", "write org/doc.go"},
		{"only tests", packageCommentIsInDoc, "org/a_test.go", "package org", ""},
		{"wrong first words", packageCommentIsInDoc, "org/doc.go", "// Parses Org. Elsewhere: nodes.\npackage org", "start the package comment"},
		{"no neighbour", packageCommentIsInDoc, "org/doc.go", "// Package org parses.\npackage org", "Elsewhere"},
		{"good comment", packageCommentIsInDoc, "org/doc.go", "// Package org parses.\n//\n// Elsewhere: nodes.\npackage org", ""},
		{"type", exportedNamesAreDocumented, "org/a.go", "package org\ntype T int", "org.T "},
		{"type in a commented group", exportedNamesAreDocumented, "org/a.go", "package org\n// Types.\ntype (\n T int\n)", "org.T "},
		{"method", exportedNamesAreDocumented, "org/a.go", "package org\n// T is.\ntype T[K any] struct{}\nfunc (*T[K]) M() {}", "org.M "},
		{"method of an unexported type", exportedNamesAreDocumented, "org/a.go", "package org\ntype t int\nfunc (t) M() {}", ""},
		{"interface method", exportedNamesAreDocumented, "org/a.go", "package org\n// T is.\ntype T interface{ M() }", "org.M "},
		{"constant", exportedNamesAreDocumented, "org/a.go", "package org\nconst C = 1", "org.C "},
		{"constant in a commented group", exportedNamesAreDocumented, "org/a.go", "package org\n// Kinds.\nconst (\n C = 1\n)", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			catches(t, tc.rule, map[string]string{tc.path: tc.text}, tc.want)
		})
	}
}
