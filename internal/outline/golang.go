// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// goFile makes definitions of the tree of a Go file.
type goFile struct {
	src   []byte
	set   *token.FileSet
	found []Definition
}

// parseGo reads src with go/parser. It returns false if src has errors of syntax.
func parseGo(src []byte) ([]Definition, bool) {
	f := &goFile{src: src, set: token.NewFileSet()}
	file, err := parser.ParseFile(f.set, "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, false
	}
	f.add(kindPackage, file.Name.Name, "", file.Package, file.Name.End(), file.Name.End())
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
	return slices.Clip(f.found), true
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
	f.add(kind, decl.Name.Name, parent, decl.Pos(), head, decl.End())
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
		f.add(kindImport, strings.Trim(spec.Path.Value, "\"`"), "", start, spec.End(), spec.End())
	case *ast.TypeSpec:
		kind, head := "type", spec.End()
		switch t := spec.Type.(type) {
		case *ast.StructType:
			kind, head = "struct", t.Fields.Opening
		case *ast.InterfaceType:
			kind, head = "interface", t.Methods.Opening
		}
		f.add(kind, spec.Name.Name, "", start, head, spec.End())
		if d := &f.found[len(f.found)-1]; decl.Lparen.IsValid() {
			d.Signature = "type " + d.Signature
		}
	case *ast.ValueSpec:
		kind := decl.Tok.String()
		for _, name := range spec.Names {
			if name.Name != "_" {
				f.add(kind, name.Name, "", name.Pos(), name.End(), spec.End())
				f.found[len(f.found)-1].Signature = kind + " " + name.Name
			}
		}
	}
}

// add records a definition from the position start, with the signature up to head, until end.
func (f *goFile) add(kind, name, parent string, start, head, end token.Pos) {
	from, to := f.set.PositionFor(start, false), f.set.PositionFor(head, false)
	f.found = append(f.found, Definition{
		Kind: kind, Name: name, Parent: parent, Line: from.Line, EndLine: f.set.PositionFor(end, false).Line,
		Signature: shorten(strings.Join(strings.Fields(string(f.src[from.Offset:min(to.Offset, len(f.src))])), " ")),
	})
}

// scanGo reads the declarations of a file that go/parser refuses, or of a part of a file.
func scanGo(s *scanner) {
	for i := 0; i < len(s.tokens); i++ {
		if !s.token(i).first {
			continue
		}
		switch kind := s.text(i); kind {
		case kindPackage:
			s.add(scope{}, kindPackage, s.text(i+1), i, i+2, i+1)
		case "func":
			s.goFunction(i)
		case kindImport, "type", "const", "var":
			if s.column(i) > 0 { // within a function
				continue
			}
			if !s.mark(i+1, '(') {
				s.goSpec(kind, i, i+1)
				continue
			}
			end := min(s.mate(i+1), len(s.tokens))
			for at := i + 2; at < end; at = s.mate(at) + 1 {
				if s.token(at).first {
					s.goSpec(kind, at, at)
				}
			}
			i = max(i, end-1)
		}
	}
}

// goSpec reads what a declaration, or one in a group of them, says of the name at i.
func (s *scanner) goSpec(kind string, first, i int) {
	switch {
	case kind == "type" && s.word(i):
		s.goType(first, i)
	case kind == kindImport && s.token(i).form == quoted:
		s.add(scope{}, kindImport, strings.Trim(s.text(i), "\"`"), first, i+1, i)
	case s.word(i) && (kind == "const" || kind == "var") && !s.is(i, "_"):
		s.add(scope{}, kind, s.text(i), first, i+1, s.headEnd(i+1, "")-1)
		s.found[len(s.found)-1].Signature = kind + " " + s.text(i)
	}
}

func (s *scanner) goFunction(i int) {
	kind, at, o := "func", i+1, scope{}
	if s.mark(at, '(') {
		kind = "method"
		at = s.mate(at) + 1
		for n := i + 2; n < at-1; n++ {
			if s.word(n) {
				o.name = s.text(n)
			}
			n = s.mate(n)
		}
	}
	head := s.headEnd(at+1, "{")
	if s.word(at) {
		s.add(o, kind, s.text(at), i, head, s.bodyEnd(head))
	}
}

func (s *scanner) goType(first, i int) {
	kind, head := "type", s.headEnd(i+1, "{")
	if s.is(head-1, "struct") || s.is(head-1, "interface") {
		kind = s.text(head - 1)
	}
	s.add(scope{}, kind, s.text(i), first, head, s.bodyEnd(head))
	if first == i {
		d := &s.found[len(s.found)-1]
		d.Signature = "type " + d.Signature
	}
}
