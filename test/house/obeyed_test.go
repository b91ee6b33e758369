// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/inert"
)

// isKey matches the constants that are taken for names of properties and keywords, where one
// is looked up.
var isKey = regexp.MustCompile(`^[A-Z][A-Z0-9_-]+$`)

// lookups are the functions that find a property or keyword by its name.
var lookups = []string{"Property", "Last", "lastValue", "rawProperty", "Lookup", "Text", "isSet", "Add"}

// listsOfKeys matches the names of variables that list properties and keywords.
var listsOfKeys = regexp.MustCompile(`(?i)(keys|keywords|properties)$`)

// obeyedHasRows complains about each property, keyword and tag that the code looks up, and the
// table of package inert lacks. It knows constants, in calls of lookups, in comparisons and
// switches of what is called Key, key or tag, in lists of keys, and among Tags.
func obeyedHasRows(sources []*source) []string {
	consts := map[string]map[string]string{} // by folder
	for _, s := range sources {
		if consts[s.dir()] == nil {
			consts[s.dir()] = map[string]string{}
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == len(spec.Names) {
				for i, value := range spec.Values {
					if text, ok := literal(value); ok {
						consts[s.dir()][spec.Names[i].Name] = text
					}
				}
			}
			return true
		})
	}
	var complaints []string
	for _, s := range sources {
		if s.isTest() || s.nested || s.dir() == "internal/inert" || s.dir() == "internal/config" {
			continue
		}
		k := keysRead{s, consts}
		for _, kind := range []string{"property", "tag"} {
			k.each(kind, func(name string, pos token.Pos) {
				kinds := []string{kind}
				if kind == "property" {
					kinds = append(kinds, "keyword")
				}
				if !slices.ContainsFunc(kinds, func(kind string) bool { return inert.Lookup(kind, name).Kind != "" }) {
					complaints = append(complaints, s.at(pos, "the %s %s has no row in the table of internal/inert/obeyed.go: say there who may set it", kind, name))
				}
			})
		}
	}
	return complaints
}

func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

// keysRead finds the names that a file looks up.
type keysRead struct {
	*source
	consts map[string]map[string]string
}

// text returns the value of a constant.
func (k keysRead) text(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.Ident:
		text, ok := k.consts[k.dir()][e.Name]
		return text, ok
	case *ast.SelectorExpr:
		x, ok := e.X.(*ast.Ident)
		for name := range k.imports() {
			if ok && path.Base(name) == x.Name {
				text, ok := k.consts[strings.TrimPrefix(name, modulePath+"/")][e.Sel.Name]
				return text, ok
			}
		}
		return "", false
	}
	return literal(e)
}

// each calls f for each name of a kind.
func (k keysRead) each(kind string, f func(name string, pos token.Pos)) {
	found := func(exprs ...ast.Expr) {
		for _, e := range exprs {
			if name, ok := k.text(e); ok && name != "" && (kind == "tag" || isKey.MatchString(name)) {
				f(name, e.Pos())
			}
		}
	}
	about := []string{"Key", "key", "keyword"}
	if kind == "tag" {
		about = []string{"Tags", "FileTags", "EffectiveTags", "tag", "tags"}
	}
	isAbout := func(e ast.Expr) bool {
		is := false
		ast.Inspect(e, func(n ast.Node) bool {
			name, ok := n.(*ast.Ident)
			is = is || ok && slices.Contains(about, name.Name)
			return !is
		})
		return is
	}
	ast.Inspect(k.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name := calledName(n)
			isLookup := kind == "property" && slices.Contains(lookups, name)
			if isLookup || (name == "EqualFold" || name == "Contains") && slices.ContainsFunc(n.Args, isAbout) {
				found(n.Args...)
			}
		case *ast.BinaryExpr:
			if (n.Op == token.EQL || n.Op == token.NEQ) && (isAbout(n.X) || isAbout(n.Y)) {
				found(n.X, n.Y)
			}
		case *ast.SwitchStmt:
			if n.Tag != nil && isAbout(n.Tag) {
				found(casesOf(n.Body)...)
			}
		case *ast.RangeStmt:
			if list, ok := n.X.(*ast.CompositeLit); ok && n.Value != nil && isAbout(n.Value) {
				found(list.Elts...)
			}
		case *ast.ValueSpec:
			for i, value := range n.Values {
				if list, ok := value.(*ast.CompositeLit); ok && kind == "property" && listsOfKeys.MatchString(n.Names[i].Name) {
					for _, e := range list.Elts {
						if pair, ok := e.(*ast.KeyValueExpr); ok {
							e = pair.Key
						}
						found(e)
					}
				}
			}
		}
		return true
	})
}

// calledName is the name of the function or method that is called.
func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

func TestObeyedHasRows(t *testing.T) { hold(t, obeyedHasRows) }

// TestObeyedRulesCatch: each way in which the code looks a name up is seen.
func TestObeyedRulesCatch(t *testing.T) {
	for how, text := range map[string]string{
		"a method":                  `func f() { n.Derived.Property("NEW_KEY") }`,
		"a constant":                `const key1 = "NEW_KEY"; func f() { n.Derived.Last(key1) }`,
		"with inheritance":          `func f() { e.doc.Property(i, "NEW_KEY", true) }`,
		"a function":                `func f() { lastValue(d, "NEW_KEY") }`,
		"an attribute":              `func f() { document.Lookup(attrs, "NEW_KEY") }`,
		"a comparison":              `func f() bool { return p.Key == "NEW_KEY" }`,
		"a comparison in any case":  `func f() bool { return strings.EqualFold(p.Key, "NEW_KEY") }`,
		"a switch":                  `func f() { switch strings.ToUpper(p.Key) { case "NEW_KEY": } }`,
		"a list":                    `var newKeys = map[string]bool{"NEW_KEY": true}`,
		"a loop":                    `func f() { for _, key := range [...]string{"NEW_KEY"} { _ = key } }`,
		"a tag":                     `func f() bool { return slices.Contains(d.Tags, "new_key") }`,
		"a tag compared":            `func f() bool { return tag == "new_key" }`,
		"the values of all of them": `func f() { e.rawProperty(i, "NEW_KEY") }`,
	} {
		t.Run(how, func(t *testing.T) {
			catches(t, obeyedHasRows, map[string]string{"internal/graph/a.go": "package graph\n" + text}, "has no row in the table")
			known := strings.NewReplacer("NEW_KEY", "EMBED", "new_key", "crypt").Replace(text)
			catches(t, obeyedHasRows, map[string]string{"internal/graph/a.go": "package graph\n" + known}, "")
		})
	}
	catches(t, obeyedHasRows, map[string]string{
		"document/a.go": "package document\nconst NewKey = \"NEW_KEY\"",
		"org/a.go":      "package org\nimport \"github.com/fovea-memory/fovea/document\"\nfunc f() { d.Last(document.NewKey) }",
	}, "has no row in the table")
}
