// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/api"
)

// maxOperations is how many operations a switch or a literal may name before it counts as a
// second table.
const maxOperations = 2

// operationTable is the file that lists the operations.
const operationTable = "api/operations.go"

// operationsAreInOneTable finds literals and switches that list operations, by their names or
// by the types of their requests: a new operation would have to be added there as well.
func operationsAreInOneTable(names, requests []string) func([]*source) []breach {
	return func(sources []*source) []breach {
		var found []breach
		for _, s := range shipped(sources) {
			if s.path == operationTable {
				continue
			}
			ast.Inspect(s.syntax, func(n ast.Node) bool {
				if listed := operationsIn(n, names, requests); len(listed) > maxOperations {
					found = append(found, breach{s.path, s.at(n.Pos(), "lists the operations %s; say it in their rows in %s", strings.Join(listed, " "), operationTable)})
				}
				return true
			})
		}
		return found
	}
}

// operationsIn returns the operations that a composite literal or a switch names itself.
func operationsIn(n ast.Node, names, requests []string) []string {
	var exprs []ast.Expr
	switch n := n.(type) {
	case *ast.CompositeLit:
		for _, e := range n.Elts {
			if pair, ok := e.(*ast.KeyValueExpr); ok {
				e = pair.Key
			}
			exprs = append(exprs, e)
		}
	case *ast.SwitchStmt:
		exprs = casesOf(n.Body)
	case *ast.TypeSwitchStmt:
		exprs = casesOf(n.Body)
	}
	var listed []string
	for _, e := range exprs {
		if star, ok := e.(*ast.StarExpr); ok {
			e = star.X
		}
		var name string
		switch e := e.(type) {
		case *ast.BasicLit:
			if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING && slices.Contains(names, text) {
				name = text
			}
		case *ast.Ident:
			if slices.Contains(requests, e.Name) {
				name = e.Name
			}
		case *ast.SelectorExpr:
			if slices.Contains(requests, e.Sel.Name) {
				name = e.Sel.Name
			}
		}
		if name != "" && !slices.Contains(listed, name) {
			listed = append(listed, name)
		}
	}
	return listed
}

func casesOf(body *ast.BlockStmt) (exprs []ast.Expr) {
	for _, stmt := range body.List {
		if c, ok := stmt.(*ast.CaseClause); ok {
			exprs = append(exprs, c.List...)
		}
	}
	return exprs
}

func TestOperationsAreInOneTable(t *testing.T) {
	var names, requests []string
	for _, op := range api.Operations {
		names = append(names, op.Name)
		if r := op.Request.Name(); r != "" {
			requests = append(requests, r)
		}
	}
	if len(names) < 30 || len(requests) < 20 {
		t.Fatalf("the table has %d operations and %d requests", len(names), len(requests))
	}
	holdButDebts(t, "lists of operations", operationsAreInOneTable(names, requests))
}

func TestOperationRulesCatch(t *testing.T) {
	find := asRule(operationsAreInOneTable([]string{"edit", "show", "log"}, []string{"EditRequest", "ShowRequest", "LogRequest"}))
	for _, tc := range []struct{ name, path, text, want string }{
		{"a list", "api/a.go", "var a = []string{\"edit\", \"show\", \"log\"}", "lists the operations edit show log"},
		{"the table", operationTable, "var a = []string{\"edit\", \"show\", \"log\"}", ""},
		{"two", "api/a.go", "var a = []string{\"edit\", \"show\", \"edit\", \"other\"}", ""},
		{"a map", "cmd/fovea/a.go", "var a = map[string]int{\"edit\": 1, \"show\": 2, \"log\": 3}", "edit show log"},
		{"synonyms", "cmd/fovea/a.go", "var a = map[string]string{\"cat\": \"show\", \"change\": \"edit\", \"history\": \"log\"}", ""},
		{"a switch", "api/a.go", "func f(s string) {\nswitch s {\ncase \"edit\", \"show\":\ncase \"log\":\n}\n}", "edit show log"},
		{"a type switch", "internal/httpapi/a.go", "func f(r any) {\nswitch r.(type) {\ncase *api.EditRequest, *api.ShowRequest:\ncase api.LogRequest:\n}\n}",
			"EditRequest ShowRequest LogRequest"},
		{"a test", "api/a_test.go", "var a = []string{\"edit\", \"show\", \"log\"}", ""},
	} {
		t.Run(tc.name, func(t *testing.T) { catches(t, find, map[string]string{tc.path: "package p\n" + tc.text}, tc.want) })
	}
}
