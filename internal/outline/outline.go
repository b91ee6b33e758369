// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"bytes"
	"cmp"
	"slices"
)

// maxSource is the largest source that is read, in bytes. Larger files are data.
const maxSource = 64 << 20

// maxDepth is the maximum nesting depth of definitions that are read.
const maxDepth = 64

// Definition is something that source code defines, such as a function.
type Definition struct {
	// Kind is its kind, in the words of the language: func, class, method, trait.
	Kind string
	// Name is its name, without qualification.
	Name string
	// Parent is the name of its container, such as its class; "" for none. Names of
	// nested parents are joined by dots.
	Parent string
	// Line and EndLine are its first and last line, counted from 1.
	Line, EndLine int
	// Signature is its head in one line: all before its body, white space collapsed.
	Signature string
	// Depth is the number of definitions around it.
	Depth int
}

// Kinds that are in an outline, but not in the result of Definitions.
const (
	kindPackage = "package"
	kindImport  = "import"
)

// Definitions returns the definitions in src, in the order of lines. language is a result of [Language]; for any other there are no
// definitions. It takes time linear in src, which may have any bytes.
func Definitions(language string, src []byte) []Definition {
	return definitions(scan(language, src))
}

// definitions returns found, which it changes, without packages and imports.
func definitions(found []Definition) []Definition {
	return slices.DeleteFunc(found, func(d Definition) bool { return d.Kind == kindPackage || d.Kind == kindImport })
}

// scan returns the definitions, packages and imports of src in the order of lines.
func scan(language string, src []byte) []Definition {
	l, ok := languages[language]
	if !ok || len(src) > maxSource {
		return nil
	}
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	var found []Definition
	if l.parse != nil {
		found = l.parse(src)
	} else {
		found = read(l.grammar(), src).found
	}
	slices.SortStableFunc(found, func(a, b Definition) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Depth, b.Depth))
	})
	nest(found, bytes.Count(src, []byte("\n"))+1)
	return found
}

// nest sets the depths of found, which is in the order of lines, and ends each definition
// no later than its container or the source.
func nest(found []Definition, lines int) {
	var open []int
	for i := range found {
		d := &found[i]
		d.EndLine = min(d.EndLine, lines)
		for n := len(open); n > 0 && (found[open[n-1]].EndLine < d.Line || found[open[n-1]].Depth >= d.Depth); n-- {
			open = open[:n-1]
		}
		if d.Depth = len(open); d.Depth > 0 {
			d.EndLine = min(d.EndLine, found[open[d.Depth-1]].EndLine)
		}
		open = append(open, i)
	}
}
