// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// goFile makes definitions from the syntax tree of a Go file.
type goFile struct {
	src   []byte
	set   *token.FileSet
	found []Definition
}

// parseGo reads src with go/parser, which continues after syntax errors. A part of a file needs no package.
func parseGo(src []byte) []Definition {
	const mode = parser.SkipObjectResolution | parser.AllErrors
	f := &goFile{src: src, set: token.NewFileSet()}
	file, _ := parser.ParseFile(f.set, "", src, mode)
	if file != nil && file.Name.Name != "" {
		f.add(kindPackage, file.Name.Name, "", "", file.Package, file.Name.End(), file.Name.End())
	} else {
		f.src = append([]byte("package part;"), src...)
		file, _ = parser.ParseFile(f.set, "", f.src, mode)
	}
	if file == nil {
		return nil
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			f.function(decl)
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				f.spec(decl, spec)
			}
		}
	}
	return slices.Clip(f.found)
}

func (f *goFile) function(decl *ast.FuncDecl) {
	kind, parent := "func", ""
	if decl.Recv != nil && len(decl.Recv.List) > 0 {
		kind, parent = "method", receiver(decl.Recv.List[0].Type)
	}
	head := decl.End()
	if decl.Body != nil {
		head = decl.Body.Lbrace
	}
	f.add(kind, decl.Name.Name, parent, "", decl.Pos(), head, decl.End())
}

// receiver returns the name of the type of a receiver.
func receiver(e ast.Expr) (name string) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

func (f *goFile) spec(decl *ast.GenDecl, spec ast.Spec) {
	start := spec.Pos()
	if !decl.Lparen.IsValid() {
		start = decl.Pos()
	}
	switch spec := spec.(type) {
	case *ast.ImportSpec:
		f.add(kindImport, strings.Trim(spec.Path.Value, "\"`"), "", "", start, spec.End(), spec.End())
	case *ast.TypeSpec:
		kind, head := "type", spec.End()
		switch t := spec.Type.(type) {
		case *ast.StructType:
			kind, head = "struct", t.Fields.Opening
		case *ast.InterfaceType:
			kind, head = "interface", t.Methods.Opening
		}
		f.add(kind, spec.Name.Name, "", "type", start, head, spec.End())
	case *ast.ValueSpec:
		kind := decl.Tok.String()
		for _, name := range spec.Names {
			f.add(kind, name.Name, "", kind, name.Pos(), name.End(), spec.End())
		}
	}
}

// add records a definition from start to end, with the signature up to head, which begins with keyword. If the parser continued
// after an error, some of these positions may be unknown.
func (f *goFile) add(kind, name, parent, keyword string, start, head, end token.Pos) {
	if !head.IsValid() || head < start {
		head = end
	}
	from, to := f.set.PositionFor(start, false), f.set.PositionFor(head, false)
	if name == "_" || from.Offset > to.Offset || to.Offset > len(f.src) {
		return
	}
	signature := strings.Join(strings.Fields(string(f.src[from.Offset:to.Offset])), " ")
	if keyword != "" && !strings.HasPrefix(signature, keyword+" ") {
		signature = keyword + " " + signature
	}
	f.found = append(f.found, Definition{
		Kind: kind, Name: name, Parent: parent, Line: from.Line, EndLine: max(from.Line, f.set.PositionFor(end, false).Line),
		Signature: shorten(signature),
	})
}
