// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package document

import (
	"path"
	"strings"
)

// Types of nodes that come from files. They are org-element's names.
const (
	TypeDocument = "document" // a file: its zeroth section, or all of an opaque file
	TypeHeadline = "headline" // a headline and its own text, up to its first child
)

// MaxPath is the maximum size in bytes of the path of a document; a longer one is
// refused.
const MaxPath = 4 << 10

// MemoryMark begins the path of a document that is not a file. File paths are relative
// and never begin with it.
const MemoryMark = "/"

// IsMemory reports whether a document at this path is memory-backed: a tree without a
// file.
func IsMemory(path string) bool { return strings.HasPrefix(path, MemoryMark) }

// MemoryPath returns the path of the memory-backed document whose root has this id.
func MemoryPath(id string) string { return MemoryMark + id }

// IsEncrypted reports whether a document at this path is encrypted: its bytes are
// neither searched nor shown to a model.
func IsEncrypted(p string) bool { return strings.EqualFold(path.Ext(p), ".gpg") && !IsMemory(p) }

// IgnoreFile is the name of the files that say, in the syntax of .gitignore, which files of
// their folder are none of a memex. They are documents of it themselves.
const IgnoreFile = ".foveaignore"

// IsIgnore reports whether a document at this path is an ignore file.
func IsIgnore(p string) bool { return path.Base(p) == IgnoreFile && !IsMemory(p) }
