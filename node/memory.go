// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import "strings"

// memoryMark begins the path of a document that is no file: files are named
// relative to the memex, so that none has such a path.
const memoryMark = "/"

// IsMemory reports whether a document of this path is memory-backed: a tree that
// came through the API and stands in no file.
func IsMemory(path string) bool { return strings.HasPrefix(path, memoryMark) }

// MemoryPath returns the path of the memory-backed document whose root claims,
// or was given, an id.
func MemoryPath(id string) string { return memoryMark + id }

// IsTree reports whether a document's nodes came as a tree: the memory-backed
// ones, and those laid over a file, whose root names the file in an attribute or
// is of no type that a file has.
func IsTree(nodes []*Node) bool {
	if len(nodes) == 0 {
		return false
	}
	root := nodes[0]
	return IsMemory(root.Path) || len(root.Attrs) > 0 || root.Type != TypeDocument
}
