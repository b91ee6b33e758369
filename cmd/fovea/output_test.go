// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// cliFolder is the folder of the verbs and the streams.
const cliFolder = "../../internal/cli"

// TestOneDoor: only the streams name standard output and standard error, so that no
// verb can go around what they make visible.
func TestOneDoor(t *testing.T) {
	var files []string
	for _, folder := range []string{".", cliFolder} {
		some, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, some...)
	}
	found := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, way := range ways(tree) {
			found[way] = true
			if name := filepath.Base(file); filepath.Dir(file) != filepath.Clean(cliFolder) || name != "console.go" && name != "progress.go" {
				t.Errorf("%s writes by %s; write to session.Out or session.Err", file, way)
			}
		}
	}
	if len(found) != 2 {
		t.Errorf("console.go and progress.go write by %v, want os.Stdout and os.Stderr: is this test blind?", found)
	}
}

// ways are those around the streams that a file names.
func ways(tree *ast.File) (found []string) {
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if of, ok := n.X.(*ast.Ident); ok {
				switch name := of.Name + "." + n.Sel.Name; name {
				case "os.Stdout", "os.Stderr", "fmt.Print", "fmt.Println", "fmt.Printf", "mcp.StdioTransport", "syscall.Stdout", "syscall.Stderr":
					found = append(found, name)
				}
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "print" || f.Name == "println") {
				found = append(found, f.Name)
			}
		}
		return true
	})
	return found
}
