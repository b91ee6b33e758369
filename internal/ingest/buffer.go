// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ingest

import (
	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/scope"
)

// A buffer is a tree that an editor has not saved: a session's document under the path of a
// file. The drift of the session holds the digest that the file had when the buffer was sent.

// BufferedFile returns the file whose document a tree names, "" for none, and the scope that
// holds it.
func BufferedFile(in *scope.Scope, t *ast.Tree) (holder *scope.Scope, path string) {
	for _, s := range in.WithFiles() {
		state := s.Present()
		if n, ok := state.Get(t.ID()); ok && n.Parent == "" && !state.IsTree(n.Path) {
			return s, n.Path
		}
		if t.Type != "org-data" && t.Type != document.TypeDocument {
			continue
		}
		for _, key := range []string{"PATH", "FILE"} {
			name, inside := s.Root.Relative(t.Text(key))
			if _, ok := state.Document(name); ok && inside && t.Text(key) != "" {
				return s, name
			}
		}
	}
	return nil, ""
}
