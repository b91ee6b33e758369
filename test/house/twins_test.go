// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"testing"
)

// heapPackage and boundedPackage are the one heap and the one bounded map.
const (
	heapPackage    = "internal/bound"
	boundedPackage = "internal/bound"
)

// The fingerprints of a heap written by hand, and of the two generations of a map that
// forgets its older half: their names, and the step that makes the new one the old one.
var (
	parentIndex   = regexp.MustCompile(`\((\w+) ?- ?1\) ?(/ ?2|>> ?1)`)
	newNames      = `(now|new|cur|current|young|newer|fresh|recent)`
	oldNames      = `(old|older|prev|previous|last|aged)`
	newGeneration = regexp.MustCompile(`(?i)^` + newNames + `$`)
	oldGeneration = regexp.MustCompile(`(?i)^` + oldNames + `$`)
	rotation      = regexp.MustCompile(`(?i)\.` + oldNames + `(, [\w.]+)? = [\w.]+\.` + newNames + `\b|\.` + newNames + `, [\w.]+\.` + oldNames + ` = .*\.` +
		newNames + `\b`)
)

// heapsAreOne finds heaps outside heapPackage.
func heapsAreOne(sources []*source) []breach {
	var found []breach
	for _, s := range shipped(sources) {
		if s.dir() == heapPackage {
			continue
		}
		if at := parentIndex.FindStringIndex(s.text); at != nil {
			found = append(found, breach{s.path, s.at(s.syntax.FileStart+token.Pos(at[0]), "a heap by hand; use %s", heapPackage)})
		}
		if spec := s.imports()["container/heap"]; spec != nil {
			found = append(found, breach{s.path, s.at(spec.Pos(), "imports container/heap; use %s", heapPackage)})
		}
	}
	return found
}

// boundedMapsAreOne finds, outside boundedPackage, structs with two generations of a map, and
// maps that are emptied when they are full.
func boundedMapsAreOne(sources []*source) []breach {
	var found []breach
	for _, s := range shipped(sources) {
		if s.dir() == boundedPackage {
			continue
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			st, ok := n.(*ast.StructType)
			if ok && hasMap(st, newGeneration) && hasMap(st, oldGeneration) && rotation.MatchString(s.text) {
				found = append(found, breach{s.path, s.at(st.Pos(), "a bounded map of two generations; use %s", boundedPackage)})
			}
			if full, ok := n.(*ast.IfStmt); ok && emptiesWhatIsFull(full) {
				found = append(found, breach{s.path, s.at(full.Pos(), "a map that is emptied when it is full; use %s", boundedPackage)})
			}
			return true
		})
	}
	return found
}

// hasMap reports whether a struct has a map under such a name.
func hasMap(st *ast.StructType, name *regexp.Regexp) bool {
	return slices.ContainsFunc(st.Fields.List, func(f *ast.Field) bool {
		_, isMap := f.Type.(*ast.MapType)
		return isMap && slices.ContainsFunc(f.Names, func(id *ast.Ident) bool { return name.MatchString(id.Name) })
	})
}

// emptiesWhatIsFull reports whether a statement is if len(m) > n { clear(m) }, or makes m
// anew.
func emptiesWhatIsFull(full *ast.IfStmt) bool {
	cond, ok := full.Cond.(*ast.BinaryExpr)
	if !ok || cond.Op != token.GTR && cond.Op != token.GEQ && cond.Op != token.EQL {
		return false
	}
	m, ok := argument(cond.X, "len")
	return ok && slices.ContainsFunc(full.Body.List, func(stmt ast.Stmt) bool {
		switch stmt := stmt.(type) {
		case *ast.ExprStmt:
			cleared, ok := argument(stmt.X, "clear")
			return ok && cleared == m
		case *ast.AssignStmt:
			_, isMake := argument(stmt.Rhs[0], "make")
			lit, isLit := stmt.Rhs[0].(*ast.CompositeLit)
			if isLit {
				_, isLit = lit.Type.(*ast.MapType)
			}
			return types.ExprString(stmt.Lhs[0]) == m && (isMake || isLit)
		}
		return false
	})
}

// argument returns the first argument of a call of a builtin function.
func argument(e ast.Expr, function string) (string, bool) {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return "", false
	}
	name, ok := call.Fun.(*ast.Ident)
	return types.ExprString(call.Args[0]), ok && name.Name == function
}

func TestHeapsAreOne(t *testing.T)       { holdButDebts(t, "heaps", heapsAreOne) }
func TestBoundedMapsAreOne(t *testing.T) { holdButDebts(t, "bounded maps", boundedMapsAreOne) }

func TestTwinRulesCatch(t *testing.T) {
	for _, tc := range []struct {
		name       string
		find       func([]*source) []breach
		path, text string
		want       string
	}{
		{"a heap", heapsAreOne, "window/a.go", "\nfunc up(i int) int {\n\treturn (i-1)/2\n}", "window/a.go:4: a heap by hand"},
		{"a heap with blanks", heapsAreOne, "window/a.go", "func up(at int) int { return (at - 1) / 2 }", "a heap by hand"},
		{"the heap", heapsAreOne, heapPackage + "/a.go", "func up(i int) int { return (i-1)/2 }", ""},
		{"of the library", heapsAreOne, "node/a.go", "import _ \"container/heap\"", "imports container/heap"},
		{"a half", heapsAreOne, "node/a.go", "func half(i int) int { return i / 2 }", ""},
		{"two generations", boundedMapsAreOne, "token/a.go", "type r struct{ now, old map[string]int }\nfunc (r *r) turn() { r.now, r.old = nil, r.now }",
			"token/a.go:2: a bounded map"},
		{"generations apart", boundedMapsAreOne, "token/a.go", "type r struct {\n\trecent map[string]int\n\tprevious map[string]int\n}\n" +
			"func (r *r) turn() { r.previous = r.recent }", "a bounded map"},
		{"the bounded map", boundedMapsAreOne, boundedPackage + "/a.go", "type r struct{ now, old map[string]int }\nfunc (r *r) turn() { r.old = r.now }", ""},
		{"two maps", boundedMapsAreOne, "token/a.go", "type r struct{ byID, byPath map[string]int }", ""},
		{"old and new of a comparison", boundedMapsAreOne, "node/a.go", "type r struct{ now, old map[string]int }", ""},
		{"cleared when full", boundedMapsAreOne, "node/a.go", "func f() {\nif len(r.m) >= 9 {\nclear(r.m)\n}\n}", "node/a.go:3: a map that is emptied"},
		{"made when full", boundedMapsAreOne, "node/a.go", "func f() {\nif len(m) == 9 {\nm = map[string]int{}\n}\n}", "emptied"},
		{"another is cleared", boundedMapsAreOne, "node/a.go", "func f() {\nif len(m) > 9 {\nclear(n)\n}\n}", ""},
		{"two numbers", boundedMapsAreOne, "token/a.go", "type r struct{ now, old int }", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			catches(t, asRule(tc.find), map[string]string{tc.path: "package p\n" + tc.text}, tc.want)
		})
	}
}
