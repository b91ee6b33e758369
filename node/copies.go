// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/champ"
)

// Copies says which of some documents are conflict copies: files that are called after a file
// beside them and share its ids or most of its text. It is a function of the documents alone,
// and immutable. The zero Copies is that of no documents.
type Copies struct {
	named champ.Map[champ.Map[bool]] // path -> documents that can be copies of it by their names
	of    champ.Map[string]          // conflict copy -> the file that it is a copy of
}

// Of returns the path of the file that the document at path is a conflict copy of, "" for an
// ordinary document.
func (c Copies) Of(path string) string {
	of, _ := c.of.Get(path)
	return of
}

// All yields the conflict copies, each with the file that it is a copy of.
func (c Copies) All() iter.Seq2[string, string] { return c.of.All() }

// Judge returns the copies after the documents at some paths were added, removed or changed.
// at returns the nodes of a document, nil if there is none. O(their bytes), and those of the
// files whose names say that they belong together.
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

// Moved lists, sorted, the documents that are copies of others than before, or began or
// ceased to be copies.
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

// name enters a document under the names of its possible originals, or removes it.
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

// copyOf returns what the file at path is a conflict copy of, "" for nothing. at returns the
// nodes of a document, nil if there is none.
func copyOf(path string, at func(path string) []*Node) string {
	originals, marked := Originals(path)
	for _, of := range originals {
		if own, there := at(path), at(of); own != nil && there != nil && !own[0].IsTree() && !there[0].IsTree() && isCopy(own, there, marked) {
			return of
		}
	}
	return ""
}

// isCopy reports whether a document shares with another one an id or most of its own text;
// unless its name alone marks it as a copy, most of its ids or most of the text of both.
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

// sharedBytes returns the size of the lines of a text that another one has, each counted once.
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
