// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// A type with state that holds a resource is as large as one person can keep in mind.
const (
	maxMethods = 25
	maxFields  = 15
)

// resources are the types that make their owner more than data: locks, files and stores.
var resources = []string{
	"sync.Mutex", "sync.RWMutex", "os.File", "os.Root",
	modulePath + "/internal/vfs.FS", modulePath + "/internal/vfs.File", modulePath + "/internal/vfs.FileLock",
	modulePath + "/internal/disk.Store", modulePath + "/internal/store.Store",
}

// largeTypes names the types that may be larger, each with its reason.
var largeTypes = map[string]string{
	"options Open": "settings, each with its own default; it has no state and no exported method",
	". passage":    "the History of the root: that of internal/travel, with views of a program in three methods",
}

// declaredType is a type with what the rule needs of it. Its name is its package's import
// path, a dot, and its own.
type declaredType struct {
	file     *source
	spec     *ast.TypeSpec
	fields   int
	methods  int
	embedded []string
	refs     []string // the types that a value of it leads to, through pointers, slices, maps and structs
}

// typesOf returns the types of the module by name.
func typesOf(sources []*source) map[string]*declaredType {
	types := map[string]*declaredType{}
	for _, s := range sources {
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				t := &declaredType{file: s, spec: spec}
				t.follow(spec.Type, true)
				types[importPath(s.dir())+"."+spec.Name.Name] = t
			}
			_, isFunc := n.(*ast.FuncDecl)
			return !isFunc
		})
	}
	for _, s := range sources {
		for _, decl := range s.syntax.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil {
				for _, name := range typeNames(s, f.Recv.List[0].Type) {
					if t := types[name]; t != nil {
						t.methods++
					}
				}
			}
		}
	}
	return types
}

func importPath(dir string) string { return strings.TrimSuffix(path.Join(modulePath, dir), "/.") }

// follow counts the fields of a type, those of structs without a name included, and collects
// the types that they lead to.
func (t *declaredType) follow(typ ast.Expr, counts bool) {
	st, ok := typ.(*ast.StructType)
	if !ok {
		t.refs = append(t.refs, typeNames(t.file, typ)...)
		return
	}
	for _, field := range st.Fields.List {
		names := typeNames(t.file, field.Type)
		switch _, inner := field.Type.(*ast.StructType); {
		case inner:
			t.follow(field.Type, counts)
		case len(field.Names) == 0:
			t.embedded = append(t.embedded, names...)
			t.refs = append(t.refs, names...)
			t.fields++
		default:
			t.fields += len(field.Names)
			t.follow(field.Type, false)
		}
	}
}

// typeNames returns the names in a type expression, without those of functions and interfaces.
func typeNames(s *source, typ ast.Expr) (names []string) {
	ast.Inspect(typ, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncType, *ast.InterfaceType:
			return false
		case *ast.Field:
			names = append(names, typeNames(s, n.Type)...)
			return false
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				names = append(names, s.importOf(x.Name)+"."+n.Sel.Name)
			}
			return false
		case *ast.Ident:
			names = append(names, importPath(s.dir())+"."+n.Name)
		}
		return true
	})
	return names
}

// importOf returns the path of the package that a file calls local.
func (s *source) importOf(local string) string {
	for name, spec := range s.imports() {
		if spec.Name != nil && spec.Name.Name == local || spec.Name == nil && path.Base(name) == local {
			return name
		}
	}
	return ""
}

// size counts the methods and fields of a type and of what it embeds.
func size(types map[string]*declaredType, name string, seen []string) (methods, fields int) {
	t := types[name]
	if t == nil || slices.Contains(seen, name) {
		return 0, 0
	}
	methods, fields = t.methods, t.fields
	for _, e := range t.embedded {
		m, f := size(types, e, append(seen, name))
		methods, fields = methods+m, fields+f
	}
	return methods, fields
}

// holders returns the types that hold a resource, or something that does.
func holders(types map[string]*declaredType) map[string]bool {
	hold := map[string]bool{}
	for _, name := range resources {
		hold[name] = true
	}
	for more := true; more; {
		more = false
		for name, t := range types {
			if !hold[name] && slices.ContainsFunc(t.refs, func(ref string) bool { return hold[ref] }) {
				hold[name], more = true, true
			}
		}
	}
	return hold
}

// typesAreSmall finds the types that hold a resource and are beyond the limits. What a type
// embeds counts as its own, so that wrapping does not help.
func typesAreSmall(sources []*source) []breach {
	types := typesOf(shipped(sources))
	hold := holders(types)
	var found []breach
	for _, name := range slices.Sorted(maps.Keys(types)) {
		t := types[name]
		methods, fields := size(types, name, nil)
		debt := t.file.dir() + " " + t.spec.Name.Name
		if _, ok := largeTypes[debt]; ok || !hold[name] || methods <= maxMethods && fields <= maxFields {
			continue
		}
		found = append(found, breach{debt, t.file.at(t.spec.Pos(),
			"%s has %d methods and %d fields, the limits are %d and %d for a type that holds a lock, a store or a file; "+
				"give a part of both to a type of its own", t.spec.Name.Name, methods, fields, maxMethods, maxFields)})
	}
	return found
}

func TestTypesAreSmall(t *testing.T) { holdButDebts(t, "large types", typesAreSmall) }

func TestTypeRulesCatch(t *testing.T) {
	fields := func(n int) string { return strings.Repeat("_ int\n", n) }
	methods := strings.Repeat("func (*T) M() {}\n", maxMethods+1)
	const disk = `import "github.com/fovea-memory/fovea/internal/disk"` + "\n"
	for _, tc := range []struct{ name, text, want string }{
		{"data", "type T struct {\n" + fields(30) + "}", ""},
		{"a lock", "import \"sync\"\ntype T struct {\nmu sync.Mutex\n" + fields(maxFields) + "}", "0 methods and 16 fields"},
		{"at the limit", "import \"sync\"\ntype T struct {\nmu sync.Mutex\n" + fields(maxFields-1) + "}", ""},
		{"a pointer to a store", disk + "type T struct{ s *disk.Store }\n" + methods, "26 methods"},
		{"a pointer to a holder", disk + "type S struct{ s *disk.Store }\ntype T struct{ m map[string]*S }\n" + methods, "T has 26 methods"},
		{"behind a generic pointer", disk + "type T struct{ p atomic.Pointer[disk.Store] }\n" + methods, "26 methods"},
		{"a function that takes a store", disk + "type T struct{ f func(*disk.Store) }\n" + methods, ""},
		{"methods of an embedded type", disk + "type T struct{ s *disk.Store }\n" + methods + "type U struct{ *T }", "U has 26 methods"},
		{"fields of a nested struct", "import \"os\"\ntype T struct {\nf os.File\nin struct {\n" + fields(maxFields) + "}\n}", "16 fields"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			catches(t, asRule(typesAreSmall), map[string]string{"internal/graph/a.go": "package graph\n" + tc.text}, tc.want)
		})
	}
	catches(t, asRule(typesAreSmall), map[string]string{
		"internal/disk/s.go":  "package disk\ntype Store struct{}\n",
		"internal/graph/a.go": "package graph\n" + disk + "type S struct{ s *disk.Store }\n",
		"api/a.go":            "package api\nimport g \"github.com/fovea-memory/fovea/internal/graph\"\ntype T struct {\ns g.S\n" + fields(maxFields) + "}",
	}, fmt.Sprintf("T has 0 methods and %d fields", maxFields+1))
}
