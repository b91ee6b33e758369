// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/champ"
)

// Copies records which documents are conflict copies: files that are named after a file in the
// same folder and share its ids or most of its text. It is immutable and depends only on the
// documents. The zero Copies has no documents.
type Copies struct {
	named champ.Map[champ.Map[bool]] // path -> documents whose names suggest copies of it
	of    champ.Map[string]          // conflict copy -> the file that it is a copy of
}

// Of returns the original of the document at path if that is a conflict copy, else "".
func (c Copies) Of(path string) string {
	of, _ := c.of.Get(path)
	return of
}

// All yields the conflict copies, each with the file that it is a copy of.
func (c Copies) All() iter.Seq2[string, string] { return c.of.All() }

// Judge returns the copies after the documents at some paths were added, removed or changed.
// at returns the nodes of a document, nil if there is none. O(bytes of these documents and of
// the documents with related names).
func (c Copies) Judge(changed iter.Seq[string], at func(path string) []*Node) Copies {
	paths, names := map[string]bool{}, c.named.Edit()
	for path := range changed {
		paths[path] = true
		name(names, path, at(path) != nil)
	}
	c.named = names.Map()
	for path := range maps.Clone(paths) {
		named, _ := c.named.Get(path)
		maps.Insert(paths, named.All())
	}
	for path := range paths {
		of := copyOf(path, at)
		if c.of = c.of.Delete(path); of != "" {
			c.of = c.of.Set(path, of)
		}
	}
	return c
}

// Moved lists, sorted, the documents that became copies, ceased to be copies, or now have
// another original.
func (c Copies) Moved(before Copies) (paths []string) {
	for _, way := range [][2]Copies{{before, c}, {c, before}} {
		for path, of := range way[0].All() {
			if way[1].Of(path) != of {
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// name records a document under its possible originals, or removes it there.
func name(names *champ.Editor[champ.Map[bool]], path string, there bool) {
	originals, _ := Originals(path)
	for _, of := range originals {
		list, _ := names.Get(of)
		if list = list.Delete(path); there {
			list = list.Set(path, true)
		}
		if names.Set(of, list); list.Len() == 0 {
			names.Delete(of)
		}
	}
}

// copyOf returns the original of the file at path, "" if it is not a conflict copy. at returns
// the nodes of a document, nil if there is none.
func copyOf(path string, at func(path string) []*Node) string {
	originals, marked := Originals(path)
	for _, of := range originals {
		if own, there := at(path), at(of); own != nil && there != nil && !own[0].IsTree() && !there[0].IsTree() && isCopy(own, there, marked) {
			return of
		}
	}
	return ""
}

// isCopy reports whether a document shares an id or most of its own text with the original. If
// its name does not mark it as a copy, it must share most of its ids or most of both texts.
func isCopy(copied, original []*Node, marked bool) bool {
	theirs, ids, shared, size, other := map[string]bool{"": true}, 0, 0, 0, 0
	for _, n := range original {
		theirs[n.Derived.DeclaredID] = true
		other += len(n.Content)
	}
	for _, n := range copied {
		if size += len(n.Content); n.Derived.DeclaredID == "" {
			continue
		}
		if ids++; theirs[n.Derived.DeclaredID] {
			shared++
		}
	}
	if shared > 0 && (marked || 2*shared >= ids) {
		return true
	}
	enough := size
	if !marked {
		enough = max(size, other)
	}
	return 2*min(size, other) > enough && 2*sharedBytes(Join(copied), Join(original)) > enough
}

// sharedBytes returns the size of the distinct lines that are in both texts.
func sharedBytes(text, other string) (size int) {
	lines := map[string]bool{}
	for line := range strings.Lines(other) {
		lines[line] = true
	}
	for line := range strings.Lines(text) {
		if lines[line] {
			size += len(line)
			delete(lines, line)
		}
	}
	return size
}
