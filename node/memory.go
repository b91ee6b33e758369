// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import "github.com/fovea-memory/fovea/document"

// IsTree reports whether a document's nodes are those of a tree: memory-backed, or laid
// over a file, in which case its root names the file in an attribute or has a type that
// files do not have.
func IsTree(nodes []*Node) bool {
	if len(nodes) == 0 {
		return false
	}
	root := nodes[0]
	return document.IsMemory(root.Path) || len(root.Attrs) > 0 || root.Type != document.TypeDocument
}
