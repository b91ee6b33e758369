// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// unnamed are the types of internal packages that a declaration of the library leads to, each
// with the reason why a program outside the module need not name it.
var unnamed = map[string]string{
	"hive.Hive":        inside,
	"ingest.Reader":    inside,
	"meaning.Reranker": inside,
	"meaning.Vectors":  inside,
	"mend.Mender":      inside,
	"ingest.Guard":     inside,
	"place.Histories":  inside,
	"hive.Proposals":   inside,
	"minds.Windows":    inside,
	"place.Proof":      "what VerifyBundle read; it is printed, and its fields need no name",
	"corpus.Buffers":   "Options.Buffers is what the daemon keeps for editors; a program outside the module has no editors",
	"store.Store":      "Options.OpenStore puts another store under the tests of this module",
	"vfs.FS":           "Options.Store and Options.Folder put a file system in memory under the tests of this module",
	"outline.File":     "window.Request.Outline only keeps what was read; nil reads again",
}

// inside is the reason of what the packages above the root are built of: package api, the servers
// and the command line. A program has the operations of package api in its place, and can call
// the methods without a name.
const inside = "a room that package api is built of"

// namesOf finds the types of internal packages that exported declarations lead to: those of the
// root, and of each public package whose types they name.
type namesOf struct {
	found map[string]string // the type, and the declaration that led to it first
	seen  map[types.Type]bool
	todo  []*types.Package
	known map[*types.Package]bool
	at    string // the declaration that is walked
}

// walkLibrary returns what the exported declarations of a package lead to.
func walkLibrary(root *types.Package) map[string]string {
	w := &namesOf{found: map[string]string{}, seen: map[types.Type]bool{}, known: map[*types.Package]bool{root: true}, todo: []*types.Package{root}}
	for len(w.todo) > 0 {
		p := w.todo[0]
		w.todo = w.todo[1:]
		for _, name := range p.Scope().Names() {
			if o := p.Scope().Lookup(name); o.Exported() {
				w.at = p.Name() + "." + name
				w.follow(o.Type())
			}
		}
	}
	return w.found
}

// declared notes the declaration of a type, and reports whether it is a public one of this module.
func (w *namesOf) declared(o *types.TypeName) bool {
	if o.Pkg() == nil || !strings.HasPrefix(o.Pkg().Path()+"/", modulePath+"/") {
		return false
	}
	if rest := strings.TrimPrefix(o.Pkg().Path(), modulePath+"/"); strings.HasPrefix(rest, "internal/") {
		if name := strings.TrimPrefix(rest, "internal/") + "." + o.Name(); w.found[name] == "" {
			w.found[name] = w.at
		}
		return false
	}
	if !w.known[o.Pkg()] {
		w.known[o.Pkg()] = true
		w.todo = append(w.todo, o.Pkg())
	}
	return true
}

// follow walks a type as a reader of its documentation does: through what is exported of it.
func (w *namesOf) follow(t types.Type) {
	if t == nil || w.seen[t] {
		return
	}
	w.seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		if w.declared(t.Obj()) {
			w.follow(t.Rhs())
		}
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			w.follow(arg)
		}
		if w.declared(t.Obj()) {
			for m := range t.Methods() {
				if m.Exported() {
					w.follow(m.Type())
				}
			}
			w.follow(t.Underlying())
		}
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				w.follow(f.Type())
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			w.follow(m.Type())
		}
		for e := range t.EmbeddedTypes() {
			w.follow(e)
		}
	case *types.Signature:
		w.follow(t.Params())
		w.follow(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			w.follow(v.Type())
		}
	case *types.Map:
		w.follow(t.Key())
		w.follow(t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays and channels
		w.follow(t.Elem())
	}
}

// libraryPackage returns the types of the root package, as the compiler exports them.
func libraryPackage(t *testing.T) *types.Package {
	t.Helper()
	list := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export", ".")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	exports := map[string]string{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct{ ImportPath, Export string }
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	root, err := importer.ForCompiler(token.NewFileSet(), "gc", open).Import(modulePath)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// A program outside the module can name what the library takes and returns.
func TestLibraryNames(t *testing.T) {
	found := walkLibrary(libraryPackage(t))
	var complaints []string
	for name, at := range found {
		if unnamed[name] == "" {
			complaints = append(complaints, fmt.Sprintf("%s leads to %s, which no program outside the module can name; declare it in a public package", at, name))
		}
	}
	for name := range unnamed {
		if found[name] == "" {
			complaints = append(complaints, name+" is in the table, and nothing leads to it; remove its row")
		}
	}
	slices.Sort(complaints)
	for _, c := range complaints {
		t.Error(c)
	}
}
