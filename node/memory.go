// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import "strings"

// memoryMark begins the path of a document that is not a file. File paths are relative
// and never begin with it.
const memoryMark = "/"

// IsMemory reports whether a document at this path is memory-backed: a tree without a
// file.
func IsMemory(path string) bool { return strings.HasPrefix(path, memoryMark) }

// MemoryPath returns the path of the memory-backed document whose root has this id.
func MemoryPath(id string) string { return memoryMark + id }

// IsTree reports whether a document's nodes are those of a tree: memory-backed, or laid
// over a file, in which case its root names the file in an attribute or has a type that
// files do not have.
func IsTree(nodes []*Node) bool {
	if len(nodes) == 0 {
		return false
	}
	root := nodes[0]
	return IsMemory(root.Path) || len(root.Attrs) > 0 || root.Type != TypeDocument
}
