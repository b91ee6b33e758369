// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"fmt"
	"go/ast"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// extensionPoint is the interface that starts an entry of the section "Extension points".
var extensionPoint = regexp.MustCompile("(?m)^- `([a-z/]+)\\.([A-Z]\\w+)`")

// extensionsAreReal makes the rule that each interface that the page calls an extension point
// has two implementations or more, those in tests included: with one, its form is a guess.
func extensionsAreReal(page string) rule {
	return func(sources []*source) []string {
		_, section, found := strings.Cut(page, "\n## Extension points\n")
		section, _, _ = strings.Cut(section, "\n## ")
		points := extensionPoint.FindAllStringSubmatch(section, -1)
		if !found || len(points) == 0 {
			return []string{"ARCHITECTURE.md lists no extension points"}
		}
		methods := methodsByType(sources)
		var complaints []string
		for _, p := range points {
			want, ok := interfaceMethods(sources, p[1], p[2])
			if !ok {
				complaints = append(complaints, fmt.Sprintf("ARCHITECTURE.md: there is no interface %s.%s", p[1], p[2]))
				continue
			}
			n := 0
			for _, have := range methods {
				if !slices.ContainsFunc(want, func(m string) bool { return !slices.Contains(have, m) }) {
					n++
				}
			}
			if n < 2 {
				complaints = append(complaints, fmt.Sprintf("ARCHITECTURE.md calls %s.%s an extension point; it has %d implementations, and needs two", p[1], p[2], n))
			}
		}
		return complaints
	}
}

// interfaceMethods returns the names of the methods of an interface, or false where there is
// no such interface or it is empty.
func interfaceMethods(sources []*source, dir, name string) (names []string, ok bool) {
	for _, s := range sources {
		if s.dir() != dir && (dir != path.Base(modulePath) || s.dir() != ".") {
			continue
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			spec, isType := n.(*ast.TypeSpec)
			if !isType || spec.Name.Name != name {
				return true
			}
			if face, isFace := spec.Type.(*ast.InterfaceType); isFace {
				for _, m := range face.Methods.List {
					for _, id := range m.Names {
						names = append(names, id.Name)
					}
				}
			}
			return false
		})
	}
	return names, len(names) > 0
}

// methodsByType returns the names of the methods that each type declares.
func methodsByType(sources []*source) map[string][]string {
	methods := map[string][]string{}
	for _, s := range sources {
		for _, decl := range s.syntax.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil {
				for _, name := range typeNames(s, f.Recv.List[0].Type) {
					methods[name] = append(methods[name], f.Name.Name)
				}
			}
		}
	}
	return methods
}

func TestExtensionPoints(t *testing.T) {
	page, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	hold(t, extensionsAreReal(string(page)))
}

func TestExtensionRulesCatch(t *testing.T) {
	const section = "\n## Extension points\n\n- `token.Counter`, for another tokenizer.\n\n## Next\n"
	const face = "package token\ntype Counter interface{ Count(string) int; Name() string }\n"
	const exact = "type exact struct{}\nfunc (exact) Count(string) int { return 0 }\nfunc (exact) Name() string { return \"\" }\n"
	const other = "package api\ntype e struct{}\nfunc (*e) Name() string { return \"\" }\nfunc (*e) Count(string) int { return 0 }\n"
	for _, tc := range []struct {
		name, page string
		files      map[string]string
		want       string
	}{
		{"two", section, map[string]string{"token/a.go": face + exact, "api/a.go": other}, ""},
		{"two, one in a test", section, map[string]string{"token/a.go": face + exact, "api/a_test.go": other}, ""},
		{"one", section, map[string]string{"token/a.go": face + exact}, "has 1 implementations"},
		{"a half", section, map[string]string{"token/a.go": face + exact, "api/a.go": "package api\ntype e int\nfunc (e) Name() string { return \"\" }"}, "has 1"},
		{"gone", section, map[string]string{"token/a.go": "package token"}, "no interface token.Counter"},
		{"no section", "\n## Words\n", map[string]string{"token/a.go": face}, "lists no extension points"},
	} {
		t.Run(tc.name, func(t *testing.T) { catches(t, extensionsAreReal(tc.page), tc.files, tc.want) })
	}
}
