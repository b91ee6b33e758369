// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package document

import (
	"errors"
	"fmt"
	"path"
	"strings"
)

// Problem is something that a person may want to correct. It never means that data was lost.
type Problem struct {
	Kind    string `json:"kind" jsonschema:"the kind of problem, in a word"` // "id" and "syntax" come from this package
	Path    string `json:"where" jsonschema:"the file, or another thing with the problem"`
	Line    int    `json:"line,omitempty" jsonschema:"the line in the file, from 1; 0 for none"`
	Message string `json:"detail" jsonschema:"the problem, in a sentence"`
}

// Part is one node as a format reads it: everything but its identity and digests.
type Part struct {
	Parent  int // index of the parent in the outline; -1 for the first part
	Type    string
	Attrs   []Attr // sorted by key; nil for files
	Content string
	Bare    bool // there is no content, which differs from empty content
	Derived *Derived
	Key     Key    // distinguishes siblings when ids are derived
	Custom  string // CUSTOM_ID, "" for none
	Line    int    // 1-based line in the file; 0 outside files
	Refused string // why the declared id cannot be used, "" if it can or there is none
}

// File returns a file as one part with all its text, for a format to read. An opaque
// file is not parsed.
func File(text string, opaque bool) Part {
	p := Part{Parent: -1, Type: TypeDocument, Content: text}
	if opaque {
		p.Derived = &Derived{Opaque: true}
	}
	return p
}

// Key distinguishes siblings: by title, or by type if a node has no title. Their order
// distinguishes siblings with the same key. One of the two fields is empty.
type Key struct{ Title, Type string }

// Outline is a document, or a branch of one, as a format reads it: its parts in document
// order, each after its parent.
type Outline struct {
	Parts    []Part
	Problems []Problem
	Label    func(part int, property string) string // names a property of a part in a message
}

// ErrSplice is wrapped by the error of [Apply] for splices that are unsorted, overlap
// or lie outside the text.
var ErrSplice = errors.New("splices are not in order inside the text")

// A Splice replaces the bytes from Start to End of a text by New.
type Splice struct {
	Start, End int
	New        string
}

// Apply returns src with all splices applied. The splices must be sorted, disjoint and
// inside src, to which their offsets refer; otherwise the error wraps [ErrSplice]. It
// takes time in proportion to src and the splices.
func Apply(src string, splices []Splice) (string, error) {
	var b strings.Builder
	at := 0
	for _, s := range splices {
		if s.Start < at || s.End < s.Start || s.End > len(src) {
			return "", fmt.Errorf("apply splice %d to %d after offset %d of %d: %w", s.Start, s.End, at, len(src), ErrSplice)
		}
		b.WriteString(src[at:s.Start])
		b.WriteString(s.New)
		at = s.End
	}
	b.WriteString(src[at:])
	return b.String(), nil
}

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

// IgnoreFile is the name of the files that list, in the syntax of .gitignore, which files of
// their folder do not belong to the memex. Ignore files themselves are documents of it.
const IgnoreFile = ".foveaignore"

// IsIgnore reports whether a document at this path is an ignore file.
func IsIgnore(p string) bool { return path.Base(p) == IgnoreFile && !IsMemory(p) }
